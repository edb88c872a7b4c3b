//===- ExprRenewal.cpp - Old operands of new expressions ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In TVM, a variable keeps its identity when a mutator gives it another value,
// so that `relax.op.exp(call.args[0])` is computed from the new value. Here, a
// variable is the expression that it is bound to, and has to be replaced.
//
//===----------------------------------------------------------------------===//

#include "ExprFunctor.h"

namespace partita::python {

nb::object withArgs(Expr &expr, nb::object args) {
  nb::handle object = expr.self;
  static const nb::handle loc = intern("loc");
  nb::object first;
  if (PyTuple_GET_SIZE(args.ptr()))
    first = args[0];
  switch (expr.kind) {
  case Expr::Call:
    return callWithArgs(expr, args, expr.object);
  case Expr::Tuple:
    return nb::borrow(relaxTypes.classes[Expr::Tuple])(args, object.attr(loc));
  case Expr::TupleGetItem:
    if (Expr *tuple = asExpr(first); tuple && tuple->kind == Expr::Tuple &&
                                     expr.index >= 0 &&
                                     size_t(expr.index) < tuple->getNumArgs())
      return nb::borrow(tuple->getArg(expr.index));
    return nb::borrow(relaxTypes.classes[Expr::TupleGetItem])(first, expr.index,
                                                              object.attr(loc));
  case Expr::If:
    return nb::borrow(relaxTypes.classes[Expr::If])(first, args[1], args[2],
                                                    object.attr(loc));
  case Expr::Var:
    return nb::borrow(relaxTypes.rebind)(object,
                                         nb::borrow(Expr::toVariable(first)));
  default:
    return nb::borrow(object);
  }
}

/// Whether the operands of `expr` can be old ones. Blocks are visited as
/// wholes.
static bool hasOperands(const Expr &expr) {
  return expr.kind != Expr::SeqExpr && !getChildren(expr).empty();
}

/// What `memo` has for `expr`, if that is a variable; else null. A parameter
/// has only another parameter in its place.
static Expr *findNew(PyObject *memo, const Expr &expr) {
  auto isParam = [](const Expr &expr) {
    return expr.kind == Expr::Var && !expr.getNumArgs();
  };
  if (expr.kind != Expr::Var && expr.scope == Expr::Free)
    return nullptr;
  PyObject *found = PyDict_GetItemWithError(memo, expr.self);
  if (!found && PyErr_Occurred())
    throw nb::python_error();
  Expr *made = found ? asExpr(found) : nullptr;
  return made && (!isParam(expr) || isParam(*made)) ? made : nullptr;
}

nb::object Renewal::getNew(PyObject *memo, PyObject *object) {
  Expr *expr = asExpr(object);
  if (!expr)
    return nb::borrow(object);
  if (Expr *made = findNew(memo, *expr))
    return nb::borrow(made->self);
  auto found = results.find(expr);
  return found == results.end() ? nb::borrow(object) : found->second.second;
}

nb::object Renewal::renew(PyObject *memo, nb::handle root) {
  Expr *rootExpr = asExpr(root);
  if (!rootExpr || !PyDict_GET_SIZE(memo))
    return nb::borrow(root);
  auto isUnknown = [&](Expr *expr) {
    if (expr == rootExpr)
      return hasOperands(*expr);
    return hasOperands(*expr) && !results.count(expr) && !findNew(memo, *expr);
  };
  postOrder(rootExpr, isUnknown, [&](Expr *expr) {
    size_t count = expr->getNumArgs();
    nb::object args = nb::steal(PyTuple_New(count));
    bool isChanged = false;
    for (size_t i = 0; i < count; ++i) {
      nb::object now = getNew(memo, expr->getArg(i));
      isChanged |= !now.is(expr->getArg(i));
      PyTuple_SET_ITEM(args.ptr(), i, now.release().ptr());
    }
    nb::object made =
        isChanged ? withArgs(*expr, args) : nb::borrow(expr->self);
    // What was made has new operands alone.
    if (isChanged && asExpr(made))
      results.try_emplace(asExpr(made), made, made);
    results.insert_or_assign(expr, std::pair(nb::borrow(expr->self), made));
  });
  // A binding's value is another object than its variable.
  auto found = results.find(rootExpr);
  bool isSame =
      found == results.end() || found->second.second.is(rootExpr->self);
  return isSame ? nb::borrow(root) : found->second.second;
}

} // namespace partita::python
