//===- Metadata.cpp - What a caller has to know of functions --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Metadata.h"
#include "EqualSizes.h"
#include "FunctionLowering.h"

#include "partita/Dialect/Relax/IR/RelaxShape.h"
#include "partita/Dialect/Relax/IR/RelaxVariables.h"
#include "partita/Support/DTypes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

static llvm::json::Array getSizes(ArrayRef<Dim> dims) {
  llvm::json::Array sizes;
  for (Dim dim : dims) {
    if (dim.isNumber())
      sizes.push_back(dim.getSize());
    else if (dim.isIdentifier())
      sizes.push_back(dim.getName().getValue());
    else
      sizes.push_back(nullptr);
  }
  return sizes;
}

/// Describes an object, and what is known of it.
static std::optional<llvm::json::Object> describeObject(Type type) {
  llvm::json::Object object{{"kind", "object"}};
  if (std::optional<TensorInfo> info = TensorInfo::get(type)) {
    object["of"] = "tensor";
    if (info->elementType) {
      DType dtype = getDType(info->elementType);
      if (dtype.bits == 0)
        return std::nullopt;
      object["dtype"] = getName(dtype);
    }
    if (info->isRanked)
      object["shape"] = getSizes(info->dims);
  } else if (isa<ShapeType>(type)) {
    object["of"] = "shape";
  }
  return object;
}

std::optional<llvm::json::Object> partita::describeType(Type type) {
  if (isObject(type))
    return describeObject(type);
  if (std::optional<TensorInfo> info = TensorInfo::get(type)) {
    DType dtype = getDType(info->elementType);
    if (dtype.bits == 0)
      return std::nullopt;
    return llvm::json::Object{{"kind", "tensor"},
                              {"dtype", getName(dtype)},
                              {"shape", getSizes(info->dims)}};
  }
  if (auto shape = dyn_cast<ShapeType>(type)) {
    return llvm::json::Object{{"kind", "shape"},
                              {"values", getSizes(shape.getDims())}};
  }
  if (auto tuple = dyn_cast<TupleType>(type)) {
    llvm::json::Array fields;
    for (Type field : tuple) {
      std::optional<llvm::json::Object> inner = describeType(field);
      if (!inner)
        return std::nullopt;
      fields.push_back(std::move(*inner));
    }
    return llvm::json::Object{{"kind", "tuple"}, {"fields", std::move(fields)}};
  }
  DType dtype = getDType(type);
  if (dtype.bits == 0)
    return std::nullopt;
  return llvm::json::Object{{"kind", "prim"}, {"dtype", getName(dtype)}};
}

llvm::json::Object partita::describeString(StringRef text) {
  return llvm::json::Object{{"kind", "string"},
                            {"value", llvm::json::fixUTF8(text)}};
}

llvm::json::Object partita::describeDType(Type type) {
  DType dtype = getDType(type);
  return describeString(dtype.bits ? getName(dtype) : "");
}

std::string partita::getParameterName(BlockArgument parameter) {
  if (StringAttr name = relax::getVarName(parameter))
    return name.str();
  return std::to_string(parameter.getArgNumber());
}

static std::optional<llvm::json::Object> describe(FuncOp func) {
  llvm::json::Array params;
  for (BlockArgument parameter : func.getArguments()) {
    std::optional<llvm::json::Object> inner = describeType(parameter.getType());
    if (!inner)
      return std::nullopt;
    (*inner)["name"] = getParameterName(parameter);
    params.push_back(std::move(*inner));
  }
  ArrayRef<Type> results = func.getResultTypes();
  // Several results are a tuple in TVM.
  Type type = results.size() == 1 ? results.front()
                                  : TupleType::get(func.getContext(), results);
  std::optional<llvm::json::Object> result = describeType(type);
  if (!result)
    return std::nullopt;
  return llvm::json::Object{{"params", std::move(params)},
                            {"result", std::move(*result)}};
}

/// Whether elements that lie one after the other fit `type`.
static bool canBeCompact(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (type.getMemorySpace() ||
      failed(type.getStridesAndOffset(strides, offset)))
    return false;
  return type.getLayout().isIdentity() ||
         ((offset == 0 || ShapedType::isDynamic(offset)) &&
          llvm::all_of(strides, ShapedType::isDynamic));
}

/// Describes a function that writes buffers of its caller.
static std::optional<llvm::json::Object> describe(tir::PrimFuncOp func) {
  EqualSizes equal(func);
  llvm::json::Array params;
  for (BlockArgument parameter : func.getArguments()) {
    auto buffer = dyn_cast<MemRefType>(parameter.getType());
    std::optional<llvm::json::Object> object =
        describeType(buffer ? RankedTensorType::get(buffer.getShape(),
                                                    buffer.getElementType())
                            : parameter.getType());
    if (!object || (buffer && !canBeCompact(buffer)))
      return std::nullopt;
    for (size_t index = 0; buffer && index < size_t(buffer.getRank());
         ++index) {
      llvm::json::Value &size = (*object->getArray("shape"))[index];
      if (auto found = equal.get(parameter, index))
        size = std::visit([](auto value) { return llvm::json::Value(value); },
                          *found);
    }
    if (buffer && mayWrite(parameter))
      (*object)["is_written"] = true;
    (*object)["name"] = getParameterName(parameter);
    params.push_back(std::move(*object));
  }
  llvm::json::Object described{{"params", std::move(params)}};
  for (Type type : getReturnTypes(func)) {
    std::optional<llvm::json::Object> result = describeType(type);
    if (!result)
      return std::nullopt;
    described["result"] = std::move(*result);
  }
  return described;
}

bool partita::isEntry(tir::PrimFuncOp func) {
  return func.isPublic() && !func.isExternal() && describe(func);
}

static FailureOr<llvm::json::Object>
describeAll(ArrayRef<FunctionOpInterface> functions) {
  llvm::json::Object described;
  for (FunctionOpInterface func : functions) {
    auto primFunc = dyn_cast<tir::PrimFuncOp>(*func);
    std::optional<llvm::json::Object> object =
        primFunc ? describe(primFunc) : describe(cast<FuncOp>(*func));
    if (!object)
      return func.emitError("expected parameters and results with a dtype of "
                            "the CPU, found ")
             << func.getFunctionType();
    described[func.getName()] = std::move(*object);
  }
  return described;
}

LogicalResult partita::addMetadata(OpBuilder &builder,
                                   ArrayRef<FunctionOpInterface> functions,
                                   ArrayRef<FunctionOpInterface> closures,
                                   llvm::json::Object packed) {
  FailureOr<llvm::json::Object> described = describeAll(functions),
                                called = describeAll(closures);
  if (failed(described) || failed(called))
    return failure();
  std::string text;
  llvm::json::Object metadata{{"version", 1},
                              {"functions", std::move(*described)}};
  if (!called->empty())
    metadata["closures"] = std::move(*called);
  if (!packed.empty())
    metadata["packed_funcs"] = std::move(packed);
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(metadata));
  // Terminated by zero, for C.
  text.push_back('\0');
  Location loc = builder.getUnknownLoc();
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size());
  LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                         LLVM::Linkage::External, "partita_metadata",
                         builder.getStringAttr(text));
  return success();
}
