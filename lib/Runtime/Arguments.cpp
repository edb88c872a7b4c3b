//===- Arguments.cpp - Arguments for compiled code ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Results.h"
#include "RuntimeError.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace partita::runtime {

/// DLPack's code for the memory of the CPU.
constexpr int32_t kCPU = 1;

static const char *getDeviceName(int32_t type) {
  static const char *const names[] = {"no device",    "the CPU",
                                      "CUDA",         "CUDA's host memory",
                                      "OpenCL",       "device 5",
                                      "device 6",     "Vulkan",
                                      "Metal",        "VPI",
                                      "ROCm",         "ROCm's host memory",
                                      "an extension", "CUDA's managed memory",
                                      "oneAPI",       "WebGPU",
                                      "Hexagon"};
  return size_t(type) < std::size(names) ? names[type] : "an unknown device";
}

/// What an error calls an argument that is something else.
static const char *getKindName(const PartitaRuntimeValue &value) {
  switch (value.kind) {
  case PartitaRuntimeTensorKind:
    return "a tensor";
  case PartitaRuntimeShapeKind:
    return "a shape";
  case PartitaRuntimeTupleKind:
    return "a tuple";
  case PartitaRuntimeBoolKind:
    return "a bool";
  case PartitaRuntimeIntKind:
  case PartitaRuntimeUIntKind:
    return "an integer";
  case PartitaRuntimeFloatKind:
    return "a float";
  case PartitaRuntimeStringKind:
    return "a string";
  case PartitaRuntimeObjectKind:
    return "an object";
  case PartitaRuntimeOtherKind:
    return value.as.description;
  }
  return "something else";
}

/// Whether the elements are one after another, and where code can read them.
static bool isContiguous(const PartitaRuntimeTensor &tensor, const char *data,
                         unsigned elementBytes) {
  if (reinterpret_cast<uintptr_t>(data) % elementBytes)
    return false;
  if (!tensor.strides)
    return true;
  int64_t expected = 1;
  for (int32_t i = tensor.rank; i-- > 0;) {
    if (tensor.shape[i] == 0)
      return true;
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected)
      return false;
    expected *= tensor.shape[i];
  }
  return true;
}

/// How many words a tensor's descriptor takes.
static unsigned countWords(size_t rank) { return 3 + 2 * rank; }

ArgumentReader::ArgumentReader(const Function &function, Call &call, Role role)
    : function(function), call(call), role(role),
      numSlots(role == Result ? function.countResults()
                              : function.countSlots()),
      bindings(function.variables.size()) {
  unsigned count = numSlots + 1;
  for (const Param &param : getParams())
    param.visitLeaves([&](const Param &leaf) {
      if (leaf.kind == ParamKind::Tensor)
        count += countWords(leaf.sizes.size());
    });
  words.resize(count);
  nextSlot = words.data();
  nextDescriptor = words.data() + numSlots + 1;
}

void ArgumentReader::setResult(void *memory) {
  words[numSlots] = reinterpret_cast<uintptr_t>(memory);
}

std::string ArgumentReader::describe(const Param &param) const {
  if (role == Result && !function.what.empty())
    return "expected " + function.what + " ";
  if (role == Result)
    return "expected the " + param.path + " of '" + function.name + "' ";
  return "expected argument '" + param.path + "' of '" + function.name + "' ";
}

llvm::Error ArgumentReader::makeKindError(const Param &param,
                                          const llvm::Twine &expected,
                                          const Value &value) const {
  return makeTypeError(describe(param) + "to be " + expected + ", but found " +
                       getKindName(value));
}

llvm::Error ArgumentReader::read(llvm::ArrayRef<Value> args) {
  size_t count = function.params.size();
  if (args.size() != count)
    return makeTypeError("expected " + llvm::Twine(count) +
                         (count == 1 ? " argument" : " arguments") + " of '" +
                         function.name + "', but found " +
                         llvm::Twine(args.size()));
  for (size_t i = 0; i < count; ++i)
    if (llvm::Error error = readParam(function.params[i], args[i]))
      return error;
  return llvm::Error::success();
}

llvm::Error ArgumentReader::read(const Value &result) {
  return readParam(function.result, result);
}

llvm::Error ArgumentReader::readParam(const Param &param, const Value &value) {
  switch (param.kind) {
  case ParamKind::Tensor:
    return readTensor(param, value);
  case ParamKind::Shape:
    return readShape(param, value);
  case ParamKind::Prim:
    return readPrim(param, value);
  case ParamKind::Tuple:
    return readTuple(param, value);
  case ParamKind::Object:
    return readObject(param, value);
  case ParamKind::String:
    break;
  }
  llvm_unreachable("unknown kind of parameter");
}

llvm::Error ArgumentReader::readTuple(const Param &param, const Value &value) {
  if (value.kind != PartitaRuntimeTupleKind)
    return makeKindError(param, "a tuple", value);
  size_t count = param.fields.size();
  if (size_t(value.as.tuple.count) != count)
    return makeTypeError(describe(param) + "to have " + llvm::Twine(count) +
                         (count == 1 ? " field" : " fields") + ", but found " +
                         llvm::Twine(value.as.tuple.count));
  for (size_t i = 0; i < count; ++i)
    if (llvm::Error error =
            readParam(param.fields[i], value.as.tuple.fields[i]))
      return error;
  return llvm::Error::success();
}

