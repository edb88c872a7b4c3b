//===- TIRNames.cpp - What TIR's ops are called here and there ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TIRNames.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace partita::tvmjson;

namespace {
struct MathOp {
  StringRef intrinsic, op;
  size_t numOperands = 1;
};
} // namespace

/// Those that round in the same way.
static constexpr MathOp mathOps[] = {
    {"tirx.acos", "math.acos"},
    {"tirx.acosh", "math.acosh"},
    {"tirx.asin", "math.asin"},
    {"tirx.asinh", "math.asinh"},
    {"tirx.atan", "math.atan"},
    {"tirx.atan2", "math.atan2", 2},
    {"tirx.atanh", "math.atanh"},
    {"prim.ceil", "math.ceil"},
    {"tirx.copysign", "math.copysign", 2},
    {"tirx.cos", "math.cos"},
    {"tirx.cosh", "math.cosh"},
    {"tirx.erf", "math.erf"},
    {"tirx.exp", "math.exp"},
    {"tirx.exp2", "math.exp2"},
    {"tirx.fabs", "math.absf"},
    {"tirx.floor", "math.floor"},
    {"tirx.fma", "math.fma", 3},
    {"tirx.log", "math.log"},
    {"tirx.log10", "math.log10"},
    {"tirx.log1p", "math.log1p"},
    {"prim.log2", "math.log2"},
    {"tirx.nearbyint", "math.roundeven"},
    {"tirx.pow", "math.powf", 2},
    {"tirx.rsqrt", "math.rsqrt"},
    {"tirx.sin", "math.sin"},
    {"tirx.sinh", "math.sinh"},
    {"tirx.sqrt", "math.sqrt"},
    {"tirx.tan", "math.tan"},
    {"tirx.tanh", "math.tanh"},
    {"tirx.trunc", "math.trunc"},
};

StringRef partita::tvmjson::getMathOp(StringRef intrinsic) {
  for (const MathOp &each : mathOps)
    if (each.intrinsic == intrinsic)
      return each.op;
  return "";
}

StringRef partita::tvmjson::getMathIntrin(StringRef op) {
  for (const MathOp &each : mathOps)
    if (each.op == op)
      return each.intrinsic;
  return "";
}

size_t partita::tvmjson::getNumMathOperands(StringRef op) {
  for (const MathOp &each : mathOps)
    if (each.op == op)
      return each.numOperands;
  return 0;
}

bool partita::tvmjson::isPureIntrin(StringRef name) {
  static const llvm::StringSet<> pure = {
      "prim.clz",
      "prim.likely",
      "prim.vscale",
      "tirx.address_of",
      "tirx.buffer_data",
      "tirx.buffer_offset",
      "tirx.call_llvm_pure_intrin",
      "tirx.call_pure_extern",
      "tirx.call_spirv_pure_glsl450",
      "tirx.cuda.fdividef",
      "tirx.cuda.thread_rank",
      "tirx.dp4a",
      "tirx.exp10",
      "tirx.fmod",
      "tirx.get_active_lane_mask",
      "tirx.handle_add_byte_offset",
      "tirx.hypot",
      "tirx.isfinite",
      "tirx.isinf",
      "tirx.isnan",
      "tirx.isnullptr",
      "tirx.ldexp",
      "tirx.nextafter",
      "tirx.popcount",
      "tirx.ptr_byte_offset",
      "tirx.ptx.addr",
      "tirx.q_multiply_shift",
      "tirx.q_multiply_shift_per_axis",
      "tirx.reinterpret",
      "tirx.round",
      "tirx.sigmoid",
      "tirx.type_annotation",
      "tirx.vectorcombine",
      "tirx.vectorhigh",
      "tirx.vectorlow",
  };
  return pure.contains(name) || !getMathOp(name).empty();
}

Operation *partita::tvmjson::getVarOwner(Value value) {
  if (Operation *op = value.getDefiningOp())
    return isa<tir::BindOp, tir::AllocBufferOp, tir::DeclBufferOp>(op)
               ? op
               : nullptr;
  Operation *parent = value.getParentBlock()->getParentOp();
  return isa<scf::ForOp, tir::ForOp, tir::LetOp>(parent) ? parent : nullptr;
}

StringRef partita::tvmjson::getVarName(Location loc, StringRef fallback) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringRef name = getVarName(part, ""); !name.empty())
        return name;
  return fallback;
}
