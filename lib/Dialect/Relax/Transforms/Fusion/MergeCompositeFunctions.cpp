//===- MergeCompositeFunctions.cpp - Merge calls for a compiler -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each binding of a dataflow block gets a group, in order. Two groups can
// become one if none of them needs the other through a third one.
//
//===----------------------------------------------------------------------===//

#include "../DimReplacer.h"
#include "../Structure/Inline.h"
#include "../Structure/Symbols.h"
#include "../Structure/Values.h"
#include "../Utils.h"
#include "CompositeFunctions.h"
#include "OperatorFusor.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace partita::relax {
#define GEN_PASS_DEF_MERGECOMPOSITEFUNCTIONS
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// The groups of the bindings of a block.
class CompositeGroups {
public:
  CompositeGroups(const BlockBindings &bindings, SymbolTable &symbols)
      : bindings(bindings), symbols(symbols), groups(bindings.get().size()),
        seen(bindings.get().size()) {}

  /// Finds them. Fails after an error.
  LogicalResult find();
  bool areFused() const { return isAnyFused; }
  /// Fuses the groups that are for a compiler.
  FailureOr<int64_t> fuse(DataflowOp dataflow, UniqueFunctions &functions);

private:
  /// A group has the number of one of its bindings. That binding's `parent` is
  /// itself.
  struct Group {
    unsigned parent = 0, last = 0, first = 0;
    StringAttr compiler;
    SmallVector<unsigned, 2> needs;
  };

  unsigned getGroup(unsigned binding);
  bool reaches(ArrayRef<unsigned> from, unsigned to);
  void merge(unsigned group, unsigned into);
  SmallVector<unsigned> getGroupsOfUsed(unsigned index);
  FailureOr<StringAttr> getCompilerOf(unsigned index);
  bool joins(unsigned index, ArrayRef<unsigned> used);
  bool areAllUsersFields(Value tuple) const;

  const BlockBindings &bindings;
  SymbolTable &symbols;
  std::vector<Group> groups;
  /// The number of the last search that came to a group.
  std::vector<uint64_t> seen;
  uint64_t numSearches = 0;
  bool isAnyFused = false;
};

struct MergeCompositeFunctions
    : relax::impl::MergeCompositeFunctionsBase<MergeCompositeFunctions> {
  void runOnOperation() override;

private:
  LogicalResult group(FuncOp main);
  void finish(FuncOp main);
};
} // namespace

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

unsigned CompositeGroups::getGroup(unsigned binding) {
  while (groups[binding].parent != binding) {
    groups[binding].parent = groups[groups[binding].parent].parent;
    binding = groups[binding].parent;
  }
  return binding;
}

/// Whether one of `from`, or a group that it needs, is `to`.
bool CompositeGroups::reaches(ArrayRef<unsigned> from, unsigned to) {
  ++numSearches;
  SmallVector<unsigned> worklist(from);
  while (!worklist.empty()) {
    unsigned group = getGroup(worklist.pop_back_val());
    if (group == to)
      return true;
    // All that an earlier group needs is before `to`.
    if (groups[group].last < groups[to].first ||
        std::exchange(seen[group], numSearches) == numSearches)
      continue;
    for (unsigned needed : groups[group].needs) {
      if (getGroup(needed) == to)
        return true;
      worklist.push_back(needed);
    }
  }
  return false;
}

void CompositeGroups::merge(unsigned group, unsigned into) {
  if (group == into)
    return;
  Group &merged = groups[into];
  merged.first = std::min(merged.first, groups[group].first);
  merged.last = std::max(merged.last, groups[group].last);
  llvm::append_range(merged.needs, groups[group].needs);
  groups[group].needs.clear();
  groups[group].parent = into;
}

/// The groups that binding `index` needs, each once.
SmallVector<unsigned> CompositeGroups::getGroupsOfUsed(unsigned index) {
  SetVector<unsigned> used;
  bindings.forEachUsed(
      index, [&](unsigned binding) { used.insert(getGroup(binding)); });
  return SmallVector<unsigned>(used.begin(), used.end());
}

/// The compiler for which binding `index` calls a function; null if there is
/// none.
FailureOr<StringAttr> CompositeGroups::getCompilerOf(unsigned index) {
  const BlockBindings::Binding &binding = bindings.get()[index];
  auto call = dyn_cast<CallOp>(binding.op);
  if (!call || binding.field)
    return StringAttr();
  auto callee = symbols.lookup<FuncOp>(call.getCalleeAttr().getAttr());
  if (!callee || !isComposite(callee) || !isChangeable(callee))
    return StringAttr();
  return getCompiler(callee);
}

