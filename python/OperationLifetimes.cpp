//===- OperationLifetimes.cpp - Which Python objects an op has ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationLifetimes.h"

#include "mlir-c/BuiltinAttributes.h"

#include <atomic>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace partita;
using namespace partita::bindings;

/// The Python objects by their ops.
using LiveOperations = std::unordered_multimap<const void *, PyOperation *>;
static LiveOperations &getLiveOperations() {
  static auto &operations = *new LiveOperations;
  return operations;
}

void partita::trackOperation(MlirOperation op, PyOperation *object) {
  getLiveOperations().emplace(op.ptr, object);
}

void partita::untrackOperation(MlirOperation op, PyOperation *object) {
  auto [begin, end] = getLiveOperations().equal_range(op.ptr);
  for (auto it = begin; it != end; ++it)
    if (it->second == object) {
      getLiveOperations().erase(it);
      return;
    }
}

MlirOperation partita::getRoot(MlirOperation op) {
  while (true) {
    MlirOperation parent = mlirOperationGetParentOperation(op);
    if (mlirOperationIsNull(parent))
      return op;
    op = parent;
  }
}

nb::object partita::findOwner(MlirOperation op) {
  MlirOperation root = getRoot(op);
  auto [begin, end] = getLiveOperations().equal_range(root.ptr);
  for (auto it = begin; it != end; ++it)
    if (!it->second->isAttached())
      return it->second->getRef().getObject();
  return nb::object();
}

size_t &partita::getEraseEpoch() {
  static size_t epoch = 0;
  return epoch;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

using AllNames = std::unordered_map<const void *, std::weak_ptr<SymbolNames>>;
static AllNames &getAllNames() {
  static auto &names = *new AllNames;
  return names;
}

std::shared_ptr<SymbolNames> SymbolNames::of(MlirOperation module) {
  std::weak_ptr<SymbolNames> &names = getAllNames()[module.ptr];
  std::shared_ptr<SymbolNames> found = names.lock();
  if (!found)
    names = found = std::shared_ptr<SymbolNames>(new SymbolNames(module));
  return found;
}

SymbolNames::~SymbolNames() {
  auto it = getAllNames().find(module.ptr);
  if (it != getAllNames().end() && it->second.expired())
    getAllNames().erase(it);
}

static std::optional<std::string> getName(MlirOperation op) {
  MlirAttribute name = mlirOperationGetAttributeByName(
      op, mlirSymbolTableGetSymbolAttributeName());
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name))
    return std::nullopt;
  MlirStringRef text = mlirStringAttrGetValue(name);
  return std::string(text.data, text.length);
}

