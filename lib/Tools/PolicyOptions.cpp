//===- PolicyOptions.cpp - Flags that make a PassContext ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PolicyOptions.h"
#include "Pass/Pipeline/NamedPasses.h"
#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/PassConfig.h"
#include "partita/Pass/TVMConfig.h"
#include "partita/Support/Processes.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace partita;

PolicyTexts ContextOptions::getTexts(PolicyTexts base) const {
  if (hasLevel())
    base.optLevel = getLevel();
  if (requiredPass.getNumOccurrences())
    base.requiredPass.assign(requiredPass.begin(), requiredPass.end());
  if (disabledPass.getNumOccurrences())
    base.disabledPass.assign(disabledPass.begin(), disabledPass.end());
  // The last value of a key counts.
  llvm::append_range(base.passConfig, passConfig);
  auto addSwitch = [&](StringRef key, const llvm::cl::opt<bool> &flag) {
    if (flag.getNumOccurrences())
      base.passConfig.push_back((key + (flag ? "=true" : "=false")).str());
  };
  addSwitch("partita.skip_unchanged", skipUnchanged);
  addSwitch("partita.nest_in_functions", nestInFunctions);
  if (verify.getNumOccurrences())
    base.passConfig.push_back("partita.verify=" + quote(verify));
  if (passCache.getNumOccurrences())
    base.passConfig.push_back("partita.pass_cache=" + quote(passCache));
  llvm::append_range(base.instruments, instrument);
  return base;
}

llvm::Expected<transform::PassContextOptions>
partita::createContextOptions(const PolicyTexts &texts) {
  transform::PassContextOptions options;
  options.optLevel = texts.optLevel;
  options.requiredPass = texts.requiredPass;
  options.disabledPass = texts.disabledPass;
  for (StringRef text : texts.passConfig) {
    auto [key, value] = text.split('=');
    if (key.size() == text.size())
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "expected --pass-config=KEY=ATTR, but found '" + text + "'");
    llvm::Expected<Attribute> attribute =
        transform::parsePassConfigValue(key.trim(), value.trim());
    if (!attribute)
      return attribute.takeError();
    std::string warning = transform::describeUnreadConfig(key.trim());
    if (!warning.empty() && texts.warns)
      llvm::WithColor::warning(llvm::errs()) << warning << "\n";
    options.config.emplace_back(key.trim().str(), *attribute);
  }
  return options;
}

void partita::endInstrumentsAtInterrupt(const transform::PassContext &context) {
  if (llvm::any_of(*context.instruments(), [](const auto &instrument) {
        return instrument->getName() == instrument::NumericsOptions::kName;
      }))
    endProcessesAtInterrupt();
}

llvm::Expected<transform::PassContext>
partita::createContext(const PolicyTexts &texts) {
  llvm::Expected<transform::PassContextOptions> options =
      createContextOptions(texts);
  if (!options)
    return options.takeError();
  for (const std::string &text : texts.instruments) {
    llvm::Expected<instrument::PassInstrumentRef> made =
        instrument::createInstrument(text);
    if (!made)
      return made.takeError();
    options->instruments.push_back(std::move(*made));
  }
  return transform::PassContext::create(std::move(*options));
}

llvm::Error partita::checkPassFlags(ArrayRef<const char *> arguments) {
  for (StringRef flag : arguments) {
    auto [name, options] = flag.ltrim('-').split('=');
    if (!flag.starts_with("-") || options.empty() ||
        !(PassInfo::lookup(name) || PassPipelineInfo::lookup(name)))
      continue;
    llvm::Expected<transform::Pass> pass =
        transform::getPassOfMLIR(name, options);
    if (!pass)
      return pass.takeError();
  }
  return llvm::Error::success();
}
