//===- RelaxOps.cpp - Functions, calls, blocks and values -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "../../OpaqueNodes.h"
#include "../../ValueNames.h"
#include "RelaxDetail.h"
#include "partita/Dialect/Relax/IR/RelaxMarks.h"
#include "partita/Dialect/Relax/IR/RelaxVariables.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace partita::relax;

#include "partita/Dialect/Relax/IR/RelaxInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "partita/Dialect/Relax/IR/RelaxOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

using MemoryEffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static bool hasObject(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::any_of(tuple.getTypes(), hasObject);
  return isa<ObjectType>(type);
}

void partita::relax::addCallEffects(Operation *call, bool isPure,
                                    MemoryEffectList &effects) {
  if (!isPure) {
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
    return;
  }
  for (OpResult result : call->getResults())
    if (hasObject(result.getType()))
      effects.emplace_back(MemoryEffects::Allocate::get(), result);
}

bool partita::relax::isPureExpr(Operation *op) {
  // Most ops are known to be pure by a trait.
  if (isMemoryEffectFree(op))
    return true;
  auto effects = getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [](auto &effect) {
           return isa<MemoryEffects::Allocate>(effect.getEffect());
         });
}

Value partita::relax::getInside(Value value) {
  while (auto dataflow = value.getDefiningOp<DataflowOp>())
    value = dataflow.getBody()->getTerminator()->getOperand(
        cast<OpResult>(value).getResultNumber());
  return value;
}

bool partita::relax::takesTuple(Operation *op) {
  auto call = dyn_cast<TVMCallOpInterface>(op);
  return isa<CallTIROp, TupleOp>(op) || (call && call.getTVMTuple() == 0) ||
         (isa<ReturnOp>(op) && op->getNumOperands() != 1);
}

