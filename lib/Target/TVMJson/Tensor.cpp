//===- Tensor.cpp - dtypes and tensors of TVM's JSON ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include "NodeWriter.h"
#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Support/StructuralEquality.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

/// Constants of up to this many elements are printed where they are used.
static constexpr int64_t maxInlineElements = 4;

//===----------------------------------------------------------------------===//
// dtypes
//===----------------------------------------------------------------------===//

namespace {
/// A dtype by its name, and by the code and width that DLPack gives it.
struct DType {
  llvm::StringLiteral name;
  uint8_t code, bits;
  Type (*get)(MLIRContext *);
};
} // namespace

template <unsigned width,
          IntegerType::SignednessSemantics signedness = IntegerType::Signless>
static Type getInteger(MLIRContext *context) {
  return IntegerType::get(context, width, signedness);
}

template <typename T>
static Type getFloat(MLIRContext *context) {
  return T::get(context);
}

/// Those that tensors can have, and floats of less than a byte, which TVM packs
/// in a way of its own.
static constexpr DType dtypes[] = {
    {"int8", 0, 8, getInteger<8>},
    {"int16", 0, 16, getInteger<16>},
    {"int32", 0, 32, getInteger<32>},
    {"int64", 0, 64, getInteger<64>},
    {"uint8", 1, 8, getInteger<8, IntegerType::Unsigned>},
    {"uint16", 1, 16, getInteger<16, IntegerType::Unsigned>},
    {"uint32", 1, 32, getInteger<32, IntegerType::Unsigned>},
    {"uint64", 1, 64, getInteger<64, IntegerType::Unsigned>},
    {"float16", 2, 16, getFloat<Float16Type>},
    {"float32", 2, 32, getFloat<Float32Type>},
    {"float64", 2, 64, getFloat<Float64Type>},
    {"bfloat16", 4, 16, getFloat<BFloat16Type>},
    {"bool", 6, 8, getInteger<1>},
    {"float8_e3m4", 7, 8, getFloat<Float8E3M4Type>},
    {"float8_e4m3", 8, 8, getFloat<Float8E4M3Type>},
    {"float8_e4m3b11fnuz", 9, 8, getFloat<Float8E4M3B11FNUZType>},
    {"float8_e4m3fn", 10, 8, getFloat<Float8E4M3FNType>},
    {"float8_e4m3fnuz", 11, 8, getFloat<Float8E4M3FNUZType>},
    {"float8_e5m2", 12, 8, getFloat<Float8E5M2Type>},
    {"float8_e5m2fnuz", 13, 8, getFloat<Float8E5M2FNUZType>},
    {"float8_e8m0fnu", 14, 8, getFloat<Float8E8M0FNUType>},
    {"float6_e2m3fn", 15, 6, getFloat<Float6E2M3FNType>},
    {"float6_e3m2fn", 16, 6, getFloat<Float6E3M2FNType>},
    {"float4_e2m1fn", 17, 4, getFloat<Float4E2M1FNType>},
};

bool partita::tvmjson::isDTypeName(StringRef name) {
  if (name.empty() || name == "void" || name == "handle")
    return true;
  unsigned number = 0;
  size_t digits = name.rtrim("0123456789").size();
  StringRef lanes = name.drop_front(digits);
  if (!lanes.empty() && name.take_front(digits).ends_with("x")) {
    if (lanes.getAsInteger(10, number) || number == 0 || number > UINT16_MAX)
      return false;
    name = name.take_front(digits - 1);
  }
  if (llvm::any_of(dtypes,
                   [&](const DType &dtype) { return dtype.name == name; }))
    return true;
  for (StringRef base : {"int", "uint", "float", "bfloat"})
    if (StringRef bits = name; bits.consume_front(base))
      return bits.empty() ||
             (!bits.getAsInteger(10, number) && number <= UINT8_MAX);
  return false;
}

