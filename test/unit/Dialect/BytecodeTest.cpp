//===- BytecodeTest.cpp - Attributes and types through bytecode -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cases that text cannot express (names with any bytes, files that end early),
// as bytecode in memory.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Partita/IR/PartitaAttrs.h"
#include "partita/Dialect/Partita/IR/PartitaDialect.h"
#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace partita;

namespace {

class BytecodeTest : public testing::Test {
protected:
  static void loadDialects(MLIRContext &context) {
    context.loadDialect<PartitaDialect, relax::RelaxDialect, tir::TIRDialect>();
  }

  BytecodeTest() : builder(&context) {
    loadDialects(context);
    module = IRModuleOp::create(builder, builder.getUnknownLoc(), "m");
  }

  std::string write() {
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    EXPECT_TRUE(succeeded(writeBytecodeToFile(*module, os)));
    return bytes;
  }

  static std::string print(Operation *op) {
    std::string text;
    llvm::raw_string_ostream os(text);
    op->print(os, OpPrintingFlags().printGenericOpForm());
    return text;
  }

  /// The module in `bytes`, as another context reads it; empty if that fails.
  static std::string read(StringRef bytes, std::string *messages = nullptr) {
    MLIRContext other;
    loadDialects(other);
    ScopedDiagnosticHandler handler(&other, [&](Diagnostic &diag) {
      if (messages)
        *messages += diag.str() + "\n";
    });
    // Bytes in memory need not be aligned.
    OwningOpRef<IRModuleOp> result =
        parseSourceString<IRModuleOp>(bytes, ParserConfig(&other));
    return result ? print(*result) : "";
  }

  /// Attributes and types of each dialect, at the ends of their ranges.
  void fill() {
    StringAttr odd = builder.getStringAttr(StringRef("a\0\"\xc3\xa4", 5));
    module->getOperation()->setAttr(
        "info", PassInfoAttr::get(&context, odd,
                                  std::numeric_limits<int>::max(), {odd}));
    module->getOperation()->setAttr(
        "context",
        PassContextAttr::get(&context, 0, {odd}, {odd, odd},
                             builder.getDictionaryAttr(builder.getNamedAttr(
                                 "k", builder.getUnitAttr())),
                             {odd}));
    module->getOperation()->setAttr(
        "default", PassContextAttr::get(&context, 2, {}, {},
                                        builder.getDictionaryAttr({}), {}));

    relax::Dim dims[] = {0, std::numeric_limits<int64_t>::max(), relax::Dim(),
                         odd, builder.getStringAttr("n * 2")};
    module->getOperation()->setAttr("shape",
                                    relax::ShapeAttr::get(&context, dims));
    Type types[] = {relax::ShapeType::get(&context, dims),
                    relax::ShapeType::get(&context, {}),
                    relax::ObjectType::get(&context),
                    relax::getTensorType(dims, builder.getF32Type())};
    builder.setInsertionPointToEnd(module->getBody());
    relax::FuncOp::create(builder, module->getLoc(), "f",
                          builder.getFunctionType(types, {}))
        .setPrivate();
    tir::PrimFuncOp::create(builder, module->getLoc(), "g",
                            builder.getFunctionType({}, {}))
        .setPrivate();
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<IRModuleOp> module;
};

TEST_F(BytecodeTest, RoundTrip) {
  fill();
  EXPECT_EQ(read(write()), print(*module));
}

TEST_F(BytecodeTest, EndsEarly) {
  fill();
  std::string bytes = write();
  // Fewer than the four bytes that mark bytecode count as text.
  for (size_t size = 4; size < bytes.size(); ++size) {
    std::string messages;
    EXPECT_EQ(read(StringRef(bytes).take_front(size), &messages), "") << size;
    EXPECT_NE(messages, "") << size;
  }
}

} // namespace
