# Installs the parts that find_package(Partita) needs, for an installation and
# for the build tree: headers, also generated ones, except those that only our
# sources include; libraries; and partita-tblgen.
include(CMakePackageConfigHelpers)

set(_package "lib/cmake/partita")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" "${PROJECT_BINARY_DIR}/include/"
  DESTINATION include COMPONENT partita-dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
  PATTERN "*.cpp.inc" EXCLUDE
  PATTERN CMakeFiles EXCLUDE)
install(EXPORT PartitaTargets DESTINATION ${_package} COMPONENT partita-dev)
install(FILES LICENSE DESTINATION share/doc/partita COMPONENT partita-dev)

# CMake strips only linked files. Nobody uses the names of local symbols in an
# archive, either.
if(CMAKE_STRIP)
  install(CODE "
    file(GLOB _archives \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/libPartita*.a\")
    if(CMAKE_INSTALL_DO_STRIP AND _archives)
      execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded \${_archives}
        COMMAND_ERROR_IS_FATAL ANY)
    endif()" COMPONENT partita-dev)
endif()

# Each tree has its own PartitaConfig.cmake. An installation must not refer to
# wheels in this tree.
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/${_package}/PartitaConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
set(PARTITA_CONFIG_INCLUDE_DIRS "\${PACKAGE_PREFIX_DIR}/include")
set(PARTITA_CONFIG_MLIR_DIR "${MLIR_DIR}")
set(PARTITA_CONFIG_LLVM_DIR "${LLVM_DIR}")
get_filename_component(_wheels "${PROJECT_SOURCE_DIR}/.venv" REALPATH)
get_filename_component(_mlir "${MLIR_DIR}" REALPATH)
string(FIND "${_mlir}/" "${_wheels}/" _place)
if(_place EQUAL 0)
  set(PARTITA_CONFIG_MLIR_DIR "")
  set(PARTITA_CONFIG_LLVM_DIR "")
endif()
configure_package_config_file(cmake/PartitaConfig.cmake.in
  "${PROJECT_BINARY_DIR}/install/PartitaConfig.cmake"
  INSTALL_DESTINATION ${_package})
install(FILES
  "${PROJECT_BINARY_DIR}/install/PartitaConfig.cmake"
  "${PROJECT_BINARY_DIR}/${_package}/PartitaConfigVersion.cmake"
  cmake/PartitaTableGen.cmake
  DESTINATION ${_package} COMPONENT partita-dev)

set(PARTITA_CONFIG_INCLUDE_DIRS
  "${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/include")
set(PARTITA_CONFIG_MLIR_DIR "${MLIR_DIR}")
set(PARTITA_CONFIG_LLVM_DIR "${LLVM_DIR}")
configure_package_config_file(cmake/PartitaConfig.cmake.in
  "${PROJECT_BINARY_DIR}/${_package}/PartitaConfig.cmake"
  INSTALL_DESTINATION ${_package} INSTALL_PREFIX "${PROJECT_BINARY_DIR}")
configure_file(cmake/PartitaTableGen.cmake
  "${PROJECT_BINARY_DIR}/${_package}/PartitaTableGen.cmake" COPYONLY)
export(EXPORT PartitaTargets
  FILE "${PROJECT_BINARY_DIR}/${_package}/PartitaTargets.cmake")