void SymbolNames::read() {
  ops.clear();
  isKnown = true;
  hasDoubles = false;
  for (intptr_t i = 0, e = mlirOperationGetNumRegions(module); i < e; ++i)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(module, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      for (MlirOperation op = mlirBlockGetFirstOperation(block);
           !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (std::optional<std::string> name = getName(op))
          hasDoubles |= !ops.emplace(*name, op).second;
}

MlirOperation SymbolNames::find(const std::string &name) {
  if (!isKnown)
    read();
  auto it = ops.find(name);
  return it == ops.end() ? MlirOperation{nullptr} : it->second;
}

void SymbolNames::add(const std::string &name, MlirOperation op) {
  // Which of two comes first is not known.
  if (!ops.emplace(name, op).second)
    forget();
}

void SymbolNames::remove(const std::string &name, MlirOperation op) {
  auto it = ops.find(name);
  if (it != ops.end() && mlirOperationEqual(it->second, op) && !hasDoubles)
    ops.erase(it);
  else
    forget();
}

/// The names of the module that `op` is in; null if nobody has asked for them.
static std::shared_ptr<SymbolNames> getNamesAround(MlirOperation op) {
  if (getAllNames().empty())
    return nullptr;
  MlirOperation parent = mlirOperationGetParentOperation(op);
  auto it = getAllNames().find(parent.ptr);
  return it == getAllNames().end() ? nullptr : it->second.lock();
}

void partita::symbolHasCome(MlirOperation op) {
  if (std::shared_ptr<SymbolNames> names = getNamesAround(op))
    if (std::optional<std::string> name = getName(op))
      names->add(*name, op);
}

void partita::symbolWillLeave(MlirOperation op) {
  if (std::shared_ptr<SymbolNames> names = getNamesAround(op))
    if (std::optional<std::string> name = getName(op))
      names->remove(*name, op);
}

void partita::symbolsHaveChanged() {
  for (auto &[op, names] : getAllNames())
    if (std::shared_ptr<SymbolNames> locked = names.lock())
      locked->forget();
}

//===----------------------------------------------------------------------===//
// Objects of erased ops
//===----------------------------------------------------------------------===//

static void invalidateObjects(MlirOperation op) {
  // Another op can have its address next.
  if (!getAllNames().empty())
    getAllNames().erase(op.ptr);
  auto [begin, end] = getLiveOperations().equal_range(op.ptr);
  for (auto it = begin; it != end; ++it)
    it->second->setInvalid();
  getLiveOperations().erase(begin, end);
}

void partita::invalidateOperations(MlirOperation op) {
  ++getEraseEpoch();
  symbolWillLeave(op);
  if (getLiveOperations().empty())
    return;
  mlirOperationWalk(
      op,
      [](MlirOperation inner, void *) {
        invalidateObjects(inner);
        return MlirWalkResultAdvance;
      },
      nullptr, MlirWalkPreOrder);
}

/// The same for the ops inside `root`, but not for `root`.
static void invalidateInside(MlirOperation root) {
  ++getEraseEpoch();
  symbolsHaveChanged();
  std::vector<MlirOperation> inside;
  for (const auto &[op, object] : getLiveOperations()) {
    MlirOperation inner = {const_cast<void *>(op)};
    MlirOperation parent = mlirOperationGetParentOperation(inner);
    while (!mlirOperationIsNull(parent) && !mlirOperationEqual(parent, root))
      parent = mlirOperationGetParentOperation(parent);
    if (!mlirOperationIsNull(parent))
      inside.push_back(inner);
  }
  for (MlirOperation op : inside)
    invalidateObjects(op);
}

bool partita::isValid(PyOperationRef &object) {
  try {
    object->checkValid();
    return true;
  } catch (std::exception &) {
    return false;
  }
}

bool partita::hasUses(MlirOperation op) {
  for (intptr_t i = 0, e = mlirOperationGetNumResults(op); i < e; ++i)
    if (!mlirOpOperandIsNull(
            mlirValueGetFirstUse(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

/// Returns whether the walk goes on.
static bool walkFrom(PyOperationRef op,
                     const std::function<PyWalkResult(MlirOperation)> &callback,
                     bool isPreOrder) {
  if (isPreOrder) {
    PyWalkResult result = callback(op->get());
    if (result == PyWalkResult::Interrupt)
      return false;
    if (result == PyWalkResult::Skip || !isValid(op))
      return true;
  }
  MlirOperation parent = op->get();
  std::vector<PyOperationRef> inside;
  for (intptr_t i = 0, e = mlirOperationGetNumRegions(parent); i < e; ++i)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(parent, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      for (MlirOperation inner = mlirBlockGetFirstOperation(block);
           !mlirOperationIsNull(inner);
           inner = mlirOperationGetNextInBlock(inner))
        inside.push_back(PyOperation::forOperation(op->getContext(), inner));
  for (PyOperationRef &inner : inside)
    if (isValid(inner) && !walkFrom(inner, callback, isPreOrder))
      return false;
  return isPreOrder || !isValid(op) ||
         callback(op->get()) != PyWalkResult::Interrupt;
}

void partita::walk(PyOperationRef op,
                   const std::function<PyWalkResult(MlirOperation)> &callback,
                   bool isPreOrder) {
  (void)walkFrom(std::move(op), callback, isPreOrder);
}

/// The innermost scope of this thread.
static thread_local DriverScope *innermost = nullptr;

/// Whether a callback was called on a thread that is in no scope.
static std::atomic<bool> wasOnOtherThread = false;

DriverScope::DriverScope(MlirOperation root)
    : root(root), outer(std::exchange(innermost, this)) {
  invalidateInside(root);
}

DriverScope::~DriverScope() { innermost = outer; }

void DriverScope::raise() {
  if (wasOnOtherThread.exchange(false))
    throw std::runtime_error(
        "expected a pass in Python to run on the thread that runs the pass "
        "manager, but MLIR runs it on several; nest it in none, or call "
        "enable_multithreading(False) of the context");
  if (!error.is_valid())
    return;
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())),
                  error.ptr());
  throw nb::python_error();
}

bool DriverScope::call(const std::function<void()> &callback) {
  if (!innermost) {
    wasOnOtherThread = true;
    return false;
  }
  DriverScope &scope = *innermost;
  if (scope.error.is_valid())
    return false;
  try {
    callback();
  } catch (nb::python_error &error) {
    scope.error = nb::borrow(error.value());
  } catch (std::exception &error) {
    scope.error = nb::handle(PyExc_RuntimeError)(error.what());
  }
  invalidateInside(scope.root);
  return !scope.error.is_valid();
}
