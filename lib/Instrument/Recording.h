//===- Recording.h - Instruments that keep records --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_INSTRUMENT_RECORDING_H
#define PARTITA_LIB_INSTRUMENT_RECORDING_H

#include "InstrumentSupport.h"

#include <variant>

namespace partita::instrument {

/// Keeps a record of each event that the instrument sees. Records are dropped
/// when the scope of a PassContext is entered, and reported when it is left.
///
/// If the instrument wants runs, a StateT is kept for each run; only the thread
/// of the run uses it.
template <typename RecordT, typename StateT = std::monostate>
class Recording : public PassInstrument {
public:
  using Record = RecordT;

  llvm::Error enterPassContext() override {
    std::lock_guard<std::mutex> lock(mutex);
    records.clear();
    // A file that can't be written is an error before the passes run.
    return reports ? output.open() : llvm::Error::success();
  }
  llvm::Error exitPassContext() override {
    return reports ? output.writeReport(*this, asJSON) : llvm::Error::success();
  }
  llvm::Error abandonPassContext() override {
    output.abandon();
    return llvm::Error::success();
  }

  llvm::Error beginRun(const transform::Run &run) override {
    std::lock_guard<std::mutex> lock(mutex);
    states[&run] = std::make_unique<StateT>();
    return llvm::Error::success();
  }
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const RunRecord> record) override {
    std::lock_guard<std::mutex> lock(mutex);
    states.erase(&run);
    return llvm::Error::success();
  }

  using PassInstrument::render;
  void render(llvm::raw_ostream &os) const final {
    std::lock_guard<std::mutex> lock(mutex);
    renderRecords(records, os);
  }
  llvm::json::Value toJSON() const final {
    std::lock_guard<std::mutex> lock(mutex);
    return recordsToJSON(records);
  }

protected:
  Recording(llvm::StringRef name, Wants wants)
      : PassInstrument(name, wants), output(name, "") {}
  /// For options with `output` and `print`: reports as they say.
  template <typename OptionsT>
  Recording(const OptionsT &options, Wants wants, bool asJSON)
      : PassInstrument(options.kName, wants),
        output(options.kName, options.output), reports(options.print),
        asJSON(asJSON) {}

  virtual void renderRecords(llvm::ArrayRef<RecordT> records,
                             llvm::raw_ostream &os) const = 0;
  virtual llvm::json::Array
  recordsToJSON(llvm::ArrayRef<RecordT> records) const {
    llvm::json::Array array;
    for (const RecordT &record : records)
      array.push_back(recordToJSON(record));
    return array;
  }
  virtual llvm::json::Value recordToJSON(const RecordT &record) const {
    return nullptr;
  }

  void add(RecordT record) {
    std::lock_guard<std::mutex> lock(mutex);
    records.push_back(std::move(record));
  }
  /// Null if the instrument has not seen the beginning of the run.
  StateT *findState(const transform::Run *run) {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = states.find(run);
    return it == states.end() ? nullptr : it->second.get();
  }

  mutable std::mutex mutex;
  std::vector<RecordT> records;

private:
  llvm::DenseMap<const transform::Run *, std::unique_ptr<StateT>> states;
  InstrumentOutput output;
  bool reports = false, asJSON = false;
};

} // namespace partita::instrument

#endif // PARTITA_LIB_INSTRUMENT_RECORDING_H
