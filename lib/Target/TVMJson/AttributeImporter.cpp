//===- AttributeImporter.cpp - TVM's attributes as MLIR's -----------------===//
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
#include "Tensor.h"
#include "TypeImporter.h"

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace partita::tvmjson;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

IntegerAttr partita::tvmjson::getInteger(NodeTable &table, const Node &node,
                                         Type type, int64_t value) {
  auto integer = dyn_cast<IntegerType>(type);
  // bool is i1, whose true is 1 in TVM and -1 as a signed number.
  unsigned width = integer ? integer.getWidth() : 0;
  bool isUnsigned = integer && (integer.isUnsigned() || width == 1);
  if (integer &&
      (isUnsigned ? llvm::isUIntN(width, value) : llvm::isIntN(width, value)))
    return IntegerAttr::get(type, APInt(width, value, !isUnsigned));
  (void)table.error(node, "expected a number of its integer type, found " +
                              Twine(value));
  return {};
}

static Attribute getIntImm(NodeTable &table, const Node &node) {
  IntImmNode number;
  if (failed(number.read(table, node)))
    return {};
  Type type = getScalarType(table, number.ty);
  return type ? getInteger(table, node, type, number.value) : IntegerAttr();
}

static FloatAttr getFloatImm(NodeTable &table, const Node &node,
                             double &value) {
  FloatImmNode number;
  if (failed(number.read(table, node)))
    return {};
  value = number.value;
  Type type = getScalarType(table, number.ty);
  if (!type)
    return {};
  if (isa<FloatType>(type))
    return FloatAttr::get(type, value);
  (void)table.error(node, "expected a number of a float type, found an integer "
                          "type");
  return {};
}

bool partita::tvmjson::areRounded(NodeTable &table, ArrayRef<Node> nodes) {
  bool isDifferent = false;
  for (const Node &node : nodes) {
    double value = 0;
    auto number = node.type == "ir.FloatImm" ? getFloatImm(table, node, value)
                                             : FloatAttr();
    if (!number || !number.getType().isF32() ||
        value != number.getValueAsDouble())
      return false;
    isDifferent |= value != getUnrounded(number);
  }
  return isDifferent;
}

/// The elements of an ffi.Array, which `getElement` reads.
static LogicalResult
getElements(NodeTable &table, const Node &node, SmallVectorImpl<Node> &nodes,
            SmallVectorImpl<Attribute> &elements,
            function_ref<Attribute(NodeTable &, const Node &)> getElement) {
  if (failed(table.getArray(node, nodes)))
    return failure();
  for (const Node &element : nodes)
    if (!elements.emplace_back(getElement(table, element)))
      return failure();
  return success();
}

static Attribute getArray(NodeTable &table, const Node &node) {
  SmallVector<Node> nodes;
  SmallVector<Attribute> elements;
  if (failed(getElements(table, node, nodes, elements, getAttribute)))
    return {};
  Builder builder(table.getLoc().getContext());
  if (llvm::all_of(elements, [](Attribute element) {
        auto integer = dyn_cast<IntegerAttr>(element);
        return integer && integer.getType().isSignlessInteger(64);
      }))
    return builder.getDenseI64ArrayAttr(
        llvm::map_to_vector(elements, [](Attribute element) {
          return cast<IntegerAttr>(element).getInt();
        }));
  if (llvm::all_of(elements, [](Attribute element) {
        auto number = dyn_cast<FloatAttr>(element);
        return number && number.getType().isF64();
      }))
    return builder.getDenseF64ArrayAttr(
        llvm::map_to_vector(elements, [](Attribute element) {
          return cast<FloatAttr>(element).getValueAsDouble();
        }));
  if (areRounded(table, nodes))
    return builder.getDenseF32ArrayAttr(
        llvm::map_to_vector(elements, [](Attribute element) {
          return cast<FloatAttr>(element).getValue().convertToFloat();
        }));
  return builder.getArrayAttr(elements);
}