/// Whether `value` can be a shape.
static bool isShape(const PartitaRuntimeValue &value) {
  if (value.kind != PartitaRuntimeTupleKind)
    return value.kind == PartitaRuntimeShapeKind;
  return llvm::all_of(
      llvm::ArrayRef(value.as.tuple.fields, value.as.tuple.count),
      [](const PartitaRuntimeValue &field) {
        return field.kind == PartitaRuntimeIntKind;
      });
}

llvm::Error ArgumentReader::readObject(const Param &param, const Value &value) {
  if (param.of == ObjectKind::Tensor) {
    if (value.kind != PartitaRuntimeTensorKind)
      return makeKindError(param, "a tensor", value);
    const PartitaRuntimeTensor &tensor = value.as.tensor;
    if (param.dtype.bits)
      if (llvm::Error error = checkDType(param, tensor))
        return error;
    if (param.isRanked)
      if (llvm::Error error =
              checkSizes(param, llvm::ArrayRef(tensor.shape, tensor.rank)))
        return error;
  }
  if (param.of == ObjectKind::Shape && !isShape(value))
    return makeKindError(param, "a shape", value);
  *nextSlot++ = reinterpret_cast<uintptr_t>(value.object);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Tensors and shapes
//===----------------------------------------------------------------------===//

llvm::Error ArgumentReader::checkDType(const Param &param,
                                       const PartitaRuntimeTensor &tensor) {
  DType dtype{tensor.code, tensor.bits};
  if (dtype == param.dtype && tensor.lanes == 1)
    return llvm::Error::success();
  return makeTypeError(
      describe(param) + "to have dtype " + getName(param.dtype) +
      ", but found " + getName(dtype) +
      (tensor.lanes == 1 ? "" : "x" + std::to_string(tensor.lanes)));
}

llvm::Error ArgumentReader::checkSizes(const Param &param,
                                       llvm::ArrayRef<int64_t> sizes) {
  bool fits = sizes.size() == param.sizes.size();
  for (size_t i = 0; fits && i < sizes.size(); ++i)
    fits = param.sizes[i].value < 0 || param.sizes[i].value == sizes[i];
  if (!fits)
    return makeValueError(describe(param) +
                          (param.kind == ParamKind::Shape ? "to be the shape "
                                                          : "to have shape ") +
                          function.print(param.sizes) + ", but found " +
                          printSizes(sizes));
  for (auto [size, found] : llvm::zip(param.sizes, sizes)) {
    if (size.variable < 0)
      continue;
    Binding &binding = bindings[size.variable];
    if (!binding.param)
      binding = {found, &param};
    if (binding.value != found)
      return makeValueError("expected '" + function.variables[size.variable] +
                            "' to be the same in '" + binding.param->path +
                            "' and '" + param.path + "', but found " +
                            llvm::Twine(binding.value) + " and " +
                            llvm::Twine(found));
  }
  return llvm::Error::success();
}

/// Fails if the function would write the tensor, and must not or cannot.
llvm::Error ArgumentReader::checkWritable(const Param &param,
                                          const Value &value) {
  if (role == Result || !param.isWritten)
    return llvm::Error::success();
  const PartitaRuntimeTensor &tensor = value.as.tensor;
  auto fail = [&](const llvm::Twine &found) {
    return makeValueError(describe(param) +
                          "to be an array that the function can write, but "
                          "found " +
                          found);
  };
  if (value.isReadOnly)
    return fail("one that is read-only, or a copy");
  if (!isContiguous(tensor,
                    static_cast<char *>(tensor.data) + tensor.byteOffset,
                    param.dtype.getBytes()))
    return fail("one that is not contiguous or not aligned");
  return llvm::Error::success();
}

/// The elements where the code can read them: a copy that the call frees, if
/// need be.
llvm::Expected<char *>
ArgumentReader::getContiguous(const Param &param,
                              const PartitaRuntimeTensor &tensor) {
  char *data = static_cast<char *>(tensor.data) + tensor.byteOffset;
  unsigned elementBytes = param.dtype.getBytes();
  llvm::ArrayRef<int64_t> shape(tensor.shape, tensor.rank);
  size_t bytes = elementBytes;
  for (int64_t size : shape)
    bytes *= size;
  if (bytes && !tensor.data)
    return makeValueError(describe(param) + "to have data, but found none");
  if (role == Argument && isContiguous(tensor, data, elementBytes))
    return data;
  llvm::SmallVector<int64_t, 8> strides(tensor.rank, 1);
  for (int32_t i = tensor.rank - 1; i-- > 0;)
    strides[i] = strides[i + 1] * shape[i + 1];
  if (tensor.strides)
    strides.assign(tensor.strides, tensor.strides + tensor.rank);
  llvm::Expected<Block *> block = call.allocate(bytes);
  if (!block)
    return block.takeError();
  char *copy = static_cast<char *>((*block)->getMemory());
  copyToContiguous(data, shape, strides, elementBytes, copy);
  return copy;
}

llvm::Error ArgumentReader::readTensor(const Param &param, const Value &value) {
  if (value.kind != PartitaRuntimeTensorKind)
    return makeKindError(param, "a tensor", value);
  const PartitaRuntimeTensor &tensor = value.as.tensor;
  if (tensor.deviceType != kCPU)
    return makeValueError(describe(param) + "to be on the CPU, but found " +
                          getDeviceName(tensor.deviceType));
  if (llvm::Error error = checkDType(param, tensor))
    return error;
  llvm::ArrayRef<int64_t> shape(tensor.shape, tensor.rank);
  if (llvm::Error error = checkSizes(param, shape))
    return error;
  if (llvm::Error error = checkWritable(param, value))
    return error;
  llvm::Expected<char *> data = getContiguous(param, tensor);
  if (!data)
    return data.takeError();
  *nextSlot++ = reinterpret_cast<uintptr_t>(nextDescriptor);
  uint64_t *descriptor = nextDescriptor;
  nextDescriptor += countWords(shape.size());
  descriptor[0] = descriptor[1] = reinterpret_cast<uintptr_t>(*data);
  descriptor[2] = 0;
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    descriptor[3 + i] = shape[i];
    descriptor[3 + shape.size() + i] = stride;
    stride *= shape[i];
  }
  return llvm::Error::success();
}

