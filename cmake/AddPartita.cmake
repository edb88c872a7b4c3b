# add_partita_library(NAME SOURCES... [DEPENDS targets...] [LINK_LIBS libs...] [EXCLUDE_FROM_INSTALL])
# A static library, installed and exported as Partita's.
function(add_partita_library name)
  cmake_parse_arguments(ARG "EXCLUDE_FROM_INSTALL" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(NOT ARG_EXCLUDE_FROM_INSTALL)
    target_include_directories(${name} INTERFACE
      "$<INSTALL_INTERFACE:include>"
      "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/include>")
    install(TARGETS ${name} EXPORT PartitaTargets
      ARCHIVE DESTINATION lib COMPONENT partita-dev)
    set_property(GLOBAL APPEND PROPERTY PARTITA_LIBS ${name})
  endif()
endfunction()

# add_partita_tool(NAME SOURCES... [LINK_LIBS libs...] [EXCLUDE_FROM_INSTALL]
#                  [EXPORTED] [COMPONENT component])
# EXPORTED: one that the builds of embedders run.
# COMPONENT: what it is installed with, if not with the tools.
function(add_partita_tool name)
  cmake_parse_arguments(ARG "EXCLUDE_FROM_INSTALL;EXPORTED" "COMPONENT" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin"
    INSTALL_RPATH "$ORIGIN/../lib" INSTALL_RPATH_USE_LINK_PATH ON)
  if(ARG_EXPORTED)
    install(TARGETS ${name} EXPORT PartitaTargets
      RUNTIME DESTINATION bin COMPONENT partita-dev)
  elseif(NOT ARG_EXCLUDE_FROM_INSTALL)
    if(NOT ARG_COMPONENT)
      set(ARG_COMPONENT partita-tools)
    endif()
    install(TARGETS ${name} RUNTIME DESTINATION bin COMPONENT ${ARG_COMPONENT})
  endif()
  set_property(GLOBAL APPEND PROPERTY PARTITA_TOOLS ${name})
endfunction()

# partita_fold_identical_code(TARGET)
# Keeps one of several equal functions whose addresses nobody takes, if there is
# a linker that can: a tenth of a library with all of MLIR.
include(CheckLinkerFlag)
function(partita_fold_identical_code target)
  foreach(linker lld gold)
    set(flags -fuse-ld=${linker} LINKER:--icf=safe)
    check_linker_flag(CXX "${flags}" PARTITA_${linker}_FOLDS_CODE)
    if(PARTITA_${linker}_FOLDS_CODE)
      target_link_options(${target} PRIVATE ${flags})
      return()
    endif()
  endforeach()
endfunction()