/// Whether all that use `tuple` take a field, or give it another name.
bool CompositeGroups::areAllUsersFields(Value tuple) const {
  SmallVector<Value> worklist = {tuple};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (isa<AliasOp>(user))
        worklist.push_back(user->getResult(0));
      else if (!isa<TupleGetItemOp>(user))
        return false;
    }
  return true;
}

/// Whether binding `index`, which is no call, belongs to the one group that it
/// uses.
bool CompositeGroups::joins(unsigned index, ArrayRef<unsigned> used) {
  if (used.size() != 1 || !groups[used.front()].compiler)
    return false;
  const BlockBindings::Binding &binding = bindings.get()[index];
  Operation *op = binding.op;
  auto isFlat = [](TypeRange types) {
    return !types.empty() && llvm::all_of(types, isTensor);
  };
  if (binding.field)
    return isFlat(op->getResultTypes());
  if (auto alias = dyn_cast<AliasOp>(op)) {
    auto field = dyn_cast<OpResult>(alias.getValue());
    return !isFieldOfTuple(op) || isFlat(field.getOwner()->getResultTypes());
  }
  if (auto item = dyn_cast<TupleGetItemOp>(op))
    return isFlat(cast<TupleType>(item.getTupleValue().getType()).getTypes()) &&
           areAllUsersFields(item.getTupleValue());
  auto tuple = dyn_cast<TupleOp>(op);
  return tuple && isFlat(tuple.getOperandTypes()) &&
         llvm::all_of(
             tuple.getFields(),
             [&](Value field) { return bindings.getBinding(field, tuple); }) &&
         !tuple.getResult().use_empty() && areAllUsersFields(tuple.getResult());
}

LogicalResult CompositeGroups::find() {
  for (unsigned index = 0; index < groups.size(); ++index) {
    Group &own = groups[index];
    own.parent = own.first = own.last = index;
    SmallVector<unsigned> used = getGroupsOfUsed(index);
    FailureOr<StringAttr> compiler = getCompilerOf(index);
    if (failed(compiler))
      return failure();
    own.compiler = *compiler;
    SmallVector<unsigned> joined;
    if (joins(index, used))
      joined = used;
    for (unsigned group : used) {
      if (!own.compiler || groups[group].compiler != own.compiler)
        continue;
      SmallVector<unsigned> others;
      for (unsigned other : used)
        if (other != group)
          others.push_back(other);
      if (!reaches(others, group))
        joined.push_back(group);
    }
    own.needs.assign(used);
    isAnyFused |= bool(own.compiler);
    for (unsigned group : joined)
      merge(getGroup(group), getGroup(joined.front()));
    if (!joined.empty())
      merge(index, getGroup(joined.front()));
  }
  return success();
}

