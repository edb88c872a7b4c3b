//===- TVMConfig.cpp - TVM's config keys ----------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/TVMConfig.h"
#include "PassRegistryImpl.h"
#include "partita/Pass/PassConfig.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::transform {

/// TVM's keys with scalar values. TIR's keys are spelled as in Partita: "tir."
/// is "tirx." and "s_tir." in TVM 0.27.
static constexpr StringLiteral boolKeys[] = {
    "relax.backend.use_cuda_graph",
    "relax.transform.apply_legalize_ops",
    "testing.immutable_module",
    "tir.debug_keep_trivial_loop",
    "tir.disable_assert",
    "tir.disable_cse_tir",
    "tir.disable_storage_rewrite",
    "tir.disable_vectorize",
    "tir.enable_buffer_level_predication",
    "tir.enable_debug",
    "tir.enable_fast_math",
    "tir.instr_siblings",
    "tir.instrument_bound_checkers",
    "tir.instrument_lwp",
    "tir.is_entry_func",
    "tir.lwp_disable_func_prof",
    "tir.noalias",
    "tir.reset_start_id",
    "tir.s_tir.ldg32",
    "tir.use_async_copy"};
static constexpr StringLiteral intKeys[] = {
    "relax.fallback_device_type", "tir.lwp_max_depth", "tir.lwp_min_height",
    "tir.vtcm_capacity"};
/// A list of passes in Python. TVM itself takes it only if it is empty.
static constexpr StringLiteral listKey = "tir.add_lower_pass";

namespace {
struct StructKey {
  StringLiteral key, type;
  std::vector<ConfigField> fields;
};
} // namespace

static const std::vector<StructKey> &getStructKeys() {
  auto flag = [](StringRef name) {
    return ConfigField{name.str(), ConfigType::getBool(), "false", "As in TVM"};
  };
  auto number = [](StringRef name, StringRef value) {
    return ConfigField{name.str(), ConfigType::getInt(), value.str(),
                       "As in TVM"};
  };
  static const std::vector<StructKey> keys = {
      {"tir.HoistExpression",
       "HoistExpressionConfig",
       {number("hoisted_conditionals", "7"),
        number("hoisted_let_bindings", "7")}},
      {"tir.HoistIfThenElse",
       "HoistIfThenElseConfig",
       {flag("support_block_scope_hoisting")}},
      {"tir.InjectDoubleBuffer",
       "InjectDoubleBufferConfig",
       {number("split_loop", "1")}},
      {"tir.RemoveNoOp",
       "RemoveNoOpConfig",
       {number("max_simplification_steps", "0"),
        flag("ignore_profiler_call")}}};
  return keys;
}

void registerTVMConfigs() {
  constexpr StringLiteral description =
      "A key of TVM; no pass of Partita reads it";
  for (StringRef key : boolKeys)
    registerPassConfigOption(key, ConfigType::getBool(), "false", description);
  for (StringRef key : intKeys)
    registerPassConfigOption(key, ConfigType::getInt(), "0", description);
  registerPassConfigOption(listKey, ConfigType::getList(ConfigType::getInt()),
                           "[]", description);
  for (const StructKey &key : getStructKeys())
    registerPassConfigOption(key.key,
                             ConfigType::getStruct(key.type, key.fields), "{}",
                             description);
}

std::string describeUnreadConfig(StringRef key) {
  std::string known = getOldSpelling(key);
  bool isUnread =
      llvm::is_contained(boolKeys, known) ||
      llvm::is_contained(intKeys, known) || known == listKey ||
      llvm::any_of(getStructKeys(), [&](const StructKey &structKey) {
        return structKey.key == known;
      });
  if (!isUnread)
    return "";
  return ("expected a config key that a pass of Partita reads, but found '" +
          key + "', which only passes of TVM read: it has no effect")
      .str();
}

} // namespace partita::transform
