//===- UseOrdersTest.cpp --------------------------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/UseOrders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace partita;

namespace {
/// A value with eight uses, and a block with four.
constexpr llvm::StringLiteral text = R"mlir(
  func.func @f(%x: i32, %c: i1) -> i32 {
    %0 = arith.addi %x, %x : i32
    cf.cond_br %c, ^last(%x : i32), ^b
  ^b:
    cf.cond_br %c, ^last(%x : i32), ^c
  ^c:
    cf.cond_br %c, ^last(%x : i32), ^d
  ^d:
    %1 = arith.addi %x, %x : i32
    cf.br ^last(%x : i32)
  ^last(%y: i32):
    return %y : i32
  })mlir";

struct UseOrdersTest : ::testing::Test {
  UseOrdersTest() {
    context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                        func::FuncDialect>();
  }
  OwningOpRef<ModuleOp> parse() {
    return parseSourceString<ModuleOp>(text, &context);
  }

  MLIRContext context;
};

TEST_F(UseOrdersTest, ValuesAndBlocks) {
  OwningOpRef<ModuleOp> module = parse(), other = parse();
  auto function = *module->getOps<func::FuncOp>().begin();
  function.getArgument(0).shuffleUseList({1, 2, 0, 3, 4, 5, 6, 7});
  function.back().shuffleUseList({3, 0, 1, 2});
  auto orders = getUseOrders(*module);
  EXPECT_NE(orders, getUseOrders(*other));
  ASSERT_TRUE(succeeded(setUseOrders(*other, orders)));
  EXPECT_EQ(getUseOrders(*other), orders);
  // As the parser made them, which is from the last use to the first.
  ASSERT_TRUE(succeeded(setUseOrders(*other, {})));
  EXPECT_TRUE(getUseOrders(*other).empty());
}

TEST_F(UseOrdersTest, OrdersOfOtherOps) {
  OwningOpRef<ModuleOp> module = parse();
  for (SmallVector<uint32_t> orders : {SmallVector<uint32_t>{0},
                                       {0, 1, 1, 1, 1, 1, 1, 1, 1},
                                       {99, 0, 1},
                                       {0, 7, 6, 5, 4, 3, 2, 1, 9}})
    EXPECT_TRUE(failed(setUseOrders(*module, orders)));
}
} // namespace
