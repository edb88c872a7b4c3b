//===- Reproducer.cpp - PassContexts that travel with a module ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reproducer.h"
#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Support/OutputFile.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <limits>
#include <map>

using namespace mlir;
using namespace partita;
namespace cl = llvm::cl;

static constexpr llvm::StringLiteral kResource = "partita_reproducer";
static constexpr llvm::StringLiteral kContextKey = "pass_context";
static constexpr llvm::StringLiteral kContextName = "#partita.pass_context";

std::string partita::quote(StringRef text) {
  std::string quoted;
  llvm::raw_string_ostream os(quoted);
  os << '"';
  llvm::printEscapedString(text, os);
  os << '"';
  return quoted;
}

std::string PolicyTexts::print() const {
  std::string text = (kContextName + "<opt_level = ").str();
  llvm::raw_string_ostream os(text);
  auto printNames = [&](StringRef field, ArrayRef<std::string> names) {
    if (names.empty())
      return;
    os << ", " << field << " = [";
    llvm::interleaveComma(names, os,
                          [&](const std::string &name) { os << quote(name); });
    os << "]";
  };
  os << optLevel;
  printNames("required_pass", requiredPass);
  printNames("disabled_pass", disabledPass);
  if (!passConfig.empty()) {
    // The last value of a key counts.
    llvm::MapVector<StringRef, StringRef> config;
    for (StringRef entry : passConfig) {
      auto [key, value] = entry.split('=');
      config[key.trim()] = value.trim();
    }
    os << ", config = {";
    llvm::interleaveComma(config, os, [&](const auto &entry) {
      os << quote(entry.first) << " = " << entry.second;
    });
    os << "}";
  }
  printNames("instruments", instruments);
  os << ">";
  return text;
}

std::string partita::makeReproducerTail(llvm::StringRef contextText,
                                        llvm::StringRef pipeline,
                                        bool verifies) {
  std::string tail = "\n{-#\n  external_resources: {\n";
  if (!pipeline.empty())
    tail += "    mlir_reproducer: {\n      pipeline: " + quote(pipeline) +
            ",\n      disable_threading: true,\n      verify_each: " +
            (verifies ? "true" : "false") + "\n    },\n";
  tail += "    " + kResource.str() + ": {\n      " + kContextKey.str() + ": " +
          quote(contextText) + "\n    }\n  }\n#-}\n";
  return tail;
}

namespace {
/// Reads the output of PolicyTexts::print. It is the text of an attribute whose
/// dialect the tool need not have; its fields are read as a dictionary.
class ContextReader {
public:
  llvm::Expected<PolicyTexts> read(StringRef text);

private:
  /// Each sets `message` where it fails.
  bool readField(NamedAttribute field);
  bool readLevel(Attribute value);
  bool readNames(StringRef name, Attribute value,
                 std::vector<std::string> &names);
  bool fail(const Twine &what) {
    message = ": " + what.str();
    return false;
  }

  PolicyTexts result;
  std::string message;
};
} // namespace

bool ContextReader::readLevel(Attribute value) {
  auto level = dyn_cast<IntegerAttr>(value);
  if (!level || !level.getType().isInteger(64))
    return fail("expected an opt_level that is an integer");
  constexpr int max = std::numeric_limits<int>::max();
  if (level.getInt() < 0)
    return fail("expected an opt_level of at least 0, found " +
                Twine(level.getInt()));
  if (level.getInt() > max)
    return fail("expected an opt_level of at most " + Twine(max) + ", found " +
                Twine(level.getInt()));
  result.optLevel = level.getInt();
  return true;
}

bool ContextReader::readNames(StringRef field, Attribute value,
                              std::vector<std::string> &names) {
  auto array = dyn_cast<ArrayAttr>(value);
  if (!array)
    return fail("expected names in '" + field + "'");
  for (auto [index, element] : llvm::enumerate(array)) {
    auto name = dyn_cast<StringAttr>(element);
    if (!name || name.empty())
      return fail("expected names in '" + field + "', found none at position " +
                  Twine(index));
    names.push_back(name.str());
  }
  return true;
}

