//===- ExprMethods.cpp - The methods of visitors and mutators -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExprFunctor.h"

#include <nanobind/stl/string.h>

using namespace nanobind::literals;

namespace partita::python {

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

/// The operands of a call as TVM has them.
static nb::list getTVMArgs(nb::handle call) {
  static const nb::handle args = intern("args");
  return nb::list(nb::object(call.attr(args)));
}

static nb::object visitCall(Functor &functor, nb::handle object) {
  Expr &call = checkKind(object, Expr::Call);
  if (!isValueCall(call))
    functor.visitChild(call.object);
  if (functor.visitsTuples())
    for (nb::handle arg : getTVMArgs(object))
      functor.visitChild(arg);
  else
    visitArgs(functor, call);
  return nb::none();
}

template <Expr::Kind kind>
static nb::object visitKind(Functor &functor, nb::handle object) {
  visitArgs(functor, checkKind(object, kind));
  return nb::none();
}

/// Whether an expression stands for its variable, which has no value of its
/// own.
static bool isVariable(nb::handle object) {
  Expr *expr = asExpr(object);
  return expr && expr->kind != Expr::Var && expr->scope != Expr::Free;
}

nb::object visitVar(Functor &functor, nb::handle object) {
  if (functor.lookUp(object).is_valid() || isVariable(object))
    return nb::none();
  Expr &var = checkKind(object, Expr::Var);
  if (var.getNumArgs())
    functor.visitChild(var.getArg(0));
  return nb::none();
}

/// Visits the parameters of a function, unless the class visits uses.
static nb::object visitParams(Functor &functor, nb::handle params) {
  if (!functor.visitsUses())
    for (nb::handle param : params)
      functor.visitChild(param);
  return nb::none();
}

/// Visits the bindings of a block.
static nb::object visitBindings(Functor &functor, nb::handle bindings) {
  for (nb::handle binding : bindings)
    functor.visitBinding(binding);
  return nb::none();
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
  visitParams(functor, nb::object(parts.attr(params)));
  nb::object value = parts.attr(body);
  if (value.is_none())
    return nb::none();
  for (nb::handle block : nb::cast<nb::tuple>(parts.attr(blocks)))
    visitBindings(functor, nb::object(block.attr(bindings)));
  functor.visitChild(value);
  return nb::none();
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
  if (functor.visitsTuples()) {
    bool isChanged = !isSame(op, call.object);
    nb::list made;
    for (nb::handle arg : getTVMArgs(object)) {
      nb::object now = lift(functor.visitChild(arg));
      isChanged |= !isSame(now, arg);
      made.append(now);
    }
    return isChanged ? nb::borrow(relaxTypes.remakeCall)(object, made, op)
                     : nb::borrow(object);
  }
  nb::object args = mutateArgs(functor, call, !isSame(op, call.object));
  return args.is_valid() ? callWithArgs(call, args, op) : nb::borrow(object);
}

template <Expr::Kind kind>
static nb::object mutateKind(Functor &functor, nb::handle object) {
  Expr &expr = checkKind(object, kind);
  nb::object args = mutateArgs(functor, expr);
  return args.is_valid() ? withArgs(expr, args) : nb::borrow(object);
}

nb::object visitCast(Functor &functor, nb::handle cast) {
  return visitKind<Expr::Call>(functor, cast);
}
nb::object mutateCast(Functor &functor, nb::handle cast) {
  return mutateKind<Expr::Call>(functor, cast);
}

nb::object mutateVar(Functor &functor, nb::handle object) {
  if (nb::object found = functor.lookUp(object); found.is_valid())
    return found;
  if (isVariable(object))
    return nb::borrow(object);
  Expr &var = checkKind(object, Expr::Var);
  if (!var.getNumArgs())
    return nb::borrow(object);
  nb::object result = functor.visitChild(var.getArg(0));
  nb::object value = nb::borrow(Expr::toVariable(result));
  if (value.is(var.getArg(0)))
    return nb::borrow(object);
  return withArgs(var, nb::make_tuple(value));
}

/// The expressions that replace `exprs`; None if all stay the same.
static nb::object mutateAll(Functor &functor, nb::handle exprs) {
  nb::list results;
  bool isChanged = false;
  for (nb::handle expr : exprs) {
    nb::object result = lift(functor.visitChild(expr));
    isChanged |= !result.is(expr);
    results.append(result);
  }
  return isChanged ? nb::object(results) : nb::none();
}

/// The same for the parameters of a function, which stay if the class visits
/// uses.
static nb::object mutateParams(Functor &functor, nb::handle params) {
  return functor.visitsUses() ? nb::none() : mutateAll(functor, params);
}

/// Appends the replacements of `exprs` to `results`. Methods that are called
/// can append to `results`, too.
static void mutateInto(nb::handle self, nb::handle exprs, nb::list results) {
  Functor::call(self, [&](Functor &functor) {
    for (nb::handle expr : exprs)
      results.append(lift(functor.visitBinding(expr)));
  });
}

/// Whether a variable of TVM's could have an expression as its value, and it
/// has no name.
static bool isUnnamed(const Expr &expr) {
  bool canHaveName = expr.kind == Expr::Call || expr.kind == Expr::Tuple ||
                     expr.kind == Expr::TupleGetItem || expr.kind == Expr::If;
  return canHaveName && !expr.location.ptr && getVisited(expr) < value;
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

/// The method `name` of the Python class that takes it from `m`.
template <Method method>
static nb::handle defineMethod(nb::module_ &m, const char *name) {
  m.def(
      name,
      [](nb::handle self, nb::handle expr) {
        return Functor::call(
            self, [&](Functor &functor) { return method(functor, expr); });
      },
      // None gets the error for other objects than expressions, too.
      nb::is_method(), "expr"_a.none());
  nb::object object = m.attr(name);
  getObjects().methods[object.ptr()] = method;
  return object.release();
}

static nb::object visitBindingMethod(Functor &functor, nb::handle expr) {
  return functor.visitBinding(expr);
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
  defineMethod<visitKind<Expr::Tuple>>(m, "visit_tuple");
  defineMethod<visitKind<Expr::TupleGetItem>>(m, "visit_tuple_getitem");
  defineMethod<visitKind<Expr::If>>(m, "visit_if");
  defineMethod<visitVar>(m, "visit_var");
  defineMethod<visitFunction>(m, "visit_function");
  defineMethod<mutateNothing>(m, "mutate_nothing");
  defineMethod<mutateCall>(m, "mutate_call");
  defineMethod<mutateKind<Expr::Tuple>>(m, "mutate_tuple");
  defineMethod<mutateKind<Expr::TupleGetItem>>(m, "mutate_tuple_getitem");
  defineMethod<mutateVar>(m, "mutate_var");
  defineMethod<mutateKind<Expr::If>>(m, "mutate_if");
  defineMethod<visitBindings>(m, "visit_bindings");
  defineMethod<visitBindingMethod>(m, "visit_binding");
  defineMethod<visitParams>(m, "visit_params");
  defineMethod<mutateParams>(m, "mutate_params");
  defineMethod<mutateAll>(m, "mutate_all");
  m.def("mutate_into", mutateInto, nb::is_method(), "exprs"_a, "results"_a);
  declareKnown("ExprFunctor", &objects.functorClass);
  declareKnown("ExprVisitor", &objects.visitorClass);
  declareKnown("Rewriter", &objects.rewriterClass);
  m.attr("use_methods") = getUseMethods();
  m.def("renew", &Functor::renew, "expr"_a, "memo"_a);
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
