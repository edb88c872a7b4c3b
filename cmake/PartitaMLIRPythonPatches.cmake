# Upstream's Python bindings with the fixes of third_party/mlir-python. Files
# are copied in the layout of LLVM's repository, patched, and compiled in place
# of the originals.
set(_bindings Bindings/Python)
set(_copies "${CMAKE_CURRENT_BINARY_DIR}/mlir-python")
find_path(_headers mlir/${_bindings}/IRCore.h PATHS ${MLIR_INCLUDE_DIRS}
  "${_purelib}/mlir/include" NO_DEFAULT_PATH NO_CACHE REQUIRED)
# The files include each other by name.
file(GLOB _files "${_headers}/mlir/${_bindings}/*.h")
file(COPY ${_files} DESTINATION "${_copies}/upstream/mlir/include/mlir/${_bindings}")
foreach(_source MLIRPythonSupport/IRCore.cpp Core/MainModule.cpp Core/Pass.cpp Core/Rewrite.cpp)
  get_filename_component(_target "${_source}" DIRECTORY)
  get_filename_component(_name "${_source}" NAME)
  set(_target MLIRPythonExtension.${_target})
  get_target_property(_sources ${_target} INTERFACE_SOURCES)
  string(REGEX MATCH "[^;:<>]*/${_name}" _upstream "${_sources}")
  # Its own header is beside it.
  string(REGEX REPLACE "cpp$" "h" _header "${_upstream}")
  file(GLOB _header "${_header}")
  file(COPY "${_upstream}" ${_header}
    DESTINATION "${_copies}/upstream/mlir/lib/${_bindings}")
  list(APPEND _files "${_upstream}" ${_header})
  string(REPLACE "${_upstream}" "${_copies}/patched/mlir/lib/${_bindings}/${_name}"
    _sources "${_sources}")
  set_property(TARGET ${_target} PROPERTY INTERFACE_SOURCES "${_sources}")
endforeach()
set_property(TARGET MLIRPythonExtension.MLIRPythonSupport APPEND PROPERTY
  INTERFACE_SOURCES "${CMAKE_CURRENT_SOURCE_DIR}/OperationLifetimes.cpp")
# A Python file; python/CMakeLists.txt declares it in place of upstream's.
get_target_property(_sources MLIRPythonSources.Core.Python INTERFACE_SOURCES)
# Not the relative path of $<INSTALL_INTERFACE:>.
string(REGEX MATCH "[;:](/[^;:<>]*/ir\\.py)" _upstream "${_sources}")
set(_upstream "${CMAKE_MATCH_1}")
file(COPY "${_upstream}" DESTINATION "${_copies}/upstream/mlir/python/mlir")
list(APPEND _files "${_upstream}")
# A target that is declared here, and not imported, lists its sources twice.
foreach(_property SOURCES INTERFACE_SOURCES)
  get_target_property(_sources MLIRPythonSources.Core.Python ${_property})
  if(_sources)
    string(REGEX REPLACE "[^;:<>]*/ir\\.py;" "" _sources "${_sources}")
    set_property(TARGET MLIRPythonSources.Core.Python PROPERTY ${_property} "${_sources}")
  endif()
endforeach()

file(GLOB _patches CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/third_party/mlir-python/*.patch")
set(_apply "${PROJECT_SOURCE_DIR}/cmake/apply_patches.py")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${_files} ${_patches} "${_apply}")
execute_process(
  COMMAND "${Python3_EXECUTABLE}" "${_apply}" "${_copies}/upstream"
    "${_copies}/patched" ${_patches}
  RESULT_VARIABLE _result ERROR_VARIABLE _error)
if(NOT _result EQUAL 0)
  message(FATAL_ERROR "${_error}")
endif()
# Not by include_directories: a module of sources would take it for its root.
add_compile_options("-I${_copies}/patched/mlir/include")
