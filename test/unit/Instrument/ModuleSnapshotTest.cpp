//===- ModuleSnapshotTest.cpp - Snapshots of modules ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instrument/ModuleSnapshot.h"
#include "Instrument/InstrumentSupport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;

namespace partita::instrument {
namespace {

class ModuleSnapshotTest : public ::testing::Test {
protected:
  ModuleSnapshotTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect>();
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  /// Checks the snapshot of `after` that is made from the snapshot of `before`
  /// against snapshots that are made alone.
  void compare(ModuleOp before, ModuleOp after) {
    ModuleSnapshot old(before, 10), alone(after, 10), next(after, 10, &old);
    EXPECT_EQ(next.getHash(), alone.getHash());
    EXPECT_EQ(next.getNumOps(), alone.getNumOps());
    EXPECT_EQ(old.getHash() == next.getHash(),
              hashStructure(before) == hashStructure(after));
    SmallVector<StringRef> oldLines = old.getLines(), lines = next.getLines();
    EXPECT_EQ(llvm::join(lines, "\n") + "\n",
              printIR(after, 10, /*withLocations=*/false));
    int64_t change = 0;
    for (const auto &[name, count] : next.countChanges(old))
      change += count;
    EXPECT_EQ(change, next.getNumOps() - old.getNumOps());

    size_t oldLine = 0, line = 0;
    for (LineEdit edit : next.diff(old)) {
      if (edit == LineEdit::Same) {
        ASSERT_LT(oldLine, oldLines.size());
        ASSERT_LT(line, lines.size());
        EXPECT_EQ(oldLines[oldLine], lines[line]);
      }
      oldLine += edit != LineEdit::Added;
      line += edit != LineEdit::Removed;
    }
    EXPECT_EQ(oldLine, oldLines.size());
    EXPECT_EQ(line, lines.size());
  }

  MLIRContext context;
};

TEST_F(ModuleSnapshotTest, KnowsWhatItSharesWithTheLast) {
  std::mt19937 random(1);
  auto make = [&] {
    std::string text =
        random() % 3 == 0 ? "module attributes {test.a} {" : "module {";
    std::vector<std::string> names = {"a", "b", "c", "d", "e"};
    if (random() % 2 == 0)
      std::shuffle(names.begin(), names.end(), random);
    for (const std::string &name : names) {
      unsigned form = random() % 8;
      if (form == 0)
        continue;
      if (form == 1) {
        text += "module {}\n";
        continue;
      }
      bool isInner = random() % 4 == 0;
      if (isInner)
        text += random() % 2 == 0 ? "module {\nfunc.func private @z()\n"
                                  : "module @m" + name + " {\n";
      text += "func.func @" + name + "(%x: i32) -> i32 {\n";
      if (form < 4)
        text += "%d = arith.muli %x, %x : i32\n";
      text += "%y = arith.addi %x, %x : i32\nreturn %y : i32\n}\n";
      if (isInner)
        text += "}\n";
    }
    // With values at the top, the module is not divided.
    if (random() % 8 == 0)
      text += "%t = arith.constant 1 : i32\n";
    return parse(text + "}");
  };
  OwningOpRef<ModuleOp> before = make();
  for (unsigned round = 0; round < 500; ++round) {
    OwningOpRef<ModuleOp> after = make();
    ASSERT_TRUE(after);
    compare(*before, *after);
    before = std::move(after);
  }
}

TEST_F(ModuleSnapshotTest, TellsWhatChangesInPlace) {
  auto module = parse("func.func @f(%x: i32, %y: i32) -> i32 {\n"
                      "%0 = arith.addi %x, %y : i32\nreturn %0 : i32 }\n"
                      "module { func.func @g() { return } }");
  auto function = *module->getOps<func::FuncOp>().begin();
  Operation &add = function.getBody().front().front();
  ModuleSnapshot last(*module, 10);
  auto changes = [&] {
    ModuleSnapshot next(*module, 10, &last);
    EXPECT_EQ(next.getHash(), ModuleSnapshot(*module, 10).getHash());
    EXPECT_EQ(llvm::join(next.getLines(), "\n") + "\n",
              printIR(*module, 10, /*withLocations=*/false));
    bool hasChanged = next.getHash() != last.getHash();
    last = std::move(next);
    return hasChanged;
  };
  EXPECT_FALSE(changes());
  add.setOperand(0, add.getOperand(1));
  EXPECT_TRUE(changes());
  add.setAttr("test.a", UnitAttr::get(&context));
  EXPECT_TRUE(changes());
  add.setLoc(NameLoc::get(StringAttr::get(&context, "l")));
  EXPECT_FALSE(changes());
  cast<arith::AddIOp>(add).setOverflowFlags(arith::IntegerOverflowFlags::nsw);
  EXPECT_TRUE(changes());
  // New ops that equal the old ones.
  Operation *copy = add.clone();
  add.getBlock()->getOperations().insert(add.getIterator(), copy);
  add.replaceAllUsesWith(copy);
  add.erase();
  EXPECT_FALSE(changes());
  (*module->getOps<ModuleOp>().begin())
      ->setAttr("test.a", UnitAttr::get(&context));
  EXPECT_TRUE(changes());
  (*module)->setAttr("test.a", UnitAttr::get(&context));
  EXPECT_TRUE(changes());
  Type type = IntegerType::get(&context, 64);
  function.getBody().front().addArgument(type, function.getLoc());
  function.setFunctionType(
      FunctionType::get(&context, function.getBody().front().getArgumentTypes(),
                        function.getResultTypes()));
  EXPECT_TRUE(changes());
  EXPECT_FALSE(changes());
}

TEST_F(ModuleSnapshotTest, ARenamedFunctionIsALine) {
  auto before = parse("func.func @f() { return }\nfunc.func @g() { return }");
  auto after = parse("func.func @f() { return }\nfunc.func @h() { return }");
  ModuleSnapshot old(*before, 10), next(*after, 10, &old);
  EXPECT_EQ(
      next.diff(old),
      (std::vector<LineEdit>{LineEdit::Same, LineEdit::Same, LineEdit::Same,
                             LineEdit::Same, LineEdit::Removed, LineEdit::Added,
                             LineEdit::Same, LineEdit::Same, LineEdit::Same}));
}

TEST_F(ModuleSnapshotTest, InvalidIRIsPrinted) {
  auto module = parse("func.func @f() -> i32 {\n%0 = arith.constant 1 : i32\n"
                      "return %0 : i32 }");
  func::FuncOp function = *module->getOps<func::FuncOp>().begin();
  ModuleSnapshot old(*module, 10);
  function.getBody().front().getTerminator()->erase();
  ModuleSnapshot next(*module, 10, &old);
  EXPECT_NE(old.getHash(), next.getHash());
  EXPECT_NE(llvm::join(next.getLines(), "\n").find("arith.constant"),
            std::string::npos);
}

} // namespace
} // namespace partita::instrument