bool ContextReader::readField(NamedAttribute field) {
  StringRef name = field.getName();
  if (name == "opt_level")
    return readLevel(field.getValue());
  if (name == "required_pass")
    return readNames(name, field.getValue(), result.requiredPass);
  if (name == "disabled_pass")
    return readNames(name, field.getValue(), result.disabledPass);
  if (name == "instruments")
    return readNames(name, field.getValue(), result.instruments);
  auto config = dyn_cast<DictionaryAttr>(field.getValue());
  if (name != "config" || !config)
    return fail("expected a field of a pass_context, found '" + name + "'");
  for (NamedAttribute entry : config) {
    std::string &text = result.passConfig.emplace_back();
    llvm::raw_string_ostream(text)
        << entry.getName().getValue() << "=" << entry.getValue();
  }
  return true;
}

llvm::Expected<PolicyTexts> ContextReader::read(StringRef text) {
  StringRef fields = text.trim();
  bool isContext = fields.consume_front(kContextName);
  fields = fields.trim();
  if (fields.consume_front("<"))
    isContext &= fields.consume_back(">");
  else
    isContext &= fields.empty();
  if (isContext) {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { fail(diagnostic.str()); });
    auto parsed = dyn_cast_or_null<DictionaryAttr>(
        parseAttribute(("{" + fields + "}").str(), &context));
    isContext = parsed && llvm::all_of(parsed, [&](NamedAttribute field) {
                  return readField(field);
                });
  }
  if (isContext)
    return result;
  return llvm::createStringError("expected a reproducer's pass_context to be " +
                                 kContextName + ", but found '" + text + "'" +
                                 message);
}

bool partita::hasString(StringRef buffer, StringRef name) {
  if (buffer.contains(name))
    return true;
  // A name in the text differs from `name` only by escapes.
  const char starts[] = {name.front(), '\\', '\0'};
  for (size_t begin = buffer.find_first_of(starts); begin != StringRef::npos;
       begin = buffer.find_first_of(starts, begin + 1)) {
    StringRef rest = buffer.drop_front(begin);
    StringRef left = name;
    while (!left.empty() && !rest.empty()) {
      char c = rest.front();
      size_t length = 1;
      if (c == '\\' && rest.size() > 2 && llvm::isHexDigit(rest[1]) &&
          llvm::isHexDigit(rest[2])) {
        c = char(llvm::hexFromNibbles(rest[1], rest[2]));
        length = 3;
      }
      if (c != left.front())
        break;
      rest = rest.drop_front(length);
      left = left.drop_front();
    }
    if (left.empty())
      return true;
  }
  return false;
}

/// Overwrites the resource in the text of a module with spaces, so that
/// comments and lines stay; false if it is not found.
static bool blankResource(std::string &text) {
  constexpr std::string_view spaces = " \t\r\n";
  size_t begin = text.rfind(kResource), end = begin;
  unsigned depth = 0;
  bool isInString = false;
  do {
    end = end == std::string::npos ? end : text.find_first_of("{}\"\\", end);
    if (end == std::string::npos)
      return false;
    char c = text[end++];
    if (c == '"')
      isInString = !isInString;
    else if (c == '\\')
      ++end;
    else if (!isInString)
      depth += c == '{' ? 1 : -1;
  } while (isInString || depth != 0);
  size_t before = text.find_last_not_of(spaces, begin - 1),
         after = text.find_first_not_of(spaces, end);
  if (before != std::string::npos && text[before] == ',')
    begin = before;
  else if (after != std::string::npos && text[after] == ',')
    end = after + 1;
  for (char &c : llvm::make_range(text.begin() + begin, text.begin() + end))
    if (c != '\n')
      c = ' ';
  return true;
}

/// Whether the text of a module can be parsed, with no resource of Partita.
static bool parses(StringRef text, MLIRContext &context) {
  FallbackAsmResourceMap others;
  ParserConfig config(&context, /*verifyAfterParse=*/false, &others);
  bool hasResource = false;
  config.attachResourceParser(kResource, [&](AsmParsedResourceEntry &) {
    hasResource = true;
    return success();
  });
  Block block;
  return succeeded(parseSourceString(text, &block, config)) && !hasResource;
}

