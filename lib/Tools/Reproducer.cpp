//===- Reproducer.cpp - PassContexts that travel with a module ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reproducer.h"
#include "partita/Dialect/Partita/IR/PartitaAttrs.h"
#include "partita/Dialect/Partita/IR/PartitaDialect.h"
#include "partita/Instrument/InitAll.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace partita;

static constexpr llvm::StringLiteral kResource = "partita_reproducer";
static constexpr llvm::StringLiteral kContextKey = "pass_context";

static std::string quote(llvm::StringRef text) {
  std::string quoted;
  llvm::raw_string_ostream os(quoted);
  os << '"';
  llvm::printEscapedString(text, os);
  os << '"';
  return quoted;
}

std::string PolicyTexts::print() const {
  std::string text = "#partita.pass_context<opt_level = ";
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
    os << ", config = {";
    llvm::interleaveComma(passConfig, os, [&](StringRef entry) {
      auto [key, value] = entry.split('=');
      os << quote(key.trim()) << " = " << value.trim();
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

static llvm::Expected<PolicyTexts> parseContext(llvm::StringRef text) {
  auto fail = [&](const llvm::Twine &message) {
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "expected a reproducer's pass_context to be #partita.pass_context, but "
        "found '" +
            text + "'" + message);
  };
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<PartitaDialect>();
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = ": " + diagnostic.str();
  });
  // MLIR's parser wants something to parse.
  auto attribute = dyn_cast_or_null<PassContextAttr>(
      text.trim().empty() ? Attribute() : parseAttribute(text, &context));
  if (!attribute)
    return fail(message);
  PolicyTexts result;
  result.optLevel = attribute.getOptLevel();
  auto getTexts = [](ArrayRef<StringAttr> names) {
    std::vector<std::string> texts;
    for (StringAttr name : names)
      texts.push_back(name.str());
    return texts;
  };
  result.requiredPass = getTexts(attribute.getRequiredPass());
  result.disabledPass = getTexts(attribute.getDisabledPass());
  result.instruments = getTexts(attribute.getInstruments());
  for (NamedAttribute entry : attribute.getConfig()) {
    std::string &config = result.passConfig.emplace_back();
    llvm::raw_string_ostream(config)
        << entry.getName().getValue() << "=" << entry.getValue();
  }
  return result;
}

llvm::Expected<std::optional<PolicyTexts>>
partita::readReproducer(llvm::StringRef buffer, const DialectRegistry &registry,
                        bool allowUnregisteredDialects) {
  // It comes after the module, which the run parses again: errors are its.
  if (!buffer.contains(kResource))
    return std::nullopt;
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(allowUnregisteredDialects);
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &) {});
  std::optional<std::string> text;
  ParserConfig config(&context, /*verifyAfterParse=*/false);
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
  Block block;
  if (failed(parseSourceString(buffer, &block, config)) || !text)
    return std::nullopt;
  llvm::Expected<PolicyTexts> parsed = parseContext(*text);
  if (!parsed)
    return parsed.takeError();
  return *parsed;
}

std::vector<std::string>
partita::getReplayedInstruments(llvm::ArrayRef<std::string> instruments) {
  std::vector<std::string> replayed;
  for (const std::string &text : instruments) {
    auto [name, options] = StringRef(text).split('{');
    name = name.trim();
    // What it finds is to be found again, with the module in another place.
    if (name == instrument::VerifyPasses::kName)
      replayed.push_back(name.str());
    else if (name != instrument::Bisect::kName &&
             name != instrument::Checkpoint::kName &&
             name != instrument::DumpIR::kName &&
             name != instrument::Report::kName && !options.contains("output="))
      replayed.push_back(text);
  }
  return replayed;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::string PlannedRun::getPipeline() const {
  if (!plan || vetoed.empty())
    return "";
  ArrayRef<transform::Plan::Entry> entries = plan->entries();
  std::vector<std::string> steps;
  for (size_t index = 0; index < entries.size(); ++index) {
    const transform::Plan::Entry &entry = entries[index];
    if (llvm::is_contained(vetoed, index) || !entry.runs()) {
      index = entry.end - 1;
    } else if (entry.number != 0) {
      llvm::Expected<std::string> pipeline =
          plan->getPipeline(rootName, entry.number);
      if (!pipeline) {
        llvm::consumeError(pipeline.takeError());
        return "";
      }
      // "root(pass)" -> "pass".
      steps.push_back(StringRef(*pipeline)
                          .drop_front(rootName.size() + 1)
                          .drop_back()
                          .str());
    }
  }
  // An empty text is no pipeline inside another; an empty Sequential is.
  if (steps.empty())
    steps.emplace_back("sequential");
  return rootName + "(" + llvm::join(steps, ",") + ")";
}

std::string partita::completeReproducer(std::string text, llvm::StringRef tail,
                                        const PlannedRun &run) {
  std::string pipeline = run.getPipeline();
  if (!pipeline.empty()) {
    // MLIR has printed it before the run, as a string without quotes inside.
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
  Stream(std::unique_ptr<llvm::ToolOutputFile> file, std::string tail,
         std::shared_ptr<const PlannedRun> run)
      : file(std::move(file)), tail(std::move(tail)), run(std::move(run)) {}
  ~Stream() override {
    llvm::raw_fd_ostream &os = file->os();
    os << completeReproducer(std::move(text), tail, *run);
    os.flush();
    if (os.has_error()) {
      llvm::WithColor::error(llvm::errs())
          << "expected to write the reproducer to '" << file->getFilename()
          << "': " << os.error().message() << "\n";
      os.clear_error();
    }
    file->keep();
  }

  StringRef description() override { return file->getFilename(); }
  raw_ostream &os() override { return textStream; }

private:
  std::unique_ptr<llvm::ToolOutputFile> file;
  std::string tail;
  std::shared_ptr<const PlannedRun> run;
  std::string text;
  llvm::raw_string_ostream textStream{text};
};
} // namespace

ReproducerStreamFactory
partita::makeReproducerFactory(std::string fileName, std::string tail,
                               std::shared_ptr<const PlannedRun> run) {
  return [fileName = std::move(fileName), tail = std::move(tail),
          run = std::move(run)](
             std::string &error) -> std::unique_ptr<ReproducerStream> {
    std::unique_ptr<llvm::ToolOutputFile> file =
        openOutputFile(fileName, &error);
    if (!file)
      return nullptr;
    return std::make_unique<Stream>(std::move(file), tail, run);
  };
}
