//===- NumPyFile.cpp - Arrays in NumPy's files ----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/NumPy/NumPyFile.h"
#include "ZipFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Regex.h"

using namespace partita;
using llvm::StringRef;

constexpr StringRef kMagic = "\x93NUMPY";

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads the text of a header into `array`.
static llvm::Error readHeader(StringRef header, Array &array, bool &isSwapped) {
  static const llvm::Regex pattern(
      "^\\{ *'descr': *'([<>|=]?)([A-Za-z][0-9]*)', *"
      "'fortran_order': *(False|True), *'shape': *\\(([0-9, ]*)\\),? *\\}"
      "[ \n]*$");
  llvm::SmallVector<StringRef, 5> parts;
  if (!pattern.match(header, &parts))
    return llvm::createStringError("the header " + header.rtrim());
  // ml_dtypes calls its float8_e5m2 a float of one byte.
  array.dtype = getNumPyDType(parts[2] == "f1" ? "V1" : parts[2]);
  if (array.dtype.bits == 0)
    return llvm::createStringError("dtype '" + parts[1] + parts[2] + "'");
  array.isFortran = parts[3] == "True";
  llvm::SmallVector<StringRef, 8> sizes;
  parts[4].split(sizes, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef size : sizes) {
    if (size.trim().empty())
      continue;
    int64_t number;
    if (size.trim().getAsInteger(10, number))
      return llvm::createStringError("the shape (" + parts[4] + ")");
    array.shape.push_back(number);
  }
  isSwapped = parts[1] == ">" && array.dtype.bits > 8;
  return llvm::Error::success();
}

/// The array in a .npy file.
static llvm::Expected<Array> readNpy(StringRef file,
                                     std::deque<std::string> &memory) {
  StringRef rest = file;
  if (!rest.consume_front(kMagic) || rest.size() < 4)
    return llvm::createStringError("something else");
  unsigned major = uint8_t(rest[0]), bytes = major == 1 ? 2 : 4;
  if (major < 1 || major > 3)
    return llvm::createStringError("version " + llvm::Twine(major) +
                                   " of the format");
  rest = rest.drop_front(2);
  if (rest.size() < bytes)
    return llvm::createStringError("an incomplete file");
  uint32_t size = bytes == 2 ? llvm::support::endian::read16le(rest.data())
                             : llvm::support::endian::read32le(rest.data());
  rest = rest.drop_front(bytes);
  if (rest.size() < size)
    return llvm::createStringError("an incomplete file");
  Array array;
  bool isSwapped = false;
  if (llvm::Error error = readHeader(rest.take_front(size), array, isSwapped))
    return std::move(error);
  array.data = rest.drop_front(size);
  uint64_t expected = array.dtype.getBytes();
  bool overflows = false;
  for (int64_t dim : array.shape) {
    bool here = false;
    expected = llvm::SaturatingMultiply<uint64_t>(expected, dim, &here);
    overflows |= here;
  }
  if (llvm::is_contained(array.shape, 0))
    expected = 0;
  else if (overflows)
    return llvm::createStringError("an incomplete file");
  if (array.data.size() != expected)
    return llvm::createStringError(llvm::Twine(array.data.size()) +
                                   " bytes for the " + llvm::Twine(expected) +
                                   " of its shape");
  if (isSwapped) {
    std::string &copy = memory.emplace_back(array.data.str());
    size_t width = array.dtype.getBytes();
    for (size_t begin = 0; begin < copy.size(); begin += width)
      std::reverse(copy.begin() + begin, copy.begin() + begin + width);
    array.data = copy;
  }
  return array;
}

llvm::Expected<NumPyFile> NumPyFile::read(StringRef path) {
  // A file that is mapped to memory could be cut while it is read.
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  if (!buffer)
    return llvm::createStringError("expected to read '" + path +
                                   "', but: " + buffer.getError().message());
  NumPyFile file;
  file.path = path.str();
  file.buffer = std::move(*buffer);
  StringRef text = file.buffer->getBuffer();
  if (text.starts_with(kMagic)) {
    llvm::Expected<Array> array = readNpy(text, file.memory);
    if (!array)
      return llvm::createStringError("expected an array of numbers in '" +
                                     path + "', but found " +
                                     llvm::toString(array.takeError()));
    file.arrays.push_back(std::move(*array));
    return file;
  }
  file.isArchive = true;
  if (!text.starts_with("PK"))
    return llvm::createStringError(
        "expected arrays of NumPy (.npy, .npz) in '" + path +
        "', but found something else");
  llvm::Expected<std::vector<ZipMember>> members = readZip(text, file.memory);
  if (!members)
    return llvm::createStringError("expected arrays of NumPy in '" + path +
                                   "', but found " +
                                   llvm::toString(members.takeError()));
  for (const ZipMember &member : *members) {
    StringRef name = member.name;
    if (!name.consume_back(".npy"))
      continue;
    llvm::Expected<Array> array = readNpy(member.data, file.memory);
    if (!array)
      return llvm::createStringError("expected '" + name + "' in '" + path +
                                     "' to be an array of numbers, but found " +
                                     llvm::toString(array.takeError()));
    array->name = name.str();
    file.arrays.push_back(std::move(*array));
  }
  return file;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void partita::writeNpz(llvm::ArrayRef<Array> arrays, llvm::raw_ostream &os) {
  ZipWriter zip(os);
  for (const Array &array : arrays) {
    std::string sizes;
    for (int64_t size : array.shape)
      sizes += std::to_string(size) + ", ";
    StringRef shape = StringRef(sizes).rtrim();
    if (array.shape.size() > 1)
      shape = shape.drop_back();
    std::string text =
        (llvm::Twine("{'descr': '") + (array.dtype.bits == 8 ? "|" : "<") +
         getNumPyName(array.dtype) + "', 'fortran_order': " +
         (array.isFortran ? "True" : "False") + ", 'shape': (" + shape + "), }")
            .str();
    // The elements begin at a multiple of 64.
    size_t size = llvm::alignTo(kMagic.size() + 4 + text.size() + 1, 64) -
                  (kMagic.size() + 4);
    text.resize(size - 1, ' ');
    std::string head = (kMagic + StringRef("\1\0", 2)).str();
    head.push_back(char(size));
    head.push_back(char(size >> 8));
    zip.add(array.name + ".npy", head + text + "\n", array.data);
  }
  zip.finish();
}
