//===- Arrays.cpp - Values of Python for the runtime ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NumPy gives its arrays as buffers, with read-only ones. Other libraries give
// theirs by DLPack.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include <cstring>
#include <nanobind/ndarray.h>

namespace nb = nanobind;

namespace partita::python {

/// DLPack's codes.
enum : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kComplex = 5, kBool = 6 };
constexpr int32_t kCPU = 1;

/// A dtype of the package ml_dtypes, which NumPy lacks. Its arrays are arrays
/// of integers, viewed as this dtype.
struct OtherDType {
  const char *name, *integers;
  uint8_t code;
};
constexpr OtherDType kOtherDTypes[] = {
    {"bfloat16", "uint16", 4},      {"float8_e3m4", "uint8", 7},
    {"float8_e4m3", "uint8", 8},    {"float8_e4m3b11fnuz", "uint8", 9},
    {"float8_e4m3fn", "uint8", 10}, {"float8_e4m3fnuz", "uint8", 11},
    {"float8_e5m2", "uint8", 12},   {"float8_e5m2fnuz", "uint8", 13}};

/// DLPack's DLManagedTensorVersioned. The older DLManagedTensor begins with its
/// tensor.
struct VersionedTensor {
  uint32_t major;
  uint32_t minor;
  void *context;
  void (*deleter)(VersionedTensor *);
  uint64_t flags;
  PartitaRuntimeTensor tensor;
};
/// DLPack's flags: the tensor must not be written; it is a copy.
constexpr uint64_t kReadOnly = 1, kCopied = 2;

void Arguments::read(nb::tuple args) {
  values.resize(args.size());
  for (size_t i = 0; i < values.size(); ++i)
    fill(values[i], PyTuple_GET_ITEM(args.ptr(), i));
}

Arguments::~Arguments() {
  for (Py_buffer &buffer : buffers)
    PyBuffer_Release(&buffer);
}

void Arguments::setOther(PartitaRuntimeValue &value, std::string description) {
  value.kind = PartitaRuntimeOtherKind;
  value.as.description =
      descriptions.emplace_back(std::move(description)).c_str();
}

void Arguments::fill(PartitaRuntimeValue &value, nb::handle object) {
  PyObject *self = object.ptr();
  value.object = object.is_none() ? nullptr : self;
  if (PyBool_Check(self)) {
    value.kind = PartitaRuntimeBoolKind;
    value.as.integer = self == Py_True;
  } else if (PyLong_Check(self)) {
    fillInteger(value, object);
  } else if (PyFloat_CheckExact(self)) {
    value.kind = PartitaRuntimeFloatKind;
    value.as.real = PyFloat_AS_DOUBLE(self);
  } else if (PyTuple_Check(self) || PyList_Check(self)) {
    fillTuple(value, object);
  } else if (!fillBuffer(value, object) && !fillExchanged(value, object)) {
    fillArray(value, object);
  }
}

void Arguments::fillInteger(PartitaRuntimeValue &value, nb::handle object) {
  int overflow = 0;
  value.kind = PartitaRuntimeIntKind;
  value.as.integer = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow > 0) {
    value.kind = PartitaRuntimeUIntKind;
    value.as.natural = PyLong_AsUnsignedLongLong(object.ptr());
  }
  if (PyErr_Occurred() || overflow < 0) {
    PyErr_Clear();
    setOther(value, "an integer of more than 64 bits");
  }
}

