//===- OutputFile.cpp - Files that are replaced as a whole ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file without a name (O_TMPFILE) disappears with its process, however the
// process ends. If the target does not exist, the file gets its name in one
// step. To replace a target, the file has a temporary name beside it for two
// system calls. If the file system has no files without a name, the file has a
// temporary name from the beginning. A killed process leaves a file with a name
// behind for the next writer of the target to remove; the file's lock tells
// whether its writer still runs.
//
//===----------------------------------------------------------------------===//

#include "partita/Support/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace partita;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string partita::joinPath(StringRef directory, StringRef name) {
  llvm::SmallString<128> result(directory);
  path::append(result, name);
  return result.str().str();
}

static std::atomic<bool> removesAtSignals{false};

static std::error_code getErrno() {
  return std::error_code(errno, std::generic_category());
}

//===----------------------------------------------------------------------===//
// The place of a file
//===----------------------------------------------------------------------===//

/// Follows the symbolic links in `given`. Empty if they lead to something other
/// than a regular file, or to a descriptor, whose position others share.
static std::string resolve(StringRef given) {
  std::string target = given.str();
  // The same limit as in Linux.
  for (unsigned round = 0; round < 40; ++round) {
    StringRef parent = path::parent_path(target);
    llvm::SmallString<128> resolved;
    if (fs::real_path(parent.empty() ? "." : parent, resolved))
      return target;
    path::append(resolved, path::filename(target));
    if (resolved.starts_with("/proc/"))
      return "";
    char link[4096];
    ssize_t size = readlink(resolved.c_str(), link, sizeof(link));
    if (size < 0) {
      fs::file_status status;
      bool exists = !fs::status(resolved, status) && fs::exists(status);
      if (exists && !fs::is_regular_file(status))
        return "";
      return resolved.str().str();
    }
    StringRef next(link, size);
    path::remove_filename(resolved);
    if (path::is_absolute(next))
      resolved = next;
    else
      path::append(resolved, next);
    target = resolved.str().str();
  }
  return target;
}

/// The name of a temporary file beside `target`; concurrent writers have
/// different numbers.
static std::string getTemporary(StringRef target, unsigned writer) {
  llvm::SmallString<128> result(path::parent_path(target));
  // Names have at most 255 bytes.
  path::append(result, "." + path::filename(target).take_front(200) + "." +
                           llvm::Twine(writer) + ".partita-tmp");
  return result.str().str();
}

