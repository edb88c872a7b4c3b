//===- AttributeExporter.cpp - MLIR's attributes as TVM's -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttributeImporter.h"
#include "IndexMap.h"
#include "NodeWriter.h"
#include "Subgraph.h"
#include "TVMNodes.h"

#include "partita/Dialect/Relax/IR/RelaxAttrs.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace partita::tvmjson;

/// The ffi.Map of a dictionary.
static FailureOr<int64_t> addEntries(NodeWriter &writer,
                                     ArrayRef<NamedAttribute> list) {
  return writer.addMap(
      list, [&](Attribute value) { return addAttribute(writer, value); });
}

FailureOr<int64_t> partita::tvmjson::addAttribute(NodeWriter &writer,
                                                  Attribute attribute) {
  if (isa<UnitAttr>(attribute))
    return writer.getNone();
  if (auto boolean = dyn_cast<BoolAttr>(attribute))
    return writer.add("bool", boolean.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    if (integer.getType().isSignlessInteger(64))
      return writer.getInt(integer.getInt());
    StringRef dtype = getDTypeName(integer.getType());
    if (dtype.empty())
      return failure();
    return writer.getIntImm(dtype, integer.getType().isUnsignedInteger()
                                       ? int64_t(integer.getUInt())
                                       : integer.getValue().getSExtValue());
  }
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    if (number.getType().isF64())
      return writer.add("float", number.getValueAsDouble());
    StringRef dtype = getDTypeName(number.getType());
    if (dtype.empty())
      return failure();
    return FloatImmNode::add(writer,
                             {writer.getPrimType(dtype), getUnrounded(number)});
  }
  if (auto text = dyn_cast<StringAttr>(attribute))
    return writer.getString(text.getValue());
  if (auto type = dyn_cast<TypeAttr>(attribute)) {
    StringRef dtype = getDTypeName(type.getValue());
    if (dtype.empty())
      return failure();
    return writer.add("DataType", dtype);
  }
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(attribute))
    return writer.addArray(integers.asArrayRef(),
                           [&](int64_t value) { return writer.getInt(value); });
  if (auto numbers = dyn_cast<DenseF64ArrayAttr>(attribute))
    return writer.addArray(numbers.asArrayRef(), [&](double value) {
      return writer.add("float", value);
    });
  if (auto numbers = dyn_cast<DenseF32ArrayAttr>(attribute))
    return writer.addArray(numbers.asArrayRef(), [&](float value) {
      return FloatImmNode::add(writer, {writer.getPrimType("float32"), value});
    });
  if (auto device = dyn_cast<DictionaryAttr>(attribute);
      device && device.size() == 3 && device.get("vdevice_id") &&
      device.get("memory_scope") && device.get("target")) {
    int64_t known = writer.nodeOfGlobalInfo.lookup(device);
    return known ? known : addGlobalInfo(writer, device);
  }
  if (auto opaque = dyn_cast<partita::relax::OpaqueAttr>(attribute))
    return writer.paste(opaque.getJson(),
                        [](StringRef, JsonValue) { return int64_t(-1); });
  if (auto map = dyn_cast<partita::relax::IndexMapAttr>(attribute))
    return addIndexMap(writer, map);
  auto addEach = [&](Attribute each) { return addAttribute(writer, each); };
  if (auto array = dyn_cast<ArrayAttr>(attribute))
    return writer.addArray(array, addEach);
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute))
    return addEntries(writer, dictionary.getValue());
  return failure();
}

FailureOr<int64_t>
partita::tvmjson::addDictAttrs(NodeWriter &writer,
                               ArrayRef<NamedAttribute> list) {
  return DictAttrsNode::add(writer, {addEntries(writer, list)});
}

/// Whether TVM's class declares a dtype of this name that can't be absent; one
/// that can is a node of its own.
static bool isInlineDType(StringRef type, StringRef field) {
  return llvm::StringSwitch<bool>(type)
      .Cases({"relax.attrs.AstypeAttrs", "relax.attrs.WrapParamAttrs",
              "relax.attrs.MultinomialFromUniformAttrs"},
             field == "dtype")
      .Case("relax.attrs.QuantizeAttrs", field == "out_dtype")
      .Default(false);
}

/// Whether TVM's class declares a field whose numbers are expressions.
static bool holdsIntImm(StringRef type, StringRef field) {
  return (type == "relax.attrs.SplitAttrs" && field == "indices_or_sections") ||
         (type == "relax.attrs.AttentionAttrs" && field == "window_size");
}

