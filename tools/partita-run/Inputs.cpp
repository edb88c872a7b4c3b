//===- Inputs.cpp - Arguments of partita-run ------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <cstring>

using namespace partita;
using llvm::StringRef;

/// "parameter 'x' (float32[n, 4])".
static std::string describe(const Param &param) {
  return "parameter '" + param.path + "' (" + param.print() + ")";
}

Inputs::Inputs(const Signature &signature) : signature(signature) {
  for (const Param &param : signature.params)
    param.getLeaves(leaves);
}

//===----------------------------------------------------------------------===//
// Arrays of files
//===----------------------------------------------------------------------===//

void Inputs::bindSizes(const Param &param, const Array &array) {
  for (size_t i = 0; i < param.sizes.size() && i < array.shape.size(); ++i)
    if (param.kind == Param::Tensor && !param.sizes[i].name.empty())
      sizes.try_emplace(param.sizes[i].name, array.shape[i]);
}

llvm::Error Inputs::give(const Param &param, const Array &array,
                         StringRef path) {
  auto [it, isNew] = given.try_emplace(&param, Given{&array, path.str()});
  if (!isNew)
    return llvm::createStringError("expected one array for " + describe(param) +
                                   ", but found one in '" + it->second.path +
                                   "' and another in '" + path + "'");
  bindSizes(param, array);
  return llvm::Error::success();
}

