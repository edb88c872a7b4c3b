//===- BindSymbolicVars.cpp - Bind parameters and sizes of functions ------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimReplacer.h"
#include "NarrowTypes.h"
#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/Transforms/Bind.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/BitVector.h"

namespace partita::relax {
#define GEN_PASS_DEF_BINDSYMBOLICVARS
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct BindSymbolicVars : relax::impl::BindSymbolicVarsBase<BindSymbolicVars> {
  using BindSymbolicVarsBase::BindSymbolicVarsBase;
  void runOnOperation() override;

private:
  struct Binding {
    Dim size;
    bool isUsed = false;
  };
  /// The bindings of `binding-map`, by the only function that they are for, or
  /// null, and by the name of the dimension.
  using BindingMap =
      llvm::MapVector<std::pair<StringAttr, StringAttr>, Binding>;
  /// Nothing after a diagnostic.
  FailureOr<BindingMap> readBindings();
  /// Binds the dimensions of `func`; returns whether there were any.
  FailureOr<bool> bind(FuncOp func, BindingMap &bindings);
};
} // namespace

/// The name of the dimension that a number parameter is, or null.
static StringAttr getDimName(FuncOp func, unsigned index) {
  return func.getArgAttrOfType<StringAttr>(index, FuncOp::getDimAttrName());
}

/// The op whose result is `value`; null if it can't be one of type `type`.
static Value createValue(OpBuilder &builder, Location loc, Type type,
                         Attribute value) {
  if (auto elements = dyn_cast<ElementsAttr>(value))
    return ConstantOp::create(builder, loc, elements);
  if (auto shape = dyn_cast<ShapeAttr>(value))
    return ShapeOp::create(builder, loc, shape);
  auto number = dyn_cast<TypedAttr>(value);
  if (number && number.getType() == type)
    return PrimValueOp::create(builder, loc, number);
  return {};
}

/// Fails if import has kept the body of `func` as JSON, so that it can't be
/// changed.
static LogicalResult checkImported(FuncOp func) {
  OpaqueExprOp kept = func.getKeptBody();
  if (!kept)
    return success();
  return func.emitError("expected a function whose body was imported, but the "
                        "body of @")
         << func.getSymName() << " is kept as TVM's JSON";
}

LogicalResult partita::relax::bindParams(FuncOp func,
                                         ArrayRef<ParamBinding> bindings) {
  if (failed(checkImported(func)))
    return failure();
  Block &body = func.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  DimReplacer known;
  known.simplifies = true;
  SmallVector<Value> values;
  bool isNarrower = false;
  auto learn = [&](StringAttr name, Dim dim) -> LogicalResult {
    auto [it, isNew] = known.dims.try_emplace(name, dim);
    if (isNew || it->second == dim)
      return success();
    return func.emitError("expected dimension ")
           << Dim(name) << " of @" << func.getSymName() << " to be "
           << it->second << ", as another value says, but found " << dim;
  };
  for (auto [index, value] : bindings) {
    BlockArgument parameter = body.getArgument(index);
    Type type = parameter.getType();
    Value made = createValue(builder, parameter.getLoc(), type, value);
    Type actual = made ? made.getType() : NoneType::get(func.getContext());
    SmallVector<StringAttr> names = getNames(type);
    for (auto [formal, dim] :
         llvm::zip(getKnownDims(type), getKnownDims(actual)))
      if (formal.isName() && llvm::is_contained(names, formal.getName()) &&
          failed(learn(formal.getName(), dim)))
        return failure();
    auto number = dyn_cast<IntegerAttr>(value);
    if (StringAttr name = getDimName(func, index); name && number)
      if (failed(learn(name, Dim(number.getInt()))))
        return failure();
    if (!isMoreGeneral(known.apply(type), actual))
      return func.emitError("expected a value of type ")
             << type << " for parameter " << index << " of @"
             << func.getSymName() << ", but found " << value;
    isNarrower |= known.apply(type) != actual;
    values.push_back(made);
  }
  BitVector erased(body.getNumArguments());
  for (auto [binding, value] : llvm::zip(bindings, values)) {
    body.getArgument(binding.first).replaceAllUsesWith(value);
    erased.set(binding.first);
    // Another name of a shape is no binding.
    if (value.getDefiningOp<ShapeOp>())
      for (Operation *user : llvm::make_early_inc_range(value.getUsers()))
        if (auto alias = dyn_cast<AliasOp>(user)) {
          alias.replaceAllUsesWith(value);
          alias.erase();
        }
  }
  if (failed(func.eraseArguments(erased)))
    return failure();
  known.replaceIn(func);
  if (isNarrower)
    narrowTypes(func);
  keepImpossibleCasts(func);
  return success();
}

