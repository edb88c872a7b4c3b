//===- CloneModuleTest.cpp - Copies of modules ----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/CloneModule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace partita {
namespace {

class CloneModuleTest : public ::testing::Test {
protected:
  CloneModuleTest() {
    context.allowUnregisteredDialects();
    context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                        func::FuncDialect>();
  }

  static std::string print(Operation *op) {
    std::string text;
    llvm::raw_string_ostream os(text);
    op->print(os, OpPrintingFlags().printGenericOpForm().enableDebugInfo());
    return text;
  }

  /// Expects an equal copy that uses nothing of the module.
  void expectCopy(StringRef text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    std::string before = print(*module);
    OwningOpRef<Operation *> copy = cloneModule(*module);
    EXPECT_EQ(print(*module), before);
    EXPECT_EQ(print(*copy), before);
    // A use of freed values would be found here.
    module = nullptr;
    EXPECT_EQ(print(*copy), before);
    EXPECT_TRUE(succeeded(verify(*copy)));
  }

  MLIRContext context;
};

TEST_F(CloneModuleTest, OfNestedRegions) {
  expectCopy(R"mlir(
    module attributes {test.attr} {
      func.func private @declared(i32) -> i32
      func.func @f(%a: i32 loc("a"), %c: i1) -> (i32, i32) {
        %0:2 = "test.two"(%a) ({
          %2 = arith.addi %a, %a : i32 loc("inner")
          "test.use"(%2, %c) ({
          ^bb0(%b: i32):
            "test.yield"(%b, %2) : (i32, i32) -> ()
          }, {}) : (i32, i1) -> ()
          "test.yield"(%2) : (i32) -> ()
        }) {key = 1 : i64} : (i32) -> (i32, i32)
        return %0#1, %0#0 : i32, i32
      }
    })mlir");
}

TEST_F(CloneModuleTest, OfRegionsWithoutOrder) {
  expectCopy(R"mlir(
    module {
      module @inner {
        %0 = "test.of_what_follows"(%1, %0) ({
          "test.inside"(%2) : (i32) -> ()
        }) : (i32, i32) -> i32
        %1 = "test.constant"() : () -> i32
        %2 = "test.op"(%0) : (i32) -> i32
      }
    })mlir");
}

TEST_F(CloneModuleTest, OfBlocksThatBranch) {
  expectCopy(R"mlir(
    module {
      func.func @f(%a: i32, %c: i1) -> i32 {
        cf.cond_br %c, ^bb1(%a : i32), ^bb2
      ^bb1(%b: i32):
        return %b : i32
      ^bb2:
        %0 = "test.op"() ({
          %1 = arith.addi %a, %a : i32
          cf.br ^bb1
        ^bb1:
          "test.yield"(%1) : (i32) -> ()
        }) : () -> i32
        cf.br ^bb1(%0 : i32)
      }
    })mlir");
}

} // namespace
} // namespace partita