void Arguments::fillTuple(PartitaRuntimeValue &value, nb::handle object) {
  // What it holds stays, even if a list changes during the call.
  nb::handle copy =
      held.emplace_back(nb::steal(PySequence_Tuple(object.ptr())));
  std::vector<PartitaRuntimeValue> &fields =
      tuples.emplace_back(PyTuple_GET_SIZE(copy.ptr()));
  for (size_t i = 0; i < fields.size(); ++i)
    fill(fields[i], PyTuple_GET_ITEM(copy.ptr(), i));
  value.kind = PartitaRuntimeTupleKind;
  value.as.tuple.count = fields.size();
  value.as.tuple.fields = fields.data();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Reads the format of a buffer; false if DLPack has no such elements.
static bool readFormat(const Py_buffer &buffer, PartitaRuntimeTensor &tensor) {
  const char *format = buffer.format ? buffer.format : "B";
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  bool isComplex = *format == 'Z';
  format += isComplex;
  if (!*format || format[1])
    return false;
  if (std::strchr("efdg", *format))
    tensor.code = isComplex ? kComplex : kFloat;
  else if (isComplex)
    return false;
  else if (*format == '?')
    tensor.code = kBool;
  else if (std::strchr("bhilqn", *format))
    tensor.code = kInt;
  else if (std::strchr("BHILQN", *format))
    tensor.code = kUInt;
  else
    return false;
  tensor.bits = buffer.itemsize * 8;
  tensor.lanes = 1;
  return true;
}

/// What an error calls an array whose elements DLPack does not have.
static std::string describeArray(nb::handle object) {
  nb::object dtype = nb::getattr(object, "dtype", nb::none());
  if (dtype.is_none())
    return std::string("a ") + Py_TYPE(object.ptr())->tp_name;
  return std::string("an array of dtype ") + nb::str(dtype).c_str();
}

bool Arguments::fillBuffer(PartitaRuntimeValue &value, nb::handle object) {
  if (!PyObject_CheckBuffer(object.ptr()))
    return false;
  // The buffer of NumPy's MaskedArray has no mask.
  if (nb::hasattr(object, "mask") && nb::hasattr(object, "filled")) {
    setOther(value, "a masked array, whose mask the code would not see: give "
                    "its filled(number), or its data");
    return true;
  }
  Py_buffer &buffer = buffers.emplace_back();
  if (PyObject_GetBuffer(object.ptr(), &buffer,
                         PyBUF_STRIDED_RO | PyBUF_FORMAT)) {
    buffers.pop_back();
    PyErr_Clear();
    return false;
  }
  PartitaRuntimeTensor &tensor = value.as.tensor;
  if (!readFormat(buffer, tensor)) {
    setOther(value, describeArray(object));
    return true;
  }
  std::vector<int64_t> &steps = strides.emplace_back(buffer.ndim);
  for (int i = 0; i < buffer.ndim; ++i) {
    steps[i] = buffer.strides[i] / buffer.itemsize;
    // A field of a struct, of NumPy: only NumPy can copy it.
    if (buffer.strides[i] % buffer.itemsize && buffer.shape[i] > 1) {
      nb::object copy = nb::module_::import_("numpy").attr("array")(object);
      bool isFilled = fillBuffer(value, held.emplace_back(std::move(copy)));
      value.isReadOnly = true;
      return isFilled;
    }
  }
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  value.kind = PartitaRuntimeTensorKind;
  tensor.data = buffer.buf;
  tensor.deviceType = kCPU;
  tensor.rank = buffer.ndim;
  tensor.shape = reinterpret_cast<const int64_t *>(buffer.shape);
  tensor.strides = steps.data();
  value.isReadOnly = buffer.readonly;
  return true;
}

/// The last way: NumPy has no buffers of some dtypes.
void Arguments::fillArray(PartitaRuntimeValue &value, nb::handle object) {
  nb::object dtype = nb::getattr(object, "dtype", nb::none());
  if (!dtype.is_none() && nb::hasattr(object, "view") &&
      nb::hasattr(dtype, "name")) {
    std::string name = nb::str(dtype).c_str();
    for (const OtherDType &other : kOtherDTypes) {
      if (name != other.name)
        continue;
      nb::object bits = held.emplace_back(object.attr("view")(other.integers));
      if (fillBuffer(value, bits) && value.kind == PartitaRuntimeTensorKind) {
        value.as.tensor.code = other.code;
        return;
      }
    }
  }
  setOther(value, describeArray(object));
}

//===----------------------------------------------------------------------===//
// DLPack
//===----------------------------------------------------------------------===//

/// A capsule with the object's tensor. Only new ones say that a tensor must not
/// be written.
static nb::object exportTensor(nb::handle object) {
  nb::object method = object.attr("__dlpack__");
  try {
    return method(nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_TypeError))
      throw;
  }
  return method();
}

bool Arguments::fillExchanged(PartitaRuntimeValue &value, nb::handle object) {
  // NumPy gives none of its dtypes by DLPack that it gives not as a buffer.
  if (!nb::hasattr(object, "__dlpack__") ||
      nb::hasattr(object, "__array_interface__"))
    return false;
  if (nb::hasattr(object, "__dlpack_device__")) {
    nb::object device = object.attr("__dlpack_device__")();
    int32_t type = 0;
    if (!nb::isinstance<nb::tuple>(device) || nb::len(device) == 0 ||
        !nb::try_cast(device[0], type)) {
      setOther(value, describeArray(object));
      return true;
    }
    if (type != kCPU) {
      value.kind = PartitaRuntimeTensorKind;
      value.as.tensor.deviceType = type;
      return true;
    }
  }
  // The capsule frees the tensor.
  nb::handle capsule = held.emplace_back(exportTensor(object));
  value.kind = PartitaRuntimeTensorKind;
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    auto *versioned = static_cast<const VersionedTensor *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    value.as.tensor = versioned->tensor;
    value.isReadOnly = (versioned->flags & (kReadOnly | kCopied)) != 0;
    return true;
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor"))
    value.as.tensor = *static_cast<const PartitaRuntimeTensor *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  else
    setOther(value, describeArray(object));
  return true;
}

