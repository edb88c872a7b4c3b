//===- ExprFunctor.cpp - Visiting and rewriting expressions ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calling the method for an object. Methods call each other directly, and enter
// Python only for the methods that a class defines.
//
//===----------------------------------------------------------------------===//

#include "ExprFunctor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

namespace partita::python {

namespace {

/// The methods that classes define, for each of those; `visit_call` calls
/// `visit_call_`, which is TVM's name, unless it is overridden. TVM 0.27 has
/// another name for constants than those before it.
const char *const methodNames[numVisited][numNames] = {
    {"visit_var", "visit_var_"},
    {"visit_constant", "visit_constant_", "visit_generic_const_"},
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
    {"visit_function", "visit_function_"},
    {"visit_dataflow_var", "visit_dataflow_var_"}};

/// Whether what is visited can have no operands.
bool isLeaf(unsigned visited) {
  return visited == Expr::Var || visited == Expr::Constant ||
         (visited >= value && visited != function && visited < numVisited);
}

} // namespace

nb::list getUseMethods() {
  nb::list names;
  for (unsigned i = 0; i < numVisited; ++i)
    for (unsigned j = 1; j < numNames; ++j)
      if (isLeaf(i) && methodNames[i][j])
        names.append(methodNames[i][j]);
  return names;
}

Objects &getObjects() {
  static Objects &objects = *[] {
    auto *made = new Objects();
    auto intern = PyUnicode_InternFromString;
    for (unsigned i = 0; i < numVisited; ++i)
      for (unsigned j = 0; j < numNames; ++j)
        made->names[i][j] =
            methodNames[i][j] ? intern(methodNames[i][j]) : nullptr;
    made->memoMap = intern("memo_map");
    made->visit = intern("visit");
    made->visitExpr = intern("visit_expr");
    made->visitIsOwn = intern("_visit_is_own");
    made->visitsUses = intern("_visits_uses");
    return made;
  }();
  return objects;
}

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
  objects.missing =
      nb::object(nb::handle(objects.functorClass).attr("_missing"))
          .release()
          .ptr();
  for (auto &names : objects.names)
    for (unsigned i = 0; i + 1 < numNames && names[i + 1]; ++i) {
      nb::object forwards = nb::handle(objects.functorClass).attr(names[i]);
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
  hasUses = type.attr(objects.visitsUses).ptr() == Py_True;
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
    PyObject *const(&names)[numNames] = getObjects().names[visited];
    unsigned at = 0;
    while (!findMethod(names[at], entry) && at + 1 < numNames && names[at + 1])
      ++at;
    if (at > 0 && !entry.method) {
      nb::object ofClass = nb::borrow(self.type()).attr(names[at]);
      entry.isOfUses = ofClass.ptr() != getObjects().missing;
      hasUses |= entry.isOfUses && isLeaf(visited);
    }
    entry.isResolved = true;
  }
  return entry;
}

