//===- ExprPlanner.cpp - Where expressions are computed -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExprBuilder.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::python {

/// The expressions that an expression needs before it; its branches are planned
/// later.
static llvm::ArrayRef<PyObject *> getOperands(const Expr &expr) {
  llvm::ArrayRef<PyObject *> children = getChildren(expr);
  return expr.kind == Expr::If ? children.take_front() : children;
}

/// Whether section `index` is `home`, or in an op of it.
bool Builder::isInside(size_t index, size_t home) const {
  while (index != home && index != noHome)
    index = sections[index].parent;
  return index == home;
}

void Builder::addUse(Expr *operand, const Expr *user, size_t index) {
  State *state = operand ? states.lookup(operand) : nullptr;
  if (state && state->home != noHome && !isInside(index, state->home))
    sections[state->home].uses.push_back(
        {state,
         user && user->kind == Expr::TupleGetItem ? user->index : int64_t(-1)});
}

void Builder::planSection(size_t index, PyObject *const *bindings, size_t count,
                          bool areBindings, Scope &scope) {
  for (size_t i = 0; i < count; ++i) {
    Expr *binding = asExpr(bindings[i]);
    if (!binding)
      raise(PyExc_TypeError,
            "expected an expression, but found " + typeName(bindings[i]));
    // A Var names its value, unless that is known already.
    size_t firstNew = sections[index].order.size();
    postOrder(
        binding,
        [&](Expr *expr) {
          State *added = addState(expr, scope);
          if (added)
            added->home = expr->kind == Expr::Constant ? 0 : index;
          return added != nullptr;
        },
        [&](Expr *expr) {
          if (expr->kind == Expr::Var && !expr->getNumArgs())
            raise(PyExc_ValueError,
                  "expected the body to use parameters only, but found the "
                  "variable '" +
                      toString(nb::handle(expr->object)) +
                      "', which is none of them");
          State *state = states.at(expr);
          if (expr->kind == Expr::Constant) {
            // Constants go to the start, where all blocks can use them: this
            // one, which came last, stays known when the scope ends.
            scope.states.pop_back();
            sections[0].order.push_back({expr, state, {}});
            return;
          }
          Item item{expr, state, {}};
          if (expr->kind == Expr::Var && !getFunction(*expr)) {
            Expr *value = asExpr(expr->getArg(0));
            bool isNew =
                value &&
                llvm::any_of(
                    llvm::drop_begin(sections[index].order, firstNew),
                    [&](const Item &other) { return other.expr == value; });
            item.isOp = !isNew || value->kind == Expr::Var ||
                        value->kind == Expr::TupleGetItem ||
                        value->kind == Expr::SeqExpr;
          }
          if (expr->kind == Expr::Tuple)
            item.isOp = areBindings && expr == binding;
          for (PyObject *operand : getOperands(*expr))
            addUse(asExpr(operand), expr, index);
          planRegions(item, index);
          sections[index].order.push_back(std::move(item));
        },
        getOperands);
  }
}

void Builder::planRegions(Item &item, size_t index) {
  Expr *expr = item.expr;
  if (expr->kind == Expr::If) {
    for (PyObject *branch : {expr->getArg(1), expr->getArg(2)}) {
      Expr *seq = asExpr(branch);
      if (!seq || seq->kind != Expr::SeqExpr)
        raise(PyExc_TypeError, "expected a branch to be a SeqExpr, but found " +
                                   typeName(branch));
      Expr *body = asExpr(seq->args.back());
      plan(seq->object, body, item.scopes.emplace_back(), index);
    }
  } else if (PyObject *function = getFunction(*expr)) {
    // (params, body, blocks, ..)
    nb::object parts = nb::handle(function).attr("_read")();
    nb::object params = parts[0], body = parts[1], blocks = parts[2];
    if (!asExpr(body))
      raise(PyExc_ValueError, "expected a function in a function to have a "
                              "body, but found one that is declared");
    Scope &scope = item.scopes.emplace_back();
    if (expr->getNumArgs() > 1)
      addState(asExpr(expr->getArg(1)), scope);
    for (nb::handle param : params)
      if (Expr *var = asExpr(param); !var || !addState(var, scope))
        raise(PyExc_ValueError, "expected each parameter of a function in a "
                                "function to be a Var of its own, but found " +
                                    typeName(param));
    plan(blocks, asExpr(body), scope, index);
    kept.push_back(std::move(parts));
  }
}

size_t Builder::addSection(Scope &scope, size_t parent) {
  sections.emplace_back().parent = parent;
  scope.sections.push_back(sections.size() - 1);
  return sections.size() - 1;
}

void Builder::plan(nb::handle blocks, Expr *body, Scope &scope, size_t parent) {
  if (Py_EnterRecursiveCall(" while making a function"))
    throw nb::python_error();
  struct Leave {
    ~Leave() { Py_LeaveRecursiveCall(); }
  } leave;
  if (parent == noHome)
    addSection(scope, noHome); // Of the constants.
  for (nb::handle block : blocks) {
    size_t index = addSection(scope, parent);
    sections[index].isDataflow =
        PyObject_IsInstance(block.ptr(), relaxTypes.dataflowBlock) == 1;
    nb::object bindings =
        nb::steal(PySequence_Tuple(nb::object(block.attr("bindings")).ptr()));
    if (!bindings.is_valid())
      throw nb::python_error();
    if (size_t count = PyTuple_GET_SIZE(bindings.ptr()))
      planSection(index, &PyTuple_GET_ITEM(bindings.ptr(), 0), count, true,
                  scope);
    if (sections[index].isDataflow)
      if (nb::object outputs = block.attr("outputs"); !outputs.is_none())
        for (nb::handle output : outputs)
          addUse(asExpr(output), nullptr, parent);
    kept.push_back(std::move(bindings));
  }
  size_t last = addSection(scope, parent);
  planSection(last, &body->self, 1, false, scope);
  addUse(body, nullptr, last);
  scope.body = body;
  // Expressions in a region are not known after it.
  for (auto [expr, state] : scope.states)
    states.erase(expr);
}

} // namespace partita::python
