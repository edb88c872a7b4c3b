# The libraries for an mlir-opt with every upstream dialect, pass and extension.
set(_components
  Core Support IRReader AsmParser BitReader BitWriter Target TargetParser
  FrontendOpenMP FrontendOffloading TransformUtils Linker Passes Analysis
  Remarks MC ExecutionEngine OrcJIT X86CodeGen X86AsmParser X86Desc X86Info
  NVPTXCodeGen NVPTXDesc NVPTXInfo AArch64CodeGen AArch64AsmParser AArch64Desc
  AArch64Info AArch64Utils ARMCodeGen ARMAsmParser ARMDesc ARMInfo ARMUtils
  BinaryFormat Demangle ProfileData Object ipo Coverage SupportLSP)
list(TRANSFORM _components PREPEND LLVM)
set_target_properties(LLVM PROPERTIES
  IMPORTED_LOCATION_RELEASE "${LLVM_LIBRARY_DIR}/libLLVMSupport.a"
  IMPORTED_NO_SONAME TRUE
  INTERFACE_LINK_LIBRARIES "${_components}")
set(LLVM_LINK_LLVM_DYLIB OFF)