Type partita::tvmjson::getDTypeByName(StringRef name, MLIRContext *context) {
  const DType *dtype = llvm::find_if(
      dtypes, [&](const DType &dtype) { return dtype.name == name; });
  if (dtype != std::end(dtypes))
    return dtype->get(context);
  // An integer of another width.
  StringRef digits = name;
  bool isUnsigned = digits.consume_front("u");
  unsigned width = 0;
  if (!digits.consume_front("int") || digits.getAsInteger(10, width) ||
      digits != std::to_string(width) || width < (isUnsigned ? 1 : 2) ||
      width > 128)
    return {};
  return IntegerType::get(context, width,
                          isUnsigned ? IntegerType::Unsigned
                                     : IntegerType::Signless);
}

bool partita::tvmjson::isAddressable(ArrayRef<int64_t> shape) {
  std::optional<int64_t> bytes = 8;
  for (int64_t dim : shape)
    if (ShapedType::isStatic(dim))
      bytes = bytes ? llvm::checkedMul(*bytes, dim) : bytes;
  return bytes.has_value();
}

StringRef partita::tvmjson::getDTypeName(Type type) {
  for (const DType &dtype : dtypes)
    if (dtype.get(type.getContext()) == type)
      return dtype.name;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return "";
  // The context keeps the text.
  return StringAttr::get(type.getContext(),
                         (integer.isUnsigned() ? "uint" : "int") +
                             Twine(integer.getWidth()))
      .getValue();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The first bytes of a blob.
static constexpr uint64_t magic = 0xDD5E40F096B4A13F;

/// DLPack's device of tensors in main memory.
static constexpr uint32_t cpuDevice = 1;

/// Reads a blob's header and fails unless it describes a tensor of type `type`
/// and is followed by the tensor's bytes, which start at `offset`.
static LogicalResult readHeader(NodeTable &table, const Node &node,
                                ArrayRef<char> blob, RankedTensorType type,
                                uint64_t &offset) {
  llvm::DataExtractor data(StringRef(blob.data(), blob.size()),
                           /*IsLittleEndian=*/true, /*AddressSize=*/8);
  llvm::DataExtractor::Cursor cursor(0);
  uint64_t foundMagic = data.getU64(cursor);
  uint64_t reserved = data.getU64(cursor);
  uint32_t device = data.getU32(cursor);
  uint32_t deviceId = data.getU32(cursor);
  uint32_t rank = data.getU32(cursor);
  uint8_t code = data.getU8(cursor), bits = data.getU8(cursor);
  uint16_t lanes = data.getU16(cursor);
  SmallVector<int64_t> shape;
  for (uint32_t i = 0; cursor && i < rank; ++i)
    shape.push_back(data.getU64(cursor));
  uint64_t byteCount = data.getU64(cursor);
  if (!cursor)
    return table.brokenError(node, "expected a tensor's header: " +
                                       llvm::toString(cursor.takeError()));

  if (foundMagic != magic || reserved != 0)
    return table.brokenError(node,
                             "expected a tensor's header, found other bytes");
  if (device != cpuDevice || deviceId != 0)
    return table.brokenError(node,
                             "expected a tensor in main memory (device 1:0), "
                             "found device " +
                                 Twine(device) + ":" + Twine(deviceId));

  const DType *dtype = llvm::find_if(dtypes, [&](const DType &dtype) {
    return dtype.code == code && dtype.bits == bits && bits % 8 == 0 &&
           lanes == 1;
  });
  if (dtype == std::end(dtypes))
    return table.error(node, "expected a tensor of a known dtype, found code " +
                                 Twine(unsigned(code)) + ", " +
                                 Twine(unsigned(bits)) + " bits, " +
                                 Twine(lanes) + " lanes");
  if (dtype->get(type.getContext()) != type.getElementType() ||
      ArrayRef<int64_t>(shape) != type.getShape())
    return table.brokenError(
        node,
        llvm::formatv("expected a tensor of the constant's type {0}, found "
                      "dtype {1}, shape [{2:$[, ]}]",
                      type, dtype->name,
                      llvm::make_range(shape.begin(), shape.end())));

  uint64_t expectedCount = type.getNumElements() * (dtype->bits / 8);
  offset = cursor.tell();
  if (byteCount != expectedCount || blob.size() - offset != expectedCount)
    return table.brokenError(node,
                             "expected " + Twine(expectedCount) +
                                 " bytes of data, found a header that says " +
                                 Twine(byteCount) + " and " +
                                 Twine(blob.size() - offset) + " bytes");
  return success();
}

/// A small tensor's value, which stands in the attribute itself.
static ElementsAttr getInline(RankedTensorType type, ArrayRef<char> bytes) {
  if (type.getNumElements() == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  // MLIR packs i1, TVM takes a byte for each.
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> values(bytes.begin(), bytes.end());
    return DenseElementsAttr::get(type, ArrayRef<bool>(values));
  }
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

LogicalResult partita::tvmjson::getTensor(NodeTable &table, const Node &node,
                                          RankedTensorType type, StringRef name,
                                          relax::OwnedElements &result) {
  if (failed(table.expect(node, "ffi.Tensor")))
    return failure();
  // Not kept by the table, as a tensor can be large.
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  std::optional<StringRef> text = node.data.getString(saver);
  if (!text)
    return table.brokenError(node, "expected a tensor in base64, found " +
                                       node.data.describe());
  std::vector<char> blob;
  if (llvm::Error error = llvm::decodeBase64(*text, blob))
    return table.brokenError(node, "expected a tensor in base64: " +
                                       llvm::toString(std::move(error)));
  uint64_t offset = 0;
  if (failed(readHeader(table, node, blob, type, offset)))
    return failure();

  ArrayRef<char> bytes = ArrayRef<char>(blob).drop_front(offset);
  if (type.getElementType().isInteger(1) &&
      llvm::any_of(bytes, [](char c) { return c != 0 && c != 1; }))
    return table.brokenError(node,
                             "expected a tensor of 0 and 1, as its dtype is "
                             "bool, found another byte");
  if (type.getNumElements() <= maxInlineElements) {
    result = getInline(type, bytes);
    return success();
  }
  // The header is a multiple of 8 bytes long, which aligns the data for all
  // dtypes.
  AsmResourceBlob resource(
      bytes, alignof(uint64_t),
      [owner = std::move(blob)](void *, size_t, size_t) {},
      /*dataIsMutable=*/false);
  result = relax::TensorAttr::get(
      type, std::make_shared<relax::TensorData>(std::move(resource), name));
  return success();
}

/// The bytes of a constant as TVM holds them, or failure.
static LogicalResult getBytes(ElementsAttr value, std::string &bytes) {
  if (StringRef resource = partita::getResourceBytes(value);
      !resource.empty()) {
    bytes.append(resource.begin(), resource.end());
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return failure();
  if (dense.getElementType().isInteger(1)) {
    for (bool element : dense.getValues<bool>())
      bytes.push_back(element);
    return success();
  }
  ArrayRef<char> raw = dense.getRawData();
  for (int64_t i = 0, e = dense.isSplat() ? dense.getNumElements() : 1; i < e;
       ++i)
    bytes.append(raw.begin(), raw.end());
  return success();
}

FailureOr<int64_t> partita::tvmjson::addTensor(NodeWriter &writer,
                                               ElementsAttr value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  const DType *dtype =
      type ? llvm::find_if(dtypes,
                           [&](const DType &dtype) {
                             return dtype.bits % 8 == 0 &&
                                    dtype.get(type.getContext()) ==
                                        type.getElementType();
                           })
           : std::end(dtypes);
  std::string bytes;
  if (dtype == std::end(dtypes) || failed(::getBytes(value, bytes)))
    return failure();
  std::string blob;
  auto append = [&](uint64_t number, unsigned size) {
    for (unsigned i = 0; i < size; ++i)
      blob.push_back(static_cast<char>(number >> (8 * i)));
  };
  append(magic, 8);
  append(0, 8);
  append(cpuDevice, 4);
  append(0, 4);
  append(type.getRank(), 4);
  append(dtype->code, 1);
  append(dtype->bits, 1);
  append(/*lanes=*/1, 2);
  for (int64_t size : type.getShape())
    append(size, 8);
  append(bytes.size(), 8);
  blob += bytes;
  return writer.add("ffi.Tensor", llvm::encodeBase64(blob));
}