/// `dim` as a number of type `type`; null if it is one that the type lacks.
static Value createDim(OpBuilder &builder, Location loc, Type type, Dim dim) {
  auto integer = dyn_cast<IntegerType>(type);
  if (dim.isNumber() && !integer)
    return PrimValueOp::create(
        builder, loc, FloatAttr::get(type, static_cast<double>(dim.getSize())));
  // A truth value has no sign either.
  unsigned width = integer ? std::min(integer.getWidth(), 64U) : 64,
           numBits = width - (width > 1 && !type.isUnsignedInteger() ? 1 : 0);
  if (dim.isNumber() && !llvm::isUIntN(numBits, dim.getSize()))
    return {};
  return DimOp::create(builder, loc, type,
                       ShapeAttr::get(builder.getContext(), dim));
}

/// The names of dimensions that can be bound.
static SmallVector<StringAttr> getIntroducedNames(FuncOp func) {
  SmallVector<StringAttr> names = func.getParameterNames();
  func.walk([&](MatchCastOp cast) {
    llvm::append_range(names, getNames(cast.getResult().getType()));
  });
  return names;
}

LogicalResult partita::relax::bindSymbolicVars(FuncOp func,
                                               const DimMap &bindings) {
  SmallVector<StringAttr> names = getIntroducedNames(func);
  for (StringAttr name : llvm::make_first_range(bindings))
    if (!llvm::is_contained(names, name))
      return func.emitError("expected dimension ")
             << Dim(name) << " to be one of a parameter or a match_cast of @"
             << func.getSymName() << ", but found none of this name";
  if (failed(checkImported(func)))
    return failure();
  DimReplacer replacer;
  replacer.simplifies = true;
  replacer.dims.insert(bindings.begin(), bindings.end());
  replacer.replaceIn(func);
  for (unsigned index = 0; index < func.getNumArguments(); ++index) {
    auto it = replacer.dims.find(getDimName(func, index));
    if (it == replacer.dims.end())
      continue;
    if (it->second.isIdentifier()) {
      func.setArgAttr(index, FuncOp::getDimAttrName(), it->second.getName());
      continue;
    }
    func.removeArgAttr(index, FuncOp::getDimAttrName());
    if (func.isExternal())
      continue;
    BlockArgument parameter = func.getArgument(index);
    OpBuilder builder = OpBuilder::atBlockBegin(parameter.getOwner());
    Value value =
        createDim(builder, parameter.getLoc(), parameter.getType(), it->second);
    if (!value)
      return func.emitError("expected dimension ")
             << Dim(it->first) << " to be a number of type "
             << parameter.getType() << ", as parameter " << index << " of @"
             << func.getSymName() << " is, but found " << it->second;
    parameter.replaceAllUsesWith(value);
  }
  if (!func.isExternal())
    narrowTypes(func);
  keepImpossibleCasts(func);
  names = getIntroducedNames(func);
  for (Dim dim : llvm::make_second_range(bindings))
    if (dim.isName() && !dim.isIdentifier())
      if (StringRef name = findUnknownName(dim.getName(), names); !name.empty())
        return func.emitError("expected the names in dimension ")
               << dim << " to be dimensions of parameters or match_casts of @"
               << func.getSymName() << ", but found none of the name '" << name
               << "'";
  return success();
}

/// Leaves it to the run whether the arguments of `call` fit `callee`, if they
/// can but need not, as TVM does with all calls.
static void keepPossibleCall(CallOp call, FuncOp callee) {
  bool fits = true, canFit = call.getNumOperands() == callee.getNumArguments();
  DimBinding binding;
  for (auto [parameter, operand] :
       llvm::zip(callee.getArgumentTypes(), call.getOperandTypes())) {
    fits &= binding.bind(parameter, operand);
    canFit &= isCastable(operand, parameter);
  }
  fits &=
      llvm::all_of_zip(callee.getResultTypes(), call.getResultTypes(),
                       [&](Type formal, Type actual) {
                         return areCompatible(binding.apply(formal), actual);
                       });
  if (fits || !canFit)
    return;
  OpBuilder builder(call);
  Location unknown = builder.getUnknownLoc();
  Type result = call.getNumResults() == 1
                    ? call.getResultTypes().front()
                    : TupleType::get(call.getContext(), call.getResultTypes());
  SmallVector<Value> operands = {
      GlobalOp::create(builder, unknown, ObjectType::get(call.getContext()),
                       call.getCalleeAttr())};
  llvm::append_range(operands, call.getOperands());
  auto made = CallValueOp::create(builder, call.getLoc(), result, operands);
  made.setIsPure(call.getIsPure());
  SmallVector<Value> results;
  if (call.getNumResults() == 1) {
    results = {made.getResult()};
  } else {
    // Each result keeps its name.
    SmallVector<Location> locs(call.getNumResults(), unknown);
    if (auto fused = dyn_cast<FusedLoc>(call.getLoc());
        fused && fused.getLocations().size() == locs.size())
      locs.assign(fused.getLocations().begin(), fused.getLocations().end());
    for (auto [index, type] : llvm::enumerate(call.getResultTypes()))
      results.push_back(TupleGetItemOp::create(builder, locs[index], type,
                                               made.getResult(), index));
  }
  call->replaceAllUsesWith(results);
  call->erase();
}

