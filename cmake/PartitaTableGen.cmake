# partita_tablegen_passes(TARGET NAME): what Passes.td of this folder declares:
# Passes.h.inc (mlir-tblgen: pass classes, mlir::registerPass), and
# PassInfos.{h,cpp}.inc (partita-tblgen: PassInfo registration, constructors).
function(partita_tablegen_passes target name)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${name})
  set(_outs "${CMAKE_CURRENT_BINARY_DIR}/Passes.h.inc")
  list(GET PARTITA_INCLUDE_DIRS 0 _base)
  string(APPEND _base "/partita/Pass/PassBase.td")
  foreach(kind decls defs)
    string(REPLACE "decls" "h" _ext ${kind})
    string(REPLACE "defs" "cpp" _ext ${_ext})
    set(_out "${CMAKE_CURRENT_BINARY_DIR}/PassInfos.${_ext}.inc")
    set(_includes ${PARTITA_INCLUDE_DIRS} "${CMAKE_CURRENT_SOURCE_DIR}" ${MLIR_INCLUDE_DIRS})
    list(TRANSFORM _includes PREPEND "-I")
    add_custom_command(OUTPUT "${_out}"
      COMMAND partita-tblgen -gen-pass-info-${kind} -name ${name} ${_includes}
              "${CMAKE_CURRENT_SOURCE_DIR}/Passes.td" -o "${_out}"
      DEPENDS partita-tblgen "${CMAKE_CURRENT_SOURCE_DIR}/Passes.td" "${_base}"
      COMMENT "Building PassInfos.${_ext}.inc of ${name}" VERBATIM)
    list(APPEND _outs "${_out}")
  endforeach()
  add_custom_target(${target} DEPENDS ${_outs})
  set_property(GLOBAL APPEND PROPERTY PARTITA_TABLEGEN_TARGETS ${target})
endfunction()
