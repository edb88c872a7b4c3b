//===- ExprReader.cpp - The expressions of a function ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expr.h"
#include "Functions.h"

#include "partita-c/Dialects.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <nanobind/stl/string.h>

#include <string_view>

using namespace nanobind::literals;
using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

namespace partita::python {

static std::string_view toView(MlirStringRef text) {
  return {text.data, text.length};
}

namespace {
/// Bindings, of a dataflow block if there are outputs.
struct Block {
  std::vector<nb::object> bindings;
  std::vector<nb::object> outputs;
  bool isDataflow = false;
};
} // namespace

static nb::object toArray(const std::vector<nb::object> &objects) {
  nb::object array = makeArray(objects.size());
  for (size_t i = 0; i < objects.size(); ++i)
    PyTuple_SET_ITEM(array.ptr(), i, nb::object(objects[i]).release().ptr());
  return array;
}

/// Raises the error for an op that was never verified.
[[noreturn]] static void raiseInvalid(MlirOperation op, const char *expected) {
  raise(PyExc_ValueError,
        std::string("expected ") + expected + ", but found an invalid " +
            toString(mlirIdentifierStr(mlirOperationGetName(op))));
}

static MlirBlock getFirstBlock(MlirOperation op, intptr_t region = 0) {
  if (mlirOperationGetNumRegions(op) <= region)
    raiseInvalid(op, "a region");
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

namespace {
/// Reads the parameters, blocks and body of a relax.func.
class Reader {
public:
  Reader(MlirOperation op, nb::handle source)
      : op(op), source(source),
        context(getContextObject(mlirOperationGetContext(op))),
        before(nb::inst_ptr<Expressions>(source)->exprs) {
    // Enough room for most functions.
    exprs.reserve(32);
    held.reserve(32);
  }

  nb::object read();

private:
  std::vector<nb::object> readBlock(MlirBlock block, Block *dataflow);
  /// The expression of an operand, borrowed.
  PyObject *getOperand(MlirOperation op, intptr_t index);
  llvm::SmallVector<PyObject *, 4> getOperands(MlirOperation op);
  nb::object readOp(MlirOperation op, std::string_view name);
  nb::object readAlias(MlirOperation op);
  nb::object readIf(MlirOperation op);
  nb::object readBranch(MlirOperation op, intptr_t region);
  nb::object readLocalFunc(MlirOperation op);
  /// Reads a region of `op`, whose value it returns; `made` gets its blocks.
  nb::object readRegion(MlirOperation op, intptr_t region,
                        std::vector<Block> &made);
  /// `made`, or the same expression if it was read before and is still held.
  PyObject *keep(nb::object made);
  /// A variable with the name in `loc`, or else `otherwise`.
  Expr *createVar(MlirType type, MlirLocation loc,
                  const std::string &otherwise);
  void readParam(MlirType type, MlirLocation loc, size_t index);
  void endBlock(Block &block) {
    if (block.isDataflow || !block.bindings.empty())
      blocks.push_back(std::move(block));
    block = Block();
  }
  /// Sets `whole` if a function returns the fields of a tuple, each once and in
  /// order, which have no variables in TVM. They are no bindings of `block`
  /// then.
  void takeWhole(MlirOperation op, Block &block);
  nb::object getOp(std::string_view name);
  nb::object getGlobalVar(MlirAttribute symbol);

  MlirOperation op;
  nb::handle source;
  nb::object context;
  std::vector<Expr *> before;
  std::vector<Expr *> exprs;
  std::vector<nb::object> held;
  /// The expressions of values, which `held` holds.
  llvm::DenseMap<const void *, PyObject *> known;
  std::vector<nb::object> params;
  std::vector<Block> blocks;
  /// The tuple that a function returns by its fields.
  PyObject *whole = nullptr;
};
} // namespace

/// Whether two names, ops or GlobalVars are the same. Python's == of those
/// would run Python code.
static bool isSameName(nb::handle a, nb::handle b) {
  if (a.is(b))
    return true;
  if (!a.type().is(b.type()))
    return false;
  if (nb::isinstance<nb::str>(a))
    return PyUnicode_Compare(a.ptr(), b.ptr()) == 0;
  const char *field =
      PyObject_HasAttrString(a.ptr(), "name_hint") ? "name_hint" : "name";
  return PyUnicode_Compare(nb::object(a.attr(field)).ptr(),
                           nb::object(b.attr(field)).ptr()) == 0;
}

/// Whether two tuples of blocks, whose bindings are the same, are alike.
static bool haveSameBlocks(nb::handle a, nb::handle b) {
  size_t count = PyTuple_GET_SIZE(a.ptr());
  if (count != size_t(PyTuple_GET_SIZE(b.ptr())))
    return false;
  for (size_t i = 0; i < count; ++i) {
    nb::handle one = PyTuple_GET_ITEM(a.ptr(), i);
    nb::handle other = PyTuple_GET_ITEM(b.ptr(), i);
    if (!one.type().is(other.type()) ||
        nb::len(nb::object(one.attr("bindings"))) !=
            nb::len(nb::object(other.attr("bindings"))))
      return false;
  }
  return true;
}

/// Whether two expressions are the same, and use the same objects.
static bool isSame(const Expr &a, const Expr &b) {
  if (a.kind != b.kind || Py_TYPE(a.self) != Py_TYPE(b.self) ||
      !a.hasTypesOf(b) || a.attribute.ptr != b.attribute.ptr ||
      a.index != b.index || a.getNumArgs() != b.getNumArgs())
    return false;
  for (size_t i = 0, e = a.getNumArgs(); i < e; ++i)
    if (a.getArg(i) != b.getArg(i) && (asExpr(a.getArg(i)) || getFunction(a) ||
                                       !isSameName(a.getArg(i), b.getArg(i))))
      return false;
  if (a.kind == Expr::SeqExpr)
    return haveSameBlocks(a.object, b.object);
  return (a.kind != Expr::Var && a.kind != Expr::Call) ||
         isSameName(a.object, b.object);
}

PyObject *Reader::keep(nb::object made) {
  Expr *expr = getExprIn(made);
  size_t position = exprs.size();
  // One that dies has no references any more.
  if (position < before.size() && before[position] &&
      Py_REFCNT(before[position]->self) > 0 &&
      isSame(*before[position], *expr)) {
    expr = before[position];
    made = nb::borrow(expr->self);
  } else {
    expr->source = nb::borrow(source).release().ptr();
    expr->position = position;
  }
  exprs.push_back(expr);
  held.push_back(std::move(made));
  return expr->self;
}

PyObject *Reader::getOperand(MlirOperation op, intptr_t index) {
  PyObject *found = nullptr;
  if (index < mlirOperationGetNumOperands(op))
    found = known.lookup(mlirOperationGetOperand(op, index).ptr);
  if (!found)
    raiseInvalid(op, "its operands to be computed before it");
  return found;
}

llvm::SmallVector<PyObject *, 4> Reader::getOperands(MlirOperation op) {
  llvm::SmallVector<PyObject *, 4> operands;
  for (intptr_t i = 0, e = mlirOperationGetNumOperands(op); i < e; ++i)
    operands.push_back(getOperand(op, i));
  return operands;
}

nb::object Reader::getOp(std::string_view name) {
  // The ops of Relax live as long as the process.
  static auto &ops = *new llvm::StringMap<PyObject *>();
  auto known = ops.find(llvm::StringRef(name));
  if (known != ops.end())
    return nb::borrow(known->second);
  nb::str key(name.data(), name.size());
  if (PyObject *found = PyDict_GetItemWithError(getOps(), key.ptr())) {
    ops[llvm::StringRef(name)] = found;
    return nb::borrow(found);
  }
  nb::object made = createEmpty(relaxTypes.op);
  made.attr("name") = key;
  made.attr("params") = nb::none();
  made.attr("infers_type") = false;
  made.attr("doc") = "";
  made.attr("tuple_index") = -1;
  return made;
}

nb::object Reader::getGlobalVar(MlirAttribute symbol) {
  nb::object made = createEmpty(relaxTypes.globalVar);
  made.attr("name_hint") = toPython(mlirFlatSymbolRefAttrGetValue(symbol));
  made.attr("_in_module") = false;
  made.attr("_type") = nb::none();
  return made;
}

Expr *Reader::createVar(MlirType type, MlirLocation loc,
                        const std::string &otherwise) {
  Expr *var = createExpr(Expr::Var);
  var->setContext(context);
  var->setTypes(&type, 1);
  var->location = loc;
  nb::object name;
  if (loc.ptr && mlirLocationIsAName(loc)) {
    MlirStringRef text = mlirIdentifierStr(mlirLocationNameGetName(loc));
    if (text.length)
      name = toPython(text);
  }
  if (!name.is_valid())
    name = toPython(otherwise);
  var->object = name.release().ptr();
  return var;
}

void Reader::readParam(MlirType type, MlirLocation loc, size_t index) {
  nb::object param = steal(createVar(type, loc, "arg" + std::to_string(index)));
  params.push_back(nb::borrow(keep(std::move(param))));
}

nb::object Reader::readAlias(MlirOperation op) {
  PyObject *value = getOperand(op, 0);
  Expr *var = createVar(mlirValueGetType(mlirOperationGetResult(op, 0)),
                        mlirOperationGetLocation(op), "");
  var->addArg(value);
  return steal(var);
}

/// The objects of `blocks`, as a tuple.
static nb::object makeBlocks(const std::vector<Block> &blocks) {
  static const nb::handle bindings = intern("bindings"),
                          outputs = intern("outputs");
  std::vector<nb::object> objects;
  for (const Block &block : blocks) {
    nb::object made = createEmpty(block.isDataflow ? relaxTypes.dataflowBlock
                                                   : relaxTypes.bindingBlock);
    made.attr(bindings) = toArray(block.bindings);
    if (block.isDataflow)
      made.attr(outputs) = toArray(block.outputs);
    objects.push_back(std::move(made));
  }
  return toArray(objects);
}

nb::object Reader::readRegion(MlirOperation op, intptr_t region,
                              std::vector<Block> &made) {
  MlirBlock block = getFirstBlock(op, region);
  if (mlirBlockIsNull(block))
    raiseInvalid(op, "a block");
  std::vector<Block> outer = std::exchange(blocks, {});
  std::vector<nb::object> yielded;
  if (Py_EnterRecursiveCall(" while reading a function"))
    throw nb::python_error();
  try {
    yielded = readBlock(block, nullptr);
  } catch (...) {
    Py_LeaveRecursiveCall();
    throw;
  }
  Py_LeaveRecursiveCall();
  made = std::exchange(blocks, std::move(outer));
  if (yielded.size() != 1)
    raiseInvalid(op, "a region that yields one value");
  return yielded[0];
}

nb::object Reader::readBranch(MlirOperation op, intptr_t region) {
  std::vector<Block> made;
  nb::object body = readRegion(op, region, made);
  Expr *seq = createExpr(Expr::SeqExpr);
  nb::object result = steal(seq);
  seq->setContext(context);
  MlirType type = asExpr(body)->getType();
  seq->setTypes(&type, 1);
  for (const Block &block : made)
    for (const nb::object &binding : block.bindings)
      seq->addArg(binding);
  seq->addArg(body);
  seq->object = makeBlocks(made).release().ptr();
  return result;
}

nb::object Reader::readIf(MlirOperation op) {
  PyObject *condition = getOperand(op, 0);
  PyObject *branches[] = {keep(readBranch(op, 0)), keep(readBranch(op, 1))};
  Expr *expr = createExpr(Expr::If);
  nb::object result = steal(expr);
  expr->setContext(context);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  expr->setTypes(&type, 1);
  expr->location = mlirOperationGetLocation(op);
  expr->addArg(condition);
  expr->addArg(branches[0]);
  expr->addArg(branches[1]);
  return result;
}

/// The Parts of a function. No Python code runs.
static nb::object makeParts(const std::vector<nb::object> &params,
                            nb::handle body, nb::handle blocks, bool isSingle) {
  nb::object fields = nb::make_tuple(toArray(params), body, blocks, isSingle);
  auto *type = reinterpret_cast<PyTypeObject *>(relaxTypes.parts);
  nb::object parts = nb::steal(
      PyTuple_Type.tp_new(type, nb::make_tuple(fields).ptr(), nullptr));
  if (!parts.is_valid())
    throw nb::python_error();
  hidePartsFromCollector(parts);
  return parts;
}

nb::object Reader::readLocalFunc(MlirOperation op) {
  MlirBlock block = getFirstBlock(op);
  intptr_t count = mlirBlockIsNull(block) ? 0 : mlirBlockGetNumArguments(block);
  if (count == 0)
    raiseInvalid(op, "an argument that is the function");
  MlirLocation location = mlirOperationGetLocation(op);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  std::vector<nb::object> outer = std::exchange(params, {});
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    readParam(mlirValueGetType(argument), mlirValueGetLocation(argument),
              i ? i - 1 : 0);
    known[argument.ptr] = params.back().ptr();
  }
  std::vector<nb::object> own = std::exchange(params, std::move(outer));
  nb::object self = own.front();
  own.erase(own.begin());
  std::vector<Block> made;
  nb::object body = readRegion(op, 0, made);
  nb::dict header;
  MlirAttribute attributes = partitaOperationGetAttributes(op);
  for (intptr_t i = 0, e = mlirDictionaryAttrGetNumElements(attributes); i < e;
       ++i) {
    MlirNamedAttribute entry = mlirDictionaryAttrGetElement(attributes, i);
    header[toPython(mlirIdentifierStr(entry.name))] =
        toPython(entry.attribute, context);
  }
  bool isPure = true;
  (void)partitaCallableTypeGetInfo(
      type,
      [](PartitaCallable callable, void *isPure) {
        *static_cast<bool *>(isPure) = callable.isPure;
      },
      &isPure);
  if (!isPure)
    header["is_pure"] =
        toPython(mlirBoolAttrGet(getContext(context), false), context);
  PyMlirContextRef contextRef =
      PyMlirContext::forContext(mlirOperationGetContext(op));
  nb::object function = createFunctionOfParts(
      {makeParts(own, body, makeBlocks(made),
                 /*isSingle=*/true),
       header, toPython(asExpr(body)->getType(), context),
       nb::cast(PyLocation(contextRef, location)), context});
  Expr *var = createVar(type, location, "");
  var->addArg(function);
  var->addArg(self);
  return steal(var);
}

nb::object Reader::readOp(MlirOperation op, std::string_view name) {
  MlirLocation location = mlirOperationGetLocation(op);
  if (name == "relax.alias")
    return readAlias(op);
  if (name == "relax.if")
    return readIf(op);
  if (name == "relax.local_func")
    return readLocalFunc(op);
  if (name == "relax.tuple")
    return createTuple(getOperands(op), location, context);
  MlirAttribute attributes = partitaOperationGetAttributes(op);
  auto get = [&](const char *name, bool (*isA)(MlirAttribute)) {
    MlirAttribute found = mlirDictionaryAttrGetElementByName(
        attributes, mlirStringRefCreateFromCString(name));
    if (mlirAttributeIsNull(found) || !isA(found))
      raiseInvalid(op, "an attribute that it needs");
    return found;
  };
  if (name == "relax.tuple_get_item")
    return createTupleGetItem(
        getOperand(op, 0),
        mlirIntegerAttrGetValueInt(get("index", mlirAttributeIsAInteger)),
        location);
  bool isConstant = name == "relax.constant";
  Expr *expr = createExpr(isConstant ? Expr::Constant : Expr::Call, name);
  nb::object result = steal(expr);
  expr->location = location;
  expr->setContext(context);
  if (isConstant) {
    expr->setElements(get("value", mlirAttributeIsAElements));
    MlirType type = mlirAttributeGetType(expr->attribute);
    expr->setTypes(&type, 1);
    return result;
  }
  if (mlirOperationGetNumRegions(op))
    raise(PyExc_ValueError,
          "expected an op without regions to read, but found " +
              std::string(name));
  llvm::SmallVector<MlirType, 1> types;
  for (intptr_t i = 0, e = mlirOperationGetNumResults(op); i < e; ++i)
    types.push_back(mlirValueGetType(mlirOperationGetResult(op, i)));
  expr->setTypes(types.data(), types.size());
  bool isCall = name == "relax.call";
  if (isCall || name == "relax.call_tir") {
    nb::object callee =
        getGlobalVar(get("callee", mlirAttributeIsAFlatSymbolRef));
    std::vector<MlirNamedAttribute> rest;
    for (intptr_t i = 0, e = mlirDictionaryAttrGetNumElements(attributes);
         i < e; ++i) {
      MlirNamedAttribute entry = mlirDictionaryAttrGetElement(attributes, i);
      if (toView(mlirIdentifierStr(entry.name)) != "callee")
        rest.push_back(entry);
    }
    attributes =
        mlirDictionaryAttrGet(getContext(context), rest.size(), rest.data());
    if (isCall)
      expr->object = callee.release().ptr();
    else
      expr->addArg(callee);
  }
  if (!expr->object)
    expr->object = getOp(name).release().ptr();
  if (mlirDictionaryAttrGetNumElements(attributes))
    expr->attribute = attributes;
  for (PyObject *operand : getOperands(op))
    expr->addArg(operand);
  return result;
}

/// Whether TVM writes the value of an op with that name where it is used, and
/// not as a binding, which has a name.
static bool isInline(llvm::StringRef name, const Expr &expr) {
  bool isValue = llvm::StringSwitch<bool>(name)
                     .Cases({"relax.dim", "relax.dtype", "relax.extern_func",
                             "relax.global", "relax.prim_value", "relax.shape",
                             "relax.string", "relax.tuple"},
                            true)
                     .Default(false);
  return expr.kind == Expr::Constant ||
         (isValue && !mlirLocationIsAName(expr.location));
}

/// Whether `op` is part of the match_cast after it in TVM: it has no name, and
/// its only use is the value of that cast.
static bool isPartOfNext(MlirOperation op, llvm::StringRef name,
                         const Expr &expr) {
  MlirOperation next = mlirOperationGetNextInBlock(op);
  if (mlirOperationIsNull(next) || mlirOperationGetNumResults(op) != 1 ||
      expr.kind != Expr::Call || mlirLocationIsAName(expr.location))
    return false;
  auto isCast = [](std::string_view name) {
    return name == "relax.match_cast" || name == "relax.alias";
  };
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  return !isCast(name) &&
         toView(mlirIdentifierStr(mlirOperationGetName(next))) ==
             "relax.match_cast" &&
         !mlirOpOperandIsNull(use) &&
         mlirOperationEqual(mlirOpOperandGetOwner(use), next) &&
         mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

/// Reads the ops, and returns the operands of the terminator. `dataflow` holds
/// the bindings of the dataflow block around it: a dataflow block inside
/// another counts as part of that one.
std::vector<nb::object> Reader::readBlock(MlirBlock block, Block *dataflow) {
  Block own;
  Block &current = dataflow ? *dataflow : own;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    std::string_view name = toView(mlirIdentifierStr(mlirOperationGetName(op)));
    intptr_t numResults = mlirOperationGetNumResults(op);
    auto setResult = [&](intptr_t index, PyObject *expr) {
      known[mlirOperationGetResult(op, index).ptr] = expr;
    };
    if (name == "relax.return" || name == "relax.output" ||
        name == "relax.yield") {
      if (name == "relax.return")
        takeWhole(op, own);
      if (!dataflow)
        endBlock(own);
      std::vector<nb::object> operands;
      for (intptr_t i = 0, e = mlirOperationGetNumOperands(op); i < e; ++i)
        operands.push_back(nb::borrow(getOperand(op, i)));
      return operands;
    }
    if (name == "relax.dataflow") {
      MlirBlock inner = getFirstBlock(op);
      if (mlirBlockIsNull(inner))
        raiseInvalid(op, "a block");
      std::vector<nb::object> outputs;
      if (dataflow) {
        outputs = readBlock(inner, dataflow);
      } else {
        endBlock(own);
        own.isDataflow = true;
        outputs = readBlock(inner, &own);
        own.outputs = outputs;
        for (const nb::object &output : outputs)
          if (Expr *expr = asExpr(output); expr->scope == Expr::InDataflow)
            expr->scope = Expr::InBlock;
        endBlock(own);
      }
      if (numResults != static_cast<intptr_t>(outputs.size()))
        raiseInvalid(op, "as many outputs as results");
      for (intptr_t i = 0; i < numResults; ++i)
        setResult(i, outputs[i].ptr());
      continue;
    }
    if (name == "relax.tuple" &&
        !mlirLocationIsAName(mlirOperationGetLocation(op)))
      if (Expr *results = findWhole(getOperands(op))) {
        setResult(0, results->self);
        continue;
      }
    PyObject *object = keep(readOp(op, name));
    Expr *expr = exprs.back();
    if (!isInline(name, *expr) && !isPartOfNext(op, name, *expr)) {
      if (current.bindings.empty())
        current.bindings.reserve(16);
      current.bindings.push_back(nb::borrow(object));
      expr->scope = dataflow ? Expr::InDataflow : Expr::InBlock;
    }
    if (numResults == 1)
      setResult(0, object);
    else
      for (intptr_t i = 0; i < numResults; ++i)
        setResult(i, keep(createTupleGetItem(object, i, expr->location)));
  }
  raise(PyExc_ValueError,
        "expected a block that ends in relax.return, relax.output or "
        "relax.yield");
}

void Reader::takeWhole(MlirOperation op, Block &block) {
  llvm::SmallVector<PyObject *, 4> fields = getOperands(op);
  std::vector<nb::object> &bindings = block.bindings;
  if (Expr *tuple = findWhole(fields)) {
    if (tuple->scope == Expr::InDataflow)
      tuple->scope = Expr::InBlock;
    whole = tuple->self;
    return;
  }
  if (fields.size() < 2 || bindings.size() < fields.size())
    return;
  size_t first = bindings.size() - fields.size();
  PyObject *tuple = nullptr;
  for (auto [i, field] : llvm::enumerate(fields)) {
    Expr *item = asExpr(bindings[first + i]);
    // The fields are written out in TVM.
    MlirValue value = mlirOperationGetOperand(op, i);
    if (mlirValueIsAOpResult(value) &&
        !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
            mlirOpResultGetOwner(value),
            mlirStringRefCreateFromCString("relax.inline"))))
      return;
    if (field != item->self || item->kind != Expr::TupleGetItem ||
        item->index != int64_t(i) || mlirLocationIsAName(item->location) ||
        (tuple && item->getArg(0) != tuple))
      return;
    tuple = item->getArg(0);
  }
  MlirType type = asExpr(tuple)->getType();
  if (!mlirTypeIsATuple(type) ||
      size_t(mlirTupleTypeGetNumTypes(type)) != fields.size())
    return;
  bindings.resize(first);
  whole = tuple;
}

