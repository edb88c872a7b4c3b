//===- RealizeVDevice.cpp - Say where each tensor is ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that must be on the same device are the nodes of a graph. What is
// known of some spreads to the others: first what types, results and outcomes
// of hints say, then what hints say of their operands.
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"
#include "VDevices.h"
#include "Values.h"

#include "partita/Dialect/Relax/IR/RelaxShape.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "llvm/ADT/StringSwitch.h"

namespace partita::relax {
#define GEN_PASS_DEF_REALIZEVDEVICE
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// Devices of the values of a function.
class DeviceGraph {
public:
  using Devices = llvm::MapVector<Value, Attribute>;

  explicit DeviceGraph(FuncOp func);

  /// The devices of all values that are on the device of one of `explicitly`,
  /// or else of `hinted`.
  Devices spread(const Devices &explicitly, const Devices &hinted) const;

private:
  void connect(Value a, Value b);

  llvm::DenseMap<Value, SmallVector<Value>> neighbors;
};

struct RealizeVDevice : relax::impl::RealizeVDeviceBase<RealizeVDevice> {
  void runOnOperation() override;

private:
  LogicalResult realize(FuncOp func);
  /// The place of the device that `hint` names.
  FailureOr<Attribute> getDevice(HintOnDeviceOp hint);
  LogicalResult collect(FuncOp func, DeviceGraph::Devices &explicitly,
                        DeviceGraph::Devices &hinted);
  LogicalResult replaceHints(FuncOp func);

  ArrayAttr devices;
};
} // namespace

/// DLPack's number of the devices that a target is for; 0 if there is none.
static int64_t getDeviceType(Attribute target) {
  auto fields = dyn_cast_if_present<DictionaryAttr>(target);
  auto kind = fields ? fields.getAs<StringAttr>("kind") : StringAttr();
  return llvm::StringSwitch<int64_t>(kind ? kind.getValue() : "")
      .Cases({"llvm", "c", "composite"}, 1)
      .Cases({"cuda", "nvptx"}, 2)
      .Case("opencl", 4)
      .Case("vulkan", 7)
      .Case("metal", 8)
      .Case("rocm", 10)
      .Case("ext_dev", 12)
      .Case("webgpu", 15)
      .Case("hexagon", 16)
      .Default(0);
}

static Attribute getTensorDevice(Type type) {
  std::optional<TensorInfo> tensor = TensorInfo::get(type);
  return tensor ? tensor->vdevice : Attribute();
}

/// `type` on `device`.
static Type withDevice(Type type, Attribute device) {
  std::optional<TensorInfo> tensor = TensorInfo::get(type);
  if (!tensor)
    return type;
  tensor->vdevice = device;
  return tensor->getType(type.getContext());
}

/// Whether `value` is a variable that can be on a device.
static bool isOnDevice(Value value) {
  Operation *op = value.getDefiningOp();
  return !value.getType().isIntOrIndexOrFloat() && !(op && isPartOfUser(op));
}

void DeviceGraph::connect(Value a, Value b) {
  SmallVector<Value> parts = {getUncast(b)};
  while (!parts.empty()) {
    Value part = parts.pop_back_val();
    if (isOnDevice(part)) {
      neighbors[a].push_back(part);
      neighbors[part].push_back(a);
    } else if (Operation *op = part.getDefiningOp()) {
      parts.append(op->operand_begin(), op->operand_end());
    }
  }
}

DeviceGraph::DeviceGraph(FuncOp func) {
  func.walk([&](Operation *op) {
    if (auto dataflow = dyn_cast<DataflowOp>(op)) {
      for (auto [result, output] :
           llvm::zip(op->getResults(),
                     dataflow.getBody()->getTerminator()->getOperands()))
        connect(result, output);
      return;
    }
    if (auto yield = dyn_cast<YieldOp>(op))
      return connect(op->getParentOp()->getResult(0), yield.getValue());
    if (isa<ToVDeviceOp, HintOnDeviceOp>(op) || isPartOfUser(op))
      return;
    // All results of an op are fields of one variable.
    for (Value result : op->getResults().drop_front(op->getNumResults() != 0))
      connect(op->getResult(0), result);
    if (op->getNumResults() != 0 && isOnDevice(op->getResult(0)))
      for (Value operand : op->getOperands())
        connect(op->getResult(0), operand);
  });
}

DeviceGraph::Devices DeviceGraph::spread(const Devices &explicitly,
                                         const Devices &hinted) const {
  Devices known;
  auto spreadFrom = [&](const Devices &more) {
    SmallVector<Value> worklist;
    for (auto [value, device] : more)
      if (known.insert({value, device}).second)
        worklist.push_back(value);
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      Attribute device = known.lookup(value);
      auto it = neighbors.find(value);
      for (Value other :
           it == neighbors.end() ? ArrayRef<Value>() : ArrayRef(it->second))
        if (known.insert({other, device}).second)
          worklist.push_back(other);
    }
  };
  spreadFrom(explicitly);
  spreadFrom(hinted);
  return known;
}

