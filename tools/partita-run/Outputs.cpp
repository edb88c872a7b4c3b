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
    // Results are contiguous.
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
    return;
  }
  arrays.push_back(std::move(array));
}

std::vector<Array> partita::getOutputs(const PartitaRuntimeValue &result,
                                       std::deque<std::string> &memory) {
  std::vector<Array> arrays;
  collect(result, memory, arrays);
  return arrays;
}

//===----------------------------------------------------------------------===//
// The summary
//===----------------------------------------------------------------------===//

static uint64_t getBits(const Array &array, size_t index) {
  uint64_t bits = 0;
  size_t bytes = array.dtype.getBytes();
  std::memcpy(&bits, array.data.data() + index * bytes, bytes);
  return bits;
}

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

static void printElement(DType dtype, uint64_t bits, llvm::raw_ostream &os) {
  if (dtype.code == kBoolCode) {
    os << (bits ? "True" : "False");
  } else if (dtype.code == kUIntCode) {
    os << bits;
  } else if (dtype.code == kIntCode) {
    unsigned unused = 64 - dtype.bits;
    os << (int64_t(bits << unused) >> unused);
  } else {
    // As many digits as the type has, without the last, which compilers differ
    // in.
    int digits = dtype.bits == 64 ? 15 : dtype.bits == 32 ? 6 : 3;
    os << llvm::format("%.*g", digits, readReal(dtype, bits));
  }
}

/// The indices of the greatest elements, the greatest first.
static llvm::SmallVector<size_t> getGreatest(const Array &array) {
  llvm::SmallVector<size_t> indices;
  size_t count = array.data.size() / array.dtype.getBytes();
  for (size_t index = 0; index < count; ++index) {
    uint64_t bits = getBits(array, index);
    auto isBefore = [&](size_t other) {
      return !isGreater(array.dtype, bits, getBits(array, other));
    };
    if (indices.size() == kNumShown && isBefore(indices.back()))
      continue;
    indices.insert(llvm::partition_point(indices, isBefore), index);
    if (indices.size() > kNumShown)
      indices.pop_back();
  }
  return indices;
}

static std::string printType(const Array &array) {
  std::string text = getName(array.dtype) + "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(array.shape, os);
  os << "]";
  return text;
}

/// The largest difference between elements of two arrays of one type.
static double getDifference(const Array &array, const Array &other) {
  double largest = 0;
  DType dtype = array.dtype;
  auto read = [&](uint64_t bits) {
    unsigned unused = 64 - dtype.bits;
    return dtype.code == kIntCode ? double(int64_t(bits << unused) >> unused)
           : dtype.isInteger() || dtype.code == kBoolCode
               ? double(bits)
               : readReal(dtype, bits);
  };
  for (size_t i = 0; i < array.data.size() / dtype.getBytes(); ++i) {
    uint64_t left = getBits(array, i), right = getBits(other, i);
    if (left == right)
      continue;
    double difference = std::fabs(read(left) - read(right));
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
    if (it->dtype == output.dtype && it->shape == output.shape &&
        !it->isFortran)
      return &*it;
    found = printType(*it) + (it->isFortran ? " in Fortran's order" : "");
  }
  return llvm::createStringError("expected '" + output.name + "' in '" +
                                 file.path + "' to be " + printType(output) +
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
    os << array.name << ": " << printType(array);
    if (expected)
      os << ", largest difference "
         << llvm::format("%.2g", getDifference(array, *expected));
    os << "\n";
    for (size_t index : getGreatest(array)) {
      llvm::SmallVector<int64_t> place(array.shape.size());
      size_t rest = index;
      for (size_t i = place.size(); i-- > 0; rest /= array.shape[i])
        place[i] = rest % array.shape[i];
      os << "  [";
      llvm::interleaveComma(place, os);
      os << "] ";
      printElement(array.dtype, getBits(array, index), os);
      if (expected) {
        os << ", expected ";
        printElement(array.dtype, getBits(*expected, index), os);
      }
      os << "\n";
    }
  }
  return llvm::Error::success();
}