nb::object Reader::read() {
  std::vector<nb::object> returned;
  bool isSingle = false, isDeclared = true;
  nb::object body = nb::none();
  {
    NoCollection noCollection;
    MlirBlock block = getFirstBlock(op);
    isDeclared = mlirBlockIsNull(block);
    if (isDeclared) {
      MlirAttribute attribute = mlirOperationGetAttributeByName(
          op, mlirStringRefCreateFromCString("function_type"));
      if (mlirAttributeIsNull(attribute) ||
          !mlirTypeIsAFunction(mlirTypeAttrGetValue(attribute)))
        raiseInvalid(op, "a type");
      MlirType type = mlirTypeAttrGetValue(attribute);
      for (intptr_t i = 0, e = mlirFunctionTypeGetNumInputs(type); i < e; ++i)
        readParam(mlirFunctionTypeGetInput(type, i), {nullptr}, i);
    } else {
      for (intptr_t i = 0, e = mlirBlockGetNumArguments(block); i < e; ++i) {
        MlirValue argument = mlirBlockGetArgument(block, i);
        readParam(mlirValueGetType(argument), mlirValueGetLocation(argument),
                  i);
        known[argument.ptr] = params.back().ptr();
      }
      returned = readBlock(block, nullptr);
      if (returned.size() == 1) {
        body = returned[0];
        MlirType type = asExpr(body)->getType();
        isSingle =
            mlirTypeIsATuple(type) && mlirTupleTypeGetNumTypes(type) != 1;
      } else if (whole) {
        body = nb::borrow(whole);
      } else {
        llvm::SmallVector<PyObject *> fields;
        for (const nb::object &field : returned)
          fields.push_back(field.ptr());
        body = nb::borrow(keep(createTuple(fields, {nullptr}, context)));
      }
    }
    nb::inst_ptr<Expressions>(source)->exprs = std::move(exprs);
  }
  return makeParts(params, body, makeBlocks(blocks), isSingle);
}

nb::object readParts(nb::handle function) {
  static const nb::handle partsField = intern("parts"),
                          ownerField = intern("owner");
  nb::object form = getFunctionForm(function);
  nb::object parts = form.attr(partsField);
  if (!parts.is_none())
    return parts;
  nb::object object = getFunctionOp(function), owner = form.attr(ownerField);
  nb::object source = owner.is_none() ? nb::cast(new Expressions(),
                                                 nb::rv_policy::take_ownership)
                                      : getExpressions(object, owner);
  MlirOperation op = getOp(object);
  parts = Reader(op, source).read();
  form.attr(partsField) = parts;
  return parts;
}

void bindExprReader(nb::module_ &m) {
  m.def("read_parts", readParts, "function"_a);
}

} // namespace partita::python
