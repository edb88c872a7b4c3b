//===- ExprFunctor.cpp - Visiting and rewriting expressions ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The methods of ExprFunctor, ExprVisitor and ExprMutator. They call each other
// directly, and enter Python only for the methods that a class defines.
//
//===----------------------------------------------------------------------===//

#include "Expr.h"

#include "llvm/ADT/STLExtras.h"

#include <nanobind/stl/string.h>

#include <unordered_map>
#include <unordered_set>

using namespace nanobind::literals;

namespace partita::python {

namespace {

class Functor;
using Method = nb::object (*)(Functor &functor, nb::handle expr);

/// The kinds of objects that a functor has methods for: the kinds of Expr, the
/// values, and the kinds below.
enum Visited {
  value = Expr::numKinds,
  globalVar = value + std::size(valueOps),
  op,
  function,
  numVisited
};

/// The methods that classes define, for each of those; `visit_call` calls
/// `visit_call_`, which is TVM's name, unless it is overridden.
const char *const methodNames[numVisited][2] = {
    {"visit_var", "visit_var_"},
    {"visit_constant", "visit_constant_"},
    {"visit_tuple", "visit_tuple_"},
    {"visit_tuple_getitem", "visit_tuple_getitem_"},
    {"visit_call", "visit_call_"},
    {"visit_if", "visit_if_"},
    {"visit_seq_expr", "visit_seq_expr_"},
    {"visit_shape_expr", "visit_shape_expr_"},
    {"visit_prim_value", "visit_prim_value_"},
    {"visit_string_imm", "visit_string_imm_"},
    {"visit_data_type_imm", "visit_data_type_imm_"},
    {"visit_extern_func", "visit_extern_func_"},
    {"visit_global_var", "visit_global_var_"},
    {"visit_op", "visit_op_"},
    {"visit_function", "visit_function_"}};

/// The Python objects of strings and of the methods in this file, which live
/// as long as the process.
struct Objects {
  PyObject *names[numVisited][2];
  PyObject *memoMap, *visit, *visitExpr, *visitIsOwn;
  PyObject *functorClass = nullptr, *visitorClass = nullptr,
           *rewriterClass = nullptr;
  /// Whether the methods of these classes are known.
  bool isRead = false;
  /// The methods that ExprVisitor's visit_function_ need not call where a class
  /// has them as they are there, by their names.
  std::vector<std::pair<nb::handle, nb::handle>> blockMethods;
  /// The C++ function behind a Python object that is a method of this file;
  /// null for methods that forward.
  std::unordered_map<PyObject *, Method> methods;
  /// The methods `visit` and `visit_expr`.
  std::unordered_set<PyObject *> visits;
};

} // namespace

static Objects &getObjects() {
  static Objects &objects = *[] {
    auto *made = new Objects();
    auto intern = PyUnicode_InternFromString;
    for (unsigned i = 0; i < numVisited; ++i)
      for (unsigned j = 0; j < 2; ++j)
        made->names[i][j] = intern(methodNames[i][j]);
    made->memoMap = intern("memo_map");
    made->visit = intern("visit");
    made->visitExpr = intern("visit_expr");
    made->visitIsOwn = intern("_visit_is_own");
    return made;
  }();
  return objects;
}

namespace {

/// A functor while a method of it runs. What its class defines is looked up
/// once, when the outermost of its methods is called.
class Functor {
public:
  explicit Functor(nb::handle self);
  Functor(const Functor &) = delete;
  ~Functor() { innermost = outer; }

  /// Calls `function` with the functor of the Python object `self`.
  template <typename Function>
  static auto call(nb::handle self, Function function) {
    if (innermost && innermost->self.is(self)) {
      innermost->memo.reset();
      return function(*innermost);
    }
    Functor functor(self);
    return function(functor);
  }

  /// The result of visiting `expr`, by the methods that a class may override.
  nb::object visitChild(nb::handle expr) {
    return visitOverride.is_valid() ? enter(visitOverride, expr) : visit(expr);
  }
  /// The same, by its memo or by the method for the kind of `expr`.
  nb::object visit(nb::handle expr);
  /// The same, by the `visit` of its class.
  nb::object visitExpr(nb::handle expr);
  /// Whether visiting the blocks of a function only visits the bindings in
  /// them.
  bool visitsBlocksPlainly();
  nb::handle getSelf() const { return self; }

private:
  /// From this depth on, what an expression uses is visited before it.
  static constexpr unsigned maxDepth = 64;

