//===- ExportTVMJson.cpp - Modules to TVM's JSON --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionExporter.h"
#include "Subgraph.h"
#include "TIRBodyExporter.h"
#include "TVMNodes.h"

#include "partita/Dialect/Partita/IR/PartitaDialect.h"
#include "partita/Dialect/Relax/IR/RelaxDialect.h"
#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Support/ThreadDiagnosticHandler.h"
#include "partita/Target/TVMJson/TVMJson.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

/// What constants of one repeated element may take, all of whose elements TVM's
/// JSON has.
static constexpr int64_t maxSplatBytes = int64_t(1) << 30;

namespace {
class ModuleExporter {
public:
  explicit ModuleExporter(IRModuleOp module) : module(module) {}

  LogicalResult write(llvm::raw_ostream &os);

private:
  LogicalResult declare(Operation &op);
  FailureOr<int64_t> addFunction(Operation &op);
  /// Adds a function that was kept whole, as `json`.
  FailureOr<int64_t> paste(Operation &op, ElementsAttr json, ArrayAttr symbols);
  FailureOr<int64_t> addGlobalInfos();

  IRModuleOp module;
  NodeWriter writer;
  llvm::DenseMap<StringAttr, int64_t> globalVars, globalTypes;
  llvm::DenseMap<Operation *, std::unique_ptr<FunctionExporter>> exporters;
  llvm::DenseMap<Operation *, std::unique_ptr<TIRBodyExporter>> bodyExporters;
};
} // namespace

LogicalResult ModuleExporter::declare(Operation &op) {
  FailureOr<int64_t> type = failure();
  if (auto func = dyn_cast<relax::FuncOp>(op)) {
    if (func.isExternal())
      return func.emitError("expected a function with a body, found a "
                            "declaration, which TVM lacks");
    if (!func.getKeptBody()) {
      auto exporter = std::make_unique<FunctionExporter>(writer, globalVars,
                                                         globalTypes, func);
      type = exporter->addFunctionType();
      if (failed(type))
        return failure();
      globalTypes[func.getSymNameAttr()] = *type;
      exporters[&op] = std::move(exporter);
    }
  } else if (auto func = dyn_cast<tir::PrimFuncOp>(op)) {
    auto exporter = std::make_unique<TIRBodyExporter>(writer, globalVars, func);
    // A function without such a type is not called, or its export reports the
    // error.
    ThreadDiagnosticHandler silence(op.getContext(),
                                    [](Diagnostic &) { return success(); });
    type = exporter->addFunctionType();
    bodyExporters[&op] = std::move(exporter);
  } else {
    return op.emitError("expected functions of Relax and TIR, found '")
           << op.getName() << "', which TVM lacks";
  }
  if (failed(type))
    type = TypeNode::add(writer, {});
  StringAttr name = SymbolTable::getSymbolName(&op);
  globalVars[name] = *GlobalVarNode::add(writer, {type, name.getValue()});
  return success();
}

FailureOr<int64_t> ModuleExporter::paste(Operation &op, ElementsAttr json,
                                         ArrayAttr symbols) {
  FailureOr<int64_t> node = writer.paste(
      getText(json), [&](StringRef kind, JsonValue data) -> int64_t {
        std::optional<int64_t> index = data.getInteger();
        if (kind != "symbol" || !index || !symbols || *index < 0 ||
            *index >= static_cast<int64_t>(symbols.size()))
          return -1;
        auto it =
            globalVars.find(cast<FlatSymbolRefAttr>(symbols[*index]).getAttr());
        return it == globalVars.end() ? -1 : it->second;
      });
  if (failed(node))
    return op.emitError("expected 'json' to be a graph of TVM's nodes");
  return node;
}

FailureOr<int64_t> ModuleExporter::addFunction(Operation &op) {
  if (auto func = dyn_cast<relax::FuncOp>(op)) {
    if (relax::OpaqueExprOp kept = func.getKeptBody())
      return paste(op, kept.getJson(), kept.getSymbolsAttr());
    return exporters[&op]->addFunction();
  }
  auto func = cast<tir::PrimFuncOp>(op);
  auto body = func.isExternal()
                  ? tir::OpaqueBodyOp()
                  : dyn_cast<tir::OpaqueBodyOp>(func.getBody().front().front());
  if (!body)
    return std::exchange(bodyExporters[&op], nullptr)->addFunction();
  return paste(op, body.getJson(), body.getSymbolsAttr());
}

//===----------------------------------------------------------------------===//
// Global infos
//===----------------------------------------------------------------------===//