unsigned getVisited(const Expr &expr) {
  if (isGlobal(expr))
    return globalVar;
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

/// Gives a call of a function of the module, which a method made in place of a
/// call of the same function, the types of that. Only the module knows them.
static void keepTypes(const Expr &old, nb::handle result) {
  Expr *made = asExpr(result);
  bool isUntyped = made && made != &old && made->kind == Expr::Call &&
                   old.kind == Expr::Call && !made->isTyped && old.isTyped &&
                   made->getNumArgs() == old.getNumArgs();
  if (!isUntyped || old.context != made->context ||
      !PyObject_TypeCheck(made->object, reinterpret_cast<PyTypeObject *>(
                                            relaxTypes.globalVar)) ||
      !nb::handle(made->object).equal(nb::handle(old.object)))
    return;
  for (size_t i = 0, e = old.getNumArgs(); i < e; ++i) {
    Expr *now = asExpr(made->getArg(i)), *before = asExpr(old.getArg(i));
    if (!now || !before || !now->hasTypesOf(*before))
      return;
  }
  made->setTypes(old.typesBegin(), old.numTypes);
}

/// What an object is that is no expression; numVisited if it is nothing to
/// visit.
static unsigned getVisitedObject(nb::handle object) {
  auto isA = [&](PyObject *type) {
    return PyObject_TypeCheck(object.ptr(),
                              reinterpret_cast<PyTypeObject *>(type));
  };
  return isA(relaxTypes.op)          ? op
         : isA(relaxTypes.globalVar) ? globalVar
         : isA(relaxTypes.function)  ? function
                                     : numVisited;
}

void Functor::checkResult(nb::handle expr, nb::handle result) {
  bool isNone = result.is_none();
  if (isMutator && (isNone || PyUnicode_CheckExact(result.ptr())))
    raise(PyExc_TypeError, "expected " + typeName(self) +
                               " to return an expression for a " +
                               typeName(expr) + ", but it returned " +
                               (isNone ? "None" : "a str"));
}

/// What a method of a mutator made of `expr`, on new operands.
nb::object Functor::renewResult(nb::handle expr, nb::object result) {
  Expr *made = asExpr(result);
  if (!isMutator || !made)
    return result;
  // A variable of the function that is visited stands for its new value.
  if (made != asExpr(expr))
    if (nb::object now = renewal.getNew(getMemo(), result.ptr());
        !now.is(result))
      return now;
  return renewal.renew(getMemo(), result);
}

nb::object Functor::renew(nb::handle expr, nb::handle memo) {
  for (Functor *functor = innermost; functor; functor = functor->outer)
    if (functor->getMemo() == memo.ptr())
      return functor->renewal.renew(memo.ptr(), expr);
  return Renewal().renew(memo.ptr(), expr);
}

std::optional<unsigned> Functor::findUse(nb::handle expr, bool isKnown) {
  unsigned visited = numVisited;
  Expr *node = asExpr(expr);
  bool isVariable = node &&
                    (node->kind == Expr::Var || node->scope != Expr::Free) &&
                    !isGlobal(*node);
  if (isVariable) {
    // At first its value is visited.
    if (!isKnown && (node->kind != Expr::Var || node->getNumArgs()))
      return std::nullopt;
    visited = Expr::Var;
    if (node->scope == Expr::InDataflow)
      visited = dataflowVar;
  } else {
    if (isMutator || (node && node->getNumArgs()))
      return std::nullopt;
    visited = node ? getVisited(*node) : getVisitedObject(expr);
    if (!isLeaf(visited))
      return std::nullopt;
  }
  return resolve(visited).isOfUses ? std::optional(visited) : std::nullopt;
}

nb::object Functor::visitBinding(nb::handle expr) {
  // TVM has no variable for a function of the module.
  Expr *node = hasUses ? asExpr(expr) : nullptr;
  bool isGlobal = node && getVisited(*node) == globalVar;
  if (isGlobal && findUse(expr, /*isKnown=*/false))
    return nb::none();
  nb::handle outerBinding = std::exchange(binding, expr);
  auto restore = llvm::make_scope_exit([&] { binding = outerBinding; });
  return visitChild(expr);
}

nb::object Functor::visitUse(nb::handle expr, unsigned visited) {
  nb::object global;
  if (Expr *node = asExpr(expr))
    global = getGlobal(*node);
  nb::object result = enter(resolve(visited).callable,
                            global.is_valid() ? nb::handle(global) : expr);
  checkResult(expr, result);
  // A variable that a method leaves is what was made of it: in TVM these are
  // one object.
  if (isMutator && asExpr(result) && asExpr(result) == asExpr(expr)) {
    nb::object made = lookUp(expr);
    return made.is_valid() ? made : result;
  }
  return renewResult(expr, result);
}

nb::object Functor::dispatch(nb::handle expr) {
  nb::object global;
  Expr *found = asExpr(expr);
  unsigned visited = found ? getVisited(*found) : getVisitedObject(expr);
  if (visited == globalVar && found)
    global = getGlobal(*found);
  if (visited == numVisited)
    raise(PyExc_TypeError,
          "expected an expression to visit, but found " + typeName(expr));
  // A method of uses is not called for the value of a variable.
  if (visited == Expr::Var && visitsUses() && found->getNumArgs())
    return isMutator ? mutateVar(*this, expr) : visitVar(*this, expr);
  if (visited == Expr::Var && visitsUses() && found->scope == Expr::InDataflow)
    visited = dataflowVar;
  static PyObject *matchCast =
      PyDict_GetItemString(getOps(), "relax.match_cast");
  if (visited == Expr::Call && found->object == matchCast)
    return isMutator ? mutateCast(*this, expr) : visitCast(*this, expr);
  const Entry &entry = resolve(visited);
  nb::handle object = global.is_valid() ? nb::handle(global) : expr;
  nb::object result = entry.method ? entry.method(*this, object)
                                   : enter(entry.callable, object);
  if (global.is_valid() && result.equal(global))
    return nb::borrow(expr);
  if (visited != op && visited != globalVar)
    checkResult(expr, result);
  if (isMutator && found && !entry.method) {
    result = renewResult(expr, result);
    keepTypes(*found, result);
    keepLocation(*found, result);
  }
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
  // What uses them visits the leaves, if each use is visited.
  for (const nb::object &expr : order)
    if (!lookUp(expr).is_valid() && !findUse(expr, /*isKnown=*/false))
      remember(expr, dispatch(expr));
}

nb::object Functor::visit(nb::handle expr) {
  nb::object known = lookUp(expr);
  std::optional<unsigned> visited;
  if (hasUses)
    visited = findUse(expr, known.is_valid());
  if (visited)
    return visitUse(expr, *visited);
  if (known.is_valid())
    return known;
  Expr *node = asExpr(expr);
  bool isBound = node && node->scope != Expr::Free;
  bool isBinding = isBound && binding.is(expr);
  if (isBinding)
    binding = nb::handle();
  if (isInValue && isBound && !isBinding && node->self == expr.ptr()) {
    visited = findUse(expr, /*isKnown=*/true);
    return visited     ? visitUse(expr, *visited)
           : isMutator ? nb::borrow(expr)
                       : nb::none();
  }
  struct Deeper {
    Deeper(Functor &functor, const Expr *node, bool isValue, unsigned now)
        : functor(functor), depth(functor.depth), isInValue(functor.isInValue) {
      functor.depth = now;
      if (isValue)
        functor.isInValue = true;
      else if (!node || node->kind == Expr::SeqExpr)
        functor.isInValue = false;
    }
    ~Deeper() {
      functor.depth = depth;
      functor.isInValue = isInValue;
    }
    Functor &functor;
    unsigned depth;
    bool isInValue;
  };
  bool isValue = isBinding || (node && node->self != expr.ptr());
  if (node && depth >= maxDepth && !getChildren(*node).empty()) {
    Deeper deeper(*this, node, isValue, 0);
    visitDeep(node);
    nb::object found = lookUp(expr);
    if (!found.is_valid())
      raise(PyExc_KeyError, "expected the memo_map to keep what was visited");
    return found;
  }
  Deeper deeper(*this, node, isValue, depth + 1);
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

} // namespace partita::python
