# Upstream's IRCore.cpp with what keeps Python objects of erased ops from being
# used: see python/OperationLifetimes.h. It is an error, here, if upstream's text
# is not what it was.
get_target_property(_sources MLIRPythonExtension.MLIRPythonSupport INTERFACE_SOURCES)
string(REGEX MATCH "[^;:<>]*/IRCore\\.cpp" _upstream "${_sources}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_upstream}")
file(READ "${_upstream}" _text)

function(_partita_replace old new)
  string(FIND "${_text}" "${old}" _index)
  if(_index EQUAL -1)
    message(FATAL_ERROR "expected in ${_upstream}: ${old}")
  endif()
  string(REPLACE "${old}" "${new}" _text "${_text}")
  set(_text "${_text}" PARENT_SCOPE)
endfunction()

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

file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/IRCore.cpp" CONTENT "${_text}" @ONLY)
string(REPLACE "${_upstream}" "${CMAKE_CURRENT_BINARY_DIR}/IRCore.cpp" _sources "${_sources}")
set_property(TARGET MLIRPythonExtension.MLIRPythonSupport PROPERTY INTERFACE_SOURCES "${_sources}")

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
