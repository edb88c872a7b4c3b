//===- TVMConfig.h - TVM's config keys --------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The config keys that passes of TVM 0.27 read, but no pass of Partita reads.
// Programs that set them run, and are told that they have no effect.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_TVMCONFIG_H
#define PARTITA_PASS_TVMCONFIG_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace partita::transform {

/// Registers each key with its type, as registerPassConfigOption does.
void registerTVMConfigs();

/// A warning for a user who sets `key`, in any of its spellings; empty unless
/// it is such a key.
std::string describeUnreadConfig(llvm::StringRef key);

} // namespace partita::transform

#endif // PARTITA_PASS_TVMCONFIG_H
