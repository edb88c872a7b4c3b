# The sources of MLIR's Python bindings for an MLIR that is installed without
# them (Debian's). They come from the wheels, which have the same version.
execute_process(
  COMMAND "${Python3_EXECUTABLE}" -c
          "import sysconfig; print(sysconfig.get_paths()['purelib'], end='')"
  OUTPUT_VARIABLE _purelib COMMAND_ERROR_IS_FATAL ANY)
set(_src "${_purelib}/mlir/src/python")
if(NOT IS_DIRECTORY "${_src}/MLIRPythonExtension.Core")
  message(FATAL_ERROR "expected the sources of MLIR's Python bindings in ${_src}")
endif()
set(LLVM_INSTALL_TOOLCHAIN_ONLY ON) # MLIR's own sources are not installed again

function(_declare_sources name parent)
  declare_mlir_python_sources(${name} ROOT_DIR "${_src}/${name}"
    ADD_TO_PARENT ${parent} SOURCES_GLOB *.py)
endfunction()

declare_mlir_python_sources(MLIRPythonSources.Core)
_declare_sources(MLIRPythonSources.Core.Python MLIRPythonSources.Core)
_declare_sources(MLIRPythonSources.Core.Python.Extras MLIRPythonSources.Core)
declare_mlir_python_sources(MLIRPythonSources.Dialects)
foreach(_dialect ${_dialects})
  _declare_sources(MLIRPythonSources.Dialects.${_dialect} MLIRPythonSources.Dialects)
  _declare_sources(MLIRPythonSources.Dialects.${_dialect}.ops_gen
    MLIRPythonSources.Dialects.${_dialect})
endforeach()
declare_mlir_python_extension(MLIRPythonExtension.MLIRPythonSupport
  _PRIVATE_SUPPORT_LIB MODULE_NAME MLIRPythonSupport
  ADD_TO_PARENT MLIRPythonSources.Core
  ROOT_DIR "${_src}/MLIRPythonExtension.MLIRPythonSupport"
  SOURCES Globals.cpp IRAttributes.cpp IRCore.cpp IRTypes.cpp)
declare_mlir_python_extension(MLIRPythonExtension.Core MODULE_NAME _mlir
  ADD_TO_PARENT MLIRPythonSources.Core
  ROOT_DIR "${_src}/MLIRPythonExtension.Core"
  SOURCES MainModule.cpp IRAffine.cpp IRInterfaces.cpp Pass.cpp Rewrite.cpp
  EMBED_CAPI_LINK_LIBS MLIRCAPIDebug MLIRCAPIIR MLIRCAPIInterfaces MLIRCAPIFunc
  PRIVATE_LINK_LIBS LLVMSupport)
declare_mlir_python_extension(MLIRPythonExtension.Dialects.Linalg.Nanobind
  MODULE_NAME _mlirDialectsLinalg
  ADD_TO_PARENT MLIRPythonSources.Dialects.linalg
  ROOT_DIR "${_src}/MLIRPythonExtension.Dialects.Linalg.Nanobind"
  SOURCES DialectLinalg.cpp
  EMBED_CAPI_LINK_LIBS MLIRCAPIIR MLIRCAPILinalg
  PRIVATE_LINK_LIBS LLVMSupport)
