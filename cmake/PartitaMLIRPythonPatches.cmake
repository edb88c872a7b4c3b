# Upstream's bindings with what keeps Python objects of erased ops from being
# used, and what Python code raises from getting lost in C++: see
# python/OperationLifetimes.h. It is an error, here, if upstream's text is not
# what it was.

# Reads the source NAME of an extension into _text; _partita_end_source puts what
# it is then in its place.
macro(_partita_begin_source target name)
  get_target_property(_sources ${target} INTERFACE_SOURCES)
  string(REGEX MATCH "[^;:<>]*/${name}" _upstream "${_sources}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_upstream}")
  file(READ "${_upstream}" _text)
  # Its own header is beside it.
  get_filename_component(_folder "${_upstream}" DIRECTORY)
  string(REGEX REPLACE "^(.*)\\.cpp$" "\\1" _name "${name}")
  string(REPLACE "#include \"${_name}.h\"" "#include \"${_folder}/${_name}.h\"" _text
    "${_text}")
endmacro()
macro(_partita_end_source target name)
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}" CONTENT "${_text}" @ONLY)
  string(REPLACE "${_upstream}" "${CMAKE_CURRENT_BINARY_DIR}/${name};${ARGN}"
    _sources "${_sources}")
  set_property(TARGET ${target} PROPERTY INTERFACE_SOURCES "${_sources}")
endmacro()

function(_partita_replace old new)
  string(FIND "${_text}" "${old}" _index)
  if(_index EQUAL -1)
    message(FATAL_ERROR "expected in ${_upstream}: ${old}")
  endif()
  string(REPLACE "${old}" "${new}" _text "${_text}")
  set(_text "${_text}" PARENT_SCOPE)
endfunction()

_partita_begin_source(MLIRPythonExtension.MLIRPythonSupport IRCore.cpp)
_partita_replace("#include \"mlir-c/Support.h\"\n"
  "#include \"mlir-c/Support.h\"\n#include \"OperationLifetimes.h\"\n")
_partita_replace(
  "    : BaseContextObject(std::move(contextRef)), operation(operation) {}\n\nPyOperation::~PyOperation() {\n"
  "    : BaseContextObject(std::move(contextRef)), operation(operation) {
  ::partita::trackOperation(operation, this);
}