/// The entries of an ffi.Map with strings as keys, whose values `getValue`
/// reads.
static LogicalResult
getDictionary(NodeTable &table, const Node &node, NamedAttrList &attributes,
              function_ref<Attribute(NodeTable &, const Node &)> getValue) {
  SmallVector<std::pair<Node, Node>> entries;
  if (failed(table.getMap(node, entries)))
    return failure();
  for (const auto &[keyNode, valueNode] : entries) {
    StringRef key;
    if (failed(table.getString(keyNode, key)))
      return failure();
    if (key.empty() || attributes.get(key))
      return table.error(node, "expected keys that are different and not "
                               "empty, found " +
                                   quote(key));
    Attribute value = getValue(table, valueNode);
    if (!value)
      return failure();
    attributes.append(key, value);
  }
  return success();
}

/// Whether `node` is a value of TVM's FFI that no attribute is: its text is
/// kept.
static bool isOtherValue(NodeTable &table, const Node &node) {
  if (node.type == "ffi.Map") {
    SmallVector<std::pair<Node, Node>> entries;
    return succeeded(table.getMap(node, entries)) &&
           llvm::any_of(entries, [](const auto &entry) {
             return entry.first.type != "ffi.String";
           });
  }
  return llvm::is_contained({"ffi.Bytes", "ffi.Dict", "ffi.List", "ffi.Module",
                             "ffi.Shape", "ffi.Tensor", "ir.Op", "Device"},
                            node.type);
}

Attribute partita::tvmjson::getAttribute(NodeTable &table, const Node &node) {
  NestingScope nested(table, node);
  if (!nested)
    return {};
  Builder builder(table.getLoc().getContext());
  if (node.isNone())
    return builder.getUnitAttr();
  if (node.type == "bool") {
    if (std::optional<bool> value = node.data.getBoolean())
      return builder.getBoolAttr(*value);
  } else if (node.type == "float") {
    if (std::optional<double> value = node.data.getNumber())
      return builder.getF64FloatAttr(*value);
  } else if (node.type == "DataType") {
    if (std::optional<StringRef> value = table.readString(node.data))
      if (Type type = getDTypeByName(*value, builder.getContext()))
        return TypeAttr::get(type);
  } else if (node.type == "int") {
    int64_t value = 0;
    return succeeded(table.getInt(node, value))
               ? builder.getI64IntegerAttr(value)
               : Attribute();
  } else if (node.type == "ffi.String") {
    StringRef value;
    return succeeded(table.getString(node, value))
               ? builder.getStringAttr(value)
               : Attribute();
  } else if (node.type == "ffi.Array") {
    return getArray(table, node);
  } else if (node.type == "ffi.Map" && !isOtherValue(table, node)) {
    NamedAttrList attributes;
    return succeeded(getDictionary(table, node, attributes, getAttribute))
               ? attributes.getDictionary(builder.getContext())
               : Attribute();
  } else if (node.type == "ir.IntImm") {
    return getIntImm(table, node);
  } else if (node.type == "ir.FloatImm") {
    double value = 0;
    return getFloatImm(table, node, value);
  } else if (node.type == "ir.PrimType") {
    Type type = getScalarType(table, node);
    return type ? TypeAttr::get(type) : Attribute();
  }
  if (VDeviceNode::is(node.type))
    return getVDevice(table, node);
  if (IndexMapNode::is(node.type))
    if (partita::relax::IndexMapAttr map = getIndexMap(table, node))
      return map;
  // Any other object is kept as it is.
  if ((node.data.isObject() || isOtherValue(table, node)) && !table.isStrict) {
    std::string json;
    if (failed(writeSubgraph(
            table, node, [](const Node &, Placeholder &) { return success(); },
            json)))
      return {};
    return partita::relax::OpaqueAttr::get(builder.getContext(), node.type,
                                           json);
  }
  return table.error(node, "expected a value that can be an attribute (None, "
                           "bool, int, float, DataType, ffi.String, ffi.Array, "
                           "ffi.Map, ir.IntImm, ir.FloatImm, ir.PrimType), "
                           "found one of type " +
                               quote(node.type) + " holding " +
                               node.data.describe());
}

