//===- Expr.h - Expressions of Relax ---------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nodes of the graphs that functions are read into and made from. They hold
// types and attributes, which belong to the MLIR context, but no ops: so no
// pass can change or free what Python holds. The classes that users see derive
// from Expr, in partita/ir/node.py, and add no fields.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_EXTENSION_EXPR_H
#define PARTITA_PYTHON_EXTENSION_EXPR_H

#include "Support.h"

#include "partita-c/Dialects.h"

#include "mlir/Bindings/Python/IRCore.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <utility>
#include <vector>

namespace partita::python {

/// The classes and functions in partita/ir that C++ code needs; see
/// PythonTypes.
struct RelaxTypes {
  /// The classes for the kinds of Expr, and for `valueOps`.
  PyObject *classes[12] = {};
  PyObject *op = nullptr, *globalVar = nullptr, *function = nullptr;
  /// What a function is made of.
  PyObject *opForm = nullptr, *partsForm = nullptr;
  PyObject *bindingBlock = nullptr, *dataflowBlock = nullptr;
  PyObject *parts = nullptr;
  /// The error of a call whose arguments the op does not take.
  PyObject *callError = nullptr;
  /// The error of a field that a tuple lacks.
  PyObject *fieldError = nullptr;
  /// lift(value), get_context(), in_context(expr, context),
  /// call_types(callee, type, arg_types), remake_call(call, args, op),
  /// rebind(var, value), describe_expr(expr).
  PyObject *lift = nullptr, *getContext = nullptr, *inContext = nullptr;
  PyObject *calleeTypes = nullptr, *remakeCall = nullptr, *rebind = nullptr;
  PyObject *describeExpr = nullptr;
};
extern RelaxTypes relaxTypes;

/// Op._all: the ops of Relax, by name.
PyObject *getOps();

/// The ops whose calls are values in TVM, with classes derived from Call.
constexpr std::pair<llvm::StringLiteral, const char *> valueOps[] = {
    {"relax.shape", "ShapeExpr"},
    {"relax.prim_value", "PrimValue"},
    {"relax.string", "StringImm"},
    {"relax.dtype", "DataTypeImm"},
    {"relax.extern_func", "ExternFunc"}};

/// The expressions that were read from one function. Each holds this, and this
/// finds them again, but holds none: a cycle would keep the module alive until
/// Python collects it, so that passes had to copy it.
struct Expressions {
  ~Expressions();

  /// Both are None if no module has the function.
  nb::object owner = nb::none(), table = nb::none();
  void *function = nullptr;
  std::vector<struct Expr *> exprs;
  /// The function's name, or None.
  nb::object functionName = nb::none();
};

/// The Expressions of the functions of one module, as long as they live, by the
/// address of the op.
struct ExpressionsTable {
  llvm::DenseMap<void *, Expressions *> expressions;
};

/// A Var, Constant, Tuple, TupleGetItem, Call, If or SeqExpr.
///
/// An expression is its own variable. Only a Var that is bound to a value has
/// an operand: another expression, if the Var is an alias or a name for it, or
/// a Function, in which a second operand, a Var, stands for the function
/// itself. The operands of a SeqExpr are the expressions that its blocks bind,
/// and its body.
///
/// In TVM a variable and its value are two objects, and programs tell them
/// apart by their classes. So an expression in a block has a second object, its
/// value, which is made when somebody asks for it. It equals the expression,
/// which takes its place wherever it is used.
struct Expr {
  enum Kind : uint8_t { Var, Constant, Tuple, TupleGetItem, Call, If, SeqExpr };
  static constexpr unsigned numKinds = SeqExpr + 1;
  /// Whether TVM has a variable for it: for none that is not in a block, a Var,
  /// or a DataflowVar.
  enum Scope : uint8_t { Free, InBlock, InDataflow };

  Expr() = default;
  Expr(const Expr &) = delete;
  ~Expr();

  /// The types of the results in MLIR.
  const MlirType *typesBegin() const {
    return numTypes == 1 ? &type : types.data();
  }
  const MlirType *typesEnd() const { return typesBegin() + numTypes; }
  void setTypes(const MlirType *begin, size_t count);
  /// The elements of a Constant, which it keeps.
  void setElements(MlirAttribute value);
  bool hasTypesOf(const Expr &other) const;
  /// All of them as one. Raises an error if they are not known.
  MlirType getType() const;

  MlirContext getContext() const;
  void setContext(nb::handle object);
  /// The location in `context`; unknown if it has none there.
  MlirLocation getLocation(MlirContext context) const;

  size_t getNumArgs() const { return args.size(); }
  PyObject *getArg(size_t index) const { return args[index]; }
  void addArg(nb::handle arg);
  void addArgs(nb::handle tuple);
  /// The expression whose value `arg` is, or else `arg` itself.
  static nb::handle toVariable(nb::handle arg);
  /// Gives it a variable, unless it has one.
  void putInBlock(bool isDataflow) {
    if (scope == Free)
      scope = isDataflow ? InDataflow : InBlock;
  }
  /// The object for its value; the expression itself if it is in no block.
  nb::object getValue();

