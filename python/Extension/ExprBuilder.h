//===- ExprBuilder.h - What makes the op of a function ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_EXTENSION_EXPRBUILDER_H
#define PARTITA_PYTHON_EXTENSION_EXPRBUILDER_H

#include "Expr.h"

#include "mlir-c/BuiltinAttributes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <deque>

namespace partita::python {

/// A block that no op has yet, and that is freed if none gets it.
class ScopedBlock {
public:
  ScopedBlock() : block{nullptr} {}
  ScopedBlock(const ScopedBlock &) = delete;
  ~ScopedBlock() { reset({nullptr}); }
  void reset(MlirBlock other) {
    if (block.ptr)
      mlirBlockDestroy(block);
    block = other;
  }
  MlirRegion release() {
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, std::exchange(block, {nullptr}));
    return region;
  }
  MlirBlock get() const { return block; }

private:
  MlirBlock block;
};

/// Makes the op of a function.
///
/// Each expression belongs to a section: the first block that needs it.
/// Sections are built one after the other; only branches and functions in the
/// function recurse. They have sections of their own, and an expression that
/// they need first belongs to them alone. The ops of a dataflow block are in a
/// block of their own until all of them exist, since only then is it known
/// which values leave it.
class Builder {
public:
  Builder(nb::handle context, nb::handle getCallTypes)
      : contextObject(context), context(getContext(context)),
        unknown(mlirLocationUnknownGet(this->context)),
        getCallTypes(getCallTypes) {}

  MlirOperation build(nb::tuple params, nb::handle body, nb::tuple blocks,
                      bool isSingle, nb::dict attributes, nb::handle returns,
                      nb::handle location);
  /// Whether the function that was built, `func`, is valid. Calls whose types
  /// were inferred were verified then.
  bool verify(MlirOperation func) const;

private:
  struct State {
    /// The section; 0 for constants, none for parameters.
    size_t home = noHome;
    /// Whether the values are the fields of a tuple.
    bool isSplit = false;
    llvm::SmallVector<MlirValue, 1> values;
  };
  struct Scope;
  /// An expression of a section, and the scopes in it.
  struct Item {
    Expr *expr;
    State *state;
    std::vector<Scope> scopes;
    /// Whether a Var is another name for a value that has one already, or a
    /// Tuple is bound to a name.
    bool isOp = false;
  };
  struct Use {
    State *state;
    int64_t field;
  };
  struct Section {
    /// The one in which the section's scope is.
    size_t parent;
    bool isDataflow = false;
    std::vector<Item> order;
    /// The values that other sections use of it.
    std::vector<Use> uses;
  };
  /// The sections of a region, and the expressions that they compute.
  struct Scope {
    std::vector<size_t> sections;
    std::vector<std::pair<const Expr *, State *>> states;
    Expr *body = nullptr;
  };
  static constexpr size_t noHome = ~size_t(0);

  /// Null if it has one already.
  State *addState(const Expr *expr, Scope &scope) {
    auto [found, isNew] = states.try_emplace(expr, nullptr);
    if (!isNew)
      return nullptr;
    scope.states.push_back({expr, &stateStorage.emplace_back()});
    return found->second = scope.states.back().second;
  }
  void addParams(nb::tuple params, Scope &scope);
  size_t addSection(Scope &scope, size_t parent);
  /// Plans `blocks`, and the expressions that `body` needs after them.
  void plan(nb::handle blocks, Expr *body, Scope &scope, size_t parent);
  void planSection(size_t index, PyObject *const *bindings, size_t count,
                   bool areBindings, Scope &scope);
  /// Plans the regions in `item` of the section.
  void planRegions(Item &item, size_t index);
  /// Notes that `user`, which is in section `index`, needs `operand`.
  void addUse(Expr *operand, const Expr *user, size_t index);
  bool isInside(size_t index, size_t home) const;
  void emit(Scope &scope);
  void emit(Item &item);
  MlirValue emitField(Expr &expr);
  void emitCall(Expr &expr, State &state);
  void emitVar(Item &item, Expr &expr);
  void emitIf(Item &item, Expr &expr);
  void emitLocalFunc(Item &item, Expr &expr);
  /// Fills `block`, up to the relax.yield of the region.
  void emitRegion(Scope &scope, MlirBlock block);
  void closeDataflow(Section &section, ScopedBlock &block);
  MlirValue getValue(Expr *expr);
  llvm::SmallVector<MlirValue> getResults(Expr *body, bool isSingle);
  MlirValue getField(MlirValue tuple, int64_t index, MlirType type,
                     MlirLocation loc);
  MlirOperation create(const char *name, MlirLocation loc,
                       const MlirType *types, size_t numTypes,
                       llvm::ArrayRef<MlirValue> operands,
                       MlirAttribute attributes = {nullptr},
                       const MlirNamedAttribute *extra = nullptr,
                       llvm::MutableArrayRef<MlirRegion> regions = {});
  /// The same, of an op that need not be verified.
  MlirOperation createVerified(llvm::StringRef name, MlirLocation loc,
                               const MlirType *types, size_t numTypes,
                               llvm::ArrayRef<MlirValue> operands,
                               MlirAttribute attributes = {nullptr},
                               const MlirNamedAttribute *extra = nullptr,
                               llvm::MutableArrayRef<MlirRegion> regions = {});
  MlirNamedAttribute named(const char *name, MlirAttribute value) {
    return mlirNamedAttributeGet(
        mlirIdentifierGet(context, mlirStringRefCreateFromCString(name)),
        value);
  }
  MlirLocation getParamLocation(const Expr &param);

  nb::handle contextObject;
  MlirContext context;
  MlirLocation unknown;
  nb::handle getCallTypes;
  /// The function's body, and the block that gets the ops.
  ScopedBlock main;
  MlirBlock current = {nullptr};
  llvm::DenseMap<const Expr *, State *> states;
  std::deque<State> stateStorage;
  std::deque<Section> sections;
  /// The relax.tuples that the current section has so far.
  llvm::DenseMap<const Expr *, MlirValue> tuples;
  std::vector<MlirOperation> unverified;
  /// Keeps objects alive that are not in the graph.
  std::vector<nb::object> kept;
};

} // namespace partita::python

#endif // PARTITA_PYTHON_EXTENSION_EXPRBUILDER_H