LogicalResult partita::tvmjson::setDictAttrs(NodeTable &table, const Node &node,
                                             Operation *op) {
  DictAttrsNode fields;
  NamedAttrList attributes;
  if (failed(fields.read(table, node)) ||
      failed(getDictionary(table, fields.dict, attributes, getAttribute)))
    return failure();
  for (NamedAttribute attribute : attributes) {
    if (llvm::is_contained(op->getName().getAttributeNames(),
                           attribute.getName()))
      return table.error(node, "expected no attribute of a name that '" +
                                   op->getName().getStringRef() +
                                   "' uses itself, found " +
                                   quote(attribute.getName()));
    op->setDiscardableAttr(attribute.getName(), attribute.getValue());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes of ops
//===----------------------------------------------------------------------===//

/// Whether ops `name` take an attribute of this name and kind.
static bool accepts(RegisteredOperationName name, NamedAttribute attribute) {
  NamedAttrList attributes;
  attributes.push_back(attribute);
  return succeeded(name.verifyInherentAttrs(attributes, [&] {
    InFlightDiagnostic diag =
        emitError(UnknownLoc::get(attribute.getValue().getContext()));
    diag.abandon();
    return diag;
  }));
}

/// The attribute in a field of the attribute object `node`. The field's value
/// stands inline unless it is a number and the op takes no number there. Null
/// after an error, unit for None.
static Attribute getField(NodeTable &table, const Node &node,
                          RegisteredOperationName name, StringAttr key,
                          JsonValue value) {
  Builder builder(name.getContext());
  if (std::optional<bool> boolean = value.getBoolean())
    return builder.getBoolAttr(*boolean);
  if (std::optional<StringRef> dtype = table.readString(value)) {
    if (Type type = getDTypeByName(*dtype, name.getContext()))
      return TypeAttr::get(type);
    return table.error(node,
                       "expected field " + quote(key) +
                           " to be a dtype that has an MLIR type, found " +
                           quote(*dtype));
  }
  // TVM writes floats with a point, so that one without it is an index.
  if (std::optional<double> number = value.getNumber())
    if (!value.getUnsigned() &&
        accepts(name, {key, builder.getF64FloatAttr(1)}))
      return builder.getF64FloatAttr(*number);
  std::optional<int64_t> integer = value.getInteger();
  if (integer && isInlineInteger(node.type, key))
    return builder.getI64IntegerAttr(*integer);

  Node target;
  if (failed(table.get(node, value, "field " + quote(key), target)))
    return {};
  return getAttribute(table, target);
}

LogicalResult partita::tvmjson::getOpAttributes(NodeTable &table,
                                                const Node &node,
                                                RegisteredOperationName name,
                                                NamedAttrList &attributes) {
  NodeTable::FieldList fields;
  auto *call = name.getInterface<partita::relax::TVMCallOpInterface>();
  std::string attrsClass = getAttrsClass(call ? call->getTVMAttrs() : "");
  if (node.type == attrsClass && node.data.isObject())
    fields = table.readFields(node.data);
  else if (!node.isNone() || !attrsClass.empty())
    return table.error(
        node, "expected " +
                  (attrsClass.empty() ? "no attributes" : attrsClass) +
                  " of '" + name.getStringRef() + "', found " + node.type);

  for (StringAttr key : name.getAttributeNames())
    if (!findField(fields, key))
      return table.error(node, "expected field " + quote(key) + " of '" +
                                   name.getStringRef() + "', found none");
  for (const auto &[field, value] : fields) {
    auto key = StringAttr::get(name.getContext(), field);
    if (!llvm::is_contained(name.getAttributeNames(), key))
      return table.error(node, "expected an attribute of '" +
                                   name.getStringRef() + "', found " +
                                   quote(key));
    Attribute attribute = getField(table, node, name, key, value);
    if (!attribute)
      return failure();
    if (!isa<UnitAttr>(attribute))
      attributes.append(key, attribute);
  }
  return table.withPlace(node, [&] {
    return name.verifyInherentAttrs(attributes, [&] {
      return emitError(table.getLoc()) << "'" << name.getStringRef() << "' ";
    });
  });
}

LogicalResult partita::tvmjson::getFields(NodeTable &table, const Node &node,
                                          NamedAttrList &attributes) {
  if (!node.data.isObject())
    return table.error(node, "expected an object with attributes, found " +
                                 node.data.describe());
  Builder builder(table.getLoc().getContext());
  for (const auto &[field, value] : table.readFields(node.data)) {
    Attribute attribute;
    if (std::optional<bool> boolean = value.getBoolean()) {
      attribute = builder.getBoolAttr(*boolean);
    } else if (std::optional<StringRef> text = table.readString(value)) {
      Type type = getDTypeByName(*text, builder.getContext());
      attribute = type ? Attribute(TypeAttr::get(type)) : Attribute();
    } else if (std::optional<int64_t> integer = value.getInteger();
               integer && isInlineInteger(node.type, field)) {
      attribute = builder.getI64IntegerAttr(*integer);
    } else if (value.getUnsigned()) {
      Node target;
      if (failed(table.get(node, value, "field " + quote(field), target)))
        return failure();
      attribute = getAttribute(table, target);
    } else if (std::optional<double> number = value.getNumber()) {
      attribute = builder.getF64FloatAttr(*number);
    }
    if (!attribute)
      return table.error(node, "expected field " + quote(field) +
                                   " to be an attribute, found " +
                                   value.describe());
    attributes.append(field, attribute);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Global infos
//===----------------------------------------------------------------------===//

/// A target.Target, for which TVM generates code.
static Attribute getTarget(NodeTable &table, const Node &node) {
  NestingScope nested(table, node);
  if (!nested)
    return {};
  Builder builder(table.getLoc().getContext());
  if (node.isNone())
    return builder.getUnitAttr();
  TargetNode target;
  StringRef kind;
  if (failed(target.read(table, node)) ||
      failed(table.getText(target.kind, kind)))
    return {};
  Attribute keysAttr = getAttribute(table, target.keys);
  Attribute optionsAttr =
      keysAttr ? getAttribute(table, target.attrs) : nullptr;
  Attribute hostAttr = optionsAttr ? getTarget(table, target.host) : nullptr;
  if (!hostAttr)
    return {};
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("kind", builder.getStringAttr(kind)),
       builder.getNamedAttr("tag", builder.getStringAttr(target.tag)),
       builder.getNamedAttr("keys", keysAttr),
       builder.getNamedAttr("attrs", optionsAttr),
       builder.getNamedAttr("host", hostAttr)});
}

Attribute partita::tvmjson::getVDevice(NodeTable &table, const Node &node) {
  Builder builder(table.getLoc().getContext());
  VDeviceNode device;
  if (failed(device.read(table, node)))
    return {};
  Attribute target = getTarget(table, device.target);
  if (!target)
    return {};
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("target", target),
       builder.getNamedAttr("vdevice_id",
                            builder.getI64IntegerAttr(device.vdeviceId)),
       builder.getNamedAttr("memory_scope",
                            builder.getStringAttr(device.memoryScope))});
}

