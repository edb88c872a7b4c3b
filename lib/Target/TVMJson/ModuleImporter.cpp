//===- ModuleImporter.cpp - Modules from TVM's JSON -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module and the declarations of its functions. All functions are declared
// before the first body, since they call each other.
//
//===----------------------------------------------------------------------===//

#include "partita/Target/TVMJson/TVMJson.h"

#include "AttributeImporter.h"
#include "FunctionExporter.h"
#include "FunctionImporter.h"
#include "TIRBodyImporter.h"
#include "TIRNames.h"
#include "TVMNodes.h"

#include "partita/Dialect/Partita/IR/PartitaDialect.h"
#include "partita/Dialect/Relax/IR/RelaxDialect.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

namespace {
class ModuleImporter {
public:
  ModuleImporter(NodeTable &table, IRModuleOp module, bool normalizes)
      : table(table), module(module), builder(module.getBodyRegion()) {
    state.normalizes = normalizes;
  }

  LogicalResult importModule();

private:
  /// A function between its declaration and its body.
  struct Function {
    relax::FuncOp op;
    /// Shared by type and body: names of dimensions belong to the function.
    std::unique_ptr<TypeImporter> types;
    Node node;
    FunctionNode fields;
    /// Whether the function is kept as it is.
    bool isKept = false;
  };

  LogicalResult declareName(const Node &globalVar, Node &type);
  LogicalResult declare(const Node &globalVar, const Node &varType,
                        const Node &function);
  LogicalResult declareKept(const Node &globalVar, const Node &function);
  /// Whether the type of the value of `function` is known, and is no tuple of
  /// `size` fields.
  bool givesOtherTuple(const FunctionNode &function, size_t size);
  LogicalResult importPrimFunc(const Node &globalVar, const Node &function);
  LogicalResult importBody(Function &function);
  /// Numbers the variables that several functions have, in their order, and
  /// records the names in TVM of variables whose names are no identifiers.
  void describeVars();
  LogicalResult checkSourceMap(const Node &node);
  LogicalResult checkGlobalVars(ArrayRef<std::pair<Node, Node>> globalVars);
  /// The name of a GlobalVar, and its type if it has one.
  LogicalResult readGlobalVar(const Node &node, StringRef &name, Node &type);

  NodeTable &table;
  IRModuleOp module;
  OpBuilder builder;
  ModuleState state;
  std::vector<Function> functions;
  llvm::StringMap<int64_t> globalVarOfName;
};
} // namespace

/// Reads what is kept elsewhere, or is not looked at.
static LogicalResult skip(NodeTable &table, const Node &node) {
  std::string json;
  return writeSubgraph(
      table, node, [](const Node &, Placeholder &) { return success(); }, json);
}

LogicalResult ModuleImporter::importModule() {
  Node root = table.getRoot();
  IRModuleNode fields;
  if (failed(fields.read(table, root)) ||
      failed(checkSourceMap(fields.sourceMap)) ||
      failed(setDictAttrs(table, fields.attrs, module)))
    return failure();

  DictionaryAttr globalInfos;
  if (failed(getGlobalInfos(table, fields.globalInfos, globalInfos)))
    return failure();
  if (!globalInfos.empty())
    module.setGlobalInfosAttr(globalInfos);

  SmallVector<Node> varTypes;
  for (const auto &[globalVar, function] : fields.functions)
    if (failed(declareName(globalVar, varTypes.emplace_back())))
      return failure();
  for (auto [entry, varType] : llvm::zip_equal(fields.functions, varTypes)) {
    const auto &[globalVar, function] = entry;
    PlaceScope scope(table, "@" + state.names[globalVar.index].getValue());
    if (function.type == "tirx.PrimFunc") {
      if (failed(importPrimFunc(globalVar, function)) ||
          failed(skip(table, varType)))
        return failure();
      continue;
    }
    if (table.isStrict) {
      if (failed(declare(globalVar, varType, function)))
        return failure();
      continue;
    }
    bool isDeclared;
    {
      Attempt attempt(table);
      isDeclared = succeeded(declare(globalVar, varType, function));
      if (isDeclared)
        attempt.accept();
    }
    if (!isDeclared && (failed(declareKept(globalVar, function)) ||
                        failed(skip(table, varType))))
      return failure();
  }
  if (failed(checkGlobalVars(fields.globalVarMap)))
    return failure();
  for (Function &function : functions)
    if (failed(importBody(function)))
      return failure();
  describeVars();
  if (failed(table.checkNotBroken()) || failed(table.checkAllRead()))
    return failure();
  return table.withPlace(root, [&] { return verify(module); });
}

