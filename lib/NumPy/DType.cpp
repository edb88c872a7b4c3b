//===- DType.cpp - Types of elements --------------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/NumPy/DType.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

using namespace partita;
using llvm::StringRef;

using llvm::APFloat;

namespace {
struct KnownType {
  const char *name;
  DType dtype;
  /// Null for types that code cannot compute with.
  const char *numPyName = nullptr;
  /// Null for types that are no floats.
  const llvm::fltSemantics &(*semantics)() = nullptr;
};
const KnownType kTypes[] = {
    {"bool", {kBoolCode, 8}, "b1"},
    {"float16", {kFloatCode, 16}, "f2", APFloat::IEEEhalf},
    {"bfloat16", {kBFloatCode, 16}, "V2", APFloat::BFloat},
    {"float32", {kFloatCode, 32}, "f4", APFloat::IEEEsingle},
    {"float64", {kFloatCode, 64}, "f8", APFloat::IEEEdouble},
    {"int8", {kIntCode, 8}, "i1"},
    {"int16", {kIntCode, 16}, "i2"},
    {"int32", {kIntCode, 32}, "i4"},
    {"int64", {kIntCode, 64}, "i8"},
    {"uint8", {kUIntCode, 8}, "u1"},
    {"uint16", {kUIntCode, 16}, "u2"},
    {"uint32", {kUIntCode, 32}, "u4"},
    {"uint64", {kUIntCode, 64}, "u8"},
    {"float128", {kFloatCode, 128}},
    {"complex64", {kComplexCode, 64}},
    {"complex128", {kComplexCode, 128}},
    // The first with a name is what a file with that name has.
    {"float8_e4m3fn", {kFloat8E4M3FNCode, 8}, "V1", APFloat::Float8E4M3FN},
    {"float8_e3m4", {kFloat8E3M4Code, 8}, "V1", APFloat::Float8E3M4},
    {"float8_e4m3", {kFloat8E4M3Code, 8}, "V1", APFloat::Float8E4M3},
    {"float8_e4m3b11fnuz",
     {kFloat8E4M3B11FNUZCode, 8},
     "V1",
     APFloat::Float8E4M3B11FNUZ},
    {"float8_e4m3fnuz",
     {kFloat8E4M3FNUZCode, 8},
     "V1",
     APFloat::Float8E4M3FNUZ},
    {"float8_e5m2", {kFloat8E5M2Code, 8}, "V1", APFloat::Float8E5M2},
    {"float8_e5m2fnuz",
     {kFloat8E5M2FNUZCode, 8},
     "V1",
     APFloat::Float8E5M2FNUZ},
};
} // namespace

static const KnownType *find(llvm::function_ref<bool(const KnownType &)> fits) {
  for (const KnownType &type : kTypes)
    if (fits(type))
      return &type;
  return nullptr;
}

static const KnownType *find(DType dtype) {
  return find([&](const KnownType &type) { return type.dtype == dtype; });
}

bool DType::isInteger() const { return code == kIntCode || code == kUIntCode; }
bool DType::isFloat() const {
  const KnownType *type = find(*this);
  return type && type->semantics;
}

std::string partita::getName(DType dtype) {
  if (const KnownType *type = find(dtype))
    return type->name;
  return ("code " + llvm::Twine(dtype.code) + " of " + llvm::Twine(dtype.bits) +
          " bits")
      .str();
}

DType partita::getDType(StringRef name) {
  const KnownType *type = find([&](const KnownType &type) {
    return type.numPyName && name == type.name;
  });
  return type ? type->dtype : DType();
}

StringRef partita::getNumPyName(DType dtype) {
  const KnownType *type = find(dtype);
  return type ? StringRef(type->numPyName) : StringRef();
}

DType partita::getNumPyDType(StringRef name) {
  const KnownType *type = find([&](const KnownType &type) {
    return type.numPyName && name == type.numPyName;
  });
  return type ? type->dtype : DType();
}

double partita::readReal(DType dtype, uint64_t bits) {
  APFloat number(find(dtype)->semantics(), llvm::APInt(dtype.bits, bits));
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

uint64_t partita::writeReal(DType dtype, double number) {
  APFloat result(number);
  bool losesInfo;
  result.convert(find(dtype)->semantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return result.bitcastToAPInt().getZExtValue();
}
