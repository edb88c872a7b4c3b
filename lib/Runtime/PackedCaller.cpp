//===- PackedCaller.cpp - Calls from compiled code to the caller ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedCaller.h"
#include "Arguments.h"
#include "Results.h"
#include "RuntimeError.h"

#include "llvm/ADT/bit.h"

#include <cstring>
#include <deque>

namespace partita::runtime {

//===----------------------------------------------------------------------===//
// PackedReturn
//===----------------------------------------------------------------------===//

void PackedReturn::write(const Param &leaf, const uint64_t *&slot) {
  if (leaf.kind == ParamKind::Tensor) {
    auto *descriptor = llvm::bit_cast<const uint64_t *>(*slot++);
    size_t bytes = sizeof(MemRef) + 2 * leaf.sizes.size() * sizeof(int64_t);
    std::memcpy(takeField(memory, bytes, alignof(MemRef)), descriptor, bytes);
  } else if (leaf.kind == ParamKind::Shape) {
    size_t bytes = leaf.sizes.size() * sizeof(int64_t);
    if (bytes)
      std::memcpy(takeField(memory, bytes, alignof(int64_t)), slot, bytes);
    slot += leaf.sizes.size();
  } else {
    unsigned bytes =
        leaf.kind == ParamKind::Object ? sizeof(void *) : leaf.dtype.getBytes();
    std::memcpy(takeField(memory, bytes, bytes), slot++, bytes);
  }
}

bool PackedReturn::keepsObjects() const {
  bool keeps = false;
  function.result.visitLeaves(
      [&](const Param &leaf) { keeps |= leaf.kind == ParamKind::Object; });
  return keeps;
}

llvm::Error PackedReturn::set(const PartitaRuntimeValue &value) {
  if (wasSet)
    return makeFailure("expected '" + function.name +
                       "' to return one result, but found another");
  ArgumentReader reader(function, call, ArgumentReader::Result);
  if (llvm::Error error = reader.read(value))
    return error;
  wasSet = true;
  const uint64_t *slot = reader.getSlots();
  function.result.visitLeaves([&](const Param &leaf) { write(leaf, slot); });
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// PackedCaller
//===----------------------------------------------------------------------===//

namespace {
/// Makes values from slots that the code has filled.
class SlotReader {
public:
  explicit SlotReader(const uint64_t *slots) : slot(slots) {}

  PartitaRuntimeValue read(const Param &param);

private:
  const uint64_t *slot;
  std::deque<std::vector<PartitaRuntimeValue>> tuples;
};
} // namespace

PartitaRuntimeValue SlotReader::read(const Param &param) {
  PartitaRuntimeValue value = {};
  switch (param.kind) {
  case ParamKind::Tensor: {
    auto *memref = llvm::bit_cast<const MemRef *>(*slot++);
    size_t rank = param.sizes.size();
    value.kind = PartitaRuntimeTensorKind;
    value.as.tensor = makeTensor(
        param.dtype, memref->aligned + memref->offset * param.dtype.getBytes(),
        rank, memref->getSizes(), memref->getSizes() + rank);
    value.isWritten = param.isWritten;
    return value;
  }
  case ParamKind::Shape:
    value.kind = PartitaRuntimeShapeKind;
    value.as.shape = {intptr_t(param.sizes.size()),
                      reinterpret_cast<const int64_t *>(slot)};
    slot += param.sizes.size();
    return value;
  case ParamKind::Prim:
    return makeScalar(param.dtype, *slot++);
  case ParamKind::Object:
    value.kind = PartitaRuntimeObjectKind;
    value.object = llvm::bit_cast<void *>(*slot++);
    return value;
  case ParamKind::String:
    value.kind = PartitaRuntimeStringKind;
    value.as.string = param.text.c_str();
    return value;
  case ParamKind::Tuple: {
    std::vector<PartitaRuntimeValue> fields;
    for (const Param &field : param.fields)
      fields.push_back(read(field));
    value.kind = PartitaRuntimeTupleKind;
    value.as.tuple.count = fields.size();
    value.as.tuple.fields = tuples.emplace_back(std::move(fields)).data();
    return value;
  }
  }
  llvm_unreachable("unknown kind of parameter");
}

llvm::Error PackedCaller::call(Call &call, size_t index, const uint64_t *slots,
                               void *result) {
  if (index >= funcs.size())
    return makeFailure("expected a packed function of the metadata");
  const Function &function = funcs[index].function;
  bool isArgument = funcs[index].isArgument;
  if (!callbacks)
    return makeFailure("expected a packed function '" + function.name +
                       "' from the caller, but found none");
  SlotReader reader(slots);
  std::vector<PartitaRuntimeValue> args;
  for (const Param &param : function.params)
    args.push_back(reader.read(param));
  PackedReturn returned(function, call, result);
  char *text = nullptr;
  PartitaRuntimeStatus status = callbacks->call(
      callbacks->context, isArgument ? nullptr : function.name.c_str(),
      args.size(), args.data(),
      reinterpret_cast<PartitaRuntimeReturn *>(&returned), &text);
  std::string message = text ? text : "it gave no reason";
  std::free(text);
  if (status != PartitaRuntimeSuccess)
    return makeFailure("packed function '" + function.name +
                       "' failed: " + message);
  if (!returned.isSet() && function.result.kind == ParamKind::Object &&
      function.result.of == ObjectKind::Any)
    return returned.set({});
  if (!returned.isSet() && function.countResults())
    return makeFailure("expected packed function '" + function.name +
                       "' to return a result, but found none");
  return llvm::Error::success();
}

} // namespace partita::runtime
