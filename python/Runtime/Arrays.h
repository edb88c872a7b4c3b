//===- Arrays.h - Values of Python for the runtime ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_RUNTIME_ARRAYS_H
#define PARTITA_PYTHON_RUNTIME_ARRAYS_H

#include "partita-c/Runtime.h"

#include <deque>
#include <nanobind/nanobind.h>
#include <string>
#include <vector>

namespace partita::python {

/// Python objects as arguments. Arrays are borrowed: they are held for as long
/// as this lives.
class Arguments {
public:
  Arguments() = default;
  ~Arguments();
  Arguments(const Arguments &) = delete;
  Arguments &operator=(const Arguments &) = delete;

  void read(nanobind::tuple args);
  const std::vector<PartitaRuntimeValue> &getValues() const { return values; }

private:
  void fill(PartitaRuntimeValue &value, nanobind::handle object);
  void fillInteger(PartitaRuntimeValue &value, nanobind::handle object);
  void fillTuple(PartitaRuntimeValue &value, nanobind::handle object);
  bool fillBuffer(PartitaRuntimeValue &value, nanobind::handle object);
  bool fillExchanged(PartitaRuntimeValue &value, nanobind::handle object);
  void fillArray(PartitaRuntimeValue &value, nanobind::handle object);
  void setOther(PartitaRuntimeValue &value, std::string description);

  std::vector<PartitaRuntimeValue> values;
  std::deque<std::vector<PartitaRuntimeValue>> tuples;
  std::deque<std::string> descriptions;
  std::deque<std::vector<int64_t>> strides;
  std::deque<Py_buffer> buffers;
  std::vector<nanobind::object> held;
};

/// An argument of a packed function. Arrays are copies; those that the function
/// may not write are read-only.
nanobind::object copyToPython(const PartitaRuntimeValue &value);
/// Copies the elements of `copy`, which copyToPython has made of `value`, back
/// where the function may write them.
void copyBack(const PartitaRuntimeValue &value, nanobind::handle copy);

/// How DLPack describes an array: its code, bits, lanes and offset in bytes,
/// its shape, and its strides.
nanobind::tuple describeTensor(nanobind::object object);

/// A result as numbers, tuples and arrays of NumPy, which own its memory.
nanobind::object toPython(PartitaRuntimeValue &value);

} // namespace partita::python

#endif // PARTITA_PYTHON_RUNTIME_ARRAYS_H