FailureOr<int64_t> CompositeGroups::fuse(DataflowOp dataflow,
                                         UniqueFunctions &functions) {
  std::vector<BindingGroup> made;
  std::vector<unsigned> groupOf;
  llvm::DenseMap<unsigned, unsigned> numbers;
  auto name = StringAttr::get(dataflow.getContext(), codegenAttrName);
  for (unsigned index = 0; index < groups.size(); ++index) {
    unsigned group = getGroup(index);
    auto [number, isNew] = numbers.try_emplace(group, made.size());
    if (isNew) {
      made.emplace_back();
      if (StringAttr compiler = groups[group].compiler)
        made.back().attributes.emplace_back(name, compiler);
    }
    made[number->second].bindings.push_back(index);
    groupOf.push_back(number->second);
  }
  return fuseGroups(dataflow, bindings, made, groupOf, /*liftsConstants=*/true,
                    functions);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Gives sizes in `local`, which is a copy of `composite`, names that its
/// function does not have.
static void renameSizes(LocalFuncOp local, FuncOp composite, SizeNames &names) {
  // What import has kept as it is has names that can not change.
  if (local.walk([](OpaqueExprOp) { return WalkResult::interrupt(); })
          .wasInterrupted())
    return;
  SetVector<StringAttr> own;
  auto add = [&](StringAttr name) { own.insert(name); };
  for (Type type : composite.getArgumentTypes())
    forEachNameIn(type, add);
  composite.getBody().walk([&](Operation *op) { forEachNameIn(op, add); });
  DimReplacer replacer;
  for (StringAttr name : own)
    if (StringAttr made = names.makeName(name); made != name)
      replacer.dims[name] = made;
  replacer.replaceIn(local);
}

/// Takes a field of a tuple where it has a name, if `field` is one.
static void nameField(Value field) {
  auto item = field.getDefiningOp<TupleGetItemOp>();
  if (!item)
    return;
  for (Operation *user : llvm::make_early_inc_range(field.getUsers()))
    if (isa<AliasOp>(user)) {
      OpBuilder builder(user);
      user->replaceAllUsesWith(TupleGetItemOp::create(
          builder, user->getLoc(), item.getTupleValue(), item.getIndex()));
      user->erase();
    }
  if (field.use_empty())
    item.erase();
}

/// Puts the composite functions that `func` calls into it.
static void inlineComposites(FuncOp func, SymbolTable &symbols) {
  dissolveBlocks(func);
  SizeNames names(func);
  SmallVector<CallOp> calls;
  func.walk([&](CallOp call) { calls.push_back(call); });
  llvm::DenseMap<FuncOp, LocalFuncOp> locals;
  for (CallOp call : calls) {
    auto composite = symbols.lookup<FuncOp>(call.getCalleeAttr().getAttr());
    if (!composite || !isComposite(composite))
      continue;
    OpBuilder builder(call);
    auto [local, isNew] = locals.try_emplace(composite);
    if (isNew) {
      local->second = createLocalFunction(builder, composite);
      renameSizes(local->second, composite, names);
    }
    SmallVector<Value> results = callLocalFunction(
        builder, local->second, call.getOperands(), call.getResultTypes());
    call.replaceAllUsesWith(results);
    call.erase();
    for (Value result : results)
      nameField(result);
  }
}

LogicalResult MergeCompositeFunctions::group(FuncOp main) {
  UniqueFunctions functions(getOperation());
  SmallVector<DataflowOp> blocks;
  main.walk([&](DataflowOp dataflow) { blocks.push_back(dataflow); });
  for (DataflowOp dataflow : blocks) {
    BlockBindings bindings(dataflow);
    CompositeGroups groups(bindings, functions.getSymbols());
    if (failed(groups.find()))
      return failure();
    if (!groups.areFused())
      continue;
    FailureOr<int64_t> numFused = groups.fuse(dataflow, functions);
    if (failed(numFused))
      return failure();
    numGroups += *numFused;
  }
  return success();
}

/// Makes the functions of the groups complete, and gives them their names.
void MergeCompositeFunctions::finish(FuncOp main) {
  UniqueFunctions functions(getOperation());
  SymbolTable &symbols = functions.getSymbols();
  llvm::MapVector<FuncOp, SmallVector<CallOp>> callsOf;
  main.walk([&](CallOp call) {
    auto callee = symbols.lookup<FuncOp>(call.getCalleeAttr().getAttr());
    // Functions that are done are no longer primitive.
    if (callee && hasCodegen(callee) && isPrimitive(callee))
      callsOf[callee].push_back(call);
  });
  for (auto &[func, calls] : callsOf) {
    inlineComposites(func, symbols);
    symbols.remove(func);
    func->remove();
    giveToCompiler(func, func->getAttrOfType<StringAttr>(codegenAttrName));
    auto name = FlatSymbolRefAttr::get(
        SymbolTable::getSymbolName(functions.insert(func)));
    for (CallOp call : calls)
      call.setCalleeAttr(name);
  }
  numFunctions += functions.getNumAdded();
}

void MergeCompositeFunctions::runOnOperation() {
  auto main = dyn_cast_or_null<FuncOp>(
      SymbolTable::lookupSymbolIn(getOperation(), "main"));
  if (!main) {
    getOperation().emitError("expected a relax.func @main to be in the module, "
                             "but found none");
    return signalPassFailure();
  }
  if (isChangeable(main)) {
    if (failed(group(main)))
      return signalPassFailure();
    finish(main);
  }
  OpPassManager cleanup(IRModuleOp::getOperationName());
  cleanup.addPass(createDeadCodeElimination({{"main"}}));
  if (failed(runPipeline(cleanup, getOperation())))
    signalPassFailure();
}