//===----------------------------------------------------------------------===//
// FuncOp
//===----------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   FunctionType type) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.function_type = TypeAttr::get(type);
  state.addRegion();
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  // As upstream's functions are parsed, but that arguments keep their names.
  StringAttr name;
  SMLoc loc = parser.getCurrentLocation();
  (void)mlir::impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
          resultAttrs))
    return failure();
  SmallVector<Type> argumentTypes;
  partita::nameFromText(parser, arguments);
  for (const OpAsmParser::Argument &argument : arguments)
    argumentTypes.push_back(argument.type);
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      TypeAttr::get(parser.getBuilder().getFunctionType(
                          argumentTypes, resultTypes)));
  NamedAttrList attributes;
  SMLoc attributesLoc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDictWithKeyword(attributes))
    return failure();
  for (StringRef own : {getSymVisibilityAttrName(result.name).getValue(),
                        getSymNameAttrName(result.name).getValue(),
                        getFunctionTypeAttrName(result.name).getValue()})
    if (attributes.get(own))
      return parser.emitError(attributesLoc, "'")
             << own
             << "' is an inferred attribute and should not be specified in the "
                "explicit attribute dictionary";
  result.attributes.append(attributes);
  call_interface_impl::addArgAndResultAttrs(
      parser.getBuilder(), result, arguments, resultAttrs,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
  // An attribute of the wrong kind would be dropped when it becomes a property.
  Attribute isPure = result.attributes.get(getIsPureAttrName(result.name));
  if (isPure && !isa<BoolAttr>(isPure))
    return parser.emitError(loc, "expected 'is_pure' to be true or false, "
                                 "found ")
           << isPure;
  Region *body = result.addRegion();
  SMLoc bodyLoc = parser.getCurrentLocation();
  OptionalParseResult parsed =
      parser.parseOptionalRegion(*body, arguments,
                                 /*enableNameShadowing=*/false);
  if (!parsed.has_value())
    return success();
  if (failed(*parsed))
    return failure();
  if (body->empty())
    return parser.emitError(bodyLoc, "expected non-empty function body");
  return success();
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

/// Verifies that `names` holds all names of dimensions in `type`, a type of
/// `op`.
static LogicalResult verifyNames(Operation *op, Type type,
                                 const DenseSet<StringAttr> &names) {
  for (StringAttr name : getNames(type))
    if (!names.contains(name))
      return op->emitOpError("expected dimension ")
             << name << " of " << type
             << " to be a name that a parameter introduces, found none; "
                "introduce it with relax.match_cast";
  return success();
}

OpaqueExprOp FuncOp::getKeptBody() {
  // A block that was never verified can be empty, or lack its end.
  if (isExternal() || getBody().front().empty())
    return {};
  auto op = dyn_cast<OpaqueExprOp>(getBody().front().front());
  bool isKept = op &&
                (op.getKind() == "relax.expr.Function" ||
                 op.getKind() == "relax.expr.ExternFunc") &&
                op.getOperands().empty() &&
                isa_and_present<ReturnOp>(op->getNextNode());
  return isKept ? op : OpaqueExprOp();
}

SmallVector<StringAttr> FuncOp::getParameterNames() {
  SmallVector<StringAttr> names;
  for (auto [index, type] : llvm::enumerate(getArgumentTypes())) {
    llvm::append_range(names, getNames(type));
    if (auto name = getArgAttrOfType<StringAttr>(index, getDimAttrName()))
      names.push_back(name);
  }
  StringAttr dimName = StringAttr::get(getContext(), getDimAttrName());
  getBody().walk([&](Operation *op) {
    if (auto local = dyn_cast<LocalFuncOp>(op))
      for (BlockArgument parameter : local.getParameters())
        llvm::append_range(names,
                           partita::relax::getNames(parameter.getType()));
    if (isa<MatchCastOp>(op))
      if (auto name =
              dyn_cast_if_present<StringAttr>(op->getDiscardableAttr(dimName)))
        names.push_back(name);
  });
  return names;
}

LogicalResult FuncOp::verifyRegions() {
  for (auto [index, type] : llvm::enumerate(getArgumentTypes()))
    if (Attribute dim = getArgAttr(index, getDimAttrName());
        dim && !(isa<StringAttr>(dim) && type.isIntOrIndexOrFloat()))
      return emitOpError("expected '")
             << getDimAttrName()
             << "' to be the name of a dimension that is a number, found "
             << dim << " of argument " << index << ", which has type " << type;
  // Most functions have no names of dimensions: look for the parameters' names
  // only if one turns up.
  std::optional<DenseSet<StringAttr>> known;
  auto getKnown = [&]() -> DenseSet<StringAttr> & {
    if (!known)
      known.emplace().insert_range(getParameterNames());
    return *known;
  };
  auto introduce = [&](Type type) { getKnown().insert_range(getNames(type)); };
  // In post-order, so that a name is known after the block that introduces it.
  // Isolated ops have their own names.
  auto hasNames = [](Type type) { return !getNames(type).empty(); };
  WalkResult result = walk([&](Operation *op) {
    // Most ops have no names, so that their kind does not matter.
    if (llvm::none_of(op->getResultTypes(), hasNames) ||
        op->getParentWithTrait<OpTrait::IsIsolatedFromAbove>() != *this)
      return WalkResult::advance();
    // An expression that is kept as it is can hold anything.
    if (isa<MatchCastOp, OpaqueExprOp>(op))
      llvm::for_each(op->getResultTypes(), introduce);
    for (Type type : op->getResultTypes())
      if (failed(verifyNames(op, type, getKnown())))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (Type type : getResultTypes())
    if (hasNames(type) && failed(verifyNames(*this, type, getKnown())))
      return failure();
  return success();
}

/// Verifies that the terminator `op` gives its parent values of `types`.
static LogicalResult verifyTerminator(Operation *op, TypeRange types) {
  if (op->getNumOperands() != types.size())
    return op->emitOpError("expected ")
           << types.size() << " operands, as many as '"
           << op->getParentOp()->getName() << "' has results, found "
           << op->getNumOperands();
  for (auto [index, operand, type] :
       llvm::enumerate(op->getOperandTypes(), types))
    if (operand != type)
      return op->emitOpError("expected operand ")
             << index << " to have type " << type << ", as the result of '"
             << op->getParentOp()->getName() << "', found " << operand;
  return success();
}

LogicalResult ReturnOp::verify() {
  return verifyTerminator(
      *this, cast<FuncOp>((*this)->getParentOp()).getResultTypes());
}

//===----------------------------------------------------------------------===//
// CallOp
//===----------------------------------------------------------------------===//

void CallOp::build(OpBuilder &, OperationState &state, FuncOp callee,
                   ValueRange operands) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.callee = FlatSymbolRefAttr::get(callee);
  // One form of the default, so that equal calls have equal properties.
  if (!callee.getIsPure())
    properties.is_pure = callee.getIsPureAttr();
  state.addOperands(operands);
  state.addTypes(callee.getResultTypes());
}

void CallOp::getEffects(MemoryEffectList &effects) {
  addCallEffects(*this, getIsPure(), effects);
}

/// The function of Relax that `op` is, or is in; null if there is none.
static Operation *getFunction(Operation *op) {
  while (op && !isa<FuncOp, LocalFuncOp>(op))
    op = op->getParentOp();
  return op;
}

bool partita::relax::isInForcedCode(Operation *op) {
  Operation *function = getFunction(op);
  if (!function)
    return false;
  auto isForced = function->getAttrOfType<IntegerAttr>("relax.force_pure");
  return isForced && !isForced.getValue().isZero();
}

LogicalResult CallOp::verify() {
  if (getIsPure())
    return success();
  // The function around it, which can be in another one.
  Operation *parent = getFunction(*this);
  if (auto function = dyn_cast_if_present<FuncOp>(parent);
      function && function.getIsPure() && !isInForcedCode(function))
    return emitOpError("expected a pure call in a pure function, found "
                       "'is_pure = false'; say so of @")
           << function.getSymName() << " too";
  if (auto local = dyn_cast_if_present<LocalFuncOp>(parent);
      local && local.getType().getPure())
    return emitOpError("expected a pure call in a pure function, found "
                       "'is_pure = false'; say in the function's type that it "
                       "is impure");
  return success();
}

/// Finds the `OpT` that `op` calls as `callee`.
template <typename OpT>
static FailureOr<OpT> lookUpCallee(Operation *op, FlatSymbolRefAttr callee,
                                   SymbolTableCollection &symbolTables) {
  Operation *symbol = symbolTables.lookupNearestSymbolFrom(op, callee);
  if (auto found = dyn_cast_or_null<OpT>(symbol))
    return found;
  InFlightDiagnostic diag = op->emitOpError("expected a '")
                            << OpT::getOperationName() << "' of name " << callee
                            << ", found ";
  if (!symbol)
    return diag << "none";
  diag << "'" << symbol->getName() << "'";
  diag.attachNote(symbol->getLoc()) << "defined here";
  return diag;
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbolTables) {
  FailureOr<FuncOp> callee =
      lookUpCallee<FuncOp>(*this, getCalleeAttr(), symbolTables);
  if (failed(callee))
    return failure();
  ArrayRef<Type> parameters = callee->getArgumentTypes();
  ArrayRef<Type> results = callee->getResultTypes();
  if (parameters.size() != getNumOperands())
    return emitOpError("expected ")
           << parameters.size() << " arguments for " << getCalleeAttr()
           << ", found " << getNumOperands();
  if (results.size() != getNumResults())
    return emitOpError("expected ")
           << results.size() << " results of " << getCalleeAttr() << ", found "
           << getNumResults();
  DimBinding binding;
  for (auto [index, parameter, operand] :
       llvm::enumerate(parameters, getOperandTypes()))
    if (!binding.bind(parameter, operand))
      return emitOpError("expected argument ")
             << index << " of " << getCalleeAttr() << " to have type "
             << parameter << ", found " << operand;
  for (auto [index, formal, actual] :
       llvm::enumerate(results, getResultTypes()))
    if (Type expected = binding.apply(formal); !areCompatible(expected, actual))
      return emitOpError("expected result ")
             << index << " of " << getCalleeAttr() << " to have type "
             << expected << ", found " << actual;
  if (getIsPure() && !callee->getIsPure())
    return emitOpError("expected 'is_pure = false', since ")
           << getCalleeAttr() << " is not pure";
  return success();
}

//===----------------------------------------------------------------------===//
// CallTIROp
//===----------------------------------------------------------------------===//

LogicalResult CallTIROp::verify() {
  if (getNumResults() == 0)
    return emitOpError("expected at least one result, found none");
  return success();
}

/// Whether a prim_func's parameter of type `parameter` can take an operand, or
/// give a result, of type `type`.
static bool isPassedAs(Type type, Type parameter) {
  std::optional<TensorInfo> tensor = TensorInfo::get(type);
  if (!tensor)
    return type == parameter;
  auto memref = dyn_cast<MemRefType>(parameter);
  if (!memref ||
      (tensor->elementType && memref.getElementType() != tensor->elementType))
    return false;
  return !tensor->isRanked ||
         llvm::all_of_zip(
             memref.getShape(), tensor->dims, [](int64_t formal, Dim actual) {
               return ShapedType::isDynamic(formal) || !actual.isNumber() ||
                      formal == actual.getSize();
             });
}

LogicalResult CallTIROp::verifySymbolUses(SymbolTableCollection &symbolTables) {
  FailureOr<tir::PrimFuncOp> callee =
      lookUpCallee<tir::PrimFuncOp>(*this, getCalleeAttr(), symbolTables);
  if (failed(callee))
    return failure();
  ArrayRef<Type> parameters = callee->getArgumentTypes();
  if (parameters.size() != getNumOperands() + getNumResults())
    return emitOpError("expected as many operands and results as ")
           << getCalleeAttr() << " has parameters, " << parameters.size()
           << ", found " << getNumOperands() << " and " << getNumResults();
  auto verify = [&](StringRef kind, unsigned index, Type type,
                    unsigned position) -> LogicalResult {
    if (isPassedAs(type, parameters[position]))
      return success();
    return emitOpError("expected ")
           << kind << " " << index << " to fit parameter " << position << " of "
           << getCalleeAttr() << ", " << parameters[position] << ", found "
           << type;
  };
  for (auto [index, type] : llvm::enumerate(getOperandTypes()))
    if (failed(verify("operand", index, type, index)))
      return failure();
  for (auto [index, type] : llvm::enumerate(getResultTypes()))
    if (failed(verify("result", index, type, getNumOperands() + index)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// CallOpOp and OpaqueExprOp
//===----------------------------------------------------------------------===//

void CallOpOp::getEffects(MemoryEffectList &effects) {
  addCallEffects(*this, getIsPure(), effects);
}

LogicalResult CallOpOp::verify() {
  if (getOpName().empty())
    return emitOpError("expected the name of an op, found an empty one");
  return success();
}

void OpaqueExprOp::getEffects(MemoryEffectList &effects) {
  addCallEffects(*this, getIsPure(), effects);
}

LogicalResult
OpaqueExprOp::verifySymbolUses(SymbolTableCollection &symbolTables) {
  return partita::verifySymbols(*this, getSymbolsAttr(), symbolTables);
}

LogicalResult OpaqueExprOp::verify() {
  return partita::verifyJSON(*this, getJson());
}

//===----------------------------------------------------------------------===//
// GlobalOp
//===----------------------------------------------------------------------===//

LogicalResult GlobalOp::verifySymbolUses(SymbolTableCollection &symbolTables) {
  if (symbolTables.lookupNearestSymbolFrom(*this, getValueAttr()))
    return success();
  return emitOpError("expected a function of name ")
         << getValueAttr() << ", found none";
}

//===----------------------------------------------------------------------===//
// DataflowOp
//===----------------------------------------------------------------------===//

void DataflowOp::build(OpBuilder &, OperationState &state, TypeRange results) {
  state.addTypes(results);
  state.addRegion()->emplaceBlock();
}

void DataflowOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.emplace_back(&getBodyRegion());
  else
    regions.emplace_back(getOperation(), getResults());
}

void DataflowOp::getRegionInvocationBounds(
    ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.emplace_back(1, 1);
}

LogicalResult DataflowOp::verifyRegions() {
  if (isInForcedCode(*this))
    return success();
  for (Operation &op : *getBody())
    // A match_cast only names dimensions; a nested block verifies its own ops.
    if (!isa<MatchCastOp, DataflowOp>(op) && !isPureExpr(&op))
      return op.emitOpError("expected an op without side effects in a "
                            "'relax.dataflow'; move it out of the block");
  return success();
}

LogicalResult OutputOp::verify() {
  return verifyTerminator(*this, (*this)->getParentOp()->getResultTypes());
}

//===----------------------------------------------------------------------===//
// IfOp
//===----------------------------------------------------------------------===//

void IfOp::getSuccessorRegions(RegionBranchPoint point,
                               SmallVectorImpl<RegionSuccessor> &regions) {
  if (!point.isParent()) {
    regions.emplace_back(getOperation(), getOperation()->getResults());
    return;
  }
  regions.emplace_back(&getThenRegion());
  regions.emplace_back(&getElseRegion());
}

void IfOp::getRegionInvocationBounds(
    ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.assign(2, InvocationBounds(0, 1));
}

bool IfOp::areTypesCompatible(Type yielded, Type result) {
  return isMoreGeneral(result, yielded);
}

//===----------------------------------------------------------------------===//
// LocalFuncOp
//===----------------------------------------------------------------------===//

ParseResult LocalFuncOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments(1), parameters;
  Type type;
  if (parser.parseArgument(arguments.front()) ||
      parser.parseArgumentList(parameters, OpAsmParser::Delimiter::Paren) ||
      parser.parseColon())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(type))
    return failure();
  auto callable = dyn_cast<CallableType>(type);
  if (!callable)
    return parser.emitError(loc, "expected a !relax.callable, found ") << type;
  if (callable.getTakesAny() ||
      callable.getInputs().size() != parameters.size())
    return parser.emitError(loc, "expected a type of ")
           << parameters.size() << " parameters, found "
           << callable.getInputs().size();
  arguments.front().type = type;
  for (auto [parameter, input] :
       llvm::zip_equal(parameters, callable.getInputs()))
    parameter.type = input;
  arguments.append(parameters);
  partita::nameFromText(parser, arguments);
  result.addTypes(type);
  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void LocalFuncOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printRegionArgument(getSelf(), /*argAttrs=*/{},
                              /*omitType=*/true);
  printer << '(';
  llvm::interleaveComma(getParameters(), printer, [&](BlockArgument parameter) {
    printer.printRegionArgument(parameter, /*argAttrs=*/{}, /*omitType=*/true);
  });
  printer << ") : " << getType();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << ' ';
  printer.printRegion(getBodyRegion(), /*printEntryBlockArgs=*/false);
}

LogicalResult LocalFuncOp::verifyRegions() {
  SmallVector<Type> types = {getType()};
  llvm::append_range(types, getType().getInputs());
  if (getBody()->getArgumentTypes() != TypeRange(types))
    return emitOpError("expected its body to take the function itself and ")
           << getType().getInputs().size() << " parameters of the types in "
           << getType() << ", found " << getBody()->getArgumentTypes();
  auto yield = dyn_cast<YieldOp>(getBody()->getTerminator());
  if (!yield || yield.getValue().getType() != getType().getResult())
    return emitOpError("expected its body to yield a value of type ")
           << getType().getResult();
  return success();
}

//===----------------------------------------------------------------------===//
// Values that are not computed
//===----------------------------------------------------------------------===//

LogicalResult DimOp::verify() {
  if (getDims().getDims().size() != 1 || getDim().isUnknown())
    return emitOpError("expected one dimension that is known, found ")
           << getDims().getDims().size();
  return verifyDims([&] { return emitOpError(); }, getDims().getDims());
}

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  StringAttr name = getVarName(getLoc());
  setName(getResult(), name ? name.getValue() : "cst");
}

namespace {
/// The known names of dimensions, to which a match_cast adds.
struct NamesResource : SideEffects::Resource::Base<NamesResource> {
  StringRef getName() final { return "relax.names"; }
};
} // namespace

void MatchCastOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  SmallVector<StringAttr> known =
      partita::relax::getNames(getValue().getType());
  if ((*this)->hasAttr(FuncOp::getDimAttrName()) ||
      llvm::any_of(partita::relax::getNames(getType()), [&](StringAttr name) {
        return !llvm::is_contained(known, name);
      }))
    effects.emplace_back(MemoryEffects::Write::get(), NamesResource::get());
}

LogicalResult MatchCastOp::verify() {
  Type from = getValue().getType(), to = getType();
  // TVM does not compare an assumed type with the value's.
  if (!(*this)->hasAttr(assumedAttrName) && !isCastable(from, to))
    return emitOpError("expected a type that ")
           << from << " can turn out to have, found " << to;
  if (Attribute dim = (*this)->getDiscardableAttr(FuncOp::getDimAttrName());
      dim && !(isa<StringAttr>(dim) && to.isIntOrIndexOrFloat()))
    return emitOpError("expected '")
           << FuncOp::getDimAttrName()
           << "' to be the name of a dimension that is a number, found " << dim
           << " of a value of type " << to;
  return success();
}
