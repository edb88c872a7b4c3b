# Depfiles have absolute paths, whatever policies an embedder sets.
if(POLICY CMP0116)
  cmake_policy(SET CMP0116 NEW)
endif()

# _partita_tablegen(OUT GENERATOR TD NAME): runs partita-tblgen on a .td of this
# folder, again when a file that it includes has changed.
function(_partita_tablegen out generator td name)
  set(_includes ${PARTITA_INCLUDE_DIRS} "${CMAKE_CURRENT_SOURCE_DIR}" ${MLIR_INCLUDE_DIRS})
  list(TRANSFORM _includes PREPEND "-I")
  add_custom_command(OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${out}"
    COMMAND partita-tblgen ${generator} -name ${name} ${_includes}
            "${CMAKE_CURRENT_SOURCE_DIR}/${td}" -o "${CMAKE_CURRENT_BINARY_DIR}/${out}"
            -d "${CMAKE_CURRENT_BINARY_DIR}/${out}.d"
    DEPENDS partita-tblgen "${CMAKE_CURRENT_SOURCE_DIR}/${td}"
    DEPFILE "${CMAKE_CURRENT_BINARY_DIR}/${out}.d"
    COMMENT "Building ${out} of ${name}" VERBATIM)
endfunction()

# partita_tablegen_passes(TARGET NAME): generates code for the Passes.td of this
# folder: Passes.h.inc (mlir-tblgen: pass classes, mlir::registerPass), and
# PassInfos.{h,cpp}.inc (partita-tblgen: PassInfo registration, constructors).
function(partita_tablegen_passes target name)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${name}
    EXTRA_INCLUDES ${PARTITA_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  _partita_tablegen(PassInfos.h.inc -gen-pass-info-decls Passes.td ${name})
  _partita_tablegen(PassInfos.cpp.inc -gen-pass-info-defs Passes.td ${name})
  add_custom_target(${target} DEPENDS Passes.h.inc PassInfos.h.inc PassInfos.cpp.inc)
endfunction()

# partita_tablegen_instruments(TARGET FILE NAME): generates code for the FILE.td
# of this folder: FILE.h.inc (options, declarations of constructors), and
# FILE.cpp.inc (the registration, register<NAME>).
function(partita_tablegen_instruments target file name)
  _partita_tablegen(${file}.h.inc -gen-instrument-decls ${file}.td ${name})
  _partita_tablegen(${file}.cpp.inc -gen-instrument-defs ${file}.td ${name})
  add_custom_target(${target} DEPENDS ${file}.h.inc ${file}.cpp.inc)
endfunction()
