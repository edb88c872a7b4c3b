//===- SequentialText.h - Sequentials as text -------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_SEQUENTIAL_SEQUENTIALTEXT_H
#define PARTITA_LIB_PASS_SEQUENTIAL_SEQUENTIALTEXT_H

#include "../Pipeline/PassPlacement.h"

namespace partita::transform {

/// The argument of a Sequential in a textual pipeline.
inline constexpr llvm::StringLiteral sequentialArgument = "sequential";

/// `sequential{...}`, which makes `pass` again if its passes are registered.
std::string printSequential(const Pass &pass);

/// Whether a Sequential below `anchors` does the same as its members there. In
/// an `any(...)` the Sequential runs on each op by itself, but one member that
/// runs only on some ops would keep all members from the other ops.
bool canExpand(const Pass &sequential, llvm::ArrayRef<std::string> anchors);

/// The members that the option `passes` of `sequential` describes, below
/// `anchors`.
llvm::Expected<std::vector<Pass>>
getSequentialMembers(llvm::ArrayRef<std::string> texts,
                     llvm::ArrayRef<std::string> anchors);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_SEQUENTIAL_SEQUENTIALTEXT_H
