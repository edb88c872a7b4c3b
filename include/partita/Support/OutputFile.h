//===- OutputFile.h - Files that are replaced as a whole --------*- C++ -*-===//
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

/// The path of the file `name` in a directory.
std::string joinPath(llvm::StringRef directory, llvm::StringRef name);

/// A file that replaces another when it is complete. Until then, the old file
/// stays as it is for its readers, also if the process ends. LLVM's
/// writeToOutput does the same, but leaves its temporary file behind when the
/// process is killed, and takes over the host's signals. On Linux, this file
/// has no name before it is complete.
///
/// "-" is stdout. Pipes, devices and files in /proc are written directly. A
/// symbolic link stays, and its target is replaced. Permissions stay, too.
class OutputFile {
public:
  /// Begins to write `path`. Returns null, with an error, if that fails.
  static std::unique_ptr<OutputFile>
  open(llvm::StringRef path, std::error_code &code, bool isExecutable = false);
  /// The file that an output to `path` replaces; empty if there is none,
  /// because outputs can share what `path` names: stdout, a device, a pipe.
  static std::string getTarget(llvm::StringRef path);
  /// Removes temporary files at signals, if the file system has no files
  /// without a name. For tools, whose signals LLVM handles.
  static void removeAtSignals();

  /// Drops the file unless it was committed.
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  llvm::raw_ostream &os() { return *stream; }
  /// Writes at once, for readers of a pipe.
  std::error_code write(llvm::StringRef text);
  /// Whether the target is a terminal that shows colours.
  bool hasColors() const;
  /// The name of this file, for code that opens and writes files itself. Write
  /// nothing to `os` then.
  std::string getName() const;

  /// Replaces the target by the file.
  std::error_code commit();

private:
  OutputFile(llvm::StringRef path) : path(path) {}
  std::error_code openTemporary(bool isExecutable);
  std::error_code writeInPlace(llvm::StringRef text);
  std::error_code replace();
  std::error_code flush();

  /// The given path, and the path after following links.
  std::string path, target;
  /// The path of the incomplete file; empty if it has no name.
  std::string temporary;
  /// The stream, if it writes to a file; `stream` then points to it.
  std::unique_ptr<llvm::raw_fd_ostream> file;
  int descriptor = -1;
  /// The stream to memory, if no file can be made beside the target.
  std::unique_ptr<llvm::raw_svector_ostream> memory;
  llvm::SmallString<0> text;
  llvm::raw_ostream *stream = nullptr;
  /// Whether the target is written directly.
  bool isDirect = false;
};

/// Writes the output of `print` to `path` as an OutputFile; nothing if it
/// fails.
llvm::Error
writeFile(llvm::StringRef path,
          llvm::function_ref<llvm::Error(llvm::raw_ostream &)> print);

/// The error for a file: "expected to WHAT, but: No such file or directory".
llvm::Error makeFileError(std::error_code code, const llvm::Twine &what);

} // namespace partita

#endif // PARTITA_SUPPORT_OUTPUTFILE_H