llvm::Error Inputs::giveByName(const NumPyFile &file, bool &hasGiven) {
  for (const Array &array : file.arrays) {
    auto find = [&](StringRef name) {
      return llvm::find_if(
          leaves, [&](const Param *leaf) { return leaf->path == name; });
    };
    auto it = find(array.name);
    StringRef rest = array.name;
    if (it == leaves.end() && rest.consume_front("in_"))
      it = find(rest);
    if (it == leaves.end())
      continue;
    hasGiven = true;
    if (llvm::Error error = give(**it, array, file.path))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Inputs::giveInOrder(const NumPyFile &file) {
  std::vector<const Array *> arrays;
  for (const Array &array : file.arrays)
    arrays.push_back(&array);
  // A file of inputs and outputs says which is which.
  auto isInput = [](const Array *array) {
    return StringRef(array->name).starts_with("in_");
  };
  if (llvm::any_of(arrays, isInput))
    llvm::erase_if(arrays, [&](const Array *array) { return !isInput(array); });
  std::vector<const Param *> open;
  for (const Param *leaf : leaves)
    if (!given.contains(leaf))
      open.push_back(leaf);
  if (arrays.size() > open.size())
    return llvm::createStringError(
        "expected at most " + llvm::Twine(open.size()) +
        (open.size() == 1 ? " array" : " arrays") + " in '" + file.path +
        "' for '" + signature.name + "', but found " +
        llvm::Twine(arrays.size()));
  for (auto [leaf, array] : llvm::zip(open, arrays))
    if (llvm::Error error = give(*leaf, *array, file.path))
      return error;
  return llvm::Error::success();
}

llvm::Error Inputs::read(llvm::ArrayRef<std::string> paths) {
  for (const std::string &path : paths) {
    llvm::Expected<NumPyFile> file = NumPyFile::read(path);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
  }
  // Names first, so that they decide which parameters the others are for.
  std::vector<const NumPyFile *> others;
  for (const NumPyFile &file : files) {
    bool hasGiven = false;
    if (llvm::Error error = giveByName(file, hasGiven))
      return error;
    if (!hasGiven)
      others.push_back(&file);
  }
  for (const NumPyFile *file : others)
    if (llvm::Error error = giveInOrder(*file))
      return error;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Arrays that are made
//===----------------------------------------------------------------------===//

llvm::Error Inputs::setSize(StringRef text) {
  auto [name, number] = text.split('=');
  int64_t size;
  if (name.empty() || number.getAsInteger(10, size) || size < 0)
    return llvm::createStringError(
        "expected --size to be NAME=NUMBER, but found " + text);
  bool isKnown = llvm::any_of(leaves, [&, name = name](const Param *leaf) {
    return llvm::any_of(leaf->sizes,
                        [&](const Size &size) { return size.name == name; });
  });
  if (!isKnown)
    return llvm::createStringError("expected --size of a name in " +
                                   signature.print() + ", but found " + name);
  sizes[name] = size;
  return llvm::Error::success();
}

/// Null if there is too little memory. LLVM ends the process where `new` fails.
char *Inputs::allocate(uint64_t bytes) {
  void *data = std::malloc(std::max<uint64_t>(bytes, 1));
  memory.emplace_back(static_cast<char *>(data), std::free);
  return memory.back().get();
}

llvm::Expected<Array> Inputs::makeArray(const Param &param,
                                        std::optional<uint64_t> seed) {
  std::vector<int64_t> found;
  for (const Size &size : param.sizes) {
    if (size.value < 0 && size.name.empty())
      return llvm::createStringError(
          "expected an array for " + describe(param) +
          ", which has a size without a name, but found none");
    if (size.value < 0 && !sizes.contains(size.name))
      return llvm::createStringError("expected --size " + size.name +
                                     "=NUMBER for " + describe(param) +
                                     ", but found none");
    found.push_back(size.value < 0 ? sizes[size.name] : size.value);
  }
  Array array;
  if (param.kind == Param::Shape) {
    array.dtype = {kIntCode, 64};
    array.shape.push_back(found.size());
    size_t bytes = sizeof(int64_t) * found.size();
    char *data = allocate(bytes);
    std::memcpy(data, found.data(), bytes);
    array.data = StringRef(data, bytes);
    return array;
  }
  array.dtype = param.dtype;
  array.shape.assign(found.begin(), found.end());
  uint64_t count = 1;
  for (int64_t size : found)
    count = llvm::SaturatingMultiply(count, uint64_t(size));
  uint64_t bytes =
      llvm::SaturatingMultiply(count, uint64_t(param.dtype.getBytes()));
  char *data = allocate(bytes);
  if (!data)
    return llvm::createStringError("expected memory for " + describe(param) +
                                   ", but there is too little for its sizes");
  if (seed)
    fillRandomly(param.dtype, count, *seed, data);
  else
    std::memset(data, 0, bytes);
  array.data = StringRef(data, bytes);
  return array;
}

llvm::Error Inputs::complete(std::optional<uint64_t> seed) {
  std::vector<std::string> names;
  for (const NumPyFile &file : files)
    for (const Array &array : file.arrays)
      if (!array.name.empty())
        names.push_back(array.name);
  for (auto [index, leaf] : llvm::enumerate(leaves)) {
    if (given.contains(leaf))
      continue;
    if (!seed && !leaf->isWritten)
      return llvm::createStringError(
          "expected an array for " + describe(*leaf) +
          " from --input, or --seed to make one, but found " +
          (names.empty() ? "none"
                         : "only arrays called " + llvm::join(names, ", ")));
    llvm::Expected<Array> array =
        makeArray(*leaf, seed ? std::optional(*seed + index) : std::nullopt);
    if (!array)
      return array.takeError();
    made.push_back(std::move(*array));
    if (llvm::Error error = give(*leaf, made.back(), "--seed"))
      return error;
  }
  return llvm::Error::success();
}

std::vector<Array> Inputs::getArrays() const {
  std::vector<Array> arrays;
  for (const Param *leaf : leaves) {
    arrays.push_back(*given.at(leaf).array);
    arrays.back().name = leaf->path;
  }
  return arrays;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

llvm::Expected<PartitaRuntimeValue> Inputs::getValue(const Param &param) {
  PartitaRuntimeValue value = {};
  if (param.kind == Param::Tuple) {
    std::vector<PartitaRuntimeValue> &fields = tuples.emplace_back();
    for (const Param &field : param.fields) {
      llvm::Expected<PartitaRuntimeValue> made = getValue(field);
      if (!made)
        return made.takeError();
      fields.push_back(*made);
    }
    value.kind = PartitaRuntimeTupleKind;
    value.as.tuple.count = fields.size();
    value.as.tuple.fields = fields.data();
    return value;
  }
  // An object is null: files have none.
  if (param.kind == Param::Object) {
    if (!param.of.empty())
      return llvm::createStringError(
          "expected " + describe(param) + " to be a " + param.of +
          " whose rank and dtype the module says, but found one that it leaves "
          "open: run the module from Python, or say them");
    value.kind = PartitaRuntimeObjectKind;
    return value;
  }
  const Array &array = *given.at(&param).array;
  if (param.kind == Param::Shape) {
    if (!(array.dtype == DType{kIntCode, 64}) || array.shape.size() != 1)
      return llvm::createStringError(
          "expected the array for " + describe(param) +
          " to be int64 and have one dimension, but found " +
          getName(array.dtype) + " and " + llvm::Twine(array.shape.size()));
    llvm::SmallVector<int64_t, 4> &numbers = strides.emplace_back();
    numbers.resize(array.shape.front());
    std::memcpy(numbers.data(), array.data.data(), array.data.size());
    value.kind = PartitaRuntimeShapeKind;
    value.as.shape.count = numbers.size();
    value.as.shape.sizes = numbers.data();
    return value;
  }
  value.kind = PartitaRuntimeTensorKind;
  PartitaRuntimeTensor &tensor = value.as.tensor;
  tensor.data = const_cast<char *>(array.data.data());
  if (param.isWritten) {
    // The arrays of a file are read-only.
    tensor.data = allocate(array.data.size());
    if (!tensor.data)
      return llvm::createStringError("expected memory for " + describe(param) +
                                     ", but there is too little for a copy");
    std::memcpy(tensor.data, array.data.data(), array.data.size());
  }
  constexpr int32_t cpu = 1;
  tensor.deviceType = cpu;
  tensor.rank = array.shape.size();
  // A file does not say which of the floats of 8 bits it has.
  bool fits = getNumPyName(array.dtype) == getNumPyName(param.dtype);
  DType dtype = fits ? param.dtype : array.dtype;
  tensor.code = dtype.code;
  tensor.bits = dtype.bits;
  tensor.lanes = 1;
  tensor.shape = array.shape.data();
  if (array.isFortran) {
    llvm::SmallVector<int64_t, 4> &steps = strides.emplace_back();
    int64_t step = 1;
    for (int64_t size : array.shape) {
      steps.push_back(step);
      step *= size;
    }
    tensor.strides = steps.data();
  }
  return value;
}

llvm::Expected<std::vector<PartitaRuntimeValue>> Inputs::getValues() {
  std::vector<PartitaRuntimeValue> values;
  for (const Param &param : signature.params) {
    llvm::Expected<PartitaRuntimeValue> value = getValue(param);
    if (!value)
      return value.takeError();
    values.push_back(*value);
  }
  return values;
}