LogicalResult ModuleImporter::readGlobalVar(const Node &node, StringRef &name,
                                            Node &type) {
  GlobalVarNode var;
  if (failed(var.read(table, node)))
    return failure();
  name = var.nameHint;
  type = var.ty;
  if (name.empty())
    return table.error(node, "expected a function to have a name");
  // The variable of a function that was added without its type has none.
  if (type.type != "ir.Type")
    return table.expect(type, "relax.FuncType");
  return TypeNode().read(table, type);
}

/// Reads the variable that names a function.
LogicalResult ModuleImporter::declareName(const Node &globalVar, Node &type) {
  StringRef name;
  if (failed(readGlobalVar(globalVar, name, type)))
    return failure();
  PlaceScope scope(table, "@" + name);
  if (!globalVarOfName.try_emplace(name, globalVar.index).second)
    return table.error(globalVar, "expected functions of different names, "
                                  "found another " +
                                      quote(name));
  state.names[globalVar.index] = builder.getStringAttr(name);
  return success();
}

LogicalResult ModuleImporter::importBody(Function &function) {
  PlaceScope scope(table, "@" + function.op.getSymName());
  FunctionImporter importer(table, state, function.op, *function.types);
  if (table.isStrict)
    return importer.importBody(function.node, function.fields);
  if (!function.isKept) {
    Attempt attempt(table);
    if (succeeded(importer.importBody(function.node, function.fields))) {
      attempt.accept();
      return success();
    }
  }
  return importer.keepBody(function.node);
}

void ModuleImporter::describeVars() {
  SmallVector<std::pair<Value, int64_t>> vars;
  auto addVar = [&](Value var) {
    auto it = state.nodeOfVar.find(var);
    if (it != state.nodeOfVar.end())
      vars.emplace_back(var, it->second);
  };
  for (auto func : module.getBody()->getOps<tir::PrimFuncOp>()) {
    if (isa<tir::OpaqueBodyOp>(func.getBody().front().front()))
      continue;
    llvm::for_each(func.getArguments(), addVar);
    func.walk([&](tir::VarOp op) { addVar(op); });
  }
  llvm::DenseMap<int64_t, unsigned> numUses;
  for (auto [var, node] : vars)
    ++numUses[node];
  for (const Function &function : functions)
    for (auto [node, name] : function.types->getNames())
      ++numUses[node];

  llvm::DenseMap<int64_t, Attribute> numbers;
  auto getNumber = [&](int64_t node) -> Attribute {
    if (numUses.lookup(node) < 2)
      return {};
    auto [it, isNew] = numbers.try_emplace(node);
    if (isNew)
      it->second = builder.getI64IntegerAttr(numbers.size() - 1);
    return it->second;
  };
  for (auto [var, node] : vars) {
    Attribute number = getNumber(node);
    if (!number)
      continue;
    if (Operation *op = var.getDefiningOp()) {
      op->setDiscardableAttr(moduleVarName, number);
      continue;
    }
    auto argument = cast<BlockArgument>(var);
    cast<tir::PrimFuncOp>(argument.getOwner()->getParentOp())
        .setArgAttr(argument.getArgNumber(), moduleVarName, number);
  }
  for (Function &function : functions) {
    if (const NamedAttrList &names = function.types->getOtherNames();
        !names.empty())
      function.op->setDiscardableAttr(
          FunctionExporter::getDimNamesAttrName(),
          names.getDictionary(builder.getContext()));
    auto nodes = llvm::to_vector(function.types->getNames());
    llvm::sort(nodes, [](auto a, auto b) {
      return a.second.getValue() < b.second.getValue();
    });
    NamedAttrList attributes;
    for (auto [node, name] : nodes)
      if (Attribute number = getNumber(node))
        attributes.append(name, number);
    if (!attributes.empty())
      function.op->setDiscardableAttr(
          FunctionExporter::getModuleVarsAttrName(),
          attributes.getDictionary(builder.getContext()));
  }
}

