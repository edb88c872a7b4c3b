//===- PassCache.cpp - Results of passes, kept across runs ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassCache.h"
#include "AnalysisKeeper.h"
#include "PassImpl.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#ifdef __linux__
#include <link.h>
#endif

using namespace mlir;

namespace partita::transform {

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

namespace {
/// A hash of its output.
class HashStream : public llvm::raw_ostream {
public:
  HashStream() { SetBuffered(); }
  ~HashStream() override { flush(); }

  ContentHash getHash() {
    flush();
    return hasher.final<32>();
  }

private:
  void write_impl(const char *data, size_t size) override {
    hasher.update(StringRef(data, size));
    written += size;
  }
  uint64_t current_pos() const override { return written; }

  llvm::BLAKE3 hasher;
  uint64_t written = 0;
};
} // namespace

/// A line for a file that this process runs: another build has another time.
static std::string describeFile(StringRef path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return path.str() + "\n";
  auto time = status.getLastModificationTime().time_since_epoch();
  return llvm::formatv("{0} {1} {2}\n", path, status.getSize(), time.count());
}

/// The program and the libraries that it has loaded, in which the passes are.
static std::string describeProgram() {
  std::string text = describeFile(llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&describeProgram)));
#ifdef __linux__
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *text) {
        if (info->dlpi_name && *info->dlpi_name == '/')
          *static_cast<std::string *>(text) += describeFile(info->dlpi_name);
        return 0;
      },
      &text);
#endif
  return text;
}

/// Whether bytecode gives `op` back as it is. It does not keep the names of
/// resources, nor which ops share a distinct attribute.
static bool isKeptInBytecode(Operation *op) {
  AttrTypeWalker walker;
  walker.addWalk(
      [](DenseResourceElementsAttr) { return WalkResult::interrupt(); });
  walker.addWalk([](DistinctAttr) { return WalkResult::interrupt(); });
  auto isKept = [&](Attribute attribute) {
    return !attribute ||
           !walker.walk<WalkOrder::PreOrder>(attribute).wasInterrupted();
  };
  return !op->walk([&](Operation *inner) {
              // Dictionaries are uniqued, which takes long.
              NamedAttrList inherent;
              inner->getName().populateInherentAttrs(inner, inherent);
              bool areKept = llvm::all_of(inherent, [&](NamedAttribute named) {
                return isKept(named.getValue());
              });
              return areKept && isKept(inner->getRawDictionaryAttrs()) &&
                             isKept(inner->getLoc())
                         ? WalkResult::advance()
                         : WalkResult::interrupt();
            }).wasInterrupted();
}

std::optional<std::string> describeForCache(const Plan &plan, size_t index,
                                            StringRef rootName) {
  const Plan::Entry &entry = plan.entries()[index];
  const Pass::Impl &impl = entry.pass.getImpl();
  PassTraits traits = getPassTraits(impl.argument);
  if (traits.alwaysRuns)
    return std::nullopt;
  llvm::Expected<std::string> version = entry.pass.version();
  llvm::Expected<std::string> text = plan.getPipeline(rootName, entry);
  // A pass object can depend on more than its options say.
  if (version && text &&
      (impl.isFromText || traits.isCacheable || !version->empty()))
    return *text + "\n" + *version + "\n";
  if (!version)
    llvm::consumeError(version.takeError());
  if (!text)
    llvm::consumeError(text.takeError());
  return std::nullopt;
}

std::optional<std::string> describeForCache(const Plan &plan,
                                            const PassContext &context,
                                            StringRef rootName) {
  std::string passes;
  for (auto [index, entry] : llvm::enumerate(plan.entries())) {
    if (!entry.runs() || entry.pass.isSequential())
      continue;
    std::optional<std::string> text = describeForCache(plan, index, rootName);
    if (!text)
      return std::nullopt;
    passes += *text;
  }
  return passes + context.describeForPasses();
}

//===----------------------------------------------------------------------===//
// PassCache
//===----------------------------------------------------------------------===//

