//===- PatternMatcher.cpp - Match expressions with patterns ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// python/partita/relax/dpl/matcher.py does the same for expressions in Python.
//
//===----------------------------------------------------------------------===//

#include "PatternMatcher.h"
#include "../Structure/Values.h"
#include "../WholeTuple.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

PatternExpr PatternExpr::get(Value value) {
  value = getUncast(value);
  Operation *op = value.getDefiningOp();
  if (op && op->getNumResults() == 1 && !isa<DataflowOp>(op))
    return {Kind::Op, op};
  return {Kind::Value, value.getAsOpaquePointer()};
}

Type PatternExpr::getType() const {
  if (Value value = getValue())
    return value.getType();
  Operation *op = getOp();
  if (!op)
    return {};
  if (op->getNumResults() == 1)
    return op->getResult(0).getType();
  return TupleType::get(op->getContext(), op->getResultTypes());
}

/// The op whose results are all of `values`, in order.
static Operation *getWholeResults(ValueRange values) {
  Operation *op = values.empty() ? nullptr : values.front().getDefiningOp();
  bool isWhole = op && op->getNumResults() > 1 && !isa<DataflowOp>(op) &&
                 llvm::equal(values, op->getResults());
  return isWhole ? op : nullptr;
}

/// The tuple of the operands of `op`, which are `values`.
static PatternExpr getArguments(Operation *op, ValueRange values) {
  if (values.size() == 1 && isa<TupleType>(values.front().getType()) &&
      !isa<CallTIROp>(op))
    return PatternExpr::get(values.front());
  if (Value tuple = getWholeTuple(op))
    return PatternExpr::get(tuple);
  if (Operation *whole = getWholeResults(values))
    return {PatternExpr::Kind::Op, whole};
  return {PatternExpr::Kind::Arguments, op};
}

/// The operands of `op` that are a tuple in TVM.
static ValueRange getTupleOperands(Operation *op) {
  ValueRange operands = op->getOperands();
  if (isa<CallTIROp>(op)) {
    size_t count = llvm::count_if(
        operands, [](Value value) { return isTensor(value.getType()); });
    return operands.take_front(count);
  }
  auto call = cast<TVMCallOpInterface>(op);
  return operands.drop_front(
      std::min<size_t>(call.getTVMTuple(), operands.size()));
}

static PatternExpr getOpName(MLIRContext *context, StringRef name) {
  return {PatternExpr::Kind::OpName,
          StringAttr::get(context, name).getAsOpaquePointer()};
}

std::optional<PatternCall> PatternCall::get(Operation *op) {
  MLIRContext *context = op->getContext();
  PatternCall call;
  auto addArgs = [&](ValueRange operands) {
    for (Value operand : operands)
      call.args.push_back(PatternExpr::get(operand));
  };
  call.callee = getOpName(context, op->getName().getStringRef());
  if (auto callTIR = dyn_cast<CallTIROp>(op)) {
    call.args.push_back(
        {PatternExpr::Kind::Global,
         callTIR.getCalleeAttr().getAttr().getAsOpaquePointer()});
    ValueRange tensors = getTupleOperands(op);
    call.args.push_back(getArguments(op, tensors));
    if (tensors.size() < op->getNumOperands())
      call.args.push_back({PatternExpr::Kind::Sizes, op});
  } else if (auto interface = dyn_cast<TVMCallOpInterface>(op)) {
    if (interface.getTVMTuple() < 0) {
      addArgs(op->getOperands());
    } else {
      ValueRange fields = getTupleOperands(op);
      addArgs(op->getOperands().drop_back(fields.size()));
      call.args.push_back(getArguments(op, fields));
    }
  } else if (auto callFunc = dyn_cast<CallOp>(op)) {
    call.callee = {PatternExpr::Kind::Global,
                   callFunc.getCalleeAttr().getAttr().getAsOpaquePointer()};
    addArgs(op->getOperands());
  } else if (isa<CallValueOp>(op) && op->getNumOperands()) {
    call.callee = PatternExpr::get(op->getOperand(0));
    addArgs(op->getOperands().drop_front());
  } else if (op->hasTrait<CallsValue>()) {
    addArgs(op->getOperands());
  } else if (auto opaque = dyn_cast<CallOpOp>(op)) {
    call.callee = getOpName(context, opaque.getOpName());
    addArgs(op->getOperands());
  } else {
    return std::nullopt;
  }
  return call;
}

