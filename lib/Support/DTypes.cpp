//===- DTypes.cpp - Dtypes of MLIR's types --------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/DTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace partita;

DType partita::getDType(Type type) {
  if (auto integer = dyn_cast_or_null<IntegerType>(type)) {
    if (integer.getWidth() == 1)
      return getDType("bool");
    return getDType((integer.isUnsigned() ? "uint" : "int") +
                    std::to_string(integer.getWidth()));
  }
  if (!isa_and_nonnull<FloatType>(type))
    return DType();
  // MLIR's names are TVM's in capitals.
  std::string text = debugString(type);
  StringRef rest = text;
  std::string name = rest.consume_front("b") ? "bfloat" : "float";
  rest.consume_front("f");
  StringRef format = rest.ltrim("0123456789");
  name += rest.drop_back(format.size());
  return getDType(format.empty() ? name : name + "_" + format.lower());
}