PassCache::PassCache(const SavingOptions &options)
    : files(options.passCache, options.passCacheSize),
      program(describeProgram()) {}

ContentHash PassCache::hashAround(Operation *op) {
  HashStream around;
  while ((op = op->getParentOp()))
    around << op->getName() << op->getAttrDictionary() << '\0';
  return around.getHash();
}

std::optional<PassCache::Before>
PassCache::getKey(StringRef passes, Operation *op, const ContentHash &around) {
  if (!isKeptInBytecode(op))
    return std::nullopt;
  HashStream contents, key;
  if (failed(writeBytecodeToFile(op, contents)))
    return std::nullopt;
  Before before;
  before.contents = contents.getHash();
  key << program << passes << '\0' << llvm::toStringRef(before.contents)
      << llvm::toStringRef(around);
  before.key = key.getHash();
  return before;
}

std::optional<PassCache::Result> PassCache::find(const Before &before,
                                                 Operation *op) {
  std::unique_ptr<llvm::MemoryBuffer> file = files.get(before.key);
  if (!file)
    return std::nullopt;
  if (file->getBufferSize() == 0)
    return Result();
  MLIRContext *context = op->getContext();
  // Passes run now, so that dialects can't be loaded.
  StringRef contents = file->getBuffer();
  uint32_t size;
  if (contents.size() < sizeof(size))
    return std::nullopt;
  memcpy(&size, contents.data(), sizeof(size));
  contents = contents.drop_front(sizeof(size));
  for (StringRef name : llvm::split(contents.take_front(size), '\n'))
    if (!context->getLoadedDialect(name))
      return std::nullopt;
  contents = contents.drop_front(std::min<size_t>(size, contents.size()));
  Block block;
  // The result was valid when it was kept.
  ParserConfig config(context, /*verifyAfterParse=*/false);
  if (failed(readBytecodeFile(
          llvm::MemoryBufferRef(contents, files.getDirectory()), &block,
          config)) ||
      !llvm::hasSingleElement(block) ||
      block.front().getName() != op->getName())
    return std::nullopt;
  Result result;
  result.op = &block.front();
  result.op->remove();
  return result;
}

void PassCache::put(const Before &before, Operation *op) {
  llvm::SetVector<StringRef> dialects;
  op->walk([&](Operation *inner) {
    dialects.insert(inner->getName().getDialectNamespace());
  });
  std::string names = llvm::join(dialects, "\n");
  uint32_t size = names.size();
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  os << StringRef(reinterpret_cast<char *>(&size), sizeof(size)) << names;
  size_t head = text.size();
  if (!isKeptInBytecode(op) || failed(writeBytecodeToFile(op, os)))
    return;
  HashStream contents;
  contents << text.substr(head);
  if (contents.getHash() == before.contents)
    text.clear();
  llvm::Error failure = files.put(before.key, text);
  std::lock_guard<std::mutex> lock(mutex);
  hasWritten = true;
  if (failure && error.empty())
    error = llvm::toString(std::move(failure));
  else
    llvm::consumeError(std::move(failure));
}

llvm::Error PassCache::finish() {
  if (std::exchange(hasWritten, false))
    files.prune();
  if (error.empty())
    return llvm::Error::success();
  return llvm::createStringError(std::exchange(error, ""));
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
/// The ops in a root whose results are to be kept.
struct CachedOps {
  std::shared_ptr<PassCache> cache;
  std::shared_ptr<RunFacts> facts;
  std::string passes;
  /// The ops at the start, in order, and the keys of those that run.
  SmallVector<Operation *> ops;
  std::vector<std::optional<PassCache::Before>> before;
};

/// A pass of this file's own.
class CachePass : public mlir::Pass {
public:
  CachePass(TypeID id, std::shared_ptr<CachedOps> cached)
      : Pass(id), cached(std::move(cached)) {}
  CachePass(const CachePass &other) = default;

  bool canScheduleOn(RegisteredOperationName) const override { return true; }
  StringRef getArgument() const override { return ""; }

protected:
  SmallVector<Operation *> listOps() {
    auto ops = getAllFunctions(getOperation());
    llvm::erase_if(ops, [](Operation *op) { return op->getRegion(0).empty(); });
    return ops;
  }

  std::shared_ptr<CachedOps> cached;
};

/// Takes known results from the cache.
class LookUpPass : public CachePass {
public:
  explicit LookUpPass(std::shared_ptr<CachedOps> cached)
      : CachePass(TypeID::get<LookUpPass>(), std::move(cached)) {}
  StringRef getName() const override { return "PassCacheLookUp"; }
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<LookUpPass>(*this);
  }
  void runOnOperation() override;
};

