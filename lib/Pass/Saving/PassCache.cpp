//===- PassCache.cpp - Results of passes, kept across runs ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassCache.h"
#include "../HelperPass.h"
#include "../PassAccess.h"
#include "../PassImpl.h"
#include "../PassRegistryImpl.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Support/CloneModule.h"
#include "partita/Support/ThreadDiagnosticHandler.h"
#include "partita/Support/UseOrders.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LEB128.h"

#ifdef __linux__
#include <link.h>
#endif

using namespace mlir;

namespace partita::transform {

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

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
        // The program itself has no name here. Others can be relative.
        if (info->dlpi_name && *info->dlpi_name)
          *static_cast<std::string *>(text) += describeFile(info->dlpi_name);
        return 0;
      },
      &text);
#endif
  return text;
}

std::optional<std::string> describeForCache(const Plan &plan, size_t index,
                                            StringRef rootName) {
  const Plan::Entry &entry = plan.entries()[index];
  const Pass::Impl &impl = entry.pass.getImpl();
  PassTraits traits = getPassTraits(impl.argument);
  if (traits.alwaysRuns || impl.alwaysRuns.value_or(false))
    return std::nullopt;
  llvm::Expected<std::string> version = entry.pass.version();
  llvm::Expected<std::string> text = plan.getPipeline(rootName, entry);
  // A pass object can depend on more than its options say.
  if (version && text && !namesPassWithEffects(*text, entry.pass) &&
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
      program(describeProgram()),
      verifiesAtEnd(options.verify == SavingOptions::Verify::End) {}

std::optional<ContentHash> PassCache::hashAround(Operation *op) {
  HashStream around;
  while ((op = op->getParentOp())) {
    // Its text can lack the elements of constants.
    OwningOpRef<Operation *> copy = op->cloneWithoutRegions();
    copy->setLoc(UnknownLoc::get(op->getContext()));
    if (!roundTrips.collectShared(*copy) ||
        failed(writeBytecodeToFile(*copy, around)))
      return std::nullopt;
  }
  return around.getHash();
}

/// The orders of uses in `op`, as bytes for this machine.
static std::string getUseOrderBytes(Operation *op) {
  SmallVector<uint32_t, 0> orders = getUseOrders(op);
  return std::string(reinterpret_cast<const char *>(orders.data()),
                     orders.size_in_bytes());
}

std::optional<PassCache::Before> PassCache::describe(Operation *op,
                                                     const Globals *globals) {
  HashStream contents;
  std::optional<SmallVector<Attribute, 0>> shared =
      roundTrips.collectShared(op);
  if (!shared || failed(writeBytecodeToFile(op, contents)))
    return std::nullopt;
  contents << getUseOrderBytes(op);
  Before before{op,
                contents.getHash(),
                contents.tell(),
                OpHashes().get(op),
                /*globals=*/{},
                std::move(*shared)};
  if (!globals)
    return before;
  std::optional<ContentHash> named = globals->hashNamed(op);
  if (!named)
    return std::nullopt;
  before.globals = *named;
  return before;
}

ContentHash PassCache::getKey(StringRef passes, const ContentHash &around,
                              ArrayRef<Before> ops) const {
  HashStream key;
  key << program << verification << passes << '\0' << llvm::toStringRef(around);
  for (const Before &before : ops)
    key << llvm::toStringRef(before.contents)
        << llvm::toStringRef(before.globals);
  return key.getHash();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Stands where a builtin attribute has its code. A position in
/// PassCache::Before::shared follows.
static constexpr uint64_t sharedCode = 0x5041525449544100;

/// Writes `op` as bytecode that refers to the attributes in `shared`. Fails if
/// bytecode does not give other attributes back as they are.
static LogicalResult writeResult(Operation *op, ArrayRef<Attribute> shared,
                                 RoundTrips &roundTrips,
                                 llvm::raw_ostream &os) {
  std::optional<SmallVector<Attribute, 0>> found = roundTrips.collectShared(op);
  if (!found)
    return failure();
  llvm::DenseMap<Attribute, uint64_t> positions;
  for (auto [position, attr] : llvm::enumerate(shared))
    positions[attr] = position;
  llvm::DenseSet<Attribute> written;
  BytecodeWriterConfig config;
  config.attachAttributeCallback([&](Attribute attr,
                                     std::optional<StringRef> &dialect,
                                     DialectBytecodeWriter &writer) {
    auto it = positions.find(attr);
    if (it == positions.end())
      return failure();
    dialect = BuiltinDialect::getDialectNamespace();
    writer.writeVarInt(sharedCode);
    writer.writeVarInt(it->second);
    written.insert(attr);
    return success();
  });
  if (failed(writeBytecodeToFile(op, os, config)))
    return failure();
  // Attributes in attributes that are written as text are not referred to.
  return success(llvm::all_of(
      *found, [&](Attribute attr) { return written.contains(attr); }));
}

/// Reads what writeResult has written.
static OwningOpRef<Operation *> readResult(llvm::MemoryBufferRef bytecode,
                                           const PassCache::Before &before) {
  // The result was valid when it was kept.
  ParserConfig config(before.op->getContext(), /*verifyAfterParse=*/false);
  config.getBytecodeReaderConfig().attachAttributeCallback(
      [&](DialectBytecodeReader &reader, StringRef dialect, Attribute &attr) {
        uint64_t code, position;
        if (dialect != BuiltinDialect::getDialectNamespace() ||
            failed(reader.readVarInt(code)) || code != sharedCode)
          return success();
        if (failed(reader.readVarInt(position)) ||
            position >= before.shared.size())
          return failure();
        attr = before.shared[position];
        return success();
      });
  Block block;
  if (failed(readBytecodeFile(bytecode, &block, config)) ||
      !llvm::hasSingleElement(block) ||
      block.front().getName() != before.op->getName())
    return nullptr;
  OwningOpRef<Operation *> result(&block.front());
  result->remove();
  return result;
}

/// Reads a number and that many bytes from the front of `text`.
static StringRef takeBytes(StringRef &text) {
  const auto *begin = text.bytes_begin();
  unsigned length = 0;
  const char *error = nullptr;
  uint64_t size = llvm::decodeULEB128(begin, &length, text.bytes_end(), &error);
  text = text.drop_front(error ? text.size() : length);
  StringRef bytes = text.take_front(size);
  text = text.drop_front(bytes.size());
  return bytes;
}

static LogicalResult setUseOrderBytes(Operation *op, StringRef bytes) {
  SmallVector<uint32_t, 0> orders(bytes.size() / sizeof(uint32_t));
  llvm::copy(bytes.take_front(orders.size_in_bytes()),
             reinterpret_cast<char *>(orders.data()));
  return setUseOrders(op, orders);
}

static void appendBytes(llvm::raw_ostream &os, StringRef bytes) {
  llvm::encodeULEB128(bytes.size(), os);
  os << bytes;
}

/// Whether somebody can skip rewrites of a pass, such as MLIR's debug counters,
/// so that its result does not follow from its input.
static bool canSkipActions(const PassCache::Before &before) {
  return before.op->getContext()->hasActionHandler();
}

std::optional<std::vector<PassCache::Result>>
PassCache::find(const ContentHash &key, ArrayRef<Before> ops) const {
  std::unique_ptr<llvm::MemoryBuffer> file;
  if (!canSkipActions(ops.front()))
    file = files.get(key);
  if (!file)
    return std::nullopt;
  StringRef contents = file->getBuffer();
  // Passes run now, so that dialects can't be loaded.
  for (StringRef name : llvm::split(takeBytes(contents), '\n'))
    if (!name.empty() && !ops.front().op->getContext()->getLoadedDialect(name))
      return std::nullopt;
  std::vector<Result> results(ops.size());
  for (auto [before, result] : llvm::zip_equal(ops, results)) {
    StringRef kind = takeBytes(contents);
    if (kind.size() != 1 || *kind.bytes_begin() > Result::Changed)
      return std::nullopt;
    result.kind = static_cast<Result::Kind>(kind.front());
    if (result.kind != Result::Changed)
      continue;
    result.op = readResult(
        llvm::MemoryBufferRef(takeBytes(contents), files.getDirectory()),
        before);
    if (!result.op || failed(setUseOrderBytes(*result.op, takeBytes(contents))))
      return std::nullopt;
  }
  return results;
}

void PassCache::put(const ContentHash &key, ArrayRef<Before> ops,
                    ArrayRef<Result::Kind> kinds) {
  if (canSkipActions(ops.front()))
    return;
  llvm::SetVector<StringRef> dialects;
  llvm::SmallString<0> results, bytecode;
  llvm::raw_svector_ostream os(results);
  bool hasResult = false;
  for (auto [before, kind] : llvm::zip_equal(ops, llvm::to_vector(kinds))) {
    bytecode.clear();
    llvm::raw_svector_ostream stream(bytecode);
    if (kind == Result::Changed &&
        failed(writeResult(before.op, before.shared, roundTrips, stream)))
      kind = Result::Unknown;
    hasResult |= kind != Result::Unknown;
    char byte = kind;
    appendBytes(os, StringRef(&byte, 1));
    if (kind != Result::Changed)
      continue;
    appendBytes(os, bytecode);
    appendBytes(os, getUseOrderBytes(before.op));
    before.op->walk([&](Operation *inner) {
      if (inner->getDialect())
        dialects.insert(inner->getName().getDialectNamespace());
    });
  }
  if (!hasResult)
    return;
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream file(text);
  appendBytes(file, llvm::join(dialects, "\n"));
  file << results;
  llvm::Error failure = files.put(key, text);
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
  /// The ops at the start, in order.
  SmallVector<Operation *> ops;

  /// Ops whose results are kept in one file.
  struct Group {
    std::vector<PassCache::Before> ops;
    ContentHash key;
    bool isKnown = false;
  };
  std::vector<Group> groups;
};

/// A pass of this file's own.
class CachePass : public HelperPass {
public:
  explicit CachePass(std::shared_ptr<CachedOps> cached)
      : cached(std::move(cached)) {}
  CachePass(const CachePass &other) = default;

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
  using CachePass::CachePass;
  StringRef getName() const override { return "PassCacheLookUp"; }
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<LookUpPass>(*this);
  }
  void runOnOperation() override;
};

/// Keeps the other results.
class KeepPass : public CachePass {
public:
  using CachePass::CachePass;
  StringRef getName() const override { return "PassCacheKeep"; }
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<KeepPass>(*this);
  }
  void runOnOperation() override;

private:
  void keep(const CachedOps::Group &group);
};
} // namespace

