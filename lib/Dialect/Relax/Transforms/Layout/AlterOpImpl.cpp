//===- AlterOpImpl.cpp - Call other prim_funcs for ops --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Structure/Symbols.h"
#include "../UniqueFunctions.h"
#include "RemovePad.h"
#include "Utils.h"

#include "partita/Dialect/Relax/IR/RelaxIndexMap.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Support/ThreadDiagnosticHandler.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace partita::relax {
#define GEN_PASS_DEF_ALTEROPIMPL
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// What TVM keeps the name of a prim_func's op in.
static constexpr llvm::StringLiteral operatorName = "operator_name";

namespace {
/// What to call for an op.
struct Replacement {
  tir::PrimFuncOp source;
  /// The layouts of the parameters, null for one that stays; or none at all.
  SmallVector<IndexMapAttr> maps;
  /// The prim_func that is called; null before the first call.
  tir::PrimFuncOp func;
};

struct AlterOpImpl : partita::relax::impl::AlterOpImplBase<AlterOpImpl> {
  using AlterOpImplBase::AlterOpImplBase;
  void runOnOperation() override;

private:
  DictionaryAttr parse(StringRef option, StringRef text);
  LogicalResult readFunctions();
  LogicalResult readMaps();

  tir::PrimFuncOp insert(tir::PrimFuncOp func);
  tir::PrimFuncOp getFunction(StringAttr name, Replacement &replacement);
  tir::PrimFuncOp getRemovePad(Location loc, const TensorInfo &info);

  LogicalResult checkCounts(CallTIROp call, tir::PrimFuncOp callee,
                            StringAttr name, const Replacement &replacement);
  FailureOr<Value> moveOperand(OpBuilder &builder, CallTIROp call,
                               unsigned index, IndexMapAttr map);
  IndexMapAttr invert(CallTIROp call, unsigned index, IndexMapAttr map,
                      TensorInfo &moved);
  Value moveBack(OpBuilder &builder, Location loc, Value value,
                 IndexMapAttr inverse, Type type);
  LogicalResult alterLayouts(CallTIROp call, Replacement &replacement);
  LogicalResult alter(CallTIROp call);