/// Keeps the other results.
class KeepPass : public CachePass {
public:
  explicit KeepPass(std::shared_ptr<CachedOps> cached)
      : CachePass(TypeID::get<KeepPass>(), std::move(cached)) {}
  StringRef getName() const override { return "PassCacheKeep"; }
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<KeepPass>(*this);
  }
  void runOnOperation() override;
};
} // namespace

void LookUpPass::runOnOperation() {
  cached->ops = listOps();
  size_t numOps = cached->ops.size();
  cached->before.assign(numOps, std::nullopt);
  std::vector<std::optional<PassCache::Result>> results(numOps);
  std::string passes =
      cached->passes + PassContext::current().describeForPasses();
  // Most functions have one module around them, with many attributes.
  llvm::DenseMap<Operation *, ContentHash> around;
  for (Operation *op : cached->ops)
    if (auto [it, isNew] = around.try_emplace(op->getParentOp()); isNew)
      it->second = PassCache::hashAround(op);
  {
    // Damaged bytecode is no error: the passes run.
    ScopedDiagnosticHandler handler(&getContext(),
                                    [](Diagnostic &) { return success(); });
    parallelFor(&getContext(), 0, numOps, [&](size_t index) {
      Operation *op = cached->ops[index];
      std::optional<PassCache::Before> before =
          cached->cache->getKey(passes, op, around.at(op->getParentOp()));
      if (before)
        results[index] = cached->cache->find(*before, op);
      if (!results[index])
        cached->before[index] = before;
    });
  }
  bool hasReplaced = false;
  for (auto [op, result] : llvm::zip_equal(cached->ops, results)) {
    if (!result)
      continue;
    if (result->op)
      replaceContents(op, *result->op);
    hasReplaced |= bool(result->op);
    cached->facts->known.hide(op);
  }
  cached->facts->hashes.clear();
  // Results were verified when they were made.
  if (hasReplaced)
    AnalysisKeeper::getMap(getAnalysisManager())
        .invalidate(mlir::detail::PreservedAnalyses());
  markAllAnalysesPreserved();
}

void KeepPass::runOnOperation() {
  // Analyses of the root lack the functions without bodies.
  if (cached->facts->known.size() != 0)
    AnalysisKeeper::getMap(getAnalysisManager())
        .invalidate(mlir::detail::PreservedAnalyses());
  markAllAnalysesPreserved();
  cached->facts->known.restore(getOperation());
  cached->facts->hashes.clear();
  // Passes that look at one function at a time do not move functions.
  if (cached->ops == listOps())
    parallelFor(&getContext(), 0, cached->ops.size(), [&](size_t index) {
      Operation *op = cached->ops[index];
      if (cached->before[index] && !cached->facts->noisy.contains(op))
        cached->cache->put(*cached->before[index], op);
    });
  cached->facts->noisy.clear();
}

std::pair<std::unique_ptr<mlir::Pass>, std::unique_ptr<mlir::Pass>>
makeCachePasses(std::shared_ptr<PassCache> cache,
                std::shared_ptr<RunFacts> facts, std::string passes) {
  auto cached = std::make_shared<CachedOps>();
  cached->cache = std::move(cache);
  cached->facts = std::move(facts);
  cached->passes = std::move(passes);
  return {std::make_unique<LookUpPass>(cached),
          std::make_unique<KeepPass>(cached)};
}

} // namespace partita::transform