  struct Entry {
    bool isResolved = false;
    Method method = nullptr;
    nb::object callable;
  };

  nb::object getOwn(PyObject *name, nb::handle ofClass);
  nb::object dispatch(nb::handle expr);
  void visitDeep(Expr *expr);
  const Entry &resolve(unsigned visited);
  bool findMethod(PyObject *name, Entry &entry);
  nb::object enter(const nb::object &callable, nb::handle expr);
  PyObject *getMemo();
  nb::object lookUp(nb::handle expr);
  void remember(nb::handle expr, nb::handle result);

  nb::handle self;
  Functor *outer;
  /// The dict of results; unset when Python code could have set another.
  nb::object memo;
  nb::object visitOverride;
  /// Whether the class can have a `visit` for something else, as in TVM's
  /// Relax.
  bool hasOwnVisit = false;
  Entry entries[numVisited];
  unsigned depth = 0;
  bool isMutator = false;

  static thread_local Functor *innermost;
};

} // namespace

thread_local Functor *Functor::innermost = nullptr;

/// Finds the methods of the classes in Python that have a meaning here.
static const Objects &readClasses(Objects &objects) {
  if (objects.isRead)
    return objects;
  for (const char *name : {"visit_binding_block", "visit_binding_block_",
                           "visit_dataflow_block_", "visit_seq_expr_"})
    objects.blockMethods.emplace_back(
        intern(name),
        nb::object(nb::handle(objects.visitorClass).attr(name)).release());
  for (auto &names : objects.names) {
    nb::object forwards = nb::handle(objects.functorClass).attr(names[0]);
    objects.methods[forwards.release().ptr()] = nullptr;
  }
  objects.isRead = true;
  return objects;
}

Functor::Functor(nb::handle self) : self(self), outer(innermost) {
  const Objects &objects = readClasses(getObjects());
  nb::object type = nb::borrow(self.type());
  isMutator =
      PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(type.ptr()),
                       reinterpret_cast<PyTypeObject *>(objects.rewriterClass));
  hasOwnVisit = type.attr(objects.visitIsOwn).ptr() == Py_True;
  for (PyObject *name : {objects.visit, objects.visitExpr}) {
    if (hasOwnVisit && name == objects.visit)
      continue;
    nb::object ofClass = type.attr(name);
    nb::object own = getOwn(name, ofClass);
    if (own.is_valid() || !objects.visits.count(ofClass.ptr()))
      visitOverride = own.is_valid() ? own : nb::object(self.attr(name));
  }
  innermost = this;
}

/// The attribute that the object itself has, and not its class, where that has
/// `ofClass`. Its __dict__ would tell, too, but asking for that makes Python
/// look up all attributes of the object more slowly from then on.
nb::object Functor::getOwn(PyObject *name, nb::handle ofClass) {
  static const nb::handle func = intern("__func__"),
                          object = intern("__self__");
  nb::object found = self.attr(name);
  if (found.is(ofClass))
    return {};
  // A method of the class is bound to the object.
  bool isMethod = false;
  if (PyMethod_Check(found.ptr()))
    isMethod = ofClass.is(PyMethod_GET_FUNCTION(found.ptr())) &&
               self.is(PyMethod_GET_SELF(found.ptr()));
  else
    isMethod = ofClass.is(nb::getattr(found, func, nb::none())) &&
               self.is(nb::object(found.attr(object)));
  return isMethod ? nb::object() : found;
}

PyObject *Functor::getMemo() {
  if (!memo.is_valid()) {
    memo = self.attr(getObjects().memoMap);
    if (!PyDict_Check(memo.ptr()))
      raise(PyExc_TypeError, "expected the memo_map of a " + typeName(self) +
                                 " to be a dict, but found " + typeName(memo));
  }
  return memo.ptr();
}

nb::object Functor::lookUp(nb::handle expr) {
  PyObject *found = PyDict_GetItemWithError(getMemo(), expr.ptr());
  if (!found && PyErr_Occurred())
    throw nb::python_error();
  return nb::borrow(found);
}