/// Declares a function that is kept as it is by what is known of its type.
LogicalResult ModuleImporter::declareKept(const Node &globalVar,
                                          const Node &function) {
  StringAttr name = state.names[globalVar.index];
  if (relax::FuncOp declared = state.functions.lookup(globalVar.index))
    declared.erase();
  Function kept;
  kept.node = function;
  kept.isKept = true;
  kept.types = std::make_unique<TypeImporter>(table, builder.getContext());
  Node typeNode;
  bool isPure = false;
  auto type = FunctionType::get(builder.getContext(), {},
                                relax::ObjectType::get(builder.getContext()));
  if (JsonValue index = table.getField(function, "ty")) {
    Attempt attempt(table);
    if (succeeded(table.get(function, index, "field 'ty'", typeNode)))
      if (FunctionType known = kept.types->getFunctionType(typeNode, isPure))
        type = known;
  }
  kept.op = relax::FuncOp::create(builder, table.getLoc(), name, type);
  if (!isPure)
    kept.op.setIsPure(false);
  state.functions[globalVar.index] = kept.op;
  functions.push_back(std::move(kept));
  return success();
}

/// The type of a parameter of a PrimFunc.
static Type getParameterType(NodeTable &table, const Node &type) {
  MLIRContext *context = table.getLoc().getContext();
  Attempt attempt(table);
  if (type.type == "ir.PrimType") {
    if (Type scalar = getScalarType(table, type))
      return scalar;
  } else if (type.type == "tirx.BufferType") {
    JsonValue dtypeIndex = table.getField(type, "dtype"),
              shapeIndex = table.getField(type, "shape");
    Node dtype, shape;
    SmallVector<Node> dims;
    if (dtypeIndex && shapeIndex &&
        succeeded(table.get(type, dtypeIndex, "'dtype'", dtype)) &&
        succeeded(table.get(type, shapeIndex, "'shape'", shape)) &&
        succeeded(table.getArray(shape, dims)))
      if (Type element = getScalarType(table, dtype)) {
        SmallVector<int64_t> sizes;
        for (const Node &dim : dims) {
          int64_t size = 0;
          bool isKnown = dim.type == "ir.IntImm" &&
                         succeeded(table.getIntImm(dim, size)) && size >= 0;
          sizes.push_back(isKnown ? size : ShapedType::kDynamic);
        }
        return MemRefType::get(sizes, element);
      }
  }
  return tir::HandleType::get(context);
}

LogicalResult ModuleImporter::importPrimFunc(const Node &globalVar,
                                             const Node &function) {
  StringAttr name = state.names[globalVar.index];
  Location loc = table.getLoc();
  PrimFuncNode fields;
  if (failed(fields.read(table, function, &loc)))
    return failure();
  auto op = tir::PrimFuncOp::create(builder, loc, name,
                                    builder.getFunctionType({}, {}));
  bool isImported = false;
  {
    std::optional<Attempt> attempt;
    if (!table.isStrict)
      attempt.emplace(table);
    isImported = succeeded(
        TIRBodyImporter(table, state, op).importFunction(function, fields));
    if (isImported && attempt)
      attempt->accept();
  }
  if (isImported) {
    if (!op->hasAttr("global_symbol"))
      op.setPrivate();
    return skip(table, fields.ty);
  }
  op.erase();
  if (table.isStrict)
    return failure();

  SmallVector<Type> inputs;
  SmallVector<Location> locs;
  for (const Node &param : fields.params) {
    VarNode var;
    if (failed(var.read(table, param)))
      return failure();
    inputs.push_back(getParameterType(table, var.ty));
    locs.push_back(NameLoc::get(builder.getStringAttr(var.name)));
  }
  op = tir::PrimFuncOp::create(builder, loc, name,
                               builder.getFunctionType(inputs, {}));
  {
    // The attributes are part of the kept text, too.
    Attempt attempt(table);
    (void)setDictAttrs(table, fields.attrs, op);
  }
  if (!op->hasAttr("global_symbol"))
    op.setPrivate();

  SymbolList symbols(state);
  std::string json;
  if (failed(symbols.writeFunction(table, function, json)))
    return failure();
  Block *block = op.addEntryBlock();
  for (auto [argument, argumentLoc] :
       llvm::zip_equal(block->getArguments(), locs))
    argument.setLoc(argumentLoc);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(block);
  ArrayAttr symbolsAttr =
      symbols.get().empty() ? nullptr : builder.getArrayAttr(symbols.get());
  tir::OpaqueBodyOp::create(builder, loc, symbolsAttr,
                            getBytes(builder.getContext(), "prim_func", json));
  tir::ReturnOp::create(builder, loc);
  return success();
}

