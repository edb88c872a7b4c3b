//===- TypeImporter.cpp - TVM's types and shapes as MLIR's ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TypeImporter.h"

#include "AttributeImporter.h"
#include "DimParser.h"
#include "PrimOperators.h"
#include "TVMNodes.h"
#include "Tensor.h"

#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Dialect/Relax/IR/RelaxTypes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

Type TypeImporter::getType(const Node &node) {
  NestingScope nested(table, node);
  if (!nested)
    return {};
  if (table.isStrict)
    return importType(node);
  {
    Attempt attempt(table);
    if (Type type = importType(node)) {
      attempt.accept();
      return type;
    }
  }
  std::string json;
  if (failed(writeSubgraph(
          table, node,
          [&](const Node &part, Placeholder &result) {
            return substituteDim(part, result);
          },
          json)))
    return {};
  table.addKept(node, "type " + node.type);
  return relax::OpaqueType::get(context, node.type, json);
}

LogicalResult TypeImporter::substituteDim(const Node &node,
                                          Placeholder &result) {
  relax::Dim dim;
  if (node.type != "ir.Var")
    return success();
  Attempt attempt(table);
  ShapeVarNode var;
  if (succeeded(var.read(table, node))) {
    // A shape that is a variable: a parameter, a binding, or what the type
    // introduces. One whose sizes the variable's type has is kept as it is.
    ShapeTypeNode shape;
    if (succeeded(shape.read(table, var.ty)) && shape.values.isNone() &&
        shape.ndim <= maxRank)
      result = {"shape", ("[" + Twine(toJsonString(var.name)) + "," +
                          Twine(shape.ndim) + "]")
                             .str()};
    return success();
  }
  if (succeeded(getName(node, dim)))
    result = {"dim", toJsonString(dim.getName())};
  return success();
}

Type TypeImporter::importType(const Node &node) {
  if (node.type == "relax.TensorType")
    return getTensorType(node);
  if (node.type == "relax.ShapeType")
    return getShapeType(node);
  if (node.type == "ir.TupleType")
    return getTupleType(node);
  if (node.type == "ir.PrimType")
    return getScalarType(table, node);
  if (node.type == "relax.FuncType") {
    return getCallableType(node);
  }
  if (node.type == "relax.AnyType") {
    return succeeded(AnyTypeNode().read(table, node))
               ? relax::ObjectType::get(context)
               : Type();
  }
  return table.error(node, "expected relax.TensorType, relax.ShapeType, "
                           "relax.FuncType, relax.AnyType, ir.TupleType or "
                           "ir.PrimType, found a type that cannot be imported");
}

/// A tensor whose shape is the variable `node`.
LogicalResult TypeImporter::getShapeVar(const Node &node,
                                        relax::TensorInfo &tensor) {
  ShapeVarNode var;
  if (failed(var.read(table, node)))
    return failure();
  Type type = getShapeType(var.ty);
  if (!type)
    return failure();
  if (var.name.empty())
    return table.error(node, "expected a name of a shape, found an empty one");
  auto shape = cast<relax::ShapeType>(type);
  tensor.dims = llvm::to_vector(shape.getDims());
  tensor.isRanked = shape.getRanked();
  tensor.lacksShape = shape.getLacksValues();
  // Two variables that share a name get different ones, as dimensions do.
  StringAttr &known = nameOfShape[node.index];
  if (!known) {
    std::string unique = var.name.str();
    for (unsigned i = 1; !shapeNames.insert(unique).second; ++i)
      unique = (var.name + "_" + Twine(i)).str();
    known = StringAttr::get(context, unique);
  }
  tensor.shape = known;
  return success();
}

Type TypeImporter::getTensorType(const Node &node) {
  TensorTypeNode fields;
  if (failed(fields.read(table, node)))
    return {};
  const Node &shape = fields.shape, &dtype = fields.dtype,
             &vdevice = fields.vdevice;
  int64_t rank = fields.ndim;

  relax::TensorInfo tensor;
  if (!dtype.isNone()) {
    tensor.elementType = getScalarType(table, dtype);
    if (!tensor.elementType)
      return {};
  }
  if (auto known = table.vdevices.find(vdevice.index);
      known != table.vdevices.end())
    tensor.vdevice =
        IntegerAttr::get(IntegerType::get(context, 64), known->second);
  else if (!vdevice.isNone())
    tensor.vdevice = getVDevice(table, vdevice);
  if (!tensor.vdevice && !vdevice.isNone())
    return {};

  // Without a shape the rank may be known, or, as -1, not even that.
  int64_t known = rank;
  if (ShapeVarNode::is(shape.type)) {
    if (failed(getShapeVar(shape, tensor)))
      return {};
    known = tensor.isRanked ? tensor.getRank() : -1;
  } else if (!shape.isNone()) {
    tensor.isRanked = true;
    if (failed(getShape(shape, tensor.dims)))
      return {};
    known = tensor.getRank();
  } else if (rank < -1 || rank > maxRank) {
    return table.error(node, "expected field 'ndim' to be between -1 and " +
                                 Twine(maxRank) + ", found " + Twine(rank));
  } else if (rank >= 0) {
    tensor.setRank(rank);
    tensor.lacksShape = rank == 0;
  }
  if (rank != known)
    return table.error(node, "expected field 'ndim' to be the shape's " +
                                 Twine(known) + ", found " + Twine(rank));

  Type type = tensor.getType(context);
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || isAddressable(ranked.getShape()))
    return type;
  return table.error(node, "expected a tensor of less than 2^63 bytes, found a "
                           "larger one");
}

