//===- OperationLifetimes.cpp - Which Python objects an op has ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationLifetimes.h"

#include <atomic>
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

static void invalidateObjects(MlirOperation op) {
  auto [begin, end] = getLiveOperations().equal_range(op.ptr);
  for (auto it = begin; it != end; ++it)
    it->second->setInvalid();
  getLiveOperations().erase(begin, end);
}

void partita::invalidateOperations(MlirOperation op) {
  ++getEraseEpoch();
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
