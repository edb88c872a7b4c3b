//===- DumpIR.h - A file with the IR for each pass -------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_DUMPIR_H
#define PARTITA_INSTRUMENT_DUMPIR_H

#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/InstrumentSupport.h"

namespace partita::instrument {

/// Writes the module after each pass that is no Sequential to a file of its
/// own, `NUMBER_PASS.mlir`, as TVM's DumpIR. What is in the directory stays:
/// numbers go on after the highest there, so that a second run, or one after a
/// run that was killed, adds to it. A file is there whole or not at all.
/// `dump-ir.jsonl` has a line for each, which tells what `refresh` may delete.
class DumpIR : public PassInstrument {
public:
  static constexpr llvm::StringLiteral kName = "dump-ir";
  static constexpr llvm::StringLiteral kIndexName = "dump-ir.jsonl";

  struct Options : InstrumentOptions<Options> {
    Option<std::string> dumpDir{
        *this, "dump-dir",
        llvm::cl::desc("The directory to write to; made if it is not there"),
        llvm::cl::init("")};
    Option<bool> refresh{
        *this, "refresh",
        llvm::cl::desc("Delete the files that an earlier dump-ir wrote there, "
                       "and nothing else, when the scope is entered"),
        llvm::cl::init(false)};
    ListOption<std::string> passes{
        *this, "passes",
        llvm::cl::desc("The passes to dump after, by any of their names; all "
                       "if none is given")};
    Option<bool> bytecode{
        *this, "bytecode",
        llvm::cl::desc("Write bytecode (.mlirbc) in place of text"),
        llvm::cl::init(false)};
  };

  explicit DumpIR(std::unique_ptr<Options> options);

  llvm::Error enterPassContext() override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;

  /// The files, a line each.
  using PassInstrument::render;
  void render(llvm::raw_ostream &os) const override;
  llvm::json::Value toJSON() const override;

private:
  struct Record {
    unsigned step;
    std::string pass, file;
  };

  llvm::Error prepare();
  llvm::Error dump(const transform::PassStep &step);
  llvm::Error removeOldFiles();

  std::unique_ptr<Options> options;
  PassFilter filter;

  mutable std::mutex mutex;
  bool isPrepared = false;
  unsigned nextNumber = 0;
  std::vector<Record> records;
};

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_DUMPIR_H
