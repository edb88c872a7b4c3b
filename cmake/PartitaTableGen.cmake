# _partita_tablegen(OUT GENERATOR TD BASE NAME): what partita-tblgen makes of a .td
# of this folder; BASE is the .td that it is about, below include/partita.
function(_partita_tablegen out generator td base name)
  list(GET PARTITA_INCLUDE_DIRS 0 _root)
  set(_includes ${PARTITA_INCLUDE_DIRS} "${CMAKE_CURRENT_SOURCE_DIR}" ${MLIR_INCLUDE_DIRS})
  list(TRANSFORM _includes PREPEND "-I")
  add_custom_command(OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${out}"
    COMMAND partita-tblgen ${generator} -name ${name} ${_includes}
            "${CMAKE_CURRENT_SOURCE_DIR}/${td}" -o "${CMAKE_CURRENT_BINARY_DIR}/${out}"
    DEPENDS partita-tblgen "${CMAKE_CURRENT_SOURCE_DIR}/${td}" "${_root}/partita/${base}"
    COMMENT "Building ${out} of ${name}" VERBATIM)
endfunction()

# partita_tablegen_passes(TARGET NAME): what Passes.td of this folder declares:
# Passes.h.inc (mlir-tblgen: pass classes, mlir::registerPass), and
# PassInfos.{h,cpp}.inc (partita-tblgen: PassInfo registration, constructors).
function(partita_tablegen_passes target name)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${name}
    EXTRA_INCLUDES ${PARTITA_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  _partita_tablegen(PassInfos.h.inc -gen-pass-info-decls Passes.td Pass/PassBase.td ${name})
  _partita_tablegen(PassInfos.cpp.inc -gen-pass-info-defs Passes.td Pass/PassBase.td ${name})
  add_custom_target(${target} DEPENDS Passes.h.inc PassInfos.h.inc PassInfos.cpp.inc)
endfunction()

# partita_tablegen_instruments(TARGET FILE NAME): what FILE.td of this folder
# declares: FILE.h.inc (options, declarations of constructors), and FILE.cpp.inc
# (the registration, register<NAME>).
function(partita_tablegen_instruments target file name)
  set(_base Instrument/InstrumentBase.td)
  _partita_tablegen(${file}.h.inc -gen-instrument-decls ${file}.td ${_base} ${name})
  _partita_tablegen(${file}.cpp.inc -gen-instrument-defs ${file}.td ${_base} ${name})
  add_custom_target(${target} DEPENDS ${file}.h.inc ${file}.cpp.inc)
endfunction()
