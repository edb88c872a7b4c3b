//===- ZipFile.cpp - Zip files --------------------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes and places are written as 64-bit numbers in every file, so that large
// files take no other way than small ones. NumPy does the same.
//
//===----------------------------------------------------------------------===//

#include "ZipFile.h"
#include "Inflate.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"

using namespace partita;
using llvm::StringRef;
namespace endian = llvm::support::endian;

// The first bytes of each part.
constexpr uint32_t kMember = 0x04034b50, kEntry = 0x02014b50, kEnd = 0x06054b50,
                   kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr size_t kMemberBytes = 30, kEntryBytes = 46, kEndBytes = 22,
                 kEnd64Bytes = 56, kLocator64Bytes = 20;
/// Stands for a number in the 64-bit fields.
constexpr uint32_t kElsewhere = 0xffffffff;
constexpr uint16_t kExtra64 = 1;
/// The version that has 64-bit sizes: 4.5.
constexpr uint16_t kVersion = 45;
/// The first of January 1980, so that files with equal arrays are equal.
constexpr uint16_t kDate = 1 << 5 | 1;

static uint64_t read(StringRef bytes, size_t offset, unsigned size) {
  const char *data = bytes.data() + offset;
  return size == 2   ? endian::read16le(data)
         : size == 4 ? endian::read32le(data)
                     : endian::read64le(data);
}

/// The part of `file` that begins at `offset` with `signature`. Empty if the
/// file is too short, or has something else there.
static StringRef getPart(StringRef file, uint64_t offset, size_t size,
                         uint32_t signature) {
  if (offset > file.size() || file.size() - offset < size ||
      read(file, offset, 4) != signature)
    return {};
  return file.substr(offset, size);
}

namespace {
struct Entry {
  uint64_t packed, size, offset;

  /// Takes the numbers that are elsewhere from the extra fields.
  bool readExtra(StringRef extra);
};
} // namespace

bool Entry::readExtra(StringRef extra) {
  while (extra.size() >= 4) {
    uint64_t kind = read(extra, 0, 2), bytes = read(extra, 2, 2);
    extra = extra.drop_front(4);
    if (extra.size() < bytes)
      return false;
    StringRef field = extra.take_front(bytes);
    extra = extra.drop_front(bytes);
    if (kind != kExtra64)
      continue;
    for (uint64_t *number : {&size, &packed, &offset}) {
      if (*number != kElsewhere)
        continue;
      if (field.size() < 8)
        return false;
      *number = read(field, 0, 8);
      field = field.drop_front(8);
    }
  }
  return true;
}

/// The directory, with how many entries it has.
static llvm::Expected<std::pair<StringRef, uint64_t>>
findDirectory(StringRef file) {
  // A comment can stand behind the end.
  size_t last = file.rfind(StringRef("PK\5\6", 4));
  StringRef end = last == StringRef::npos
                      ? StringRef()
                      : getPart(file, last, kEndBytes, kEnd);
  if (end.empty())
    return llvm::createStringError(
        "no directory at its end: the file is incomplete");
  uint64_t count = read(end, 10, 2), size = read(end, 12, 4),
           offset = read(end, 16, 4);
  StringRef locator =
      last < kLocator64Bytes
          ? StringRef()
          : getPart(file, last - kLocator64Bytes, kLocator64Bytes, kLocator64);
  if (!locator.empty()) {
    StringRef end64 = getPart(file, read(locator, 8, 8), kEnd64Bytes, kEnd64);
    if (end64.empty())
      return llvm::createStringError("a damaged directory");
    count = read(end64, 32, 8);
    size = read(end64, 40, 8);
    offset = read(end64, 48, 8);
  }
  if (offset > file.size() || file.size() - offset < size)
    return llvm::createStringError("a damaged directory");
  return std::make_pair(file.substr(offset, size), count);
}

/// The data of a member, decompressed.
static llvm::Expected<StringRef> extract(StringRef file, const Entry &entry,
                                         uint64_t method, uint64_t flags,
                                         std::deque<std::string> &memory) {
  StringRef head = getPart(file, entry.offset, kMemberBytes, kMember);
  if (head.empty())
    return llvm::createStringError("something else in its place");
  uint64_t begin =
      entry.offset + kMemberBytes + read(head, 26, 2) + read(head, 28, 2);
  if (begin > file.size() || file.size() - begin < entry.packed)
    return llvm::createStringError("an incomplete file");
  StringRef data = file.substr(begin, entry.packed);
  if (flags & 1)
    return llvm::createStringError("encrypted data");
  if (method == 0 && entry.packed == entry.size)
    return data;
  if (method != 0 && method != 8)
    return llvm::createStringError(
        "compression method " + llvm::Twine(method) +
        ": numpy.savez and numpy.savez_compressed write others");
  std::optional<std::string> inflated;
  if (method == 8)
    inflated = inflate(data, entry.size);
  if (!inflated)
    return llvm::createStringError("damaged data");
  memory.push_back(std::move(*inflated));
  return StringRef(memory.back());
}

