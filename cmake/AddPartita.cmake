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
    install(TARGETS ${name} EXPORT PartitaTargets ARCHIVE DESTINATION lib)
    set_property(GLOBAL APPEND PROPERTY PARTITA_LIBS ${name})
  endif()
endfunction()

# add_partita_tool(NAME SOURCES... [LINK_LIBS libs...] [EXCLUDE_FROM_INSTALL])
function(add_partita_tool name)
  cmake_parse_arguments(ARG "EXCLUDE_FROM_INSTALL" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  if(NOT ARG_EXCLUDE_FROM_INSTALL)
    install(TARGETS ${name} EXPORT PartitaTargets RUNTIME DESTINATION bin)
  endif()
endfunction()

# partita_tablegen_passes(TARGET NAME): what Passes.td of this folder declares:
# Passes.h.inc (mlir-tblgen: pass classes, mlir::registerPass), and
# PassInfos.{h,cpp}.inc (partita-tblgen: PassInfo registration, constructors).
function(partita_tablegen_passes target name)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${name})
  set(_outs "${CMAKE_CURRENT_BINARY_DIR}/Passes.h.inc")
  foreach(kind decls defs)
    string(REPLACE "decls" "h" _ext ${kind})
    string(REPLACE "defs" "cpp" _ext ${_ext})
    set(_out "${CMAKE_CURRENT_BINARY_DIR}/PassInfos.${_ext}.inc")
    set(_includes "-I${PROJECT_SOURCE_DIR}/include" "-I${CMAKE_CURRENT_SOURCE_DIR}")
    foreach(_dir ${MLIR_INCLUDE_DIRS})
      list(APPEND _includes "-I${_dir}")
    endforeach()
    add_custom_command(OUTPUT "${_out}"
      COMMAND partita-tblgen -gen-pass-info-${kind} -name ${name} ${_includes}
              "${CMAKE_CURRENT_SOURCE_DIR}/Passes.td" -o "${_out}"
      DEPENDS partita-tblgen "${CMAKE_CURRENT_SOURCE_DIR}/Passes.td"
              "${PROJECT_SOURCE_DIR}/include/partita/Pass/PassBase.td"
      COMMENT "Building PassInfos.${_ext}.inc of ${name}" VERBATIM)
    list(APPEND _outs "${_out}")
  endforeach()
  add_custom_target(${target} DEPENDS ${_outs})
  set_property(GLOBAL APPEND PROPERTY PARTITA_TABLEGEN_TARGETS ${target})
endfunction()