  /// The Python object that this is in, borrowed.
  PyObject *self = nullptr;
  /// The object of the context; null if no type is known.
  PyObject *context = nullptr;
  /// The name of a Var, the array of a Constant, the callee of a Call, the
  /// tuple of the blocks of a SeqExpr.
  PyObject *object = nullptr;
  /// The operands. No tuple, which the garbage collector would know.
  llvm::SmallVector<PyObject *, 2> args;
  /// The tuple of the last operands of a Call, once somebody has asked for it.
  mutable PyObject *tuple = nullptr;
  /// CPython's list of weak references.
  PyObject *weakReferences = nullptr;
  /// The elements of a Constant; the dictionary of a Call, null if it is empty.
  MlirAttribute attribute = {nullptr};
  /// The expression whose value this is, which it holds; null for others.
  PyObject *variable = nullptr;
  /// Its value, as long as somebody holds it.
  Expr *value = nullptr;
  /// The object that keeps the elements of a Constant alive.
  PartitaElements elements = {nullptr};
  MlirLocation location = {nullptr};
  /// The object of the location's context, if that is another one.
  PyObject *locationContext = nullptr;
  /// The function that it was read from, and its place there.
  PyObject *source = nullptr;
  size_t position = 0;
  /// The field of a TupleGetItem.
  int64_t index = 0;
  MlirType type = {nullptr};
  std::vector<MlirType> types;
  uint32_t numTypes = 0;
  bool isTyped = false;
  /// Whether a Var has been an operand.
  bool isUsed = false;
  Kind kind = Var;
  Scope scope = Free;
};

/// Where the Expr is in an object of a class that derives from Expr's, and what
/// makes such objects.
struct ExprLayout {
  ptrdiff_t offset = 0;
  newfunc makeNew = nullptr;
  PyTypeObject *type = nullptr;
};
extern ExprLayout exprLayout;

/// The Expr in an object whose class derives from Expr's. Without `self`, it
/// has not been initialized.
inline Expr *getExprIn(nb::handle object) {
  return reinterpret_cast<Expr *>(reinterpret_cast<char *>(object.ptr()) +
                                  exprLayout.offset);
}

/// The Expr in `object`; null if it is none, or has not been initialized. For
/// the value of an expression, the expression.
inline Expr *asExpr(nb::handle object) {
  // Classes inherit `tp_new`, unless they have a __new__ of their own.
  PyTypeObject *type = Py_TYPE(object.ptr());
  if (type->tp_new != exprLayout.makeNew &&
      !PyType_IsSubtype(type, exprLayout.type))
    return nullptr;
  Expr *expr = getExprIn(object);
  if (!expr->self)
    return nullptr;
  return expr->variable ? getExprIn(expr->variable) : expr;
}

inline nb::handle Expr::toVariable(nb::handle arg) {
  Expr *expr = asExpr(arg);
  return expr ? nb::handle(expr->self) : arg;
}

inline void Expr::addArg(nb::handle arg) {
  if (reinterpret_cast<PyObject *>(Py_TYPE(arg.ptr())) ==
      relaxTypes.classes[Var])
    getExprIn(arg)->isUsed = true;
  args.push_back(toVariable(arg).inc_ref().ptr());
}

/// Python's collector knows every class that is written in Python, every tuple
/// and every list. It would read all functions and expressions of a module
/// again and again. They can be in a cycle only by an object of a user's class.
inline void hideFromCollector(nb::handle object) {
  PyObject_GC_UnTrack(object.ptr());
}
/// Hides the Parts of a function, too.
void hidePartsFromCollector(nb::handle parts);

/// An object of a class in Python, whose __init__ does not run.
nb::object createEmpty(PyObject *type);

/// A new expression of a kind. The caller fills it in. `name` names the op of a
/// Call.
Expr *createExpr(Expr::Kind kind, llvm::StringRef name = "");
inline nb::object steal(Expr *expr) { return nb::steal(expr->self); }

/// The parts of an operand that decide the types of an op's results. For a
/// number, a dtype or none the value is one, too: the numbers of relax.arange
/// decide the result's size. So it is for numbers in a tuple. For a variable
/// that holds a shape the name is one, since types refer to it.
struct Operand {
  Operand(MlirType type) : type(type) {}
  /// Of an expression with a known type.
  explicit Operand(const Expr &expr);

