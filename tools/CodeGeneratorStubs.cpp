//===- CodeGeneratorStubs.cpp - LLVM without its code generators ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three passes of MLIR use LLVM's code generators and optimizer: they make
// binaries of gpu.modules, or ask for a target's properties. That code is 69
// MB, nearly half of the tools. These definitions replace it, so that nothing
// links it. The passes then report that there is no such target, as with an
// LLVM that was built without it.
//
//===----------------------------------------------------------------------===//

#include "mlir/ExecutionEngine/OptUtils.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/TargetSelect.h"

#define LLVM_TARGET(NAME)                                                      \
  void LLVMInitialize##NAME##TargetInfo() {}                                   \
  void LLVMInitialize##NAME##Target() {}                                       \
  void LLVMInitialize##NAME##TargetMC() {}
#include "llvm/Config/Targets.def"
#define LLVM_ASM_PRINTER(NAME)                                                 \
  void LLVMInitialize##NAME##AsmPrinter() {}
#include "llvm/Config/AsmPrinters.def"
#define LLVM_ASM_PARSER(NAME)                                                  \
  void LLVMInitialize##NAME##AsmParser() {}
#include "llvm/Config/AsmParsers.def"

std::function<llvm::Error(llvm::Module *)>
mlir::makeOptimizingTransformer(unsigned, unsigned, llvm::TargetMachine *) {
  return [](llvm::Module *) {
    return llvm::createStringError("LLVM's optimizer is not linked");
  };
}