llvm::Expected<std::optional<PolicyTexts>>
partita::takeContext(std::unique_ptr<llvm::MemoryBuffer> &input,
                     const DialectRegistry &registry,
                     bool allowUnregisteredDialects) {
  // The resource comes after the module. The run reports errors in the module.
  if (!hasString(input->getBuffer(), kResource))
    return std::nullopt;
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(allowUnregisteredDialects);
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &) {});
  std::optional<std::string> text;
  FallbackAsmResourceMap others;
  ParserConfig config(&context, /*verifyAfterParse=*/false, &others);
  config.attachResourceParser(
      kResource, [&](AsmParsedResourceEntry &entry) -> LogicalResult {
        if (entry.getKey() != kContextKey)
          return success();
        FailureOr<std::string> value = entry.parseAsString();
        if (failed(value))
          return failure();
        text = *value;
        return success();
      });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(input->getMemBufferRef()), SMLoc());
  Block block;
  if (failed(parseSourceFile(sources, &block, config)) || !text)
    return std::nullopt;
  llvm::Expected<PolicyTexts> parsed = ContextReader().read(*text);
  if (!parsed)
    return parsed.takeError();
  std::string rest = input->getBuffer().str();
  if (!isBytecode(input->getMemBufferRef()) && blankResource(rest) &&
      parses(rest, context)) {
    input = llvm::MemoryBuffer::getMemBufferCopy(rest,
                                                 input->getBufferIdentifier());
    return *parsed;
  }
  // Other ops than one module get the module that mlir-opt puts around them.
  if (!llvm::hasSingleElement(block)) {
    auto module = ModuleOp::create(UnknownLoc::get(&context));
    module.getBody()->getOperations().splice(module.getBody()->end(),
                                             block.getOperations());
    block.push_back(module);
  }
  std::string bytecode;
  llvm::raw_string_ostream os(bytecode);
  if (succeeded(writeBytecodeToFile(&block.front(), os,
                                    BytecodeWriterConfig(others))))
    input = llvm::MemoryBuffer::getMemBufferCopy(bytecode,
                                                 input->getBufferIdentifier());
  return *parsed;
}