void Functor::remember(nb::handle expr, nb::handle result) {
  if (PyDict_SetItem(getMemo(), expr.ptr(), result.ptr()))
    throw nb::python_error();
}

nb::object Functor::enter(const nb::object &callable, nb::handle expr) {
  // The first is room for a bound method's object.
  PyObject *args[] = {nullptr, expr.ptr()};
  nb::object result = nb::steal(PyObject_Vectorcall(
      callable.ptr(), args + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  memo.reset();
  if (!result.is_valid())
    throw nb::python_error();
  return result;
}

bool Functor::findMethod(PyObject *name, Entry &entry) {
  const Objects &objects = getObjects();
  nb::object ofClass = nb::borrow(self.type()).attr(name);
  auto known = objects.methods.find(ofClass.ptr());
  if (known != objects.methods.end()) {
    entry.callable = getOwn(name, ofClass);
    if (!entry.callable.is_valid()) {
      entry.method = known->second;
      return known->second;
    }
    return true;
  }
  entry.callable = self.attr(name);
  return true;
}

const Functor::Entry &Functor::resolve(unsigned visited) {
  Entry &entry = entries[visited];
  if (!entry.isResolved) {
    for (PyObject *name : getObjects().names[visited])
      if (findMethod(name, entry))
        break;
    entry.isResolved = true;
  }
  return entry;
}

static unsigned getVisited(const Expr &expr) {
  PyTypeObject *type = Py_TYPE(expr.self);
  auto getClass = [](unsigned index) {
    return reinterpret_cast<PyTypeObject *>(relaxTypes.classes[index]);
  };
  if (expr.kind == Expr::Call && type != getClass(Expr::Call))
    for (unsigned i = value; i < globalVar; ++i)
      if (type == getClass(i) || PyType_IsSubtype(type, getClass(i)))
        return i;
  return expr.kind;
}

/// Whether a variable of TVM's could have an expression as its value, and it
/// has no name.
static bool isUnnamed(const Expr &expr) {
  bool canHaveName = expr.kind == Expr::Call || expr.kind == Expr::Tuple ||
                     expr.kind == Expr::TupleGetItem || expr.kind == Expr::If;
  return canHaveName && !expr.location.ptr && getVisited(expr) < value &&
         !getGlobal(expr).is_valid();
}

/// The operands of an expression that can still get a name; only the condition
/// of an If.
static nb::list getUnnamed(nb::handle root) {
  nb::list found;
  Expr *expr = asExpr(root);
  bool hasOperands =
      expr && expr->kind != Expr::Var && expr->kind != Expr::SeqExpr;
  size_t count = !hasOperands             ? 0
                 : expr->kind == Expr::If ? 1
                                          : expr->getNumArgs();
  for (size_t i = 0; i < count; ++i)
    if (Expr *arg = asExpr(expr->getArg(i)); arg && isUnnamed(*arg))
      found.append(nb::handle(arg->self));
  return found;
}

/// Gives the expression that a method made in place of `old` the name and place
/// of `old`. In TVM a variable keeps them whatever it is bound to.
static void keepLocation(const Expr &old, nb::handle result) {
  Expr *made = asExpr(result);
  bool isNew = made && made != &old && made->kind != Expr::Var &&
               made->kind != Expr::Constant && made->numTypes &&
               !made->location.ptr;
  if (!isNew || !old.location.ptr || old.context != made->context)
    return;
  MlirLocation unknown =
      mlirLocationUnknownGet(mlirLocationGetContext(old.location));
  if (mlirLocationEqual(old.location, unknown))
    return;
  made->location = old.location;
  made->locationContext = nb::borrow(old.locationContext).release().ptr();
}

nb::object Functor::dispatch(nb::handle expr) {
  unsigned visited = numVisited;
  auto isA = [&](PyObject *type) {
    return PyObject_TypeCheck(expr.ptr(),
                              reinterpret_cast<PyTypeObject *>(type));
  };
  nb::object global;
  Expr *found = asExpr(expr);
  if (found) {
    global = getGlobal(*found);
    visited = global.is_valid() ? unsigned(globalVar) : getVisited(*found);
  } else if (isA(relaxTypes.op))
    visited = op;
  else if (isA(relaxTypes.globalVar))
    visited = globalVar;
  else if (isA(relaxTypes.function))
    visited = function;
  else
    raise(PyExc_TypeError,
          "expected an expression to visit, but found " + typeName(expr));
  const Entry &entry = resolve(visited);
  nb::handle object = global.is_valid() ? nb::handle(global) : expr;
  nb::object result = entry.method ? entry.method(*this, object)
                                   : enter(entry.callable, object);
  if (global.is_valid() && result.equal(global))
    return nb::borrow(expr);
  bool isNone = result.is_none();
  if (isMutator && (isNone || PyUnicode_CheckExact(result.ptr())) &&
      visited != op && visited != globalVar)
    raise(PyExc_TypeError, "expected " + typeName(self) +
                               " to return an expression for a " +
                               typeName(expr) + ", but it returned " +
                               (isNone ? "None" : "a str"));
  if (isMutator && found && !entry.method)
    keepLocation(*found, result);
  return result;
}

void Functor::visitDeep(Expr *root) {
  std::unordered_set<Expr *> seen;
  std::vector<nb::object> order;
  postOrder(
      root,
      [&](Expr *expr) {
        return !lookUp(expr->self).is_valid() && seen.insert(expr).second;
      },
      [&](Expr *expr) { order.push_back(nb::borrow(expr->self)); });
  for (const nb::object &expr : order)
    if (!lookUp(expr).is_valid())
      remember(expr, dispatch(expr));
}

nb::object Functor::visit(nb::handle expr) {
  if (nb::object found = lookUp(expr); found.is_valid())
    return found;
  Expr *node = depth >= maxDepth ? asExpr(expr) : nullptr;
  struct Deeper {
    Deeper(unsigned &depth, unsigned now) : depth(depth), before(depth) {
      depth = now;
    }
    ~Deeper() { depth = before; }
    unsigned &depth, before;
  };
  if (node && !getChildren(*node).empty()) {
    Deeper deeper(depth, 0);
    visitDeep(node);
    nb::object found = lookUp(expr);
    if (!found.is_valid())
      raise(PyExc_KeyError, "expected the memo_map to keep what was visited");
    return found;
  }
  Deeper deeper(depth, depth + 1);
  nb::object result = dispatch(expr);
  remember(expr, result);
  return result;
}

nb::object Functor::visitExpr(nb::handle expr) {
  nb::object found = nb::borrow(self.type()).attr(getObjects().visit);
  if (hasOwnVisit || getObjects().visits.count(found.ptr()))
    return visit(expr);
  return enter(self.attr(getObjects().visit), expr);
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

static Expr &checkKind(nb::handle object, Expr::Kind kind) {
  Expr *expr = asExpr(object);
  if (!expr || expr->kind != kind)
    raise(PyExc_TypeError,
          "expected a " +
              nb::cast<std::string>(
                  nb::handle(relaxTypes.classes[kind]).attr("__name__")) +
              ", but found " + typeName(object));
  return *expr;
}

static nb::object visitNothing(Functor &, nb::handle) { return nb::none(); }

static void visitArgs(Functor &functor, Expr &expr) {
  for (size_t i = 0, e = expr.getNumArgs(); i < e; ++i)
    functor.visitChild(expr.getArg(i));
}

static nb::object visitCall(Functor &functor, nb::handle object) {
  Expr &call = checkKind(object, Expr::Call);
  if (!isValueCall(call))
    functor.visitChild(call.object);
  visitArgs(functor, call);
  return nb::none();
}

static nb::object visitTuple(Functor &functor, nb::handle object) {
  visitArgs(functor, checkKind(object, Expr::Tuple));
  return nb::none();
}

static nb::object visitTupleGetItem(Functor &functor, nb::handle object) {
  visitArgs(functor, checkKind(object, Expr::TupleGetItem));
  return nb::none();
}

static nb::object visitIf(Functor &functor, nb::handle object) {
  visitArgs(functor, checkKind(object, Expr::If));
  return nb::none();
}

static nb::object visitVar(Functor &functor, nb::handle object) {
  Expr &var = checkKind(object, Expr::Var);
  if (var.getNumArgs())
    functor.visitChild(var.getArg(0));
  return nb::none();
}

bool Functor::visitsBlocksPlainly() {
  static const nb::handle visitsBindings = intern("_visits_bindings");
  nb::object type = nb::borrow(self.type());
  if (nb::object(type.attr(visitsBindings)).ptr() == Py_True)
    return false;
  return llvm::all_of(getObjects().blockMethods, [&](const auto &method) {
    nb::object ofClass = type.attr(method.first);
    return ofClass.is(method.second) &&
           !getOwn(method.first.ptr(), ofClass).is_valid();
  });
}

static nb::object visitFunction(Functor &functor, nb::handle function) {
  static const nb::handle blocks = intern("blocks"), params = intern("params"),
                          body = intern("body"), bindings = intern("bindings"),
                          visitParts = intern("_visit_parts");
  if (!PyObject_TypeCheck(function.ptr(), reinterpret_cast<PyTypeObject *>(
                                              relaxTypes.function)))
    raise(PyExc_TypeError,
          "expected a Function, but found " + typeName(function));
  nb::object parts = readParts(function);
  if (!functor.visitsBlocksPlainly())
    return functor.getSelf().attr(visitParts)(parts);
  auto visitAll = [&](nb::handle exprs) {
    for (nb::handle expr : nb::cast<nb::tuple>(exprs))
      functor.visitChild(expr);
  };
  visitAll(parts.attr(params));
  nb::object value = parts.attr(body);
  if (value.is_none())
    return nb::none();
  for (nb::handle block : nb::cast<nb::tuple>(parts.attr(blocks)))
    visitAll(block.attr(bindings));
  functor.visitChild(value);
  return nb::none();
}

/// Visits each of `exprs`.
static void visitEach(nb::handle self, nb::handle exprs) {
  Functor::call(self, [&](Functor &functor) {
    for (nb::handle expr : exprs)
      functor.visitChild(expr);
  });
}

static nb::object mutateNothing(Functor &, nb::handle expr) {
  return nb::borrow(expr);
}

static bool isSame(nb::handle a, nb::handle b) {
  return a.is(b) || (!asExpr(a) && !asExpr(b) && a.equal(b));
}

/// The operands that replace the operands of `expr`; invalid if all stay the
/// same.
static nb::object mutateArgs(Functor &functor, Expr &expr,
                             bool isChanged = false) {
  size_t count = expr.getNumArgs();
  nb::object args = nb::steal(PyTuple_New(count));
  for (size_t i = 0; i < count; ++i) {
    nb::object now = lift(functor.visitChild(expr.getArg(i)));
    isChanged |= !isSame(now, expr.getArg(i));
    PyTuple_SET_ITEM(args.ptr(), i, now.release().ptr());
  }
  return isChanged ? args : nb::object();
}

static nb::object mutateCall(Functor &functor, nb::handle object) {
  Expr &call = checkKind(object, Expr::Call);
  nb::object op = isValueCall(call) ? nb::borrow(call.object)
                                    : functor.visitChild(call.object);
  nb::object args = mutateArgs(functor, call, !isSame(op, call.object));
  return args.is_valid() ? callWithArgs(call, args, op) : nb::borrow(object);
}

static nb::object mutateTuple(Functor &functor, nb::handle object) {
  nb::object fields = mutateArgs(functor, checkKind(object, Expr::Tuple));
  if (!fields.is_valid())
    return nb::borrow(object);
  return nb::borrow(relaxTypes.classes[Expr::Tuple])(fields,
                                                     object.attr("loc"));
}

static nb::object mutateTupleGetItem(Functor &functor, nb::handle object) {
  Expr &item = checkKind(object, Expr::TupleGetItem);
  nb::object value = lift(functor.visitChild(item.getArg(0)));
  if (value.is(item.getArg(0)))
    return nb::borrow(object);
  Expr *tuple = asExpr(value);
  if (tuple && tuple->kind == Expr::Tuple && item.index >= 0 &&
      size_t(item.index) < tuple->getNumArgs())
    return nb::borrow(tuple->getArg(item.index));
  return nb::borrow(relaxTypes.classes[Expr::TupleGetItem])(value, item.index,
                                                            object.attr("loc"));
}

static nb::object mutateVar(Functor &functor, nb::handle object) {
  Expr &var = checkKind(object, Expr::Var);
  if (!var.getNumArgs())
    return nb::borrow(object);
  nb::object result = functor.visitChild(var.getArg(0));
  nb::object value = nb::borrow(Expr::toVariable(result));
  if (value.is(var.getArg(0)))
    return nb::borrow(object);
  return nb::borrow(relaxTypes.rebind)(object, value);
}

static nb::object mutateIf(Functor &functor, nb::handle object) {
  nb::object args = mutateArgs(functor, checkKind(object, Expr::If));
  if (!args.is_valid())
    return nb::borrow(object);
  return nb::borrow(relaxTypes.classes[Expr::If])(args[0], args[1], args[2],
                                                  object.attr("loc"));
}

/// The expressions that replace `exprs`; None if all stay the same.
static nb::object mutateAll(nb::handle self, nb::handle exprs) {
  return Functor::call(self, [&](Functor &functor) -> nb::object {
    nb::list results;
    bool isChanged = false;
    for (nb::handle expr : exprs) {
      nb::object result = lift(functor.visitChild(expr));
      isChanged |= !result.is(expr);
      results.append(result);
    }
    return isChanged ? nb::object(results) : nb::none();
  });
}

/// Appends the replacements of `exprs` to `results`. Methods that are called
/// can append to `results`, too.
static void mutateInto(nb::handle self, nb::handle exprs, nb::list results) {
  Functor::call(self, [&](Functor &functor) {
    for (nb::handle expr : exprs)
      results.append(lift(functor.visitChild(expr)));
  });
}

/// The method `name` of the Python class that takes it from `m`.
template <Method method>
static nb::handle defineMethod(nb::module_ &m, const char *name) {
  m.def(
      name,
      [](nb::handle self, nb::handle expr) {
        return Functor::call(
            self, [&](Functor &functor) { return method(functor, expr); });
      },
      nb::is_method(), "expr"_a);
  nb::object object = m.attr(name);
  getObjects().methods[object.ptr()] = method;
  return object.release();
}

static nb::object visitMethod(Functor &functor, nb::handle expr) {
  return functor.visit(expr);
}
static nb::object visitExprMethod(Functor &functor, nb::handle expr) {
  return functor.visitExpr(expr);
}

void bindExprFunctor(nb::module_ &m) {
  Objects &objects = getObjects();
  objects.visits.insert(defineMethod<visitMethod>(m, "functor_visit").ptr());
  objects.visits.insert(
      defineMethod<visitExprMethod>(m, "functor_visit_expr").ptr());
  defineMethod<visitNothing>(m, "visit_nothing");
  defineMethod<visitCall>(m, "visit_call");
  defineMethod<visitTuple>(m, "visit_tuple");
  defineMethod<visitTupleGetItem>(m, "visit_tuple_getitem");
  defineMethod<visitIf>(m, "visit_if");
  defineMethod<visitVar>(m, "visit_var");
  defineMethod<visitFunction>(m, "visit_function");
  defineMethod<mutateNothing>(m, "mutate_nothing");
  defineMethod<mutateCall>(m, "mutate_call");
  defineMethod<mutateTuple>(m, "mutate_tuple");
  defineMethod<mutateTupleGetItem>(m, "mutate_tuple_getitem");
  defineMethod<mutateVar>(m, "mutate_var");
  defineMethod<mutateIf>(m, "mutate_if");
  m.def("visit_each", visitEach, nb::is_method(), "exprs"_a);
  m.def("mutate_all", mutateAll, nb::is_method(), "exprs"_a);
  m.def("mutate_into", mutateInto, nb::is_method(), "exprs"_a, "results"_a);
  declareKnown("ExprFunctor", &objects.functorClass);
  declareKnown("ExprVisitor", &objects.visitorClass);
  declareKnown("Rewriter", &objects.rewriterClass);
  m.def("unnamed_operands", getUnnamed, "expr"_a);
  m.def("is_unnamed", [](nb::handle expr) {
    Expr *found = asExpr(expr);
    return found && isUnnamed(*found);
  });
  m.def(
      "post_order",
      [](nb::handle roots) {
        std::unordered_set<Expr *> seen;
        nb::list order;
        for (nb::handle root : roots) {
          Expr *expr = asExpr(root);
          if (!expr)
            raise(PyExc_TypeError,
                  "expected an expression, but found " + typeName(root));
          postOrder(
              expr, [&](Expr *expr) { return seen.insert(expr).second; },
              [&](Expr *expr) { order.append(nb::handle(expr->self)); });
        }
        return order;
      },
      "roots"_a);
}

} // namespace partita::python
