//===- PartitaAttrs.cpp - PassInfo and PassContext as attributes ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Partita/IR/PartitaAttrs.h"
#include "partita/Dialect/Partita/IR/PartitaDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace partita;

static FailureOr<SmallVector<StringAttr>> parseNames(AsmParser &parser) {
  SmallVector<StringAttr> names;
  auto parseName = [&] { return parser.parseAttribute(names.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseName))
    return failure();
  return names;
}

static void printNames(AsmPrinter &printer, ArrayRef<StringAttr> names) {
  printer << '[';
  llvm::interleaveComma(names, printer);
  printer << ']';
}

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/Partita/IR/PartitaAttrs.cpp.inc"

/// Verifies that no name in `names`, the parameter `list`, is empty.
static LogicalResult verifyNames(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef list, ArrayRef<StringAttr> names) {
  for (auto [index, name] : llvm::enumerate(names))
    if (!name || name.empty())
      return emitError() << "expected names in '" << list
                         << "', found an empty one at position " << index;
  return success();
}

static LogicalResult verifyLevel(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t level) {
  if (level < 0)
    return emitError() << "expected an opt_level of at least 0, found "
                       << level;
  if (level > std::numeric_limits<int>::max())
    return emitError() << "expected an opt_level of at most "
                       << std::numeric_limits<int>::max() << ", found "
                       << level;
  return success();
}

PassInfoAttr PassInfoAttr::get(MLIRContext *context, StringRef name,
                               int64_t optLevel, ArrayRef<StringRef> required) {
  return get(context, StringAttr::get(context, name), optLevel,
             llvm::map_to_vector(required, [&](StringRef string) {
               return StringAttr::get(context, string);
             }));
}

LogicalResult PassInfoAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringAttr name, int64_t optLevel,
                                   ArrayRef<StringAttr> required) {
  if (!name || name.empty())
    return emitError() << "expected a name of the pass, found none";
  return success(succeeded(verifyLevel(emitError, optLevel)) &&
                 succeeded(verifyNames(emitError, "required", required)));
}

LogicalResult PassContextAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, int64_t optLevel,
    ArrayRef<StringAttr> requiredPass, ArrayRef<StringAttr> disabledPass,
    DictionaryAttr config, ArrayRef<StringAttr> instruments) {
  if (!config)
    return emitError() << "expected a dictionary as 'config', found none";
  return success(
      succeeded(verifyLevel(emitError, optLevel)) &&
      succeeded(verifyNames(emitError, "required_pass", requiredPass)) &&
      succeeded(verifyNames(emitError, "disabled_pass", disabledPass)) &&
      succeeded(verifyNames(emitError, "instruments", instruments)));
}

void PartitaDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "partita/Dialect/Partita/IR/PartitaAttrs.cpp.inc"
      >();
}
