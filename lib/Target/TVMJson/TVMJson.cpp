//===- TVMJson.cpp - Modules from TVM's JSON ------------------------------===//
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

#include "Attributes.h"
#include "Fields.h"
#include "FunctionImporter.h"

#include "partita/Dialect/Partita/IR/PartitaDialect.h"
#include "partita/Dialect/Relax/IR/RelaxDialect.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

namespace {
class ModuleImporter {
public:
  ModuleImporter(NodeTable &table, IRModuleOp module)
      : table(table), module(module), builder(module.getBodyRegion()) {}

  LogicalResult importModule();

private:
  /// A function between its declaration and its body.
  struct Function {
    relax::FuncOp op;
    /// Shared by type and body: names of dimensions belong to the function.
    std::unique_ptr<TypeImporter> types;
    Node node, body;
    SmallVector<Node> params;
  };

  LogicalResult declare(const Node &globalVar, const Node &function);
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

LogicalResult ModuleImporter::importModule() {
  Node root = table.getRoot();
  SmallVector<std::pair<Node, Node>> nodes, globalVars;
  Node sourceMap, attrs, infos;
  Fields fields(table, root, "ir.IRModule");
  if (!(fields && fields.map("functions", nodes) &&
        fields.map("global_var_map_", globalVars) &&
        fields.ref("source_map", sourceMap) && fields.ref("attrs", attrs) &&
        fields.ref("global_infos", infos) && fields.done()) ||
      failed(checkSourceMap(sourceMap)) ||
      failed(setDictAttrs(table, attrs, module)))
    return failure();

  DictionaryAttr globalInfos;
  if (failed(getGlobalInfos(table, infos, globalInfos)))
    return failure();
  if (!globalInfos.empty())
    module.setGlobalInfosAttr(globalInfos);

  for (const auto &[globalVar, function] : nodes)
    if (failed(declare(globalVar, function)))
      return failure();
  if (failed(checkGlobalVars(globalVars)))
    return failure();
  for (Function &function : functions) {
    PlaceScope scope(table, "@" + function.op.getSymName());
    FunctionImporter importer(table, state, function.op, *function.types);
    if (failed(
            importer.importBody(function.node, function.params, function.body)))
      return failure();
  }
  if (failed(table.checkAllRead()))
    return failure();
  return table.withPlace(root, [&] { return verify(module); });
}

LogicalResult ModuleImporter::readGlobalVar(const Node &node, StringRef &name,
                                            Node &type) {
  Fields fields(table, node, "ir.GlobalVar");
  if (!(fields && fields.span() && fields.ref("ty", type) &&
        fields.string("name_hint", name) && fields.done()))
    return failure();
  if (name.empty())
    return table.error(node, "expected a function to have a name");
  // The variable of a function that was added without its type has none.
  if (type.type != "ir.Type")
    return table.expect(type, "relax.FuncType");
  Fields typeFields(table, type, "ir.Type");
  return success(typeFields && typeFields.span() && typeFields.done());
}

LogicalResult ModuleImporter::declare(const Node &globalVar,
                                      const Node &function) {
  StringRef name;
  Node varType;
  if (failed(readGlobalVar(globalVar, name, varType)))
    return failure();
  PlaceScope scope(table, "@" + name);
  if (!globalVarOfName.try_emplace(name, globalVar.index).second)
    return table.error(globalVar, "expected functions of different names, "
                                  "found another " +
                                      quote(name));
  if (function.type != "relax.expr.Function")
    return table.error(
        function, "expected relax.expr.Function, found " + function.type +
                      (function.type == "tirx.PrimFunc"
                           ? ", whose body cannot be imported; save the module "
                             "before it is lowered (LegalizeOps)"
                           : ", which cannot be imported"));

  Location loc = table.getLoc();
  Node attrs, type, resultType;
  bool isPure = true, typeIsPure = true;
  Function imported;
  imported.node = function;
  imported.types = std::make_unique<TypeImporter>(table, builder.getContext());
  Fields fields(table, function, "relax.expr.Function");
  if (!(fields && fields.span(&loc) &&
        fields.ref("ty", "relax.FuncType", type) &&
        fields.ref("attrs", attrs) && fields.array("params", imported.params) &&
        fields.ref("body", imported.body) && fields.ref("ret_ty", resultType) &&
        fields.boolean("is_pure", isPure) && fields.done()))
    return failure();

  // The JSON has the type up to four times.
  FunctionType funcType = imported.types->getFunctionType(type, typeIsPure);
  Type result = funcType ? imported.types->getType(resultType) : nullptr;
  if (!result)
    return failure();
  if (typeIsPure != isPure ||
      ArrayRef<Type>(flattenResult(result)) != funcType.getResults())
    return table.error(function, "expected fields 'ret_ty' and 'is_pure' to "
                                 "agree with the function's type");
  if (varType.type == "relax.FuncType" && varType.index != type.index) {
    TypeImporter varTypes(table, builder.getContext());
    FunctionType declared = varTypes.getFunctionType(varType, typeIsPure);
    if (!declared)
      return failure();
    if (declared != funcType || typeIsPure != isPure)
      return table.error(globalVar, "expected the type of the function that "
                                    "the variable names, found another");
  }

  imported.op = relax::FuncOp::create(builder, loc, name, funcType);
  if (!isPure)
    imported.op.setIsPure(false);
  if (failed(setDictAttrs(table, attrs, imported.op)))
    return failure();
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
  if (globalVars.size() != functions.size())
    return table.error(table.getRoot(),
                       "expected as many entries of 'global_var_map_' as "
                       "functions, " +
                           Twine(functions.size()) + ", found " +
                           Twine(globalVars.size()));
  return success();
}

LogicalResult ModuleImporter::checkSourceMap(const Node &node) {
  SmallVector<std::pair<Node, Node>> sources;
  Fields fields(table, node, "ir.SourceMap");
  if (!(fields && fields.map("source_map", sources) && fields.done()))
    return failure();
  if (sources.empty())
    return success();
  return table.error(node, "expected an empty source map, found the text of " +
                               Twine(sources.size()) +
                               " files, which a module has no place for");
}

OwningOpRef<IRModuleOp> partita::importTVMJson(StringRef json,
                                               StringRef filename,
                                               MLIRContext *context) {
  context->loadDialect<PartitaDialect, relax::RelaxDialect>();
  Location loc = FileLineColLoc::get(context, filename, /*line=*/0,
                                     /*column=*/0);
  NodeTable table(loc);
  if (failed(table.parse(json)))
    return {};
  StringRef name = filename.starts_with("<") ? "" // <stdin>
                                             : llvm::sys::path::stem(filename);
  OpBuilder builder(context);
  OwningOpRef<IRModuleOp> module = IRModuleOp::create(builder, loc, name);
  if (failed(ModuleImporter(table, *module).importModule()))
    return {};
  return module;
}

void partita::registerTVMJsonTranslation() {
  static TranslateToMLIRRegistration registration(
      "import-tvm-json", "Import a module that Apache TVM saved as JSON",
      [](llvm::SourceMgr &sources,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        const llvm::MemoryBuffer *buffer =
            sources.getMemoryBuffer(sources.getMainFileID());
        return OwningOpRef<Operation *>(
            importTVMJson(buffer->getBuffer(), buffer->getBufferIdentifier(),
                          context)
                .release());
      },
      [](DialectRegistry &registry) {
        registry.insert<PartitaDialect, relax::RelaxDialect>();
      });
}
