//===- PassInfo.h - A pass's name, and when it runs -------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_PASSINFO_H
#define PARTITA_PASS_PASSINFO_H

#include <string>
#include <vector>

namespace partita::transform {

/// The meta data of a pass, as TVM's `tvm::transform::PassInfo`. It lives in
/// this namespace, and not in `partita`, because `mlir::PassInfo` exists.
struct PassInfo {
  /// The name that PassContexts, instruments and reports use.
  std::string name;

  /// A Sequential runs the pass if the PassContext's opt_level is at least
  /// this.
  int optLevel = 0;

  /// The names of passes that a Sequential runs before this one, whatever
  /// their opt_level and the PassContext's disabled_pass.
  std::vector<std::string> required;

  /// Whether an earlier run of a required pass is enough. It must be the same
  /// pass with the same options in the same place, and it must have run in the
  /// same Sequential, or in one inside it. After it, only the passes that
  /// follow it in `required`, and the passes that these require, may have run:
  /// any other pass counts as one that may undo it. TVM runs required passes
  /// each time.
  bool reuseRequired = false;
};

inline bool operator==(const PassInfo &lhs, const PassInfo &rhs) {
  return lhs.name == rhs.name && lhs.optLevel == rhs.optLevel &&
         lhs.required == rhs.required && lhs.reuseRequired == rhs.reuseRequired;
}
inline bool operator!=(const PassInfo &lhs, const PassInfo &rhs) {
  return !(lhs == rhs);
}

} // namespace partita::transform

#endif // PARTITA_PASS_PASSINFO_H