nb::tuple describeTensor(nb::object object) {
  Arguments arguments;
  arguments.read(nb::make_tuple(object));
  const PartitaRuntimeValue &value = arguments.getValues().front();
  const PartitaRuntimeTensor &tensor = value.as.tensor;
  if (value.kind != PartitaRuntimeTensorKind || tensor.deviceType != kCPU)
    throw nb::type_error(("expected an array of the CPU, but found a " +
                          std::string(Py_TYPE(object.ptr())->tp_name))
                             .c_str());
  nb::list shape, strides;
  int64_t stride = 1;
  for (int32_t i = 0; i < tensor.rank; ++i)
    shape.append(tensor.shape[i]);
  // A compact tensor needs none.
  for (int32_t i = tensor.rank; i-- > 0; stride *= tensor.shape[i])
    strides.insert(0, tensor.strides ? tensor.strides[i] : stride);
  return nb::make_tuple(tensor.code, tensor.bits, tensor.lanes,
                        tensor.byteOffset, shape, strides);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// An array on the memory of a tensor, which `owner` keeps.
static nb::object makeArray(const PartitaRuntimeTensor &tensor,
                            nb::handle owner) {
  uint8_t code = tensor.code;
  nb::object otherDType;
  for (const OtherDType &other : kOtherDTypes) {
    if (other.code != code)
      continue;
    try {
      otherDType = nb::module_::import_("ml_dtypes").attr(other.name);
    } catch (nb::python_error &error) {
      if (!error.matches(PyExc_ImportError) &&
          !error.matches(PyExc_AttributeError))
        throw;
      nb::raise_from(error, PyExc_ImportError,
                     "expected ml_dtypes with %s, but found none: pip install "
                     "ml_dtypes --upgrade",
                     other.name);
    }
    code = kUInt;
  }
  nb::dlpack::dtype dtype{code, tensor.bits, 1};
  static_assert(sizeof(size_t) == sizeof(int64_t));
  nb::ndarray<nb::numpy> array(
      static_cast<char *>(tensor.data) + tensor.byteOffset, tensor.rank,
      reinterpret_cast<const size_t *>(tensor.shape), owner, tensor.strides,
      dtype);
  nb::object result = nb::cast(array, nb::rv_policy::reference);
  return otherDType.is_valid() ? nb::object(result.attr("view")(otherDType))
                               : result;
}

static nb::object toArray(PartitaRuntimeValue &value) {
  nb::capsule owner(value.owner, [](void *owner) noexcept {
    partitaRuntimeTensorRelease(owner);
  });
  value.owner = nullptr;
  return makeArray(value.as.tensor, owner);
}

/// An array without an owner: it must not outlive the tensor.
static nb::object viewArray(const PartitaRuntimeTensor &tensor) {
  return makeArray(tensor, nb::none());
}

template <typename Getter>
static nb::object toTuple(size_t count, Getter get) {
  nb::object tuple = nb::steal(PyTuple_New(count));
  for (size_t i = 0; i < count; ++i)
    PyTuple_SET_ITEM(tuple.ptr(), i, nb::object(get(i)).release().ptr());
  return tuple;
}

/// Turns tensors to arrays by `getArray`.
template <typename ValueT>
static nb::object toPython(ValueT &value, nb::object (*getArray)(ValueT &)) {
  switch (value.kind) {
  case PartitaRuntimeTensorKind:
    return getArray(value);
  case PartitaRuntimeShapeKind:
    return toTuple(value.as.shape.count,
                   [&](size_t i) { return nb::int_(value.as.shape.sizes[i]); });
  case PartitaRuntimeTupleKind:
    return toTuple(value.as.tuple.count, [&](size_t i) {
      ValueT &field = value.as.tuple.fields[i];
      return toPython(field, getArray);
    });
  case PartitaRuntimeBoolKind:
    return nb::bool_(value.as.integer != 0);
  case PartitaRuntimeIntKind:
    return nb::int_(value.as.integer);
  case PartitaRuntimeUIntKind:
    return nb::int_(value.as.natural);
  case PartitaRuntimeFloatKind:
    return nb::float_(value.as.real);
  case PartitaRuntimeStringKind:
    return nb::str(value.as.string);
  case PartitaRuntimeObjectKind:
    if (value.object)
      return nb::borrow(static_cast<PyObject *>(value.object));
    break;
  case PartitaRuntimeOtherKind:
    break;
  }
  return nb::none();
}

nb::object toPython(PartitaRuntimeValue &value) {
  return toPython(value, toArray);
}

nb::object copyToPython(const PartitaRuntimeValue &value) {
  return toPython<const PartitaRuntimeValue>(
      value, [](const PartitaRuntimeValue &tensor) {
        nb::object copy = viewArray(tensor.as.tensor).attr("copy")();
        if (!tensor.isWritten)
          copy.attr("setflags")(nb::arg("write") = false);
        return copy;
      });
}

void copyBack(const PartitaRuntimeValue &value, nb::handle copy) {
  if (value.kind == PartitaRuntimeTensorKind && value.isWritten) {
    // What the function only reads may be memory that nobody may write.
    nb::object array = viewArray(value.as.tensor);
    if (!array.attr("tobytes")().equal(copy.attr("tobytes")()))
      nb::setattr(array, "flat", copy.attr("flat"));
  }
  if (value.kind == PartitaRuntimeTupleKind)
    for (intptr_t i = 0; i < value.as.tuple.count; ++i)
      copyBack(value.as.tuple.fields[i], copy[i]);
}

} // namespace partita::python