/// The number of bytes of a group of ops. A group is a file, and runs again as
/// a whole: hundreds of groups make both cheap.
static uint64_t
getGroupSize(ArrayRef<std::optional<PassCache::Before>> described) {
  uint64_t total = 0;
  for (const std::optional<PassCache::Before> &before : described)
    total += before ? before->size : 0;
  // A power of two, as the size of other groups changes if this does.
  return llvm::bit_floor(total) / 256;
}

/// Whether `before` ends a group of consecutive ops. Its own contents decide,
/// so that an op that is new, gone or changed changes no group but its own.
static bool endsGroup(const PassCache::Before &before, uint64_t groupSize) {
  uint64_t number = llvm::support::endian::read64le(before.contents.data());
  return groupSize == 0 || number % groupSize < before.size;
}

/// Puts the ops from `first` on into groups, up to an op with another parent.
static size_t
addGroups(CachedOps &cached, size_t first, StringRef passes,
          MutableArrayRef<std::optional<PassCache::Before>> described,
          uint64_t groupSize) {
  Operation *parent = cached.ops[first]->getParentOp();
  std::optional<ContentHash> around =
      cached.cache->hashAround(cached.ops[first]);
  CachedOps::Group group;
  auto endGroup = [&] {
    if (group.ops.empty())
      return;
    group.key = cached.cache->getKey(passes, *around, group.ops);
    cached.groups.push_back(std::exchange(group, {}));
  };
  size_t index = first;
  for (; index < cached.ops.size(); ++index) {
    Operation *op = cached.ops[index];
    if (op->getParentOp() != parent)
      break;
    if (!around || !described[index])
      continue;
    bool isLast = endsGroup(*described[index], groupSize);
    group.ops.push_back(std::move(*described[index]));
    if (isLast)
      endGroup();
  }
  endGroup();
  return index;
}