/// Removes a temporary file whose writer is gone; false if the writer still
/// runs.
static bool removeStale(const std::string &temporary) {
  int file =
      open(temporary.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return errno == ENOENT;
  bool isStale =
      flock(file, LOCK_EX | LOCK_NB) == 0 && unlink(temporary.c_str()) == 0;
  close(file);
  return isStale;
}

//===----------------------------------------------------------------------===//
// Linux
//===----------------------------------------------------------------------===//

#ifdef __linux__
/// Whether a file can get a name through its descriptor.
static bool hasDescriptors() {
  static bool result = access("/proc/self/fd", X_OK) == 0;
  return result;
}

static std::string getDescriptorName(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

#endif

//===----------------------------------------------------------------------===//
// OutputFile
//===----------------------------------------------------------------------===//

std::string OutputFile::getTarget(StringRef path) {
  return path.empty() || path == "-" ? "" : resolve(path);
}

void OutputFile::removeAtSignals() { removesAtSignals = true; }

std::unique_ptr<OutputFile>
OutputFile::open(StringRef path, std::error_code &code, bool isExecutable) {
  std::unique_ptr<OutputFile> result(new OutputFile(path));
  if (path == "-") {
    result->isDirect = true;
    result->stream = &llvm::outs();
    code = std::error_code();
    return result;
  }
  result->target = resolve(path);
  result->isDirect = result->target.empty();
  if (result->isDirect)
    result->file = std::make_unique<llvm::raw_fd_ostream>(path, code);
  else
    code = result->openTemporary(isExecutable);
  if (result->file)
    result->stream = result->file.get();
  if (code)
    return nullptr;
  return result;
}

std::error_code OutputFile::openTemporary(bool isExecutable) {
  // The same permissions as if the target itself were opened.
  struct stat old;
  bool exists = stat(target.c_str(), &old) == 0;
  if (exists ? access(target.c_str(), W_OK) != 0 : errno != ENOENT)
    return getErrno();
  mode_t mode = isExecutable ? 0777 : 0666;
#ifdef __linux__
  if (hasDescriptors())
    descriptor = ::open(path::parent_path(target).str().c_str(),
                        O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (descriptor >= 0)
    flock(descriptor, LOCK_EX | LOCK_NB);
#endif
  std::error_code code;
  for (unsigned writer = 0; descriptor < 0 && writer < 100; ++writer) {
    temporary = getTemporary(target, writer);
    if (!removeStale(temporary))
      continue;
    int created =
        ::open(temporary.c_str(),
               O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, mode);
    code = created < 0 ? getErrno() : std::error_code();
    struct stat status;
    // Another writer could take the file for stale before it is locked.
    if (created >= 0 && flock(created, LOCK_EX | LOCK_NB) == 0 &&
        fstat(created, &status) == 0 && status.st_nlink != 0)
      descriptor = created;
    else if (created >= 0)
      close(created);
    else if (errno != EEXIST)
      break;
  }
  if (descriptor < 0) {
    temporary.clear();
    if (!exists)
      return code ? code : std::make_error_code(std::errc::file_exists);
    // The file can be written, but its directory can't.
    memory = std::make_unique<llvm::raw_svector_ostream>(text);
    stream = memory.get();
    return std::error_code();
  }
  if (!temporary.empty() && removesAtSignals)
    llvm::sys::RemoveFileOnSignal(temporary);
  if (exists) {
    // Not every process may change a file's owner.
    [[maybe_unused]] int result = 0;
    if (old.st_uid != geteuid() || old.st_gid != getegid())
      result = fchown(descriptor, old.st_uid, old.st_gid);
    result =
        fchmod(descriptor, (old.st_mode & 07777) | (isExecutable ? 0111 : 0));
  }
  file = std::make_unique<llvm::raw_fd_ostream>(descriptor,
                                                /*shouldClose=*/true);
  return std::error_code();
}

OutputFile::~OutputFile() {
  if (file)
    file->clear_error();
  file = nullptr;
  if (temporary.empty())
    return;
  unlink(temporary.c_str());
  if (removesAtSignals)
    llvm::sys::DontRemoveFileOnSignal(temporary);
}

bool OutputFile::hasColors() const {
  return isDirect && stream->is_displayed() && stream->has_colors();
}

std::string OutputFile::getName() const {
#ifdef __linux__
  if (file && !isDirect && temporary.empty())
    return getDescriptorName(descriptor);
#endif
  return temporary.empty() ? path : temporary;
}

/// Overwrites the target, if it can't be replaced.
std::error_code OutputFile::writeInPlace(StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream os(target, code);
  if (code)
    return code;
  os << text;
  os.flush();
  code = os.error();
  os.clear_error();
  return code;
}

/// Gives the file the target's name.
std::error_code OutputFile::replace() {
  if (!temporary.empty()) {
    if (rename(temporary.c_str(), target.c_str()) != 0)
      return getErrno();
    if (removesAtSignals)
      llvm::sys::DontRemoveFileOnSignal(temporary);
    temporary.clear();
    return std::error_code();
  }
#ifdef __linux__
  std::string from = getDescriptorName(descriptor);
  int result = 0;
  if (linkat(AT_FDCWD, from.c_str(), AT_FDCWD, target.c_str(),
             AT_SYMLINK_FOLLOW) != 0)
    result = errno;
  for (unsigned writer = 0; result == EEXIST && writer < 100; ++writer) {
    std::string name = getTemporary(target, writer);
    if (!removeStale(name))
      continue;
    // An interrupt waits until the file has its place.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    result = 0;
    if (linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(),
               AT_SYMLINK_FOLLOW) != 0) {
      result = errno;
    } else if (rename(name.c_str(), target.c_str()) != 0) {
      result = errno;
      unlink(name.c_str());
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  return std::error_code(result, std::generic_category());
#else
  return std::error_code();
#endif
}

std::error_code OutputFile::flush() {
  if (memory)
    return std::error_code();
  llvm::raw_fd_ostream &written = file ? *file : llvm::outs();
  written.flush();
  std::error_code code = written.error();
  // An error that remains is fatal when the stream is closed.
  written.clear_error();
  return code;
}

std::error_code OutputFile::write(StringRef text) {
  *stream << text;
  return flush();
}

std::error_code OutputFile::commit() {
  if (memory)
    return writeInPlace(text);
  std::error_code code = flush();
  if (!code && !isDirect)
    code = replace();
  // A mount point can't be renamed.
  if (code == std::errc::device_or_resource_busy && !isDirect) {
    auto buffer = llvm::MemoryBuffer::getOpenFile(
        descriptor, path, /*FileSize=*/-1, /*RequiresNullTerminator=*/false);
    code = buffer ? writeInPlace((*buffer)->getBuffer()) : buffer.getError();
  }
  file = nullptr;
  return code;
}

llvm::Error
partita::writeFile(StringRef path,
                   llvm::function_ref<llvm::Error(llvm::raw_ostream &)> print) {
  std::error_code code;
  std::unique_ptr<OutputFile> file = OutputFile::open(path, code);
  if (!file)
    return makeFileError(code, "open '" + path + "' to write to");
  if (llvm::Error error = print(file->os()))
    return error;
  code = file->commit();
  return code ? makeFileError(code, "write to '" + path + "'")
              : llvm::Error::success();
}

llvm::Error partita::makeFileError(std::error_code code,
                                   const llvm::Twine &what) {
  return llvm::createStringError(code, "expected to " + what +
                                           ", but: " + code.message());
}