  MlirType type;
  /// The op of such a value, and its attributes; null for others.
  PyObject *op = nullptr;
  MlirAttribute attributes = {nullptr};
  /// Where a shape has its name; null for others.
  MlirLocation location = {nullptr};
  /// The fields of a tuple of numbers.
  std::vector<Operand> fields;
};

/// The MLIR side of a Python Op. The name lives as long as the Op.
struct OpInfo {
  llvm::StringRef name;
  /// Whether the types of its results follow from its operands.
  bool infersType;
};
OpInfo getOpInfo(nb::handle op);

/// The types and all attributes of an op.
struct Inferred {
  std::vector<MlirType> types;
  MlirAttribute attributes;
};

/// The results of an op, which is verified. `results` are the required types,
/// if they do not follow from the operands. Raises a ValueError with MLIR's
/// message. The result lives until the next call.
const Inferred &inferTypes(nb::handle op, const std::vector<Operand> &operands,
                           MlirAttribute attributes,
                           const std::vector<MlirType> *results,
                           nb::handle context);

/// Gives a call the types of its results. `types` are null if none were given.
void setCallTypes(Expr &call, const std::vector<MlirType> *types,
                  nb::handle context);

/// Whether a call of an op, with known types, may be moved, merged and dropped.
bool isPure(const Expr &call);

/// A call of `op` with `args`, a tuple of expressions of one context with known
/// types, if op needs no more than that; else an invalid object.
nb::object tryCall(nb::handle op, PyObject *args);

/// The call on other operands, of another op if that is given.
nb::object callWithArgs(Expr &call, nb::object args, nb::handle op);
nb::object createTuple(llvm::ArrayRef<PyObject *> fields, MlirLocation location,
                       nb::handle context);
nb::object createTupleGetItem(nb::handle value, int64_t index,
                              MlirLocation location);

/// `value` as an expression.
nb::object lift(nb::object value);

/// Whether `expr` is a call whose callee is its first operand.
bool isValueCall(const Expr &expr);

/// Whether `expr` is a function of the module as a value.
bool isGlobal(const Expr &expr);
/// The GlobalVar that it is then; an invalid object for others.
nb::object getGlobal(const Expr &expr);

/// The operands of `expr` that are expressions, after a GlobalVar or Function.
llvm::ArrayRef<PyObject *> getChildren(const Expr &expr);
/// The Function that a Var is bound to; null if it is bound to none.
inline PyObject *getFunction(const Expr &expr) {
  return expr.kind == Expr::Var && !expr.args.empty() && !asExpr(expr.args[0])
             ? expr.args[0]
             : nullptr;
}

/// Appends `root` and all expressions that it uses, each after its own
/// operands. An expression for which `visit` returns false is left out. There
/// is no recursion, as a graph can be deeper than the stack. `get` returns the
/// expressions that an expression uses.
template <typename Visit, typename Then,
          typename Get = llvm::ArrayRef<PyObject *> (*)(const Expr &)>
void postOrder(Expr *root, Visit visit, Then then, Get get = getChildren) {
  if (!visit(root))
    return;
  std::vector<std::pair<Expr *, size_t>> stack{{root, 0}};
  while (!stack.empty()) {
    Expr *expr = stack.back().first;
    llvm::ArrayRef<PyObject *> children = get(*expr);
    if (stack.back().second == children.size()) {
      stack.pop_back();
      then(expr);
      continue;
    }
    Expr *child = asExpr(children[stack.back().second++]);
    if (child && visit(child))
      stack.push_back({child, 0});
  }
}

/// The Parts of a Function, which are read from its op once.
nb::object readParts(nb::handle function);
/// The expressions that were read from `function`, an op in the module of
/// `owner`, as long as somebody holds one of them.
nb::object getExpressions(nb::handle function, nb::object owner);

/// The object of a context.
nb::object getContextObject(MlirContext context);
inline MlirContext getContext(nb::handle object) {
  return nb::inst_ptr<mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN::PyMlirContext>(
             object)
      ->get();
}

nb::object toPython(MlirType type, nb::handle context);
nb::object toPython(MlirAttribute attribute, nb::handle context);
MlirType toType(nb::handle object);
MlirAttribute toAttribute(nb::handle object);
MlirType joinTypes(const MlirType *begin, size_t count, MlirContext context);
MlirAttribute toDictionary(nb::handle dict, MlirContext context);

/// The messages of `errors`, as one text.
std::string joinMessages(
    const std::vector<
        mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN::PyDiagnostic::DiagnosticInfo>
        &errors);

/// Lets objects of `type`, which is Expr, have weak references, for which
/// nanobind would make it a type of the garbage collector, and lets new ones
/// use the memory of those that are gone.
void manageMemory(PyTypeObject *type);

/// The expression with several results that all of `fields` are, in order; null
/// if they are none. Results are no bindings of their own.
Expr *findWhole(llvm::ArrayRef<PyObject *> fields);

/// An Array with room for `size` objects.
nb::object makeArray(size_t size);

/// Defines the properties of the callee and the operands.
void bindOperands(nb::class_<Expr> &expr);

void bindExpr(nb::module_ &m);
void bindExprInfer(nb::module_ &m);
void bindExprTypes(nb::module_ &m);
void bindArray(nb::module_ &m);
void bindExprReader(nb::module_ &m);
void bindExprBuilder(nb::module_ &m);
void bindExprFunctor(nb::module_ &m);

} // namespace partita::python

#endif // PARTITA_PYTHON_EXTENSION_EXPR_H