  /// While the pass runs.
  UniqueFunctions *functions = nullptr;
  llvm::MapVector<StringAttr, Replacement> replacements;
  /// The prim_funcs of the module by the ops that they are for.
  DenseMap<StringAttr, SmallVector<tir::PrimFuncOp>> byOperator;
  DenseMap<std::pair<int64_t, Type>, tir::PrimFuncOp> removePads;
  llvm::MapVector<DataflowOp, SmallVector<WholeOutput>> wholeOutputs;
  bool hasChanged = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Reads the value of an option; null if it is no dictionary.
DictionaryAttr AlterOpImpl::parse(StringRef option, StringRef text) {
  // Pipelines take the braces for ones around the option.
  std::string braced = text.trim().str();
  if (!StringRef(braced).starts_with("{"))
    braced = "{" + braced + "}";
  std::string message;
  DictionaryAttr dictionary;
  {
    ThreadDiagnosticHandler handler(&getContext(), [&](Diagnostic &diag) {
      message = ": " + diag.str();
      return success();
    });
    dictionary =
        dyn_cast_or_null<DictionaryAttr>(parseAttribute(braced, &getContext()));
  }
  if (!dictionary)
    getOperation().emitError("expected ")
        << option << " to be a dictionary by the names of ops, but found '"
        << text << "'" << message;
  return dictionary;
}

LogicalResult AlterOpImpl::readFunctions() {
  DictionaryAttr dictionary = parse("op-impl-map", opImplMap);
  if (!dictionary)
    return failure();
  for (NamedAttribute entry : dictionary) {
    auto symbol = dyn_cast<FlatSymbolRefAttr>(entry.getValue());
    auto func =
        symbol
            ? functions->getSymbols().lookup<tir::PrimFuncOp>(symbol.getAttr())
            : tir::PrimFuncOp();
    if (!func)
      return getOperation().emitError("expected op-impl-map to have the symbol "
                                      "of a prim_func for '")
             << entry.getName().getValue() << "', but found "
             << entry.getValue();
    replacements[entry.getName()].source = func;
  }
  return success();
}

/// Whether an entry in a list of maps stands for a buffer that stays.
static bool isNone(Attribute attr) {
  auto type = dyn_cast<TypeAttr>(attr);
  return isa<UnitAttr>(attr) || (type && isa<NoneType>(type.getValue()));
}

LogicalResult AlterOpImpl::readMaps() {
  DictionaryAttr dictionary = parse("op-buffer-transforms", opBufferTransforms);
  if (!dictionary)
    return failure();
  for (NamedAttribute entry : dictionary) {
    SmallVector<IndexMapAttr> maps;
    auto elements = dyn_cast<ArrayAttr>(entry.getValue());
    if (!elements)
      return getOperation().emitError("expected op-buffer-transforms to have a "
                                      "list of index maps for '")
             << entry.getName().getValue() << "', but found "
             << entry.getValue();
    for (Attribute element : elements) {
      auto map = dyn_cast<IndexMapAttr>(element);
      if (auto affine = dyn_cast<AffineMapAttr>(element);
          affine && isIndexMap(affine.getValue()))
        map = IndexMapAttr::get(&getContext(), affine.getValue(),
                                IntegerType::get(&getContext(), 64));
      if (map)
        maps.push_back(map);
      else if (isNone(element))
        maps.push_back(nullptr);
      else
        return getOperation().emitError("expected an affine_map of indices "
                                        "without symbols, a #relax.index_map "
                                        "or none for '")
               << entry.getName().getValue() << "', but found " << element;
    }
    if (auto *it = replacements.find(entry.getName()); it != replacements.end())
      it->second.maps = std::move(maps);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Adds `func`, unless the module has the same one.
tir::PrimFuncOp AlterOpImpl::insert(tir::PrimFuncOp func) {
  SmallVector<tir::PrimFuncOp> &known =
      byOperator[func->getAttrOfType<StringAttr>(operatorName)];
  auto *same = llvm::find_if(
      known, [&](tir::PrimFuncOp other) { return areSame(func, other); });
  if (same != known.end()) {
    func.erase();
    return *same;
  }
  func = cast<tir::PrimFuncOp>(functions->insert(func).getOperation());
  known.push_back(func);
  return func;
}

tir::PrimFuncOp AlterOpImpl::getFunction(StringAttr name,
                                         Replacement &replacement) {
  if (replacement.func)
    return replacement.func;
  std::string symbol = (name.getValue() + "_replacement").str();
  for (char &c : symbol)
    c = llvm::isAlnum(c) ? c : '_';
  tir::PrimFuncOp func = replacement.source.clone();
  func.setSymName(symbol);
  // Only the calls here know it.
  func.setPrivate();
  func->removeAttr("global_symbol");
  func->setAttr(operatorName, StringAttr::get(&getContext(), name.getValue()));
  return replacement.func = insert(func);
}

tir::PrimFuncOp AlterOpImpl::getRemovePad(Location loc,
                                          const TensorInfo &info) {
  tir::PrimFuncOp &func = removePads[{info.getRank(), info.elementType}];
  if (!func) {
    OpBuilder builder(&getContext());
    func =
        insert(createRemovePad(builder, loc, info.getRank(), info.elementType));
  }
  return func;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static CallTIROp createCall(OpBuilder &builder, Location loc, TypeRange types,
                            tir::PrimFuncOp func, ValueRange operands) {
  return CallTIROp::create(builder, loc, types,
                           FlatSymbolRefAttr::get(func.getSymNameAttr()),
                           operands);
}

LogicalResult AlterOpImpl::checkCounts(CallTIROp call, tir::PrimFuncOp callee,
                                       StringAttr name,
                                       const Replacement &replacement) {
  tir::PrimFuncOp source = replacement.source;
  if (source.getNumArguments() != callee.getNumArguments()) {
    InFlightDiagnostic error =
        call.emitOpError("expected the replacement for ")
        << name << " to have " << callee.getNumArguments()
        << " parameters, as @" << callee.getSymName() << " has, but found "
        << source.getNumArguments();
    error.attachNote(source.getLoc()) << "the replacement";
    return error;
  }
  size_t numMaps = replacement.maps.size();
  if (numMaps == 0 || numMaps == source.getNumArguments())
    return success();
  return call.emitOpError("expected no index map for ")
         << name << ", or one for each of the " << source.getNumArguments()
         << " parameters, but found " << numMaps;
}

FailureOr<Value> AlterOpImpl::moveOperand(OpBuilder &builder, CallTIROp call,
                                          unsigned index, IndexMapAttr map) {
  Value operand = call->getOperand(index);
  std::optional<TensorInfo> info = TensorInfo::get(operand.getType());
  // Other passes take such a constant as a number.
  if (info && info->isRanked && info->dims.empty() &&
      operand.getDefiningOp<ConstantOp>())
    return operand;
  if (!info ||
      (info->isRanked && info->dims.size() != map.getMap().getNumDims()))
    return call.emitOpError("expected operand ")
           << index << " to be a tensor of " << map.getMap().getNumDims()
           << " dimensions, as its index map, but found " << operand.getType();
  ++numTransforms;
  return LayoutTransformOp::create(builder, withoutName(call.getLoc()), operand,
                                   map, /*pad_value=*/Attribute())
      .getResult();
}

/// Whether a map gives back a tensor of `shape`, or more.
static bool covers(ArrayRef<Dim> padded, ArrayRef<Dim> shape) {
  return llvm::all_of_zip(padded, shape, [](Dim a, Dim b) {
    return !a.isNumber() || !b.isNumber() || a.getSize() >= b.getSize();
  });
}

/// Finds the map that moves a result back; null after an error. Changes
/// `moved`, the result, to the other layout.
IndexMapAttr AlterOpImpl::invert(CallTIROp call, unsigned index,
                                 IndexMapAttr map, TensorInfo &moved) {
  AffineMap affine = map.getMap();
  if (!isShapeKnown(moved) || !moved.elementType ||
      !MemRefType::isValidElementType(moved.elementType) ||
      moved.dims.size() != affine.getNumDims()) {
    call.emitOpError("expected result ")
        << index << " to be a tensor of " << affine.getNumDims()
        << " known dimensions, as its index map, but found "
        << call->getResult(index).getType();
    return {};
  }
  AffineMap inverse = invertIndexMap(affine, moved.dims);
  SmallVector<Dim> dims = mapShape(affine, moved.dims);
  if (!inverse || !covers(mapShape(inverse, dims), moved.dims)) {
    InFlightDiagnostic error =
        call.emitOpError("expected an index map that can be undone for result ")
        << index << ", but found " << AffineMapAttr::get(affine) << " on [";
    llvm::interleaveComma(moved.dims, error);
    error << ']';
    return {};
  }
  moved.shape = {};
  moved.setDims(dims);
  return IndexMapAttr::get(&getContext(), inverse, map.getType());
}

/// Moves `value` into the layout of the program, in which it has `type`.
Value AlterOpImpl::moveBack(OpBuilder &builder, Location loc, Value value,
                            IndexMapAttr inverse, Type type) {
  TensorInfo info = *TensorInfo::get(type);
  auto back = LayoutTransformOp::create(builder, loc, value, inverse,
                                        /*pad_value=*/Attribute());
  ++numTransforms;
  TensorInfo padded = *TensorInfo::get(back.getType());
  if (llvm::all_of_zip(padded.dims, info.dims, areEqual)) {
    back.getResult().setType(type);
    return back;
  }
  back->setLoc(withoutName(loc));
  ++numPadded;
  return createCall(builder, loc, type, getRemovePad(withoutName(loc), info),
                    back.getResult())
      .getResult(0);
}

/// Calls the replacement on other layouts.
LogicalResult AlterOpImpl::alterLayouts(CallTIROp call,
                                        Replacement &replacement) {
  OpBuilder builder(call);
  Location loc = withoutName(call.getLoc());
  ArrayRef<IndexMapAttr> maps(replacement.maps);
  SmallVector<Value> operands(call.getOperands());
  for (auto [index, operand] : llvm::enumerate(operands)) {
    if (!maps[index])
      continue;
    FailureOr<Value> moved = moveOperand(builder, call, index, maps[index]);
    if (failed(moved))
      return failure();
    operand = *moved;
  }
  SmallVector<Type> types(call.getResultTypes());
  SmallVector<IndexMapAttr> inverses(types.size());
  for (auto [index, map] : llvm::enumerate(maps.drop_front(operands.size()))) {
    if (!map)
      continue;
    TensorInfo info = *TensorInfo::get(types[index]);
    inverses[index] = invert(call, index, map, info);
    if (!inverses[index])
      return failure();
    types[index] = info.getType(&getContext());
  }
  bool isMoved =
      llvm::any_of(inverses, [](IndexMapAttr map) { return bool(map); });
  CallTIROp made = createCall(builder, isMoved ? loc : call.getLoc(), types,
                              replacement.func, operands);
  made->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  // TVM has one variable for results that leave a block together.
  auto block = dyn_cast<DataflowOp>(call->getParentOp());
  std::optional<unsigned> whole;
  if (isMoved && block)
    whole = findWholeOutput(call);
  if (types.size() == 1)
    loc = call.getLoc();
  SmallVector<Value> fields(made.getResults());
  for (auto [field, inverse, result] :
       llvm::zip_equal(fields, inverses, call.getResults())) {
    if (whole || inverse)
      field = createField(builder, loc, field);
    if (inverse)
      field = moveBack(builder, loc, field, inverse, result.getType());
  }
  call.replaceAllUsesWith(fields);
  if (whole)
    wholeOutputs[block].push_back({*whole, fields});
  call.erase();
  return success();
}

LogicalResult AlterOpImpl::alter(CallTIROp call) {
  auto callee = functions->getSymbols().lookup<tir::PrimFuncOp>(
      call.getCalleeAttr().getAttr());
  auto name =
      callee ? callee->getAttrOfType<StringAttr>(operatorName) : StringAttr();
  auto *it = name ? replacements.find(name) : replacements.end();
  if (it == replacements.end())
    return success();
  Replacement &replacement = it->second;
  if (failed(checkCounts(call, callee, name, replacement)))
    return failure();
  tir::PrimFuncOp func = getFunction(name, replacement);
  // The call is as it should be.
  if (func == callee)
    return success();
  hasChanged = true;
  ++numReplaced;
  if (!replacement.maps.empty())
    return alterLayouts(call, replacement);
  call.setCalleeAttr(FlatSymbolRefAttr::get(func.getSymNameAttr()));
  return success();
}

void AlterOpImpl::runOnOperation() {
  replacements.clear();
  byOperator.clear();
  removePads.clear();
  wholeOutputs.clear();
  hasChanged = false;
  UniqueFunctions added(getOperation());
  functions = &added;
  if (failed(readFunctions()) || failed(readMaps()))
    return signalPassFailure();
  SmallVector<FuncOp> funcs;
  for (Operation &op : *getOperation().getBody()) {
    if (auto func = dyn_cast<FuncOp>(op); func && isChangeable(func))
      funcs.push_back(func);
    if (auto func = dyn_cast<tir::PrimFuncOp>(op))
      if (auto name = func->getAttrOfType<StringAttr>(operatorName))
        byOperator[name].push_back(func);
  }
  // In TVM's order, from which numbers in names of functions come.
  llvm::sort(funcs, [](FuncOp a, FuncOp b) {
    return a.getSymName() < b.getSymName();
  });
  for (FuncOp func : funcs) {
    SmallVector<CallTIROp> calls;
    func.walk([&](CallTIROp call) { calls.push_back(call); });
    for (CallTIROp call : calls)
      if (failed(alter(call)))
        return signalPassFailure();
    for (auto &[block, outputs] : wholeOutputs)
      outputTuples(block, outputs);
    wholeOutputs.clear();
  }
  if (!hasChanged)
    markAllAnalysesPreserved();
}
