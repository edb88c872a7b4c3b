//===- PassMemory.h - How much memory each pass took ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_PASSMEMORY_H
#define PARTITA_INSTRUMENT_PASSMEMORY_H

#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/InstrumentSupport.h"

#include "llvm/ADT/MapVector.h"

namespace partita::instrument {

/// What the process has of memory, in bytes; nothing where the platform does
/// not tell.
struct MemoryUse {
  /// The resident set, as Linux counts it: give or take some pages for each
  /// thread.
  std::optional<int64_t> resident;
  /// What malloc has given out and not got back, with what it keeps for threads
  /// at hand (glibc's mallinfo2); not known of another allocator.
  std::optional<int64_t> heap;

  static MemoryUse measure();
  /// The resident set alone, which is quicker.
  static std::optional<int64_t> measureResident();
};

/// Reports the memory of the process before and after each pass, and the most
/// that was resident in it. It looks between passes, so they run one by one.
///
/// The numbers are the process's: what other threads do meanwhile is in them.
/// The peak is Linux's high-water mark (VmHWM), which is set back before each
/// pass by way of /proc/self/clear_refs, for the whole process; where that is
/// not permitted the peak is not known.
class PassMemory : public PassInstrument {
public:
  static constexpr llvm::StringLiteral kName = "memory";

  struct Options : InstrumentOptions<Options> {
    Option<std::string> output{
        *this, "output",
        llvm::cl::desc("Where the report goes when the scope is left: a file, "
                       "- for stdout; stderr by default"),
        llvm::cl::init("")};
    Option<bool> print{*this, "print",
                       llvm::cl::desc("Whether to print it at all"),
                       llvm::cl::init(true)};
    Option<bool> json{*this, "json",
                      llvm::cl::desc("Print JSON in place of a table"),
                      llvm::cl::init(false)};
    Option<bool> peak{*this, "peak",
                      llvm::cl::desc("Whether to set the process's high-water "
                                     "mark back to find peaks"),
                      llvm::cl::init(true)};
  };

  explicit PassMemory(std::unique_ptr<Options> options);
  ~PassMemory() override;

  llvm::Error enterPassContext() override;
  llvm::Error exitPassContext() override;
  llvm::Error beginRun(const transform::Run &run) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const PassRecord> record) override;
  llvm::Error runBeforePass(const transform::PassStep &step) override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;

  /// A table in KiB, with a line a pass, those in it below.
  using PassInstrument::render;
  void render(llvm::raw_ostream &os) const override;
  /// Records with `step`, `pass`, `rss_before`, `rss_after`, `rss_peak`,
  /// `heap_before`, `heap_after` in bytes, each null if it is not known,
  /// `failed`, and the `passes` in it.
  llvm::json::Value toJSON() const override;

private:
  struct Record {
    unsigned step = 0;
    std::string pass;
    MemoryUse before, after;
    std::optional<int64_t> peak;
    bool hasFailed = false;
    std::vector<Record> children;
  };
  struct Frame;
  /// How many passes its thread was in when a run began.
  struct State {
    size_t depth = 0;
  };

  void close(std::vector<std::unique_ptr<Frame>> &open, size_t index,
             bool hasFailed);
  static void render(llvm::ArrayRef<Record> records, unsigned depth,
                     llvm::raw_ostream &os);
  static llvm::json::Array toArray(llvm::ArrayRef<Record> records);

  std::unique_ptr<Options> options;
  InstrumentOutput output;
  RunStates<State> states;
  mutable std::mutex mutex;
  /// The passes that each thread is in, the innermost last.
  llvm::DenseMap<uint64_t, std::vector<std::unique_ptr<Frame>>> openFrames;
  std::vector<Record> records;
};

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_PASSMEMORY_H