/// The field of a tuple that `expr` is: the tuple, and the number.
static std::optional<std::pair<PatternExpr, int64_t>>
getFieldOfTuple(PatternExpr expr) {
  Value field = expr.getValue();
  if (auto item = dyn_cast_or_null<TupleGetItemOp>(expr.getOp()))
    return std::pair(PatternExpr::get(item.getTupleValue()),
                     int64_t(item.getIndex()));
  if (auto alias = dyn_cast_or_null<AliasOp>(expr.getOp()))
    field = alias.getValue();
  auto result = dyn_cast_or_null<OpResult>(field);
  if (!result)
    return std::nullopt;
  return std::pair(PatternExpr(PatternExpr::Kind::Op, result.getOwner()),
                   int64_t(result.getResultNumber()));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The element type that TVM calls `name`; null if it is none.
static Type getElementType(MLIRContext *context, StringRef name) {
  Builder builder(context);
  if (name == "bool")
    return builder.getI1Type();
  if (name == "bfloat16")
    return builder.getBF16Type();
  unsigned width = 0;
  if (name.consume_front("float") && !name.getAsInteger(10, width))
    return width == 16   ? Type(builder.getF16Type())
           : width == 32 ? Type(builder.getF32Type())
           : width == 64 ? Type(builder.getF64Type())
                         : Type();
  bool isUnsigned = name.consume_front("u");
  if (!name.consume_front("int") || name.getAsInteger(10, width) ||
      width == 0 || width > 64)
    return {};
  return IntegerType::get(context, width,
                          isUnsigned ? IntegerType::Unsigned
                                     : IntegerType::Signless);
}

/// Whether `wanted`, as text has it, is `value`, as an op has it.
static bool isSameAttribute(Attribute wanted, Attribute value) {
  if (wanted == value)
    return true;
  if (!value || isa<UnitAttr>(value))
    return isa<UnitAttr>(wanted);
  if (auto list = dyn_cast<ArrayAttr>(wanted)) {
    if (auto other = dyn_cast<ArrayAttr>(value))
      return llvm::equal(list, other, isSameAttribute);
    auto numbers = dyn_cast<DenseI64ArrayAttr>(value);
    return numbers && llvm::equal(list, numbers.asArrayRef(),
                                  [](Attribute attr, int64_t number) {
                                    auto integer = dyn_cast<IntegerAttr>(attr);
                                    return integer &&
                                           integer.getValue() == number;
                                  });
  }
  if (auto integer = dyn_cast<IntegerAttr>(wanted))
    if (auto other = dyn_cast<IntegerAttr>(value))
      return integer.getValue().getSignificantBits() <= 64 &&
             other.getValue().getSignificantBits() <= 64 &&
             integer.getValue().getSExtValue() ==
                 other.getValue().getSExtValue();
  if (auto type = dyn_cast<TypeAttr>(value))
    if (auto name = dyn_cast<StringAttr>(wanted))
      return type.getValue() ==
             getElementType(value.getContext(), name.getValue());
  if (auto number = dyn_cast<FloatAttr>(wanted))
    if (auto other = dyn_cast<FloatAttr>(value))
      return number.getValueAsDouble() == other.getValueAsDouble();
  return false;
}

static bool hasAttributes(Operation *op, DictionaryAttr wanted) {
  auto attrs = op->getAttrOfType<DictionaryAttr>("attrs");
  return llvm::all_of(wanted, [&](NamedAttribute attr) {
    Attribute value = op->hasTrait<CallsValue>() || isa<CallOpOp>(op)
                          ? (attrs ? attrs.get(attr.getName()) : Attribute())
                          : op->getAttr(attr.getName());
    return isSameAttribute(attr.getValue(), value);
  });
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// The patterns in `pattern`, itself first, with the numbers of their uses
/// there.
static llvm::MapVector<const DFPattern *, unsigned>
countUses(const DFPattern &pattern) {
  llvm::MapVector<const DFPattern *, unsigned> counts;
  llvm::DenseMap<const void *, const DFPattern *> firstOf;
  SmallVector<const DFPattern *> worklist = {&pattern};
  while (!worklist.empty()) {
    const DFPattern *next = worklist.pop_back_val();
    auto [first, isNew] = firstOf.try_emplace(next->getId(), next);
    ++counts[first->second];
    if (isNew)
      for (const DFPattern &part : next->getParts())
        worklist.push_back(&part);
  }
  return counts;
}

PatternMatcher::PatternMatcher(DFPattern pattern)
    : pattern(std::move(pattern)) {
  llvm::DenseMap<const void *, unsigned> numUses;
  auto counts = countUses(this->pattern);
  for (auto [part, count] : counts)
    numUses[part->getId()] = count;
  for (const DFPattern *part : llvm::make_first_range(counts)) {
    auto inner = countUses(*part);
    if (llvm::all_of(llvm::drop_begin(inner), [&](const auto &entry) {
          // An op is the same wherever it stands.
          return entry.first->getKind() == DFPattern::Kind::Op ||
                 entry.second == numUses.lookup(entry.first->getId());
        }))
      closed.insert(part->getId());
  }
}

void PatternMatcher::reset() {
  failures.clear();
  aliases.clear();
}

bool PatternMatcher::match(Operation *op) {
  memo.clear();
  matched.clear();
  return visit(pattern, {PatternExpr::Kind::Op, op});
}

SmallVector<PatternExpr> PatternMatcher::getMatched() const {
  llvm::DenseSet<std::pair<unsigned, const void *>> seen;
  SmallVector<PatternExpr> exprs;
  for (const DFPattern *part : matched) {
    PatternExpr expr = memo.lookup(part->getId());
    if ((part->getKind() == DFPattern::Kind::Call ||
         part->getKind() == DFPattern::Kind::TupleGetItem) &&
        seen.insert(expr.getKey()).second)
      exprs.push_back(expr);
  }
  return exprs;
}

/// The expression that `expr`, a variable, is bound to.
PatternExpr PatternMatcher::unwrap(PatternExpr expr) {
  SmallVector<Operation *> passed;
  while (true) {
    if (auto result = dyn_cast_or_null<OpResult>(expr.getValue());
        result && isa<DataflowOp>(result.getOwner())) {
      expr = PatternExpr::get(getInside(result));
      continue;
    }
    auto alias = dyn_cast_or_null<AliasOp>(expr.getOp());
    if (!alias)
      break;
    if (auto known = aliases.find(alias); known != aliases.end()) {
      expr = known->second;
      break;
    }
    // A field of an op with several results is no variable.
    auto result = dyn_cast<OpResult>(alias.getValue());
    if (result && result.getOwner()->getNumResults() > 1 &&
        !isa<DataflowOp>(result.getOwner()))
      break;
    passed.push_back(alias);
    expr = PatternExpr::get(alias.getValue());
  }
  for (Operation *alias : passed)
    aliases[alias] = expr;
  return expr;
}

void PatternMatcher::forgetFrom(size_t begin) {
  for (const DFPattern *part : ArrayRef(matched).drop_front(begin))
    memo.erase(part->getId());
  matched.truncate(begin);
}

bool PatternMatcher::visit(const DFPattern &pattern, PatternExpr expr) {
  expr = unwrap(expr);
  auto known = memo.find(pattern.getId());
  if (known != memo.end())
    return known->second == expr;
  std::pair key(pattern.getId(), expr.getKey());
  if (failures.contains(key))
    return false;
  size_t begin = matched.size();
  if (visitNew(pattern, expr)) {
    memo[pattern.getId()] = expr;
    matched.push_back(&pattern);
    return true;
  }
  forgetFrom(begin);
  if (closed.contains(pattern.getId()))
    failures.insert(key);
  return false;
}

static bool isVariable(PatternExpr expr, StringRef name) {
  Value value = expr.getValue();
  if (auto cast = dyn_cast_or_null<MatchCastOp>(expr.getOp()))
    value = cast.getResult();
  if (!value || (isa<OpResult>(value) && !expr.getOp()))
    return false;
  StringAttr variable = getVarName(value);
  return name.empty() || (variable && variable == name);
}

/// Whether `expr` is a variable that only its dataflow block knows.
static bool isDataflowVariable(PatternExpr expr) {
  Operation *op = expr.getOp();
  return op && isa<DataflowOp>(op->getParentOp()) &&
         llvm::none_of(op->getUsers(), llvm::IsaPred<OutputOp>);
}

static bool hasShape(PatternExpr expr, ArrayRef<Dim> dims) {
  Type type = expr.getType();
  std::optional<TensorInfo> info = type ? TensorInfo::get(type) : std::nullopt;
  return info && info->isRanked && !info->lacksShape && !info->shape &&
         llvm::equal(info->dims, dims, areEqual);
}

static bool hasMoreSpecificType(PatternExpr expr, Type general) {
  Type type = expr.getType();
  // As in TVM, a size with a name can be any size.
  return type && isMoreGeneral(mapDims(general,
                                       [](Dim dim) {
                                         return dim.isName() ? Dim() : dim;
                                       }),
                               type);
}

/// Matches a pattern that has no others in it.
static bool matchLeaf(const DFPattern &pattern, PatternExpr expr) {
  Operation *op = expr.getOp();
  StringRef name = pattern.getName();
  switch (pattern.getKind()) {
  case DFPattern::Kind::Op:
    return expr.getKind() == PatternExpr::Kind::OpName &&
           expr.getName() == name;
  case DFPattern::Kind::Constant:
    return isa_and_nonnull<ConstantOp>(op);
  case DFPattern::Kind::Number: {
    auto number = dyn_cast_or_null<PrimValueOp>(op);
    return number && number.getValueAttr() == pattern.getAttr();
  }
  case DFPattern::Kind::Var:
    return isVariable(expr, name);
  case DFPattern::Kind::DataflowVar:
    return isVariable(expr, name) && isDataflowVariable(expr);
  case DFPattern::Kind::GlobalVar: {
    auto global = dyn_cast_or_null<GlobalOp>(op);
    return (global && global.getValue().contains(name)) ||
           (expr.getKind() == PatternExpr::Kind::Global &&
            expr.getName().contains(name));
  }
  case DFPattern::Kind::ExternFunc: {
    auto func = dyn_cast_or_null<ExternFuncOp>(op);
    return func && (name.empty() || func.getValue() == name);
  }
  case DFPattern::Kind::ShapeValue: {
    auto shape = dyn_cast_or_null<ShapeOp>(op);
    return shape &&
           llvm::equal(shape.getDims().getDims(), pattern.getDims(), areEqual);
  }
  default:
    return true;
  }
}

static bool hasElementType(PatternExpr expr, Type elementType) {
  Type type = expr.getType();
  std::optional<TensorInfo> info = type ? TensorInfo::get(type) : std::nullopt;
  return info && info->elementType == elementType;
}

bool PatternMatcher::visitNew(const DFPattern &pattern, PatternExpr expr) {
  ArrayRef<DFPattern> parts = pattern.getParts();
  switch (pattern.getKind()) {
  case DFPattern::Kind::Call:
    return visitCall(pattern, expr);
  case DFPattern::Kind::Tuple:
  case DFPattern::Kind::UnorderedTuple:
    return visitFields(pattern, expr);
  case DFPattern::Kind::TupleGetItem:
    return visitField(pattern, expr);
  case DFPattern::Kind::Or:
    return visit(parts[0], expr) || visit(parts[1], expr);
  case DFPattern::Kind::And:
    return visit(parts[0], expr) && visit(parts[1], expr);
  case DFPattern::Kind::Not:
    return !visit(parts[0], expr);
  case DFPattern::Kind::HasDType:
    return hasElementType(expr, pattern.getType()) && visit(parts[0], expr);
  case DFPattern::Kind::HasShape:
    return hasShape(expr, pattern.getDims()) && visit(parts[0], expr);
  case DFPattern::Kind::HasType:
    return visit(parts[0], expr) &&
           hasMoreSpecificType(expr, pattern.getType());
  case DFPattern::Kind::HasAttrs: {
    Operation *op = expr.getOp();
    return visit(parts[0], expr) && op && PatternCall::get(op) &&
           hasAttributes(op, cast<DictionaryAttr>(pattern.getAttr()));
  }
  default:
    return matchLeaf(pattern, expr);
  }
}

bool PatternMatcher::visitCall(const DFPattern &pattern, PatternExpr expr) {
  Operation *op = expr.getOp();
  std::optional<PatternCall> call = op ? PatternCall::get(op) : std::nullopt;
  if (!call || !visit(pattern.getParts().front(), call->callee))
    return false;
  ArrayRef<DFPattern> args = pattern.getParts().drop_front();
  if (pattern.takesMore() ? call->args.size() < args.size()
                          : call->args.size() != args.size())
    return false;
  auto visitArgs = [&](auto exprs) {
    size_t begin = matched.size();
    if (llvm::all_of(llvm::zip(args, exprs), [&](const auto &pair) {
          return visit(std::get<0>(pair), std::get<1>(pair));
        }))
      return true;
    forgetFrom(begin);
    return false;
  };
  return visitArgs(ArrayRef(call->args)) ||
         (isa<AddOp, MultiplyOp>(op) &&
          visitArgs(llvm::reverse(ArrayRef(call->args))));
}

bool PatternMatcher::visitFields(const DFPattern &pattern, PatternExpr expr) {
  ValueRange operands;
  if (isa_and_nonnull<TupleOp>(expr.getOp()))
    operands = expr.getOp()->getOperands();
  else if (expr.getKind() == PatternExpr::Kind::Arguments)
    operands = getTupleOperands(expr.getOwner());
  else
    return false;
  ArrayRef<DFPattern> parts = pattern.getParts();
  if (operands.size() != parts.size())
    return false;
  auto fields = llvm::map_to_vector(operands, PatternExpr::get);
  if (pattern.getKind() == DFPattern::Kind::UnorderedTuple)
    return visitUnordered(parts, fields);
  return llvm::all_of(llvm::zip(parts, fields), [&](const auto &pair) {
    return visit(std::get<0>(pair), std::get<1>(pair));
  });
}

namespace {
/// Gives each pattern of an unordered tuple a field that it fits, and each
/// field one pattern.
class FieldAssignment {
public:
  /// `fits` has for each pattern the fields that it fits.
  explicit FieldAssignment(std::vector<llvm::BitVector> fits)
      : fits(std::move(fits)), fieldOf(this->fits.size(), -1),
        patternOf(this->fits.size(), -1) {}

  /// Whether all patterns get a field.
  bool complete() {
    return llvm::all_of(llvm::seq<int>(fits.size()), [&](int pattern) {
      llvm::BitVector tried(fits.size());
      return move(pattern, /*numFixed=*/0, tried);
    });
  }

  /// Gives `field` to `pattern`, if the patterns after it can have the others.
  /// The patterns before it stay where they are.
  bool assign(int pattern, int field) {
    int other = patternOf[field], old = fieldOf[pattern];
    if (other == pattern)
      return true;
    if (other < pattern || !fits[pattern].test(field))
      return false;
    llvm::BitVector tried(fits.size());
    tried.set(field);
    patternOf[old] = -1;
    if (!move(other, pattern + 1, tried)) {
      patternOf[old] = pattern;
      return false;
    }
    set(pattern, field);
    return true;
  }

private:
  void set(int pattern, int field) {
    fieldOf[pattern] = field;
    patternOf[field] = pattern;
  }

  /// Finds another field for `pattern`; patterns from `numFixed` on can move.
  bool move(int pattern, int numFixed, llvm::BitVector &tried) {
    for (unsigned field : fits[pattern].set_bits()) {
      int other = patternOf[field];
      if (tried.test(field) || (other >= 0 && other < numFixed))
        continue;
      tried.set(field);
      if (other >= 0 && !move(other, numFixed, tried))
        continue;
      set(pattern, field);
      return true;
    }
    return false;
  }

  std::vector<llvm::BitVector> fits;
  SmallVector<int> fieldOf, patternOf;
};
} // namespace

/// Splits `patterns` into the ones that have parts which match something
/// already, or which others have, too, and the rest. What one of the rest
/// matches does not depend on the others.
void PatternMatcher::splitByParts(
    ArrayRef<DFPattern> patterns, SmallVectorImpl<const DFPattern *> &dependent,
    SmallVectorImpl<const DFPattern *> &independent) {
  llvm::DenseMap<const void *, unsigned> numUsers;
  std::vector<SmallVector<const void *>> partsOf;
  for (const DFPattern &pattern : patterns) {
    SmallVector<const void *> &parts = partsOf.emplace_back();
    auto counts = countUses(pattern);
    for (const DFPattern *part : llvm::make_first_range(counts)) {
      // An op is the same wherever it stands.
      if (part->getKind() == DFPattern::Kind::Op)
        continue;
      parts.push_back(part->getId());
      ++numUsers[part->getId()];
    }
  }
  for (const auto &[pattern, parts] : llvm::zip_equal(patterns, partsOf)) {
    bool isAlone = llvm::all_of(parts, [&](const void *part) {
      return numUsers.lookup(part) == 1 && !memo.contains(part);
    });
    (isAlone ? independent : dependent).push_back(&pattern);
  }
}

bool PatternMatcher::visitUnordered(ArrayRef<DFPattern> patterns,
                                    ArrayRef<PatternExpr> fields) {
  // All orders are tried for the dependent patterns alone.
  SmallVector<const DFPattern *> sorted, independent;
  splitByParts(patterns, sorted, independent);
  std::vector<llvm::BitVector> fits(sorted.size(),
                                    llvm::BitVector(fields.size(), true));
  for (const DFPattern *pattern : independent) {
    llvm::BitVector &fitting = fits.emplace_back(fields.size());
    for (auto [index, field] : llvm::enumerate(fields)) {
      size_t begin = matched.size();
      if (visit(*pattern, field))
        fitting.set(index);
      forgetFrom(begin);
    }
    sorted.push_back(pattern);
  }
  FieldAssignment assignment(std::move(fits));
  auto visitFrom = [&](auto &self, size_t next) -> bool {
    if (next == sorted.size())
      return true;
    for (auto [index, field] : llvm::enumerate(fields)) {
      if (!assignment.assign(next, index))
        continue;
      size_t begin = matched.size();
      if (visit(*sorted[next], field) && self(self, next + 1))
        return true;
      forgetFrom(begin);
    }
    return false;
  };
  return assignment.complete() && visitFrom(visitFrom, 0);
}

bool PatternMatcher::visitField(const DFPattern &pattern, PatternExpr expr) {
  auto field = getFieldOfTuple(expr);
  return field &&
         (!pattern.getIndex() || *pattern.getIndex() == field->second) &&
         visit(pattern.getParts().front(), field->first);
}