std::vector<std::string>
partita::getReplayedInstruments(llvm::ArrayRef<std::string> instruments) {
  std::map<std::string, instrument::Replay> replays;
  for (const instrument::InstrumentDeclaration &declaration :
       instrument::listInstruments())
    replays[declaration.name] = declaration.replay;
  std::vector<std::string> replayed;
  for (const std::string &text : instruments) {
    auto [name, options] = StringRef(text).split('{');
    name = name.trim();
    switch (replays[name.str()]) {
    case instrument::Replay::Drop:
      break;
    case instrument::Replay::DropOptions:
      replayed.push_back(name.str());
      break;
    case instrument::Replay::Keep:
      // Its file would overwrite the first run's.
      if (!options.contains("output="))
        replayed.push_back(text);
    }
  }
  return replayed;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::string PlannedRun::getPipeline() const {
  if (!plan)
    return "";
  ArrayRef<transform::Plan::Entry> entries = plan->entries();
  llvm::BitVector isVetoed(entries.size());
  for (size_t begin : vetoed)
    if (!isVetoed[begin])
      isVetoed.set(begin, entries[begin].end);
  bool isEmpty = true;
  llvm::Expected<std::string> pipeline =
      plan->getPipeline(rootName, [&](const transform::Plan::Entry &entry) {
        bool runs = entry.runs() && !isVetoed[&entry - entries.data()];
        isEmpty &= !runs;
        return runs;
      });
  if (!pipeline) {
    llvm::consumeError(pipeline.takeError());
    return "";
  }
  // An empty plan is an empty Sequential.
  return isEmpty ? rootName + "(sequential)" : *pipeline;
}

/// Completes the text of MLIR's reproducer: replaces its pipeline, unless
/// `pipeline` is empty, and appends `tail`.
static std::string completeReproducer(std::string text, llvm::StringRef tail,
                                      llvm::StringRef pipeline) {
  if (!pipeline.empty()) {
    // MLIR has printed its own pipeline before the run, as a string without
    // inner quotes.
    static constexpr StringLiteral key = "pipeline: \"";
    size_t begin = text.find(key, text.rfind("mlir_reproducer:"));
    if (begin != std::string::npos) {
      begin += key.size();
      text.replace(begin - 1, text.find('"', begin) - begin + 2,
                   quote(pipeline));
    }
  }
  return text + tail.str();
}

namespace {
class Stream : public ReproducerStream {
public:
  Stream(std::string fileName, std::unique_ptr<OutputFile> file,
         std::string tail, std::shared_ptr<const PlannedRun> run)
      : fileName(std::move(fileName)), file(std::move(file)),
        tail(std::move(tail)), run(std::move(run)) {}
  ~Stream() override {
    // A local one has the pass that failed alone.
    file->os() << completeReproducer(
        std::move(text), tail, run->vetoed.empty() ? "" : run->getPipeline());
    if (std::error_code code = file->commit())
      llvm::WithColor::error(llvm::errs())
          << "expected to write the reproducer to '" << fileName
          << "': " << code.message() << "\n";
  }

  StringRef description() override { return fileName; }
  raw_ostream &os() override { return textStream; }

private:
  std::string fileName;
  std::unique_ptr<OutputFile> file;
  std::string tail;
  std::shared_ptr<const PlannedRun> run;
  std::string text;
  llvm::raw_string_ostream textStream{text};
};
} // namespace

void partita::clearFlag(StringRef name) {
  if (cl::Option *option = cl::getRegisteredOptions().lookup(name))
    option->reset();
}

Reproducer::Reproducer(std::optional<PolicyTexts> texts,
                       std::shared_ptr<const PlannedRun> run,
                       StringRef generated)
    : run(std::move(run)),
      fileName(getFlag<std::string>("mlir-pass-pipeline-crash-reproducer")),
      target(generated),
      isLocal(getFlag<bool>("mlir-pass-pipeline-local-reproducer")) {
  clearFlag("mlir-pass-pipeline-crash-reproducer");
  if (texts) {
    texts->instruments = getReplayedInstruments(texts->instruments);
    // A local reproducer runs only the pass that failed.
    if (isLocal)
      texts->instruments.clear();
    tail = makeReproducerTail(texts->print());
  }
  std::error_code code;
  if (!generated.empty())
    scratch = OutputFile::open(generated, code);
  // mlir-opt says nothing of it.
  if (texts)
    openError = code;
  // MLIR itself writes to anything but a regular file.
  if (scratch && scratch->getName() == target)
    scratch = nullptr;
}

std::string Reproducer::getGeneratedName() const {
  return scratch ? scratch->getName() : target;
}

LogicalResult Reproducer::enable(PassManager &pm) const {
  if (fileName.empty())
    return success();
  // MLIR's own message; a pass manager would end the process with it.
  if (isLocal && pm.getContext()->isMultithreadingEnabled())
    return emitError(UnknownLoc::get(pm.getContext()),
                     "Local crash reproduction may not be used without "
                     "disabling mutli-threading first.");
  auto makeStream = [fileName = fileName, tail = tail,
                     run = isLocal ? std::make_shared<PlannedRun>() : run](
                        std::string &error) -> std::unique_ptr<Stream> {
    std::error_code code;
    std::unique_ptr<OutputFile> file = OutputFile::open(fileName, code);
    if (!file) {
      error = "cannot open output file '" + fileName + "': " + code.message();
      return nullptr;
    }
    return std::make_unique<Stream>(fileName, std::move(file), tail, run);
  };
  pm.enableCrashReproducerGeneration(makeStream, isLocal);
  return success();
}

llvm::Error Reproducer::complete() const {
  if (openError)
    return makeFileError(openError, "open '" + target + "' to write to");
  if (!scratch)
    return llvm::Error::success();
  auto buffer = llvm::MemoryBuffer::getFile(
      scratch->getName(), /*IsText=*/false, /*RequiresNullTerminator=*/false,
      /*IsVolatile=*/true);
  if (!buffer)
    return makeFileError(buffer.getError(), "read '" + target + "'");
  // MLIR generates it only after a run that succeeded.
  if ((*buffer)->getBufferSize() == 0)
    return llvm::Error::success();
  return writeFile(target, [&](llvm::raw_ostream &os) -> llvm::Error {
    os << completeReproducer((*buffer)->getBuffer().str(), tail,
                             run->getPipeline());
    return llvm::Error::success();
  });
}