Type TypeImporter::getShapeType(const Node &node) {
  ShapeTypeNode shape;
  if (failed(shape.read(table, node)))
    return {};
  const Node &values = shape.values;
  int64_t rank = shape.ndim;
  SmallVector<relax::Dim> dims;
  if (!values.isNone()) {
    SmallVector<Node> nodes;
    // The type of a shape that is a value repeats its numbers.
    if (failed(table.getArray(values, nodes)) ||
        failed(getDims(nodes, dims, /*areSizes=*/false)))
      return {};
    if (rank != static_cast<int64_t>(dims.size()))
      return table.error(node, "expected field 'ndim' to be the shape's " +
                                   Twine(dims.size()) + ", found " +
                                   Twine(rank));
  } else if (rank == -1) {
    return relax::ShapeType::getUnranked(context);
  } else if (rank < 0 || rank > maxRank) {
    return table.error(node, "expected a shape of known rank, at most " +
                                 Twine(maxRank) + ", found " + Twine(rank));
  } else {
    dims.assign(rank, relax::Dim());
  }
  if (!values.isNone())
    return relax::ShapeAttr::get(context, dims).getValueType();
  return relax::ShapeType::get(context, dims, /*ranked=*/true,
                               /*lacksValues=*/rank == 0);
}

Type TypeImporter::getTupleType(const Node &node) {
  TupleTypeNode tuple;
  if (failed(tuple.read(table, node)))
    return {};
  SmallVector<Type> types;
  for (const Node &field : tuple.fields)
    if (!types.emplace_back(getType(field)))
      return {};
  return TupleType::get(context, types);
}

Type partita::tvmjson::getScalarType(NodeTable &table, const Node &node) {
  StringRef dtype;
  if (failed(table.getDType(node, dtype)))
    return {};
  if (Type type = getDTypeByName(dtype, table.getLoc().getContext()))
    return type;
  return table.error(node, "expected a dtype that has an MLIR type, found " +
                               quote(dtype));
}

LogicalResult TypeImporter::getShape(const Node &node,
                                     SmallVectorImpl<relax::Dim> &dims,
                                     bool areSizes, Location *span) {
  ShapeExprNode shape;
  if (failed(shape.read(table, node, span)) ||
      failed(getDims(shape.values, dims, areSizes)))
    return failure();
  Type type = getShapeType(shape.ty);
  if (!type)
    return failure();
  if (!relax::areCompatible(
          type, relax::ShapeAttr::get(context, dims).getValueType()))
    return table.error(
        node,
        llvm::formatv("expected a shape of its type {0}, found [{1:$[, ]}]",
                      type, llvm::make_range(dims.begin(), dims.end())));
  return success();
}

LogicalResult TypeImporter::getDim(const Node &node, relax::Dim &dim,
                                   bool isSize) {
  int64_t size = 0;
  if (node.type == "ir.Var")
    return getName(node, dim);
  if (node.type != "ir.IntImm") {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (failed(getExpression(node, 0, os)))
      return failure();
    dim = StringAttr::get(context, text);
    return success();
  }
  if (failed(table.getIntImm(node, size)))
    return failure();
  if (isSize && size < 0)
    return table.error(node, "expected a dimension of at least 0, found " +
                                 Twine(size));
  dim = size;
  return success();
}

LogicalResult TypeImporter::getDims(ArrayRef<Node> nodes,
                                    SmallVectorImpl<relax::Dim> &dims,
                                    bool areSizes) {
  for (const Node &node : nodes)
    if (failed(getDim(node, dims.emplace_back(), areSizes)))
      return failure();
  return success();
}

LogicalResult TypeImporter::getArgs(ArrayRef<Node> args,
                                    llvm::raw_ostream &os) {
  os << "(";
  for (auto [index, arg] : llvm::enumerate(args)) {
    os << (index ? ", " : "");
    if (failed(getExpression(arg, 0, os)))
      return failure();
  }
  os << ")";
  return success();
}

LogicalResult TypeImporter::getCall(const Node &node, llvm::raw_ostream &os) {
  OpCallNode call;
  StringRef name, dtype;
  if (failed(call.read(table, node)) || failed(table.getText(call.op, name)))
    return failure();
  if (!call.tyArgs.empty() || !call.attrs.isNone())
    return table.error(node, "expected a call without attributes and type "
                             "arguments in a dimension, found one with some");
  if (failed(table.getDType(call.ty, dtype)))
    return failure();
  os << name << ":" << dtype;
  return getArgs(call.args, os);
}

