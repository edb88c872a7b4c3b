//===- FuseOpsByPattern.cpp - Fuse calls that match patterns --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The groups of one pattern become functions before the next one is matched.
//
//===----------------------------------------------------------------------===//

#include "../Structure/Symbols.h"
#include "../Utils.h"
#include "CompositeFunctions.h"
#include "OperatorFusor.h"
#include "PatternMatcher.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Pass/PassContext.h"

namespace partita::relax {
#define GEN_PASS_DEF_FUSEOPSBYPATTERN
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// The attribute of calls that the host has to look at, or has looked at: their
/// number, or the attributes for their functions.
static constexpr llvm::StringLiteral matchAttrName = "relax.pattern_match";

namespace {
/// Groups the bindings of a block that one pattern matches.
class MatchGrouper {
public:
  MatchGrouper(const BlockBindings &bindings, const NamedPattern &pattern)
      : bindings(bindings), pattern(pattern), rootOf(bindings.get().size()),
        groupOfRoot(bindings.get().size()) {
    for (auto [index, root] : llvm::enumerate(rootOf))
      root = index;
  }

  /// Adds a match: `root` computes the result, and `exprs` are its calls.
  void add(unsigned root, ArrayRef<PatternExpr> exprs,
           DictionaryAttr attributes);
  bool hasMatches() const { return numMatches; }
  /// Fuses the matches. Returns the number of functions that are called.
  FailureOr<int64_t> fuse(DataflowOp dataflow, bool liftsConstants,
                          UniqueFunctions &functions) const;

private:
  /// A match that became a group.
  struct Match {
    SmallVector<unsigned> bindings;
    DictionaryAttr attributes;
  };

  const BlockBindings &bindings;
  const NamedPattern &pattern;
  /// For each binding the last one of its match, or itself.
  std::vector<unsigned> rootOf;
  std::vector<std::optional<Match>> groupOfRoot;
  int64_t numMatches = 0;
};

struct FuseOpsByPattern : relax::impl::FuseOpsByPatternBase<FuseOpsByPattern> {
  using FuseOpsByPatternBase::FuseOpsByPatternBase;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  FailureOr<SmallVector<DataflowOp>> findBlocks();
  void mark(ArrayRef<DataflowOp> blocks);
  LogicalResult fuse(DataflowOp dataflow, const NamedPattern &pattern,
                     PatternMatcher &matcher, UniqueFunctions &functions);
  LogicalResult annotate(UniqueFunctions &functions);