void LookUpPass::runOnOperation() {
  cached->ops = listOps();
  cached->groups.clear();
  size_t numOps = cached->ops.size();
  std::vector<std::optional<PassCache::Before>> described(numOps);
  PassCache &cache = *cached->cache;
  Globals globals(getOperation(), cache.getRoundTrips());
  parallelFor(&getContext(), 0, numOps, [&](size_t index) {
    described[index] = cache.describe(cached->ops[index], &globals);
  });
  std::string passes =
      cached->passes + PassContext::current().describeForPasses();
  uint64_t groupSize = getGroupSize(described);
  for (size_t index = 0; index < numOps;)
    index = addGroups(*cached, index, passes, described, groupSize);

  std::vector<std::optional<std::vector<PassCache::Result>>> found(
      cached->groups.size());
  {
    // Damaged bytecode is no error: the passes run.
    ThreadDiagnosticHandler handler(&getContext(),
                                    [](Diagnostic &) { return success(); });
    parallelFor(&getContext(), 0, found.size(), [&](size_t index) {
      const CachedOps::Group &group = cached->groups[index];
      found[index] = cache.find(group.key, group.ops);
    });
  }
  bool hasReplaced = false;
  for (auto [group, results] : llvm::zip_equal(cached->groups, found)) {
    group.isKnown = results.has_value();
    if (!results)
      continue;
    for (auto [before, result] : llvm::zip_equal(group.ops, *results)) {
      if (result.kind == PassCache::Result::Unknown)
        continue;
      if (result.op)
        replaceContents(before.op, *result.op);
      hasReplaced |= bool(result.op);
      cached->facts->known.add(before.op);
    }
  }
  cached->facts->hashes.clear();
  // Results were verified when they were made.
  if (hasReplaced)
    getAnalysisMap(getAnalysisManager())
        .invalidate(mlir::detail::PreservedAnalyses());
  markAllAnalysesPreserved();
}

void KeepPass::runOnOperation() {
  // Analyses of the root lack the functions without bodies.
  if (cached->facts->known.size() != 0)
    getAnalysisMap(getAnalysisManager())
        .invalidate(mlir::detail::PreservedAnalyses());
  markAllAnalysesPreserved();
  cached->facts->known.clear();
  cached->facts->hashes.clear();
  // Passes that look at one function at a time do not move functions.
  if (cached->ops == listOps())
    parallelFor(&getContext(), 0, cached->groups.size(), [&](size_t index) {
      if (!cached->groups[index].isKnown)
        keep(cached->groups[index]);
    });
  cached->groups.clear();
  cached->facts->noisy.clear();
}

void KeepPass::keep(const CachedOps::Group &group) {
  using Result = PassCache::Result;
  SmallVector<Result::Kind> kinds;
  for (const PassCache::Before &before : group.ops)
    kinds.push_back(cached->facts->verifierSpeaks ||
                            cached->facts->noisy.contains(before.op)
                        ? Result::Unknown
                    : cached->facts->hashes.get(before.op) == before.hash
                        ? Result::Unchanged
                        : Result::Changed);
  cached->cache->put(group.key, group.ops, kinds);
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