/// A number, or several, as expressions.
static FailureOr<int64_t> addIntImm(NodeWriter &writer, Attribute attribute) {
  auto add = [&](int64_t value) { return writer.getIntImm("int64", value); };
  if (auto integer = dyn_cast<IntegerAttr>(attribute);
      integer && integer.getType().isSignlessInteger(64))
    return add(integer.getInt());
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(attribute))
    return writer.addArray(integers.asArrayRef(), add);
  return addAttribute(writer, attribute);
}

/// A list of doubles where TVM's class declares expressions, which are floats.
static Attribute getAsFloats(StringRef field, Attribute attribute) {
  auto numbers = dyn_cast<DenseF64ArrayAttr>(attribute);
  if (field != "roi" || !numbers)
    return attribute;
  Type type = Float32Type::get(attribute.getContext());
  return ArrayAttr::get(
      attribute.getContext(),
      llvm::map_to_vector(numbers.asArrayRef(), [&](double value) {
        return Attribute(FloatAttr::get(type, value));
      }));
}

FailureOr<int64_t>
partita::tvmjson::addAttrs(NodeWriter &writer, StringRef type,
                           ArrayRef<NamedAttribute> attributes) {
  JsonFields fields;
  for (NamedAttribute attribute : attributes) {
    StringRef name = attribute.getName();
    Attribute value = getAsFloats(name, attribute.getValue());
    if (auto boolean = dyn_cast<BoolAttr>(value)) {
      fields.emplace_back(name, boolean.getValue());
    } else if (auto number = dyn_cast<FloatAttr>(value);
               number && number.getType().isF64()) {
      fields.emplace_back(name, number.getValueAsDouble());
    } else if (auto integer = dyn_cast<IntegerAttr>(value);
               integer && isInlineInteger(type, name)) {
      fields.emplace_back(name, integer.getInt());
    } else if (auto dtype = dyn_cast<TypeAttr>(value);
               dtype && isInlineDType(type, name)) {
      fields.emplace_back(name, getDTypeName(dtype.getValue()));
    } else {
      FailureOr<int64_t> node = holdsIntImm(type, name)
                                    ? addIntImm(writer, value)
                                    : addAttribute(writer, value);
      if (failed(node))
        return failure();
      fields.emplace_back(name, *node);
    }
  }
  return writer.addObject(type, fields);
}

//===----------------------------------------------------------------------===//
// Global infos
//===----------------------------------------------------------------------===//

/// A target.Target, for which TVM generates code.
static FailureOr<int64_t> addTarget(NodeWriter &writer, Attribute attribute) {
  if (isa<UnitAttr>(attribute))
    return writer.getNone();
  auto target = dyn_cast<DictionaryAttr>(attribute);
  auto kind = target ? target.getAs<StringAttr>("kind") : StringAttr();
  auto tag = target ? target.getAs<StringAttr>("tag") : StringAttr();
  if (!kind || !tag || !target.get("keys") || !target.get("attrs") ||
      !target.get("host"))
    return failure();
  return TargetNode::add(
      writer, {writer.add("target.TargetKind", kind.getValue()), tag.getValue(),
               addAttribute(writer, target.get("keys")),
               addAttribute(writer, target.get("attrs")),
               addTarget(writer, target.get("host"))});
}

FailureOr<int64_t> partita::tvmjson::addGlobalInfo(NodeWriter &writer,
                                                   Attribute info) {
  if (isa<UnitAttr>(info))
    return DummyGlobalInfoNode::add(writer, {});
  if (isa<partita::relax::OpaqueAttr>(info))
    return addAttribute(writer, info);
  auto device = dyn_cast<DictionaryAttr>(info);
  auto id = device ? device.getAs<IntegerAttr>("vdevice_id") : IntegerAttr();
  auto scope = device ? device.getAs<StringAttr>("memory_scope") : StringAttr();
  if (!id || !scope || !device.get("target"))
    return failure();
  if (int64_t known = writer.nodeOfVDevice.lookup(device))
    return known;
  FailureOr<int64_t> node =
      VDeviceNode::add(writer, {addTarget(writer, device.get("target")),
                                id.getInt(), scope.getValue()});
  if (succeeded(node))
    writer.nodeOfVDevice[device] = *node;
  return node;
}
