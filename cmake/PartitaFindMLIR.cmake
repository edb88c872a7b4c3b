# Finds MLIR 22.1 in MLIR_DIR, or in the site-packages of the Python that
# configures (the LLVM/MLIR wheels of requirements.txt).
if(NOT MLIR_DIR)
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" -c
            "import sysconfig; print(sysconfig.get_paths()['purelib'], end='')"
    OUTPUT_VARIABLE _purelib COMMAND_ERROR_IS_FATAL ANY)
  list(PREPEND CMAKE_PREFIX_PATH "${_purelib}")
endif()
find_package(MLIR 22.1 REQUIRED CONFIG)
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR} "
               "(assertions ${LLVM_ENABLE_ASSERTIONS})")

# The exported MLIR targets name LLVM's shared library as their dependency.
# Repointing that one imported target makes every tool static.
if(PARTITA_STATIC_LLVM)
  include(PartitaStaticLLVM)
endif()

# Debian's static LLVMSupport names zstd, which nothing here needs.
if(NOT TARGET zstd::libzstd_shared)
  add_library(zstd::libzstd_shared INTERFACE IMPORTED)
endif()