FailureOr<int64_t> ModuleExporter::addGlobalInfos() {
  SmallVector<int64_t> entries;
  for (NamedAttribute entry : module.getGlobalInfosAttr()
                                  ? module.getGlobalInfosAttr().getValue()
                                  : ArrayRef<NamedAttribute>()) {
    entries.push_back(writer.getString(entry.getName()));
    auto list = dyn_cast<ArrayAttr>(entry.getValue());
    if (!list)
      return failure();
    SmallVector<int64_t> infos;
    for (Attribute info : list) {
      FailureOr<int64_t> node = addGlobalInfo(writer, info);
      if (failed(node))
        return failure();
      infos.push_back(*node);
    }
    if (entry.getName() == "vdevice")
      writer.vdevices = infos;
    entries.push_back(writer.getArray(infos));
  }
  writer.nodeOfGlobalInfo.swap(writer.nodeOfVDevice);
  return writer.getMap(entries);
}

/// Fails at the constant with which a module's constants of one repeated
/// element take too much.
static LogicalResult checkSplats(IRModuleOp module) {
  std::optional<int64_t> total = 0;
  WalkResult result = module.walk([&](relax::ConstantOp constant) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense || !dense.isSplat() || !dense.getElementType().isIntOrFloat())
      return WalkResult::advance();
    std::optional<int64_t> bytes =
        llvm::divideCeil(dense.getElementType().getIntOrFloatBitWidth(), 8);
    for (int64_t dim : dense.getType().getShape())
      bytes = bytes ? llvm::checkedMul(*bytes, dim) : bytes;
    total = bytes ? llvm::checkedAdd(*total, *bytes) : std::nullopt;
    if (total && *total <= maxSplatBytes)
      return WalkResult::advance();
    constant.emitOpError("expected constants of one repeated element, which "
                         "TVM's JSON has in full, to take at most ")
        << maxSplatBytes << " bytes together, but found "
        << (total ? std::to_string(*total) : "2^63 or more")
        << " with this one of type " << dense.getType()
        << ": use relax.full in its place";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult ModuleExporter::write(llvm::raw_ostream &os) {
  if (failed(checkSplats(module)))
    return failure();
  // Global infos come first: types refer to them.
  FailureOr<int64_t> infos = addGlobalInfos();
  // Variables that both kinds of functions share have Relax's names.
  for (bool isRelax : {true, false})
    for (Operation &op : *module.getBody())
      if (isa<relax::FuncOp>(op) == isRelax && failed(declare(op)))
        return failure();
  SmallVector<int64_t> functions, names;
  for (Operation &op : *module.getBody()) {
    FailureOr<int64_t> function = addFunction(op);
    if (failed(function))
      return failure();
    StringAttr name = SymbolTable::getSymbolName(&op);
    functions.append({globalVars[name], *function});
    names.append({writer.getString(name), globalVars[name]});
  }
  SmallVector<NamedAttribute> attributes(module->getDiscardableAttrs());
  FailureOr<int64_t> attrs = addDictAttrs(writer, attributes);
  FailureOr<int64_t> root = IRModuleNode::add(
      writer, {writer.getMap(functions), writer.getMap(names),
               SourceMapNode::add(writer, {writer.getMap({})}), attrs, infos});
  if (failed(root))
    return module.emitError("expected attributes and global infos that TVM "
                            "has");
  writer.write(*root, os);
  os << "\n";
  return success();
}

LogicalResult partita::exportTVMJson(IRModuleOp module, llvm::raw_ostream &os,
                                     const PrepareTVMJson &prepare) {
  if (!prepare)
    return ModuleExporter(module).write(os);
  FailureOr<OwningOpRef<IRModuleOp>> prepared = prepare(module);
  if (failed(prepared))
    return failure();
  return ModuleExporter(*prepared ? **prepared : module).write(os);
}

void partita::registerTVMJsonExport(PrepareTVMJson prepare) {
  static TranslateFromMLIRRegistration registration(
      "export-tvm-json", "Export a module as JSON that Apache TVM loads",
      [prepare = std::move(prepare)](Operation *op,
                                     llvm::raw_ostream &os) -> LogicalResult {
        // The parser puts the module into a builtin.module.
        auto module = dyn_cast<IRModuleOp>(op);
        if (auto outer = dyn_cast<ModuleOp>(op);
            outer && llvm::hasSingleElement(*outer.getBody()))
          module = dyn_cast<IRModuleOp>(outer.getBody()->front());
        if (!module)
          return op->emitError("expected a partita.module, found '")
                 << op->getName() << "'";
        return exportTVMJson(module, os, prepare);
      },
      [](DialectRegistry &registry) {
        // TVM has no op of the last three: `prepare` replaces them, or an error
        // says so.
        registry.insert<PartitaDialect, relax::RelaxDialect, tir::TIRDialect,
                        arith::ArithDialect, math::MathDialect,
                        memref::MemRefDialect, scf::SCFDialect,
                        bufferization::BufferizationDialect,
                        linalg::LinalgDialect, tensor::TensorDialect>();
      });
}
