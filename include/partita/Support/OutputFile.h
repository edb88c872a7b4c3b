//===- OutputFile.h - Files that are written whole --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_OUTPUTFILE_H
#define PARTITA_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <system_error>

namespace partita {

/// The path of a file in a directory.
std::string joinPath(llvm::StringRef directory, llvm::StringRef name);

/// A file that takes the place of another when it is complete: until then, and
/// if the process ends before, the old one stays as it is, for whoever reads or
/// has mapped it. LLVM's writeToOutput does the same, but leaves its temporary
/// file behind a killed process and takes over the host's signals; on Linux,
/// this one has no name before it is complete.
///
/// "-" is stdout. Pipes, devices and what is in /proc are written as they are;
/// a symbolic link stays, and its file is replaced. Permissions stay, too.
class OutputFile {
public:
  /// Begins to write `path`; null, and an error, if that can't be.
  static std::unique_ptr<OutputFile>
  open(llvm::StringRef path, std::error_code &code, bool isExecutable = false);
  /// Lets tools, whose signals LLVM handles, remove files at signals where the
  /// file system has no files without a name.
  static void removeAtSignals();

  /// Drops what was not committed.
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  llvm::raw_ostream &os() { return *stream; }
  /// Writes at once, for whoever reads a pipe.
  std::error_code write(llvm::StringRef text);
  /// Whether it is a terminal that shows colours.
  bool hasColors() const;
  /// The name by which code that opens files itself can write this one, with
  /// nothing written to `os`.
  std::string getName() const;

  /// Puts the file in its place.
  std::error_code commit();

private:
  OutputFile(llvm::StringRef path) : path(path) {}
  std::error_code openTemporary(bool isExecutable);
  std::error_code writeInPlace(llvm::StringRef text);
  std::error_code replace();
  std::error_code flush();

  /// As it was given, and where it leads.
  std::string path, target;
  /// What is written until it is complete; empty if it has no name.
  std::string temporary;
  /// The stream of a file, which is then `stream`.
  std::unique_ptr<llvm::raw_fd_ostream> file;
  int descriptor = -1;
  /// The text, where no file can be made beside the target.
  std::unique_ptr<llvm::raw_svector_ostream> memory;
  llvm::SmallString<0> text;
  llvm::raw_ostream *stream = nullptr;
  /// Whether the target is what is written.
  bool isDirect = false;
};

/// Writes what `print` prints to `path` as an OutputFile; nothing if it fails.
llvm::Error
writeFile(llvm::StringRef path,
          llvm::function_ref<llvm::Error(llvm::raw_ostream &)> print);

/// The error of a file: "expected to WHAT, but: No such file or directory".
llvm::Error makeFileError(std::error_code code, const llvm::Twine &what);

} // namespace partita

#endif // PARTITA_SUPPORT_OUTPUTFILE_H