LogicalResult TypeImporter::getImm(const Node &node, llvm::raw_ostream &os) {
  StringRef dtype;
  IntImmNode integer;
  FloatImmNode number;
  bool isFloat = node.type == "ir.FloatImm";
  if (failed(isFloat ? number.read(table, node) : integer.read(table, node)) ||
      failed(table.getDType(isFloat ? number.ty : integer.ty, dtype)))
    return failure();
  if (isFloat && !std::isfinite(number.value))
    return table.error(node, "expected a finite number in a dimension");
  os << (isFloat ? JsonText(number.value) : JsonText(integer.value)).text;
  if (dtype != "int64")
    os << ":" << dtype;
  return success();
}

LogicalResult TypeImporter::getExpression(const Node &node, unsigned precedence,
                                          llvm::raw_ostream &os) {
  NestingScope nested(table, node);
  if (!nested)
    return failure();
  if (node.type == "ir.Var") {
    relax::Dim dim;
    if (failed(getName(node, dim)))
      return failure();
    os << dim.getName().getValue();
    return success();
  }
  if (node.type == "ir.IntImm" || node.type == "ir.FloatImm")
    return getImm(node, os);
  if (node.type == "ir.Call")
    return getCall(node, os);
  StringRef kind = node.type;
  const PrimOperator *found =
      kind.consume_front("prim.") ? findPrimOperator(kind) : nullptr;
  if (!found || found->text.empty())
    return table.error(node, "expected a dimension made of numbers, variables, "
                             "+, -, *, //, %, comparisons and calls, found "
                             "another expression");
  PrimNode prim;
  StringRef dtype;
  bool isCast = kind == "Cast";
  if (failed(prim.read(table, node)) ||
      (isCast ? failed(table.getDType(prim.ty, dtype))
              : !getScalarType(table, prim.ty)))
    return failure();
  if (found->precedence == 0) {
    os << found->text;
    if (isCast)
      os << ":" << dtype;
    return getArgs(prim.operands, os);
  }
  bool isNested = found->precedence < precedence;
  os << (isNested ? "(" : "");
  if (failed(getExpression(prim.operands[0], found->precedence, os)))
    return failure();
  os << " " << found->text << " ";
  // Operators of one precedence are read from the left.
  if (failed(getExpression(prim.operands[1], found->precedence + 1, os)))
    return failure();
  os << (isNested ? ")" : "");
  return success();
}

/// A name that can be a part of an expression: `name`, or one like it.
static std::string getIdentifier(StringRef name) {
  std::string result = name.str();
  for (char &c : result)
    if (!llvm::isAlnum(c))
      c = '_';
  if (StringRef(result).ltrim('_').empty())
    return "dim";
  return llvm::isDigit(result.front()) ? "dim_" + result : result;
}

LogicalResult TypeImporter::getName(const Node &node, relax::Dim &dim) {
  DimVarNode var;
  if (failed(var.read(table, node)) || !getScalarType(table, var.ty))
    return failure();

  StringAttr &known = nameOfVar[node.index];
  if (!known) {
    std::string identifier = getIdentifier(var.name), unique = identifier;
    for (unsigned i = 1; !names.insert(unique).second; ++i)
      unique = (identifier + "_" + Twine(i)).str();
    known = StringAttr::get(context, unique);
    if (identifier != var.name)
      otherNames.append(known, StringAttr::get(context, var.name));
  }
  dim = known;
  return success();
}

relax::CallableType TypeImporter::getCallableType(const Node &node) {
  FuncTypeNode func;
  SmallVector<Node> params;
  SmallVector<Type> inputs;
  if (failed(func.read(table, node)) ||
      (!func.params.isNone() && failed(table.getArray(func.params, params))))
    return {};
  StringRef derive;
  bool derives = !func.deriveFunc.isNone();
  if (derives && (failed(table.expect(func.deriveFunc, "ir.EnvFunc")) ||
                  failed(table.getText(func.deriveFunc, derive))))
    return {};
  for (const Node &param : params)
    if (!inputs.emplace_back(getType(param)))
      return {};
  Type result = getType(func.ret);
  if (!result)
    return {};
  return relax::CallableType::get(
      context, inputs, result, func.purity, func.params.isNone(),
      derives ? StringAttr::get(context, derive) : StringAttr());
}

FunctionType TypeImporter::getFunctionType(const Node &node, bool &isPure) {
  relax::CallableType type = getCallableType(node);
  if (!type)
    return {};
  if (type.getTakesAny() || type.getDerive())
    return table.error(node, "expected a function's own types, found none");
  isPure = type.getPure();
  return FunctionType::get(context, type.getInputs(),
                           flattenResult(type.getResult()));
}

SmallVector<Type> partita::tvmjson::flattenResult(Type type) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple || tuple.size() == 1)
    return {type};
  return llvm::to_vector(tuple.getTypes());
}