  std::shared_ptr<const std::vector<NamedPattern>> parsed;
};
} // namespace

//===----------------------------------------------------------------------===//
// Matches
//===----------------------------------------------------------------------===//

void MatchGrouper::add(unsigned root, ArrayRef<PatternExpr> exprs,
                       DictionaryAttr attributes) {
  llvm::SetVector<unsigned> members;
  for (PatternExpr expr : exprs) {
    std::optional<unsigned> index;
    if (Operation *op = expr.getOp()) {
      // A field without a variable is part of the call that takes it.
      if (isLiteralOrTuple(op))
        continue;
      index = bindings.find(op);
    } else if (Value field = expr.getValue()) {
      index = bindings.findField(field);
    }
    // The call is in another block.
    if (!index)
      return;
    members.insert(*index);
  }
  for (unsigned member : members)
    if (const std::optional<Match> &match = groupOfRoot[rootOf[member]];
        match && !llvm::all_of(match->bindings, [&](unsigned binding) {
          return members.contains(binding);
        }))
      return;
  for (unsigned member : members) {
    groupOfRoot[rootOf[member]].reset();
    rootOf[member] = root;
  }
  SmallVector<unsigned> sorted(members.begin(), members.end());
  llvm::sort(sorted);
  groupOfRoot[root] = Match{std::move(sorted), attributes};
  ++numMatches;
}

FailureOr<int64_t> MatchGrouper::fuse(DataflowOp dataflow, bool liftsConstants,
                                      UniqueFunctions &functions) const {
  std::vector<BindingGroup> groups;
  std::vector<unsigned> groupOf(rootOf.size());
  llvm::DenseMap<unsigned, unsigned> numbers;
  for (auto [index, root] : llvm::enumerate(rootOf)) {
    auto [number, isNew] = numbers.try_emplace(root, groups.size());
    groupOf[index] = number->second;
    if (isNew)
      groups.emplace_back();
    BindingGroup &group = groups[number->second];
    group.bindings.push_back(index);
    const std::optional<Match> &match = groupOfRoot[root];
    if (!isNew || !match)
      continue;
    if (match->attributes)
      llvm::append_range(group.attributes, match->attributes);
    StringAttr name = StringAttr::get(dataflow.getContext(), pattern.name);
    llvm::erase_if(group.attributes, [](NamedAttribute attr) {
      return attr.getName() == compositeAttrName;
    });
    group.attributes.emplace_back(
        StringAttr::get(dataflow.getContext(), compositeAttrName), name);
  }
  return fuseGroups(dataflow, bindings, groups, groupOf, liftsConstants,
                    functions);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult FuseOpsByPattern::initialize(MLIRContext *context) {
  auto emit = [&] { return emitError(UnknownLoc::get(context)); };
  if (!candidates.empty() && candidates != "mark" && candidates != "marked")
    return emit() << "expected 'candidates' to be 'mark' or 'marked', but "
                     "found '"
                  << candidates << "'";
  FailureOr<std::vector<NamedPattern>> read =
      parsePatterns(patterns, context, emit);
  if (failed(read))
    return failure();
  for (const NamedPattern &pattern : *read)
    if (annotateCodegen && !StringRef(pattern.name).contains('.'))
      return emit() << "expected the name of a compiler, a dot and a name as "
                       "the name of a pattern, but found '"
                    << pattern.name << "'";
  parsed = std::make_shared<const std::vector<NamedPattern>>(std::move(*read));
  return success();
}

/// The blocks of the functions that the options name, or of all that no other
/// pass has made for a compiler.
FailureOr<SmallVector<DataflowOp>> FuseOpsByPattern::findBlocks() {
  SmallVector<FuncOp> funcs;
  for (const std::string &name : entryFunctions) {
    auto func = dyn_cast_or_null<FuncOp>(
        SymbolTable::lookupSymbolIn(getOperation(), name));
    if (!func)
      return getOperation().emitError()
             << "expected entry-functions to name a relax.func, but found '"
             << name << "'";
    funcs.push_back(func);
  }
  if (funcs.empty())
    llvm::append_range(funcs,
                       llvm::make_filter_range(
                           getOperation().getOps<FuncOp>(),
                           [](FuncOp func) { return !isComposite(func); }));
  SmallVector<DataflowOp> blocks;
  for (FuncOp func : funcs)
    if (!isPrimitive(func) && !hasCodegen(func) &&
        !partita::transform::skipsOptimization(func))
      func.walk([&](DataflowOp dataflow) { blocks.push_back(dataflow); });
  return blocks;
}

/// Gives the calls that the first pattern matches a number.
void FuseOpsByPattern::mark(ArrayRef<DataflowOp> blocks) {
  PatternMatcher matcher(parsed->front().pattern);
  int64_t number = 0;
  Builder builder(&getContext());
  for (DataflowOp dataflow : blocks)
    for (Operation &op : dataflow.getBody()->without_terminator())
      if (PatternCall::get(&op) && matcher.match(&op))
        op.setDiscardableAttr(matchAttrName,
                              builder.getI64IntegerAttr(number++));
}

LogicalResult FuseOpsByPattern::fuse(DataflowOp dataflow,
                                     const NamedPattern &pattern,
                                     PatternMatcher &matcher,
                                     UniqueFunctions &functions) {
  BlockBindings bindings(dataflow);
  matcher.reset();
  MatchGrouper grouper(bindings, pattern);
  for (auto [index, binding] : llvm::enumerate(bindings.get())) {
    if (binding.field || !PatternCall::get(binding.op))
      continue;
    Attribute marked = binding.op->removeDiscardableAttr(matchAttrName);
    if ((candidates == "marked" && !marked) || !matcher.match(binding.op))
      continue;
    SmallVector<PatternExpr> exprs = matcher.getMatched();
    // The pattern can be no call itself.
    exprs.push_back({PatternExpr::Kind::Op, binding.op});
    grouper.add(index, exprs, dyn_cast_or_null<DictionaryAttr>(marked));
  }
  if (!grouper.hasMatches())
    return success();
  FailureOr<int64_t> numFused =
      grouper.fuse(dataflow, /*liftsConstants=*/!bindConstants, functions);
  if (failed(numFused))
    return failure();
  numMatches += *numFused;
  return success();
}

/// Puts composite functions that others call into functions for compilers.
LogicalResult FuseOpsByPattern::annotate(UniqueFunctions &functions) {
  llvm::MapVector<FuncOp, SmallVector<CallOp>> callsOf;
  SymbolTable &symbols = functions.getSymbols();
  for (FuncOp func : getOperation().getOps<FuncOp>())
    if (!isComposite(func) && !hasCodegen(func) &&
        !partita::transform::skipsOptimization(func))
      func.walk([&](CallOp call) {
        auto callee = symbols.lookup<FuncOp>(call.getCalleeAttr().getAttr());
        if (callee && isComposite(callee) && isChangeable(callee))
          callsOf[callee].push_back(call);
      });
  OpBuilder builder(&getContext());
  for (auto &[composite, calls] : callsOf) {
    FailureOr<StringAttr> compiler = getCompiler(composite);
    if (failed(compiler))
      return failure();
    FuncOp wrapper = createWrapper(builder, composite);
    giveToCompiler(wrapper, *compiler);
    auto name = FlatSymbolRefAttr::get(
        SymbolTable::getSymbolName(functions.insert(wrapper)));
    for (CallOp call : calls)
      call.setCalleeAttr(name);
  }
  if (callsOf.empty())
    return success();
  SymbolTableCollection tables;
  SymbolUserMap users(tables, getOperation());
  for (auto &[composite, calls] : callsOf)
    if (users.useEmpty(composite))
      symbols.erase(composite);
  return success();
}

void FuseOpsByPattern::runOnOperation() {
  FailureOr<SmallVector<DataflowOp>> blocks = findBlocks();
  if (failed(blocks))
    return signalPassFailure();
  if (candidates == "mark") {
    if (parsed->empty())
      return markAllAnalysesPreserved();
    return mark(*blocks);
  }
  UniqueFunctions functions(getOperation());
  for (const NamedPattern &pattern : *parsed) {
    PatternMatcher matcher(pattern.pattern);
    for (DataflowOp dataflow : *blocks)
      if (failed(fuse(dataflow, pattern, matcher, functions)))
        return signalPassFailure();
  }
  if (annotateCodegen && failed(annotate(functions)))
    return signalPassFailure();
  if (functions.getNumAdded() == 0)
    markAllAnalysesPreserved();
  numFunctions += functions.getNumAdded();
}
