//===- StructuralEqualityTest.cpp - Structural equality of IR -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/StructuralEquality.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace partita {
namespace {

class HashTest : public ::testing::Test {
protected:
  HashTest() {
    context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                        func::FuncDialect>();
  }

  uint64_t hash(StringRef text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return hashStructure(*module);
  }

  /// The hash of a function with this body.
  uint64_t hashBody(StringRef body) {
    return hash(
        ("func.func @f(%a: i32, %b: i32, %c: i1) {\n" + body + "\nreturn\n}")
            .str());
  }

  MLIRContext context;
};

TEST_F(HashTest, IsOfTheStructure) {
  uint64_t one = hashBody("%0 = arith.subi %a, %b : i32");
  EXPECT_EQ(one, hashBody("// Names and places do not count.\n\n"
                          "%x = arith.subi %a, %b : i32 loc(\"there\")"));
  for (StringRef other :
       {"", "%0 = arith.subi %b, %a : i32", "%0 = arith.subi %a, %a : i32",
        "%0 = arith.addi %a, %b : i32",
        "%0 = arith.subi %a, %b overflow<nsw> : i32",
        "%0 = arith.subi %a, %b {d} : i32",
        "%0 = arith.subi %a, %b : i32\n%1 = arith.subi %a, %b : i32"})
    EXPECT_NE(one, hashBody(other)) << other.str();
  EXPECT_NE(hash("func.func private @f(i32)"),
            hash("func.func private @f(i64)"));
  EXPECT_NE(hash("func.func private @f()"), hash("func.func private @g()"));
  EXPECT_NE(hash("module { func.func private @f() }"),
            hash("module {} func.func private @f()"));
}

TEST_F(HashTest, KnowsWhichValueAndBlock) {
  StringRef values = "%0 = arith.addi %a, %a : i32\n"
                     "%1 = arith.addi %a, %a : i32\n"
                     "%2 = arith.muli %{0}, %{1} : i32";
  auto use = [&](char first, char second) {
    std::string body = values.str();
    body[body.find("{0}")] = first;
    body.erase(body.find("0}"), 2);
    body[body.find("{1}")] = second;
    body.erase(body.find("1}"), 2);
    return hashBody(body);
  };
  EXPECT_NE(use('0', '1'), use('1', '0'));
  EXPECT_NE(use('0', '0'), use('1', '1'));
  EXPECT_NE(use('0', '1'), use('0', '0'));
  auto branch = [&](StringRef successors) {
    return hashBody(
        ("cf.cond_br %c, " + successors + "\n^x:\n return\n^y:\n cf.br ^x\n^z:")
            .str());
  };
  EXPECT_EQ(branch("^x, ^y"), branch("^x, ^y"));
  EXPECT_NE(branch("^x, ^y"), branch("^y, ^x"));
  EXPECT_NE(branch("^x, ^y"), branch("^x, ^x"));
}

} // namespace
} // namespace partita