FailureOr<BindSymbolicVars::BindingMap> BindSymbolicVars::readBindings() {
  BindingMap bindings;
  SymbolTable symbols(getOperation());
  for (StringRef text : bindingMap) {
    auto [key, size] = text.split('=');
    StringRef function, name = key;
    if (key.contains(':'))
      std::tie(function, name) = key.rsplit(':');
    auto getText = [&](StringRef part) {
      return StringAttr::get(&getContext(), part.trim());
    };
    Dim dim(getText(name)), value = Dim(getText(size)) + Dim(0);
    if (!dim.isIdentifier() || value.isUnknown())
      return getOperation().emitError(
                 "expected each of binding-map to be the name of a dimension "
                 "and a size, such as n=16, but found '")
             << text << "'";
    // A name with an unknown function stands for the name in any function.
    StringAttr owner = getText(function);
    if (!symbols.lookup<FuncOp>(owner))
      owner = nullptr;
    if (!bindings.insert({{owner, dim.getName()}, {value}}).second)
      return getOperation().emitError("expected one size for dimension ")
             << dim << ", but found two in binding-map";
  }
  return bindings;
}

FailureOr<bool> BindSymbolicVars::bind(FuncOp func, BindingMap &bindings) {
  DimMap own;
  for (StringAttr name : getIntroducedNames(func)) {
    auto *ofAll = bindings.find({StringAttr(), name}),
         *ofThis = bindings.find({func.getSymNameAttr(), name});
    if (ofAll != bindings.end() && ofThis != bindings.end())
      return func.emitError("expected one size for dimension ")
             << Dim(name) << " of @" << func.getSymName()
             << ", but found two in binding-map";
    auto *binding = ofThis == bindings.end() ? ofAll : ofThis;
    if (binding == bindings.end())
      continue;
    binding->second.isUsed = true;
    own.insert({name, binding->second.size});
  }
  if (own.empty())
    return false;
  if (failed(bindSymbolicVars(func, own)))
    return failure();
  return true;
}

void BindSymbolicVars::runOnOperation() {
  IRModuleOp module = getOperation();
  FailureOr<BindingMap> bindings = readBindings();
  if (failed(bindings))
    return signalPassFailure();
  SmallVector<FuncOp> functions(module.getOps<FuncOp>());
  if (!funcName.empty()) {
    auto func = dyn_cast_if_present<FuncOp>(SymbolTable::lookupSymbolIn(
        module, StringAttr::get(&getContext(), funcName)));
    if (!func) {
      module.emitError("expected a relax.func '")
          << funcName << "', as func-name says, but found none";
      return signalPassFailure();
    }
    functions = {func};
  }
  DenseMap<StringAttr, FuncOp> changed;
  for (FuncOp func : functions) {
    FailureOr<bool> isBound = bind(func, *bindings);
    if (failed(isBound))
      return signalPassFailure();
    if (!*isBound)
      continue;
    numFunctions += 1;
    changed[func.getSymNameAttr()] = func;
  }
  for (const auto &[key, binding] : *bindings)
    if (!binding.isUsed) {
      InFlightDiagnostic error = module.emitError("expected dimension ");
      error << Dim(key.second) << ", which binding-map binds to "
            << binding.size << ", to be one of a parameter or a match_cast";
      if (key.first)
        error << " of @" << key.first.getValue();
      error << ", but found none of this name";
      return signalPassFailure();
    }
  module.walk([&](CallOp call) {
    if (FuncOp callee = changed.lookup(call.getCalleeAttr().getAttr()))
      keepPossibleCall(call, callee);
  });
}