PyOperation::~PyOperation() {
  ::partita::untrackOperation(operation, this);
")
# An op that is created is the root; what is found must not move, so it is looked
# for before the object is made.
_partita_replace("  // Create.\n  PyOperationRef unownedOperation ="
  "  if (!parentKeepAlive) {
    auto module =
        contextRef->liveModules.find(::partita::getRoot(operation).ptr);
    parentKeepAlive = module == contextRef->liveModules.end()
                          ? ::partita::findOwner(operation)
                          : nb::borrow(module->second.first);
  }
  // Create.
  PyOperationRef unownedOperation =")
_partita_replace("  assert(!attached && \"operation already attached\");\n  attached = true;\n"
  "  assert(!attached && \"operation already attached\");
  attached = true;
  parentKeepAlive = ::partita::findOwner(operation);
")
_partita_replace("  MlirOperation clonedOperation = mlirOperationClone(operation);"
  "  MlirOperation clonedOperation = mlirOperationClone(get());")
# What is used cannot be destroyed: MLIR would abort.
_partita_replace("  // Otherwise, invalidate the operation when it is attached.
  if (isAttached())
    setInvalid();
  else {"
  "  // Otherwise, invalidate the operation when it is attached.
  if (isAttached() || ::partita::hasUses(operation))
    setInvalid();
  else {")
_partita_replace("  checkValid();\n  setInvalid();\n  mlirOperationDestroy(operation);"
  "  checkValid();
  if (::partita::hasUses(operation))
    throw nb::value_error(
        \"expected an operation to erase to have no uses, but found some\");
  setInvalid();
  ::partita::invalidateOperations(operation);
  mlirOperationDestroy(operation);")
_partita_replace("  mlirSymbolTableErase(symbolTable, symbol.getOperation().get());"
  "  MlirOperation erased = symbol.getOperation().get();
  ::partita::invalidateOperations(erased);
  mlirSymbolTableErase(symbolTable, erased);")
_partita_replace("  liveModules.erase(module.ptr);\n"
  "  liveModules.erase(module.ptr);
  ::partita::invalidateOperations(mlirModuleGetOperation(module));
")
# The next op can be erased while the one before it is looked at.
_partita_replace("  PyOperationRef returnOperation =
      PyOperation::forOperation(parentOperation->getContext(), next);
  next = mlirOperationGetNextInBlock(next);
  return returnOperation->createOpView();"
  "  nb::object current =
      nextObject ? nextObject
                 : PyOperation::forOperation(parentOperation->getContext(), next)
                       .getObject();
  auto &operation = nb::cast<PyOperation &>(current);
  next = mlirOperationGetNextInBlock(operation.get());
  nextObject = nb::object();
  if (!mlirOperationIsNull(next))
    nextObject = PyOperation::forOperation(parentOperation->getContext(), next)
                     .getObject();
  return operation.createOpView();")

# Lists of a block's look at a block that may be gone.
_partita_replace("  MlirValue argument = mlirBlockGetArgument(block, pos);"
  "  PyOperationRef(operation)->checkValid();
  MlirValue argument = mlirBlockGetArgument(block, pos);")
_partita_replace("  MlirBlock block = mlirBlockGetSuccessor(this->block.get(), pos);"
  "  operation->checkValid();
  MlirBlock block = mlirBlockGetSuccessor(this->block.get(), pos);")
_partita_replace("  MlirBlock block = mlirBlockGetPredecessor(this->block.get(), pos);"
  "  operation->checkValid();
  MlirBlock block = mlirBlockGetPredecessor(this->block.get(), pos);")

# A callback can erase the op that a walk is at, and others.
_partita_replace("  struct UserData {
    std::function<PyWalkResult(MlirOperation)> callback;
    bool gotException;"
  "  ::partita::walk(operation.getRef(), callback,
                  walkOrder == PyWalkOrder::PreOrder);
  return;
  struct UserData {
    std::function<PyWalkResult(MlirOperation)> callback;
    bool gotException;")
_partita_replace("        auto pyFoundOp =
            PyOperation::forOperation(calleeUserData->context, foundOp);
        if (calleeUserData->gotException)
          return;
        try {
          calleeUserData->callback(pyFoundOp.getObject(), isVisible);
        } catch (nb::python_error &e) {
          calleeUserData->gotException = true;
          calleeUserData->exceptionWhat = e.what();
          calleeUserData->exceptionType = nb::borrow(e.type());
        }
      },
      static_cast<void *>(&userData));"
  "        calleeUserData->found.emplace_back(
            PyOperation::forOperation(calleeUserData->context, foundOp),
            isVisible);
      },
      static_cast<void *>(&userData));
  for (auto &[op, isVisible] : userData.found)
    if (::partita::isValid(op))
      userData.callback(op.getObject(), isVisible);")
_partita_replace("    PyMlirContextRef context;
    nb::object callback;
    bool gotException;"
  "    PyMlirContextRef context;
    nb::object callback;
    std::vector<std::pair<PyOperationRef, bool>> found;
    bool gotException;")
_partita_replace("      fromOperation.getContext(), std::move(callback), false, {}, {}};"
  "      fromOperation.getContext(), std::move(callback), {}, false, {}, {}};")

# The uses of a value are those that it has when they are asked for.
_partita_replace("  MlirOperation owner = mlirOpOperandGetOwner(opOperand);
  PyMlirContextRef context =
      PyMlirContext::forContext(mlirOperationGetContext(owner));
  return PyOperation::forOperation(context, owner)->createOpView();"
  "  return PyOperationRef(owner)->createOpView();")
_partita_replace("  return mlirOpOperandGetOperandNumber(opOperand);" "  return operandNumber;")
_partita_replace("  if (mlirOpOperandIsNull(opOperand))
    throw nb::stop_iteration();

  PyOpOperand returnOpOperand(opOperand);
  opOperand = mlirOpOperandGetNextUse(opOperand);
  return returnOpOperand;"
  "  if (next == operands.size())
    throw nb::stop_iteration();
  return operands[next++];")

# A symbol table knows its ops by their addresses.
_partita_replace("    : operation(operation.getOperation().getRef()) {
  symbolTable = mlirSymbolTableCreate("
  "    : operation(operation.getOperation().getRef()),
      epoch(::partita::getEraseEpoch()) {
  symbolTable = mlirSymbolTableCreate(")
_partita_replace("nb::object PySymbolTable::dunderGetItem(const std::string &name) {
  operation->checkValid();"
  "void PySymbolTable::update() {
  operation->checkValid();
  if (epoch == ::partita::getEraseEpoch())
    return;
  mlirSymbolTableDestroy(symbolTable);
  symbolTable = mlirSymbolTableCreate(operation->get());
  epoch = ::partita::getEraseEpoch();
}

nb::object PySymbolTable::dunderGetItem(const std::string &name) {
  update();")
_partita_replace("  operation->checkValid();
  symbol.getOperation().checkValid();
"
  "  update();
  symbol.getOperation().checkValid();
")
_partita_replace("  mlirOperationRemoveFromParent(getOperation());
  setDetached();"
  "  ++::partita::getEraseEpoch();
  mlirOperationRemoveFromParent(getOperation());
  setDetached();")
_partita_end_source(MLIRPythonExtension.MLIRPythonSupport IRCore.cpp
  "${CMAKE_CURRENT_SOURCE_DIR}/OperationLifetimes.cpp")

# What follows includes these headers in place of upstream's.
find_path(_partita_headers mlir/Bindings/Python/IRCore.h PATHS ${MLIR_INCLUDE_DIRS}
  "${_purelib}/mlir/include" NO_DEFAULT_PATH NO_CACHE REQUIRED)
set(_here "${CMAKE_CURRENT_BINARY_DIR}/include/mlir/Bindings/Python")
# They include each other by name.
file(GLOB _others "${_partita_headers}/mlir/Bindings/Python/*.h")
list(FILTER _others EXCLUDE REGEX "/(IRCore|NanobindUtils)\\.h$")
file(COPY ${_others} DESTINATION "${_here}")
set(_upstream "${_partita_headers}/mlir/Bindings/Python/IRCore.h")
file(READ "${_upstream}" _text)
# A value can be one of an erased op.
_partita_replace("  operator MlirValue() const { return value; }

  MlirValue get() { return value; }
  PyOperationRef &getParentOperation() { return parentOperation; }

  void checkValid()"
  "  operator MlirValue() const { return const_cast<PyValue *>(this)->get(); }

  MlirValue get() {
    checkValid();
    return value;
  }
  PyOperationRef &getParentOperation() { return parentOperation; }

  void checkValid()")
_partita_replace("  PyOperationRef parentOperation;
  MlirOperation next;
" "  PyOperationRef parentOperation;
  MlirOperation next;
  nanobind::object nextObject;
")
_partita_replace("  PyOpOperand(MlirOpOperand opOperand) : opOperand(opOperand) {}
"
  "  PyOpOperand(MlirOpOperand opOperand)
      : owner(PyOperation::forOperation(
            PyMlirContext::forContext(mlirOperationGetContext(
                mlirOpOperandGetOwner(opOperand))),
            mlirOpOperandGetOwner(opOperand))),
        operandNumber(mlirOpOperandGetOperandNumber(opOperand)) {}
")
_partita_replace("  static void bind(nanobind::module_ &m);

private:
  MlirOpOperand opOperand;
};

class MLIR_PYTHON_API_EXPORTED PyOpOperandIterator {
public:
  PyOpOperandIterator(MlirOpOperand opOperand) : opOperand(opOperand) {}
"
  "  static void bind(nanobind::module_ &m);

private:
  PyOperationRef owner;
  size_t operandNumber;
};

class MLIR_PYTHON_API_EXPORTED PyOpOperandIterator {
public:
  PyOpOperandIterator(MlirOpOperand opOperand) {
    for (; !mlirOpOperandIsNull(opOperand);
         opOperand = mlirOpOperandGetNextUse(opOperand))
      operands.emplace_back(opOperand);
  }
")
_partita_replace("private:
  MlirOpOperand opOperand;
};
"
  "private:
  std::vector<PyOpOperand> operands;
  size_t next = 0;
};
")
_partita_replace("  operator MlirSymbolTable() { return symbolTable; }"
  "  operator MlirSymbolTable() {
    update();
    return symbolTable;
  }")
_partita_replace("private:
  PyOperationRef operation;
  MlirSymbolTable symbolTable;
"
  "private:
  /// Reads the symbols anew if ops were erased.
  void update();

  PyOperationRef operation;
  MlirSymbolTable symbolTable;
  size_t epoch;
")
file(CONFIGURE OUTPUT "${_here}/IRCore.h" CONTENT "${_text}" @ONLY)

set(_upstream "${_partita_headers}/mlir/Bindings/Python/NanobindUtils.h")
file(READ "${_upstream}" _text)
# These functions are called by Python itself, through which no exception passes.
_partita_replace("        +[](PyObject *rawSelf, Py_ssize_t index) -> PyObject * {
      auto self = nanobind::cast<Derived *>(nanobind::handle(rawSelf));
      return self->getItem(index).release().ptr();"
  "        +[](PyObject *rawSelf, Py_ssize_t index) -> PyObject * {
      auto self = nanobind::cast<Derived *>(nanobind::handle(rawSelf));
      return partitaGuard([&] { return self->getItem(index); });")
_partita_replace("        // Integer indexing.
        return self->getItem(index).release().ptr();"
  "        // Integer indexing.
        return partitaGuard([&] { return self->getItem(index); });")
_partita_replace("        return self->getItemSlice(rawSubscript).release().ptr();"
  "        return partitaGuard([&] { return self->getItemSlice(rawSubscript); });")
_partita_replace("template <typename Derived, typename ElementTy>
class Sliceable {"
  "template <typename Function>
PyObject *partitaGuard(Function function) {
  try {
    return nanobind::object(function()).release().ptr();
  } catch (nanobind::python_error &error) {
    error.restore();
  } catch (std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

template <typename Derived, typename ElementTy>
class Sliceable {")
file(CONFIGURE OUTPUT "${_here}/NanobindUtils.h" CONTENT "${_text}" @ONLY)
# Not by include_directories, which a module of sources takes for its root.
add_compile_options("-I${CMAKE_CURRENT_BINARY_DIR}/include")

# Passes and patterns erase ops, and what Python code raises in them is raised
# where they were run.
_partita_begin_source(MLIRPythonExtension.Core Pass.cpp)
_partita_replace("#include \"mlir-c/Pass.h\"\n"
  "#include \"mlir-c/Pass.h\"\n#include \"OperationLifetimes.h\"\n")
# MLIR ends the process.
_partita_replace("            MlirTypeID passID = PyGlobals::get().allocateTypeID();"
  "            PyPrintAccumulator pipeline;
            mlirPrintPassPipeline(
                mlirPassManagerGetAsOpPassManager(passManager.get()),
                pipeline.getCallback(), pipeline.getUserData());
            std::string anchor = nb::cast<std::string>(pipeline.join());
            anchor.resize(anchor.find('('));
            if (!opName.empty() && anchor != \"any\" && anchor != opName)
              throw nb::value_error((\"expected op_name to be '\" + anchor +
                                     \"', what the pass manager is for, but \"
                                     \"found '\" + opName + \"'\")
                                        .c_str());
            MlirTypeID passID = PyGlobals::get().allocateTypeID();")
_partita_replace("            callbacks.clone = [](void *) -> void * {
              throw std::runtime_error(\"Cloning Python passes not supported\");
            };"
  "            callbacks.clone = [](void *run) { return run; };")
_partita_replace("              nb::handle(static_cast<PyObject *>(userData))(
                  op, PyMlirExternalPass{pass.ptr});"
  "              if (!::partita::DriverScope::call([&] {
                    nb::handle(static_cast<PyObject *>(userData))(
                        op, PyMlirExternalPass{pass.ptr});
                  }))
                mlirExternalPassSignalFailure(pass);")
_partita_replace("            MlirLogicalResult status = mlirPassManagerRunOnOp(
                passManager.get(), op.getOperation().get());"
  "            ::partita::DriverScope scope(op.getOperation().get());
            MlirLogicalResult status = mlirPassManagerRunOnOp(
                passManager.get(), op.getOperation().get());
            scope.raise();")
_partita_end_source(MLIRPythonExtension.Core Pass.cpp)

_partita_begin_source(MLIRPythonExtension.Core Rewrite.cpp)
_partita_replace("#include \"mlir-c/Rewrite.h\"\n"
  "#include \"mlir-c/Rewrite.h\"\n#include \"OperationLifetimes.h\"\n")
_partita_replace("  void replaceOp(MlirOperation op, MlirOperation newOp) {"
  "  void replaceOp(MlirOperation op, MlirOperation newOp) {
    ::partita::invalidateOperations(op);")
_partita_replace("  void replaceOp(MlirOperation op, const std::vector<MlirValue> &values) {"
  "  void replaceOp(MlirOperation op, const std::vector<MlirValue> &values) {
    if (values.size() != size_t(mlirOperationGetNumResults(op)))
      throw nb::value_error(
          \"expected as many values as the operation has results\");
    ::partita::invalidateOperations(op);")
_partita_replace("  void eraseOp(const PyOperation &op) { mlirRewriterBaseEraseOp(base, op); }"
  "  void eraseOp(const PyOperation &operation) {
    MlirOperation op = operation.get();
    if (::partita::hasUses(op))
      throw nb::value_error(
          \"expected an operation to erase to have no uses, but found some\");
    ::partita::invalidateOperations(op);
    mlirRewriterBaseEraseOp(base, op);
  }")
_partita_replace("      nb::handle f(static_cast<PyObject *>(userData));

      PyMlirContextRef ctx =
          PyMlirContext::forContext(mlirOperationGetContext(op));
      nb::object opView = PyOperation::forOperation(ctx, op)->createOpView();

      nb::object res = f(opView, PyPatternRewriter(rewriter));
      return logicalResultFromObject(res);"
  "      nb::handle f(static_cast<PyObject *>(userData));
      MlirLogicalResult result = mlirLogicalResultFailure();
      (void)::partita::DriverScope::call([&] {
        PyMlirContextRef ctx =
            PyMlirContext::forContext(mlirOperationGetContext(op));
        nb::object opView = PyOperation::forOperation(ctx, op)->createOpView();
        nb::object res = f(opView, PyPatternRewriter(rewriter));
        result = logicalResultFromObject(res);
      });
      return result;")
_partita_replace("         MlirLogicalResult status = mlirApplyPatternsAndFoldGreedily(
             module.get(), set.get(),
             config.has_value() ? config->get()
                                : mlirGreedyRewriteDriverConfigCreate());"
  "         ::partita::DriverScope scope(mlirModuleGetOperation(module.get()));
         MlirLogicalResult status = mlirApplyPatternsAndFoldGreedily(
             module.get(), set.get(),
             config.has_value() ? config->get()
                                : mlirGreedyRewriteDriverConfigCreate());
         scope.raise();")
_partita_replace("            MlirLogicalResult status = mlirApplyPatternsAndFoldGreedilyWithOp("
  "            ::partita::DriverScope scope(op.getOperation());
            MlirLogicalResult status = mlirApplyPatternsAndFoldGreedilyWithOp(")
_partita_replace("                                   : mlirGreedyRewriteDriverConfigCreate());
            if (mlirLogicalResultIsFailure(status))"
  "                                   : mlirGreedyRewriteDriverConfigCreate());
            scope.raise();
            if (mlirLogicalResultIsFailure(status))")
_partita_replace("            mlirWalkAndApplyPatterns(op.getOperation(), set.get());"
  "            ::partita::DriverScope scope(op.getOperation());
            mlirWalkAndApplyPatterns(op.getOperation(), set.get());
            scope.raise();")
_partita_end_source(MLIRPythonExtension.Core Rewrite.cpp)
