//===- ExprFunctor.h - Visiting and rewriting expressions -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_EXPRFUNCTOR_H
#define PARTITA_PYTHON_EXPRFUNCTOR_H

#include "Expr.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace partita::python {

class Functor;
using Method = nb::object (*)(Functor &functor, nb::handle expr);

/// The kinds of objects that a functor has methods for: the kinds of Expr, the
/// values, and the kinds below.
enum Visited {
  value = Expr::numKinds,
  globalVar = value + std::size(valueOps),
  op,
  function,
  /// A variable of a dataflow block where it is used.
  dataflowVar,
  numVisited
};

/// How many names a method can have.
constexpr unsigned numNames = 3;

/// The Python objects of strings and of the methods of functors, which live
/// as long as the process.
struct Objects {
  PyObject *names[numVisited][numNames];
  PyObject *memoMap, *visit, *visitExpr, *visitIsOwn, *visitsUses;
  PyObject *functorClass = nullptr, *visitorClass = nullptr,
           *rewriterClass = nullptr;
  /// The method that stands for the methods that ExprFunctor leaves to others.
  PyObject *missing = nullptr;
  /// Whether the methods of these classes are known.
  bool isRead = false;
  /// The methods that ExprVisitor's visit_function_ need not call where a class
  /// has them as they are there, by their names.
  std::vector<std::pair<nb::handle, nb::handle>> blockMethods;
  /// The C++ function behind a Python object that is a method;
  /// null for methods that forward.
  std::unordered_map<PyObject *, Method> methods;
  /// The methods `visit` and `visit_expr`.
  std::unordered_set<PyObject *> visits;
};

Objects &getObjects();

/// The names in Relax of the methods for expressions without operands, which
/// are called at each use.
nb::list getUseMethods();

/// Replaces the operands of expressions that a mutator's methods make, where
/// these are variables of the function that is visited, by what the mutator has
/// made of them.
class Renewal {
public:
  /// `root` on new operands; `memo` is the mutator's dict of results. The root
  /// itself is no use of a variable.
  nb::object renew(PyObject *memo, nb::handle root);
  /// What takes the place of an operand.
  nb::object getNew(PyObject *memo, PyObject *object);

private:
  /// The results by the expressions, which live as long.
  std::unordered_map<Expr *, std::pair<nb::object, nb::object>> results;
};

/// The expression of the same kind on other operands, a tuple.
nb::object withArgs(Expr &expr, nb::object args);

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
  /// Visits a binding of a block. The variables that it uses are uses, even if
  /// their own bindings are not visited.
  nb::object visitBinding(nb::handle expr);
  /// The result of visiting `expr`, by its memo or by the method for the kind
  /// of `expr`.
  nb::object visit(nb::handle expr);
  /// The same, by the `visit` of its class.
  nb::object visitExpr(nb::handle expr);
  /// Whether visiting the blocks of a function only visits the bindings in
  /// them.
  bool visitsBlocksPlainly();
  /// Whether the class has TVM's `visit_var_`, which is called where a variable
  /// is used, and not where a parameter is declared.
  bool visitsUses() { return resolve(Expr::Var).isOfUses; }
  /// The result that is kept of visiting `expr`; invalid if there is none.
  nb::object lookUp(nb::handle expr);
  /// Whether the class has a method for tuples, which are operands in TVM where
  /// ops here have their fields.
  bool visitsTuples() { return !resolve(Expr::Tuple).method; }
  nb::handle getSelf() const { return self; }
  /// `expr`, which a mutator emits while it visits with `memo`, on new
  /// operands.
  static nb::object renew(nb::handle expr, nb::handle memo);

private:
  /// From this depth on, what an expression uses is visited before it.
  static constexpr unsigned maxDepth = 64;

  struct Entry {
    bool isResolved = false;
    /// Whether a class has the method by its name in TVM's Relax, which keeps
    /// no results: an expression without operands is visited at each use.
    bool isOfUses = false;
    Method method = nullptr;
    nb::object callable;
  };

  nb::object getOwn(PyObject *name, nb::handle ofClass);
  nb::object dispatch(nb::handle expr);
  /// What `expr` is if a method of its uses is to be called for it. Whether the
  /// memo has it tells a use of a variable from its value.
  std::optional<unsigned> findUse(nb::handle expr, bool isKnown);
  nb::object visitUse(nb::handle expr, unsigned visited);
  void checkResult(nb::handle expr, nb::handle result);
  nb::object renewResult(nb::handle expr, nb::object result);
  void visitDeep(Expr *expr);
  const Entry &resolve(unsigned visited);
  bool findMethod(PyObject *name, Entry &entry);
  nb::object enter(const nb::object &callable, nb::handle expr);
  PyObject *getMemo();
  void remember(nb::handle expr, nb::handle result);

  nb::handle self;
  Functor *outer;
  /// The dict of results; unset when Python code could have set another.
  nb::object memo;
  nb::object visitOverride;
  Renewal renewal;
  /// Whether the class can have a `visit` for something else, as in TVM's
  /// Relax.
  bool hasOwnVisit = false;
  /// Whether the class has methods of uses.
  bool hasUses = false;
  Entry entries[numVisited];
  unsigned depth = 0;
  /// Whether the value of a binding is visited: the variables in it are uses,
  /// as their own values are no part of it.
  bool isInValue = false;
  /// The binding whose visit has begun, and whose value is visited next.
  nb::handle binding;
  bool isMutator = false;

  static thread_local Functor *innermost;
};

/// What `expr` is among the values of Visited and of Expr::Kind.
unsigned getVisited(const Expr &expr);

/// What ExprVisitor and ExprMutator do with a match_cast, which is a binding in
/// TVM, and no call.
nb::object visitCast(Functor &functor, nb::handle cast);
nb::object mutateCast(Functor &functor, nb::handle cast);
/// The methods `visit_var_` of ExprVisitor and of ExprMutator.
nb::object visitVar(Functor &functor, nb::handle object);
nb::object mutateVar(Functor &functor, nb::handle object);

} // namespace partita::python

#endif // PARTITA_PYTHON_EXPRFUNCTOR_H