/// A relax.VDevice is a dictionary, a relax.DummyGlobalInfo is unit, and a mesh
/// of devices is kept.
static Attribute getGlobalInfo(NodeTable &table, const Node &node) {
  if (node.type == "relax.distributed.DeviceMesh" && !table.isStrict)
    return getAttribute(table, node);
  if (node.type != "relax.DummyGlobalInfo")
    return getVDevice(table, node);
  return succeeded(DummyGlobalInfoNode().read(table, node))
             ? UnitAttr::get(table.getLoc().getContext())
             : Attribute();
}

/// The global infos of one kind.
static Attribute getGlobalInfoList(NodeTable &table, const Node &node) {
  SmallVector<Node> nodes;
  SmallVector<Attribute> infos;
  if (failed(getElements(table, node, nodes, infos, getGlobalInfo)))
    return {};
  return ArrayAttr::get(table.getLoc().getContext(), infos);
}

LogicalResult partita::tvmjson::getGlobalInfos(NodeTable &table,
                                               const Node &node,
                                               DictionaryAttr &infos) {
  NamedAttrList attributes;
  if (failed(getDictionary(table, node, attributes, getGlobalInfoList)))
    return failure();
  infos = attributes.getDictionary(table.getLoc().getContext());
  SmallVector<std::pair<Node, Node>> entries;
  if (failed(table.getMap(node, entries)))
    return failure();
  for (const auto &[key, list] : entries) {
    StringRef name;
    SmallVector<Node> nodes;
    if (failed(table.getString(key, name)) ||
        failed(table.getArray(list, nodes)))
      return failure();
    if (name == "vdevice")
      for (auto [index, info] : llvm::enumerate(nodes))
        table.vdevices.try_emplace(info.index, index);
  }
  return success();
}
