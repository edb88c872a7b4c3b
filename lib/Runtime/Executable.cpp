//===- Executable.cpp - Compiled code with its metadata -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executable.h"
#include "Arguments.h"
#include "PackedCaller.h"
#include "Results.h"
#include "RuntimeError.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/TargetParser/Host.h"

#include <gnu/lib-names.h>

namespace partita::runtime {

llvm::Expected<std::unique_ptr<Executable>>
Executable::load(std::unique_ptr<llvm::MemoryBuffer> object) {
  std::unique_ptr<Executable> result(new Executable(std::move(object)));
  if (llvm::Error error = result->checkObject())
    return error;
  if (llvm::Error error = result->createJIT())
    return error;
  if (llvm::Error error = result->link()) {
    if (result->linkErrors.empty())
      return error;
    llvm::consumeError(std::move(error));
    return makeFailure("expected code that can be linked: " +
                       result->linkErrors);
  }
  return result;
}

/// The linker would take code for any processor.
llvm::Error Executable::checkObject() {
  llvm::Expected<Unsealed> unsealed = unseal(*object);
  if (!unsealed)
    return unsealed.takeError();
  parts = *unsealed;
  auto file = llvm::object::ObjectFile::createObjectFile(parts.object);
  if (!file)
    return makeFailure("expected an object file, but found: " +
                       llvm::toString(file.takeError()));
  auto host = getHost();
  if (!host)
    return host.takeError();
  llvm::Triple found = (*file)->makeTriple(),
               expected = host->getTargetTriple();
  if (found.getArch() == expected.getArch() &&
      found.getObjectFormat() == expected.getObjectFormat() &&
      (*file)->isRelocatableObject())
    return llvm::Error::success();
  return makeFailure("expected an object file for " + expected.getArchName() +
                     ", but found another file");
}

llvm::Error Executable::createJIT() {
  auto host = getHost();
  if (!host)
    return host.takeError();
  // What the linker starts ends before it returns: it starts no threads.
  auto control = llvm::orc::SelfExecutorProcessControl::Create(
      nullptr, std::make_unique<llvm::orc::InPlaceTaskDispatcher>());
  if (!control)
    return control.takeError();
  auto created = llvm::orc::LLJITBuilder()
                     .setExecutorProcessControl(std::move(*control))
                     .setJITTargetMachineBuilder(std::move(*host))
                     .setLinkProcessSymbolsByDefault(false)
                     .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                     .create();
  if (!created)
    return created.takeError();
  jit = std::move(*created);
  jit->getExecutionSession().setErrorReporter([this](llvm::Error error) {
    linkErrors += (linkErrors.empty() ? "" : "\n") + toString(std::move(error));
  });
  return llvm::Error::success();
}

llvm::Expected<llvm::orc::ExecutorAddr>
Executable::find(const llvm::Twine &symbol) {
  return jit->lookup(symbol.str());
}

llvm::Error Executable::link() {
  llvm::orc::JITDylib &dylib = jit->getMainJITDylib();
  llvm::orc::SymbolMap symbols;
  for (auto [name, address] : getCodeSymbols())
    symbols[jit->mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(address),
        llvm::JITSymbolFlags::Exported};
  symbols[jit->mangleAndIntern(kLargeConstantsSymbol)] = {
      llvm::orc::ExecutorAddr::fromPtr(parts.constants.begin()),
      llvm::JITSymbolFlags::Exported};
  if (llvm::Error error = dylib.define(llvm::orc::absoluteSymbols(symbols)))
    return error;
  // The compiler calls functions of these: expf, memcpy, __truncsfhf2, and
  // _ZGVdN8v_expf, which computes eight.
  for (const char *library : {
           LIBM_SO,
           LIBC_SO,
           LIBGCC_S_SO,
#ifdef LIBMVEC_SO
           LIBMVEC_SO,
#endif
       }) {
    auto generator = llvm::orc::DynamicLibrarySearchGenerator::Load(
        library, jit->getDataLayout().getGlobalPrefix());
    if (!generator)
      return generator.takeError();
    dylib.addGenerator(std::move(*generator));
  }
  if (llvm::Error error = jit->addObjectFile(llvm::MemoryBuffer::getMemBuffer(
          parts.object, /*RequiresNullTerminator=*/false)))
    return error;
  llvm::Expected<llvm::orc::ExecutorAddr> features = find(kFeaturesSymbol);
  if (!features)
    return features.takeError();
  if (llvm::Error error = checkFeatures(features->toPtr<const char *>()))
    return error;
  llvm::Expected<llvm::orc::ExecutorAddr> text = find(kMetadataSymbol);
  if (!text)
    return text.takeError();
  metadata = text->toPtr<const char *>();
  llvm::Expected<Metadata> parsed = parseMetadata(metadata);
  if (!parsed)
    return parsed.takeError();
  described = std::move(*parsed);
  for (const Function &function :
       llvm::concat<const Function>(described.functions, described.closures)) {
    llvm::Expected<llvm::orc::ExecutorAddr> entry =
        find(kEntryPrefix + function.name);
    if (!entry)
      return entry.takeError();
    callees[function.name] = {&function, entry->toPtr<Entry>()};
  }
  return llvm::Error::success();
}

/// Code that uses a feature which the processor lacks would end the process.
llvm::Error Executable::checkFeatures(llvm::StringRef features) {
  static const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  llvm::SmallVector<llvm::StringRef> names;
  features.split(names, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : names)
    if (name.consume_front("+") && !host.lookup(name))
      return makeFailure("expected a processor with " + name +
                         ", for which the code was compiled");
  return llvm::Error::success();
}

llvm::Error Executable::call(llvm::StringRef name,
                             llvm::ArrayRef<PartitaRuntimeValue> args,
                             const PartitaRuntimePackedFuncs *packedFuncs,
                             PartitaRuntimeValue &result) {
  auto it = callees.find(name);
  if (it == callees.end())
    return makeValueError("expected a function of the executable, but found '" +
                          name + "'");
  const Function &function = *it->second.function;
  PackedCaller packed(described.packedFuncs, packedFuncs);
  Call call(*pool, packed);
  ArgumentReader reader(function, call);
  if (llvm::Error error = reader.read(args))
    return error;
  ResultReader results(function, call);
  reader.setResult(results.getMemory());
  if (llvm::Error error = call.run(it->second.entry, reader.getSlots()))
    return error;
  return results.read(reader.getResult(), result);
}

} // namespace partita::runtime
