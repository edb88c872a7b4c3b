//===- RelaxBytecode.cpp - Bytecode of shapes and tensors -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../VersionedBytecode.h"
#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Dialect/Relax/IR/RelaxDialect.h"
#include "partita/Dialect/Relax/IR/RelaxTypes.h"

using namespace mlir;
using namespace partita::relax;

namespace {
// Files contain these numbers: append, never reuse.
enum AttrCode : uint64_t { kShapeAttr = 0, kTensorAttr = 1 };
enum TypeCode : uint64_t {
  kShapeType = 0,
  kObjectType = 1,
  kUnrankedShapeType = 2,
  kPartialTensorType = 3,
  kEmptyShapeType = 4
};
enum DimCode : uint64_t { kUnknown = 0, kNumber = 1, kName = 2 };
} // namespace

static void writeDims(DialectBytecodeWriter &writer, ArrayRef<Dim> dims) {
  writer.writeList(dims, [&](Dim dim) {
    if (dim.isNumber()) {
      writer.writeVarInt(kNumber);
      writer.writeVarInt(dim.getSize());
    } else if (dim.isName()) {
      writer.writeVarInt(kName);
      writer.writeOwnedString(dim.getName());
    } else {
      writer.writeVarInt(kUnknown);
    }
  });
}

static LogicalResult readDim(DialectBytecodeReader &reader, Dim &dim) {
  uint64_t code, size;
  StringAttr name;
  if (failed(reader.readVarInt(code)))
    return failure();
  switch (code) {
  case kUnknown:
    return success();
  case kNumber:
    if (failed(reader.readVarInt(size)))
      return failure();
    dim = Dim(static_cast<int64_t>(size));
    return success();
  case kName:
    if (failed(partita::readString(reader, name)))
      return failure();
    dim = Dim(name);
    return success();
  default:
    return reader.emitError()
           << "expected a dimension in relax bytecode, found code " << code;
  }
}

/// Reads an attribute or type of `T` that consists of dimensions.
template <typename T>
static T readShape(DialectBytecodeReader &reader) {
  SmallVector<Dim> dims;
  if (failed(partita::readElements(
          reader, dims, [&](Dim &dim) { return readDim(reader, dim); })))
    return {};
  return T::getChecked([&] { return reader.emitError(); }, reader.getContext(),
                       ArrayRef(dims));
}

static Type readPartialTensor(DialectBytecodeReader &reader) {
  uint64_t flags, hasElementType;
  SmallVector<Dim> dims;
  Type elementType;
  StringAttr shape;
  Attribute vdevice;
  if (failed(reader.readVarInt(flags)) ||
      failed(partita::readElements(
          reader, dims, [&](Dim &dim) { return readDim(reader, dim); })) ||
      failed(reader.readVarInt(hasElementType)) ||
      (hasElementType && failed(reader.readType(elementType))) ||
      failed(reader.readOptionalAttribute(shape)) ||
      failed(reader.readOptionalAttribute(vdevice)))
    return {};
  return PartialTensorType::getChecked(
      [&] { return reader.emitError(); }, reader.getContext(), ArrayRef(dims),
      (flags & 1) != 0, elementType, shape, (flags & 2) != 0, vdevice);
}

namespace {
struct RelaxBytecode : partita::VersionedBytecode<1> {
  using VersionedBytecode::VersionedBytecode;

  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &writer) const final {
    if (auto tensor = dyn_cast<TensorAttr>(attr); tensor && !tensor.isFreed()) {
      writer.writeVarInt(kTensorAttr);
      writer.writeType(tensor.getType());
      writer.writeResourceHandle(tensor.getHandle());
      return success();
    }
    auto shape = dyn_cast<ShapeAttr>(attr);
    if (!shape)
      return failure();
    writer.writeVarInt(kShapeAttr);
    writeDims(writer, shape.getDims());
    return success();
  }

  Attribute readAttribute(DialectBytecodeReader &reader) const final {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    if (code == kShapeAttr)
      return readShape<ShapeAttr>(reader);
    if (code == kTensorAttr) {
      ShapedType type;
      if (failed(reader.readType(type)))
        return {};
      auto handle = reader.readResourceHandle<DenseResourceElementsHandle>();
      return failed(handle) ? Attribute()
                            : DenseResourceElementsAttr::get(type, *handle);
    }
    reader.emitError() << "expected a relax attribute, found code " << code;
    return {};
  }

  LogicalResult writeType(Type type,
                          DialectBytecodeWriter &writer) const final {
    if (auto shape = dyn_cast<ShapeType>(type)) {
      bool hasDims = shape.getRanked() && !shape.getLacksValues();
      writer.writeVarInt(hasDims             ? kShapeType
                         : shape.getRanked() ? kEmptyShapeType
                                             : kUnrankedShapeType);
      if (hasDims)
        writeDims(writer, shape.getDims());
      return success();
    }
    if (auto tensor = dyn_cast<PartialTensorType>(type)) {
      writer.writeVarInt(kPartialTensorType);
      writer.writeVarInt(tensor.getRanked() | tensor.getLacksShape() << 1);
      writeDims(writer, tensor.getDims());
      writer.writeVarInt(bool(tensor.getElementType()));
      if (tensor.getElementType())
        writer.writeType(tensor.getElementType());
      writer.writeOptionalAttribute(tensor.getShape());
      writer.writeOptionalAttribute(tensor.getVdevice());
      return success();
    }
    if (!isa<ObjectType>(type))
      return failure();
    writer.writeVarInt(kObjectType);
    return success();
  }

  Type readType(DialectBytecodeReader &reader) const final {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    if (code == kShapeType)
      return readShape<ShapeType>(reader);
    if (code == kUnrankedShapeType)
      return ShapeType::getUnranked(reader.getContext());
    if (code == kEmptyShapeType)
      return ShapeType::get(reader.getContext(), {}, /*ranked=*/true,
                            /*lacksValues=*/true);
    if (code == kPartialTensorType)
      return readPartialTensor(reader);
    if (code == kObjectType)
      return ObjectType::get(reader.getContext());
    reader.emitError() << "expected a relax type, found code " << code;
    return {};
  }
};
} // namespace

void RelaxDialect::registerBytecode() { addInterfaces<RelaxBytecode>(); }