bool ModuleImporter::givesOtherTuple(const FunctionNode &function,
                                     size_t size) {
  Attempt attempt(table);
  SeqExprNode seq;
  Node type;
  if (function.body.type != "relax.expr.SeqExpr" ||
      failed(seq.read(table, function.body)))
    return false;
  JsonValue index = table.getField(seq.body, "ty");
  if (!index || failed(table.get(seq.body, index, "field 'ty'", type)) ||
      table.isMissingType(type))
    return false;
  TupleTypeNode tuple;
  return type.type != "ir.TupleType" || failed(tuple.read(table, type)) ||
         tuple.fields.size() != size;
}

LogicalResult ModuleImporter::declare(const Node &globalVar,
                                      const Node &varType,
                                      const Node &function) {
  StringAttr name = state.names[globalVar.index];
  if (function.type != "relax.expr.Function")
    return table.error(function,
                       "expected relax.expr.Function or tirx.PrimFunc, found " +
                           function.type + ", which cannot be imported");

  Location loc = table.getLoc();
  bool typeIsPure = true;
  Function imported;
  imported.node = function;
  imported.types = std::make_unique<TypeImporter>(table, builder.getContext());
  const FunctionNode &fields = imported.fields;
  if (failed(imported.fields.read(table, function, &loc)))
    return failure();

  // The JSON has the type up to four times.
  FunctionType funcType =
      imported.types->getFunctionType(fields.ty, typeIsPure);
  Type result = funcType ? imported.types->getType(fields.retTy) : nullptr;
  if (!result)
    return failure();
  if (typeIsPure != fields.isPure ||
      ArrayRef<Type>(flattenResult(result)) != funcType.getResults())
    return table.error(function, "expected fields 'ret_ty' and 'is_pure' to "
                                 "agree with the function's type");
  if (varType.index == fields.ty.index || varType.type != "relax.FuncType") {
    // The variable's type is read already, or it has none.
  } else if (!table.isStrict) {
    // TVM does not look at the variable's type, which can be out of date.
    if (failed(skip(table, varType)))
      return failure();
  } else {
    TypeImporter varTypes(table, builder.getContext());
    FunctionType declared = varTypes.getFunctionType(varType, typeIsPure);
    if (!declared)
      return failure();
    if (declared != funcType || typeIsPure != fields.isPure)
      return table.error(globalVar, "expected the type of the function that "
                                    "the variable names, found another");
  }

  // TVM does not compare it with the value, whose parts can be others.
  if (auto tuple = dyn_cast<TupleType>(result);
      tuple && givesOtherTuple(fields, tuple.size()))
    funcType =
        FunctionType::get(builder.getContext(), funcType.getInputs(), result);
  imported.op = relax::FuncOp::create(builder, loc, name, funcType);
  if (!fields.isPure)
    imported.op.setIsPure(false);
  if (failed(setDictAttrs(table, fields.attrs, imported.op))) {
    imported.op.erase();
    return failure();
  }
  // In TVM the functions that others can call have this attribute.
  if (!imported.op->hasAttr("global_symbol"))
    imported.op.setPrivate();
  state.functions[globalVar.index] = imported.op;
  functions.push_back(std::move(imported));
  return success();
}