llvm::Expected<std::vector<ZipMember>>
partita::readZip(StringRef file, std::deque<std::string> &memory) {
  auto found = findDirectory(file);
  if (!found)
    return found.takeError();
  auto [directory, count] = *found;
  std::vector<ZipMember> members;
  for (; count; --count) {
    StringRef entry = getPart(directory, 0, kEntryBytes, kEntry);
    if (entry.empty())
      return llvm::createStringError("a damaged directory");
    size_t nameBytes = read(entry, 28, 2), extraBytes = read(entry, 30, 2),
           commentBytes = read(entry, 32, 2);
    if (directory.size() - kEntryBytes < nameBytes + extraBytes + commentBytes)
      return llvm::createStringError("a damaged directory");
    StringRef name = directory.substr(kEntryBytes, nameBytes);
    StringRef extra = directory.substr(kEntryBytes + nameBytes, extraBytes);
    directory = directory.drop_front(kEntryBytes + nameBytes + extraBytes +
                                     commentBytes);
    Entry numbers = {read(entry, 20, 4), read(entry, 24, 4),
                     read(entry, 42, 4)};
    if (!numbers.readExtra(extra))
      return llvm::createStringError("a damaged directory");
    llvm::Expected<StringRef> data =
        extract(file, numbers, read(entry, 10, 2), read(entry, 8, 2), memory);
    if (!data)
      return llvm::createStringError("for '" + name + "' " +
                                     llvm::toString(data.takeError()));
    if (llvm::crc32(llvm::arrayRefFromStringRef(*data)) != read(entry, 16, 4))
      return llvm::createStringError("for '" + name +
                                     "' data with another checksum");
    members.push_back({name.str(), *data});
  }
  return members;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void append(std::string &bytes, unsigned size, uint64_t number) {
  for (; size; --size, number >>= 8)
    bytes.push_back(char(number));
}

void ZipWriter::write(StringRef bytes) {
  os << bytes;
  position += bytes.size();
}

void ZipWriter::add(StringRef name, StringRef head, StringRef data) {
  uint64_t size = head.size() + data.size(), offset = position;
  uint32_t checksum = llvm::crc32(llvm::arrayRefFromStringRef(head));
  checksum = llvm::crc32(checksum, llvm::arrayRefFromStringRef(data));
  // What a member's head and its entry in the directory have in common.
  auto describe = [&](unsigned extraBytes) {
    std::string bytes;
    for (uint16_t field :
         {kVersion, uint16_t(0), uint16_t(0), uint16_t(0), kDate})
      append(bytes, 2, field);
    append(bytes, 4, checksum);
    append(bytes, 4, kElsewhere);
    append(bytes, 4, kElsewhere);
    append(bytes, 2, name.size());
    append(bytes, 2, extraBytes);
    return bytes;
  };
  std::string sizes;
  append(sizes, 8, size);
  append(sizes, 8, size);

  std::string member;
  append(member, 4, kMember);
  member += describe(4 + 16);
  member += name;
  append(member, 2, kExtra64);
  append(member, 2, 16);
  write(member + sizes);
  write(head);
  write(data);

  append(directory, 4, kEntry);
  append(directory, 2, kVersion);
  directory += describe(4 + 24);
  // No comment, one disk, no attributes.
  append(directory, 2 + 2 + 2, 0);
  append(directory, 4, 0);
  append(directory, 4, kElsewhere);
  directory += name;
  append(directory, 2, kExtra64);
  append(directory, 2, 24);
  directory += sizes;
  append(directory, 8, offset);
  ++numMembers;
}

void ZipWriter::finish() {
  uint64_t begin = position;
  write(directory);
  std::string end;
  append(end, 4, kEnd64);
  append(end, 8, kEnd64Bytes - 12);
  append(end, 2, kVersion);
  append(end, 2, kVersion);
  append(end, 4 + 4, 0);
  append(end, 8, numMembers);
  append(end, 8, numMembers);
  append(end, 8, directory.size());
  append(end, 8, begin);
  append(end, 4, kLocator64);
  append(end, 4, 0);
  append(end, 8, position);
  append(end, 4, 1);
  append(end, 4, kEnd);
  append(end, 2 + 2, 0);
  append(end, 2, 0xffff);
  append(end, 2, 0xffff);
  append(end, 4, kElsewhere);
  append(end, 4, kElsewhere);
  append(end, 2, 0);
  write(end);
}
