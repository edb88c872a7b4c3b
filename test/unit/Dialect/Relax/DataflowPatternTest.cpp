//===- DataflowPatternTest.cpp - Patterns and their text ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/Transforms/DataflowPattern.h"
#include "partita/Dialect/Relax/IR/RelaxDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace partita::relax;

namespace {

class DataflowPatternTest : public testing::Test {
protected:
  DataflowPatternTest() : builder(&context) {
    context.loadDialect<RelaxDialect>();
  }

  static std::string print(const DFPattern &pattern) {
    std::string text;
    llvm::raw_string_ostream os(text);
    pattern.print(os);
    return text;
  }

  FailureOr<DFPattern> parse(StringRef text) {
    return DFPattern::parse(
        text, &context, [&] { return emitError(UnknownLoc::get(&context)); });
  }

  /// The text of the pattern that `text` is.
  std::string reprint(StringRef text) {
    FailureOr<DFPattern> pattern = parse(text);
    return succeeded(pattern) ? print(*pattern) : "failed";
  }

  MLIRContext context;
  Builder builder;
};

TEST_F(DataflowPatternTest, Makers) {
  DFPattern any = DFPattern::wildcard();
  DFPattern sum =
      DFPattern::call(DFPattern::op("relax.add"), {any, DFPattern::constant()});
  EXPECT_EQ(print(sum), "relax.add(*, const)");
  EXPECT_EQ(print(sum & ~sum), "$0 = relax.add(*, const) & ~$0");
  EXPECT_EQ(print((any | sum).hasDType(builder.getF32Type())),
            "($0 = * | relax.add($0, const)).dtype<f32>");
  EXPECT_EQ(print(DFPattern::tupleGetItem(sum | any)),
            "(relax.add($0 = *, const) | $0)[?]");
  DFPattern tuple = DFPattern::tuple({DFPattern::var("x"), any});
  EXPECT_EQ(print(DFPattern::tupleGetItem(tuple, 1)), "tuple(var<x>, *)[1]");
  EXPECT_EQ(print(DFPattern::call(DFPattern::externFunc("f"), {}, true)),
            "extern<f>(...)");
  Dim n = builder.getStringAttr("n + 1");
  EXPECT_EQ(print(any.hasShape({Dim(2), n})), "*.shape(2, n + 1)");
  EXPECT_EQ(print(DFPattern::number(builder.getI64IntegerAttr(3))),
            "number<3 : i64>");
  NamedAttribute axis = builder.getNamedAttr("axis", builder.getUnitAttr());
  EXPECT_EQ(
      print(
          DFPattern::op("relax.add").hasAttrs(builder.getDictionaryAttr(axis))),
      "(relax.add).attrs{axis}");
}

TEST_F(DataflowPatternTest, TextIsReadAndPrinted) {
  for (StringRef text :
       {"*",
        "const",
        "var",
        "dfv<x>",
        "gv<f>",
        "extern",
        "shape()",
        "shape(1, max(n, 2))",
        "number<true>",
        "relax.nn.relu",
        "relax.add(*, ...)",
        "relax.add($0 = relax.exp(*), $0)",
        "unordered(*, const)",
        "tuple()[0]",
        "* | const & ~var",
        "(* | const) & ~(var | dfv)",
        "relax.add(* | const, *)[0]",
        "*.type<tensor<?x8xf32>>",
        "*.type<!relax.callable<(!relax.object) -> tensor<8xf32>>>",
        "relax.add(*, *).attrs{a = \"}\", b = [1, 2]}.dtype<f16>"})
    EXPECT_EQ(reprint(text), text.contains("[1, 2]")
                                 ? "relax.add(*, *).attrs{a = \"}\", b = [1, "
                                   "2]}.dtype<f16>"
                                 : text);
  EXPECT_EQ(reprint(" ( ( $x=( * ) ) ) "), "*");
  EXPECT_EQ(reprint("relax.add("), "failed");
}

TEST_F(DataflowPatternTest, Identity) {
  FailureOr<DFPattern> pattern = parse("relax.add($a = *, $a)");
  ASSERT_TRUE(succeeded(pattern));
  ArrayRef<DFPattern> parts = pattern->getParts();
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].getId(), parts[2].getId());
  EXPECT_NE(parts[0].getId(), parts[1].getId());
}

} // namespace