llvm::Error ArgumentReader::readShape(const Param &param, const Value &value) {
  if (!isShape(value))
    return makeKindError(param, "a shape", value);
  llvm::SmallVector<int64_t, 8> sizes;
  if (value.kind == PartitaRuntimeShapeKind)
    sizes.assign(value.as.shape.sizes,
                 value.as.shape.sizes + value.as.shape.count);
  else
    for (const Value &field :
         llvm::ArrayRef(value.as.tuple.fields, value.as.tuple.count))
      sizes.push_back(field.as.integer);
  if (llvm::Error error = checkSizes(param, sizes))
    return error;
  for (int64_t size : sizes)
    *nextSlot++ = size;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

llvm::Error ArgumentReader::storeInteger(const Param &param,
                                         const Value &value) {
  bool isUnsigned = value.kind == PartitaRuntimeUIntKind;
  int64_t number = value.as.integer;
  unsigned bits = param.dtype.code == kBoolCode ? 1 : param.dtype.bits;
  bool fits = param.dtype.code == kIntCode
                  ? llvm::isIntN(bits, number) && !(isUnsigned && number < 0)
                  : llvm::isUIntN(bits, uint64_t(number)) &&
                        (isUnsigned || number >= 0);
  if (!fits)
    return makeValueError(describe(param) + "to fit into " +
                          getName(param.dtype) + ", but found " +
                          (isUnsigned ? std::to_string(value.as.natural)
                                      : std::to_string(number)));
  // The code loads the first bytes of the slot.
  std::memcpy(nextSlot++, &number, sizeof(number));
  return llvm::Error::success();
}

llvm::Error ArgumentReader::storeReal(const Param &param, const Value &value) {
  double number = value.kind == PartitaRuntimeFloatKind ? value.as.real
                  : value.kind == PartitaRuntimeUIntKind
                      ? double(value.as.natural)
                      : double(value.as.integer);
  *nextSlot++ = writeReal(param.dtype, number);
  return llvm::Error::success();
}

/// The number in a tensor of rank 0 on the CPU.
static PartitaRuntimeValue readScalar(const PartitaRuntimeTensor &tensor) {
  const char *data = static_cast<const char *>(tensor.data) + tensor.byteOffset;
  uint64_t bits = 0;
  std::memcpy(&bits, data, tensor.bits / 8);
  return makeScalar({tensor.code, tensor.bits}, bits);
}

llvm::Error ArgumentReader::readPrim(const Param &param, Value value) {
  const PartitaRuntimeTensor &tensor = value.as.tensor;
  if (value.kind == PartitaRuntimeTensorKind && tensor.rank == 0 &&
      tensor.deviceType == kCPU && tensor.data && tensor.lanes == 1) {
    DType dtype{tensor.code, tensor.bits};
    if (!(dtype == param.dtype))
      return makeTypeError(describe(param) + "to have dtype " +
                           getName(param.dtype) + ", but found " +
                           getName(dtype));
    value = readScalar(tensor);
  }
  bool isInteger = value.kind == PartitaRuntimeBoolKind ||
                   value.kind == PartitaRuntimeIntKind ||
                   value.kind == PartitaRuntimeUIntKind;
  if (param.dtype.isFloat()) {
    if (isInteger || value.kind == PartitaRuntimeFloatKind)
      return storeReal(param, value);
  } else if (isInteger) {
    return storeInteger(param, value);
  }
  std::string name = getName(param.dtype);
  return makeKindError(param, (name[0] == 'i' ? "an " : "a ") + name, value);
}

} // namespace partita::runtime
