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

file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/IRCore.cpp" CONTENT "${_text}" @ONLY)
string(REPLACE "${_upstream}" "${CMAKE_CURRENT_BINARY_DIR}/IRCore.cpp" _sources "${_sources}")
set_property(TARGET MLIRPythonExtension.MLIRPythonSupport PROPERTY INTERFACE_SOURCES "${_sources}")