FailureOr<Attribute> RealizeVDevice::getDevice(HintOnDeviceOp hint) {
  for (auto [index, attr] : llvm::enumerate(devices)) {
    if (!isVDevice(attr))
      continue;
    auto device = cast<DictionaryAttr>(attr);
    if (getDeviceType(device.get("target")) == int64_t(hint.getDeviceType()) &&
        device.getAs<IntegerAttr>("vdevice_id").getInt() ==
            int64_t(hint.getIndex()) &&
        device.getAs<StringAttr>("memory_scope") == hint.getMemoryScopeAttr())
      return Attribute(
          IntegerAttr::get(IntegerType::get(&getContext(), 64), index));
  }
  return hint.emitOpError("expected a vdevice of type ")
         << hint.getDeviceType() << ", number " << hint.getIndex()
         << " and memory " << hint.getMemoryScopeAttr()
         << " in the module's global infos, but found none";
}

LogicalResult RealizeVDevice::collect(FuncOp func,
                                      DeviceGraph::Devices &explicitly,
                                      DeviceGraph::Devices &hinted) {
  auto add = [&](Value value) {
    if (Attribute device = getTensorDevice(value.getType()))
      explicitly.insert({value, device});
  };
  llvm::for_each(func.getArguments(), add);
  WalkResult walked = func.walk([&](Operation *op) -> WalkResult {
    // A cast without a variable is the type of the function's result.
    if (!(isa<MatchCastOp>(op) && !isVar(op)))
      llvm::for_each(op->getResults(), add);
    auto hint = dyn_cast<HintOnDeviceOp>(op);
    if (!hint)
      return WalkResult::advance();
    FailureOr<Attribute> device = getDevice(hint);
    if (failed(device))
      return failure();
    explicitly[hint] = *device;
    Value operand = getUncast(hint.getData());
    if (isOnDevice(operand))
      hinted[operand] = *device;
    return success();
  });
  if (walked.wasInterrupted())
    return failure();
  Operation *end = func.getBody().front().getTerminator();
  for (auto [operand, type] :
       llvm::zip(end->getOperands(), func.getResultTypes()))
    if (Value value = getUncast(operand); isOnDevice(value))
      if (Attribute device = getTensorDevice(type))
        explicitly.insert({value, device});
  return success();
}

LogicalResult RealizeVDevice::replaceHints(FuncOp func) {
  WalkResult walked = func.walk([&](HintOnDeviceOp hint) -> WalkResult {
    FailureOr<Attribute> device = getDevice(hint);
    if (failed(device))
      return failure();
    OpBuilder builder(hint);
    Value data = hint.getData();
    Operation *made;
    if (getTensorDevice(data.getType()) == *device) {
      made = AliasOp::create(builder, hint.getLoc(), data);
    } else {
      made = ToVDeviceOp::create(builder, hint.getLoc(),
                                 withDevice(data.getType(), *device), data,
                                 devices[cast<IntegerAttr>(*device).getInt()]);
      ++numCopies;
    }
    hint->replaceAllUsesWith(made);
    hint.erase();
    return WalkResult::skip();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult RealizeVDevice::realize(FuncOp func) {
  DeviceGraph::Devices explicitly, hinted;
  if (failed(collect(func, explicitly, hinted)))
    return failure();
  for (auto [value, device] : DeviceGraph(func).spread(explicitly, hinted))
    if (Type type = withDevice(value.getType(), device);
        type != value.getType()) {
      value.setType(type);
      ++numTensors;
    }
  if (failed(replaceHints(func)))
    return failure();
  // Tuples and the function have the types that their values have now.
  func.walk([&](Operation *op) {
    if (isa<TupleOp>(op))
      op->getResult(0).setType(
          TupleType::get(&getContext(), op->getOperandTypes()));
    if (auto dataflow = dyn_cast<DataflowOp>(op))
      for (auto [result, type] :
           llvm::zip(op->getResults(),
                     dataflow.getBody()->getTerminator()->getOperandTypes()))
        result.setType(type);
  });
  Operation *end = func.getBody().front().getTerminator();
  SmallVector<Type> results;
  for (auto [operand, type] :
       llvm::zip(end->getOperands(), func.getResultTypes())) {
    Type known = getUncast(operand).getType();
    bool areEqual = isMoreGeneral(known, type) && isMoreGeneral(type, known);
    Attribute device = getTensorDevice(known);
    results.push_back(areEqual ? known
                      : device ? withDevice(type, device)
                               : type);
  }
  func.setType(FunctionType::get(
      &getContext(), func.getBody().getArgumentTypes(), func.getResultTypes()));
  setResultTypes(func, results);
  return success();
}

void RealizeVDevice::runOnOperation() {
  devices = getVDevices(getOperation());
  for (auto func : getOperation().getOps<FuncOp>())
    if (isChangeable(func) && failed(realize(func)))
      return signalPassFailure();
}
