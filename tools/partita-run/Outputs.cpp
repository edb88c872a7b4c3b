//===- Outputs.cpp - Results of partita-run -------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <cstring>

using namespace partita;

/// How many elements the summary shows.
constexpr size_t kNumShown = 5;

static void collect(const PartitaRuntimeValue &value,
                    std::deque<std::string> &memory,
                    std::vector<Array> &arrays) {
  if (value.kind == PartitaRuntimeTupleKind) {
    for (intptr_t i = 0; i < value.as.tuple.count; ++i)
      collect(value.as.tuple.fields[i], memory, arrays);
    return;
  }
  Array array;
  array.name = "out_" + std::to_string(arrays.size());
  auto copy = [&](DType dtype, const void *data, size_t bytes) {
    array.dtype = dtype;
    array.data = memory.emplace_back(static_cast<const char *>(data), bytes);
  };
  switch (value.kind) {
  case PartitaRuntimeTensorKind: {
    // Results and what functions write are contiguous.
    const PartitaRuntimeTensor &tensor = value.as.tensor;
    array.dtype = {tensor.code, tensor.bits};
    array.shape.assign(tensor.shape, tensor.shape + tensor.rank);
    size_t bytes = array.dtype.getBytes();
    for (int64_t size : array.shape)
      bytes *= size;
    array.data = llvm::StringRef(
        static_cast<const char *>(tensor.data) + tensor.byteOffset, bytes);
    break;
  }
  case PartitaRuntimeShapeKind:
    array.shape = {value.as.shape.count};
    copy({kIntCode, 64}, value.as.shape.sizes,
         sizeof(int64_t) * value.as.shape.count);
    break;
  case PartitaRuntimeBoolKind:
    copy({kBoolCode, 8}, &value.as.integer, 1);
    break;
  case PartitaRuntimeIntKind:
    copy({kIntCode, 64}, &value.as.integer, sizeof(int64_t));
    break;
  case PartitaRuntimeUIntKind:
    copy({kUIntCode, 64}, &value.as.natural, sizeof(uint64_t));
    break;
  case PartitaRuntimeFloatKind:
    copy({kFloatCode, 64}, &value.as.real, sizeof(double));
    break;
  case PartitaRuntimeTupleKind:
  case PartitaRuntimeOtherKind:
  case PartitaRuntimeStringKind:
  case PartitaRuntimeObjectKind:
    return;
  }
  arrays.push_back(std::move(array));
}

std::vector<Array> partita::getOutputs(const Signature &signature,
                                       llvm::ArrayRef<PartitaRuntimeValue> args,
                                       const PartitaRuntimeValue &result,
                                       std::deque<std::string> &memory) {
  std::vector<Array> arrays;
  collect(result, memory, arrays);
  for (auto [param, arg] : llvm::zip_equal(signature.params, args))
    if (param.isWritten)
      collect(arg, memory, arrays);
  return arrays;
}

//===----------------------------------------------------------------------===//
// The summary
//===----------------------------------------------------------------------===//

/// Whether the element with bits `left` is greater. NaN is the greatest, so
/// that it is seen.
static bool isGreater(DType dtype, uint64_t left, uint64_t right) {
  if (dtype.code == kUIntCode || dtype.code == kBoolCode)
    return left > right;
  if (dtype.code == kIntCode) {
    unsigned unused = 64 - dtype.bits;
    return int64_t(left << unused) > int64_t(right << unused);
  }
  double leftReal = readReal(dtype, left), rightReal = readReal(dtype, right);
  if (std::isnan(leftReal) || std::isnan(rightReal))
    return std::isnan(leftReal) && !std::isnan(rightReal);
  return leftReal > rightReal;
}

/// The indices of the greatest elements, the greatest first.
static llvm::SmallVector<size_t> getGreatest(const Array &array) {
  llvm::SmallVector<size_t> indices;
  size_t count = array.getNumElements();
  for (size_t index = 0; index < count; ++index) {
    uint64_t bits = array.getBits(index);
    auto isBefore = [&](size_t other) {
      return !isGreater(array.dtype, bits, array.getBits(other));
    };
    if (indices.size() == kNumShown && isBefore(indices.back()))
      continue;
    indices.insert(llvm::partition_point(indices, isBefore), index);
    if (indices.size() > kNumShown)
      indices.pop_back();
  }
  return indices;
}

/// The largest difference between elements of two arrays of one type.
static double getDifference(const Array &array, const Array &other) {
  double largest = 0;
  DType dtype = array.dtype;
  for (size_t i = 0; i < array.getNumElements(); ++i) {
    uint64_t left = array.getBits(i), right = other.getBits(i);
    if (left == right)
      continue;
    double difference =
        std::fabs(readNumber(dtype, left) - readNumber(dtype, right));
    // Infinities, and NaN in one of the two.
    if (!(difference <= largest))
      largest = difference;
    if (std::isnan(largest))
      break;
  }
  return largest;
}

/// The array of `file` for an output.
static llvm::Expected<const Array *> findExpected(const NumPyFile &file,
                                                  const Array &output) {
  auto it = llvm::find_if(file.arrays, [&](const Array &array) {
    return array.name == output.name;
  });
  std::string found = "none";
  if (it != file.arrays.end()) {
    // A file does not say which of the floats of 8 bits it has.
    if (getNumPyName(it->dtype) == getNumPyName(output.dtype) &&
        it->shape == output.shape && !it->isFortran)
      return &*it;
    found = it->printType() + (it->isFortran ? " in Fortran's order" : "");
  }
  return llvm::createStringError("expected '" + output.name + "' in '" +
                                 file.path + "' to be " + output.printType() +
                                 ", but found " + found);
}

llvm::Error partita::printSummary(llvm::ArrayRef<Array> arrays,
                                  const NumPyFile *file,
                                  llvm::raw_ostream &os) {
  for (const Array &array : arrays) {
    const Array *expected = nullptr;
    if (file) {
      llvm::Expected<const Array *> found = findExpected(*file, array);
      if (!found)
        return found.takeError();
      expected = *found;
    }
    os << array.name << ": " << array.printType();
    if (expected)
      os << ", largest difference "
         << llvm::format("%.2g", getDifference(array, *expected));
    os << "\n";
    for (size_t index : getGreatest(array)) {
      os << "  " << array.printPlace(index) << " ";
      printElement(array.dtype, array.getBits(index), os);
      if (expected) {
        os << ", expected ";
        printElement(array.dtype, expected->getBits(index), os);
      }
      os << "\n";
    }
  }
  return llvm::Error::success();
}
