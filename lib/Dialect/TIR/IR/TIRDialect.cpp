//===- TIRDialect.cpp - The tir dialect -----------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/TIR/IR/TIRDialect.h"
#include "../../ValueNames.h"
#include "../../VersionedBytecode.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "partita/Dialect/TIR/IR/TIRDialect.cpp.inc"

using namespace mlir;
using namespace partita::tir;

/// Parses `[8 : 16, 128 : 1 @P]`: extents, strides, and axes other than memory.
static ParseResult parseIterators(AsmParser &parser,
                                  SmallVectorImpl<int64_t> &extents,
                                  SmallVectorImpl<int64_t> &strides,
                                  SmallVectorImpl<StringAttr> &axes) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        auto axis = StringAttr::get(parser.getContext(), "m");
        if (parser.parseInteger(extents.emplace_back()) ||
            parser.parseColon() || parser.parseInteger(strides.emplace_back()))
          return failure();
        (void)parser.parseOptionalSymbolName(axis);
        axes.push_back(axis);
        return success();
      });
}

static void printIterators(AsmPrinter &printer, ArrayRef<int64_t> extents,
                           ArrayRef<int64_t> strides,
                           ArrayRef<StringAttr> axes) {
  printer << '[';
  llvm::interleaveComma(llvm::zip_equal(extents, strides, axes), printer,
                        [&](auto iterator) {
                          auto [extent, stride, axis] = iterator;
                          printer << extent << " : " << stride;
                          if (axis.getValue() != "m") {
                            printer << ' ';
                            printer.printSymbolName(axis);
                          }
                        });
  printer << ']';
}

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/TIR/IR/TIRAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "partita/Dialect/TIR/IR/TIRTypes.cpp.inc"

void *TIRDialect::getRegisteredInterfaceForOp(TypeID interfaceID,
                                              OperationName) {
  static partita::NamesOfLocations<PrimFuncOp> names;
  return interfaceID == OpAsmOpInterface::getInterfaceID() ? &names : nullptr;
}

void TIRDialect::initialize() {
  addInterfaces<partita::VersionedBytecode<1>>();
  partita::addNamedOperations<
#define GET_OP_LIST
#include "partita/Dialect/TIR/IR/TIROps.cpp.inc"
      >(*this);
  // Loops print the names of their variables, as blocks do.
  scf::ForOp::attachInterface<partita::NamesOfLocations<scf::ForOp>>(
      *getContext());
  addAttributes<
#define GET_ATTRDEF_LIST
#include "partita/Dialect/TIR/IR/TIRAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "partita/Dialect/TIR/IR/TIRTypes.cpp.inc"
      >();
}