LogicalResult
ModuleImporter::checkGlobalVars(ArrayRef<std::pair<Node, Node>> globalVars) {
  for (const auto &[key, globalVar] : globalVars) {
    StringRef keyName, name;
    Node type;
    if (failed(table.getString(key, keyName)) ||
        failed(readGlobalVar(globalVar, name, type)))
      return failure();
    auto it = globalVarOfName.find(keyName);
    if (name != keyName || it == globalVarOfName.end() ||
        it->second != globalVar.index)
      return table.error(globalVar, "expected 'global_var_map_' to hold the "
                                    "functions' variables, found another as " +
                                        quote(keyName));
  }
  if (globalVars.size() != globalVarOfName.size())
    return table.error(table.getRoot(),
                       "expected as many entries of 'global_var_map_' as "
                       "functions, " +
                           Twine(globalVarOfName.size()) + ", found " +
                           Twine(globalVars.size()));
  return success();
}

LogicalResult ModuleImporter::checkSourceMap(const Node &node) {
  SourceMapNode sources;
  if (failed(sources.read(table, node)))
    return failure();
  if (sources.sourceMap.empty())
    return success();
  return table.error(node, "expected an empty source map, found the text of " +
                               Twine(sources.sourceMap.size()) +
                               " files, which a module has no place for");
}

static OwningOpRef<IRModuleOp> importInto(NodeTable &table, StringRef json,
                                          StringRef name, bool normalizes) {
  Location loc = table.getLoc();
  MLIRContext *context = loc.getContext();
  context->loadDialect<PartitaDialect, relax::RelaxDialect, tir::TIRDialect,
                       arith::ArithDialect, math::MathDialect,
                       memref::MemRefDialect, scf::SCFDialect>();
  if (failed(table.parse(json)))
    return {};
  OpBuilder builder(context);
  OwningOpRef<IRModuleOp> module = IRModuleOp::create(builder, loc, name);
  if (failed(ModuleImporter(table, *module, normalizes).importModule()))
    return {};
  return module;
}

OwningOpRef<IRModuleOp> partita::importTVMJson(StringRef json,
                                               StringRef filename,
                                               MLIRContext *context,
                                               bool isStrict) {
  NodeTable table(FileLineColLoc::get(context, filename, 0, 0));
  table.isStrict = isStrict;
  StringRef name = filename.starts_with("<") ? "" // <stdin>
                                             : llvm::sys::path::stem(filename);
  OwningOpRef<IRModuleOp> module =
      importInto(table, json, name, /*normalizes=*/false);
  if (module)
    table.warnOfKept();
  return module;
}

OwningOpRef<IRModuleOp> partita::normalizeTVMJson(StringRef json,
                                                  Location loc) {
  NodeTable table(loc);
  return importInto(table, json, /*name=*/"", /*normalizes=*/true);
}

void partita::registerTVMJsonTranslation() {
  static llvm::cl::opt<bool> isStrict(
      "strict",
      llvm::cl::desc("With --import-tvm-json: what Partita's dialects "
                     "lack is an error, and not kept as it is"));
  static llvm::cl::opt<bool> emitBytecode(
      "emit-bytecode",
      llvm::cl::desc("With --import-tvm-json: write MLIR bytecode, not text"));
  static TranslateRegistration registration(
      "import-tvm-json", "Import a module that Apache TVM saved as JSON",
      [](const std::shared_ptr<llvm::SourceMgr> &sources, raw_ostream &os,
         MLIRContext *context) -> LogicalResult {
        const llvm::MemoryBuffer *buffer =
            sources->getMemoryBuffer(sources->getMainFileID());
        // It is verified as it is made.
        OwningOpRef<IRModuleOp> module =
            importTVMJson(buffer->getBuffer(), buffer->getBufferIdentifier(),
                          context, isStrict);
        if (!module)
          return failure();
        if (emitBytecode)
          return writeBytecodeToFile(*module, os);
        module->print(os);
        os << "\n";
        return success();
      });
}
