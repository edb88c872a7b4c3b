//===- TestPasses.h - Passes and instruments for tests ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only for tests of the pass infrastructure: passes that leave a trace, fail,
// crash and break the IR; an instrument that prints and fails at will; config
// options of every type.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TEST_LIB_TESTPASSES_H
#define PARTITA_TEST_LIB_TESTPASSES_H

#include "partita/Pass/PassRegistry.h"

#include "mlir/Pass/Pass.h"

namespace partita::test {

#define GEN_PASS_DECL
#include "Passes.h.inc"

void registerTestPasses();
/// A dialect whose attribute `verified.note` says where it is verified.
void registerTestDialect(mlir::DialectRegistry &registry);
void registerTestInstruments();

#include "PassInfos.h.inc"

} // namespace partita::test

#endif // PARTITA_TEST_LIB_TESTPASSES_H
