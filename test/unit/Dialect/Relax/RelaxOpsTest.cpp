//===- RelaxOpsTest.cpp - Relax ops that C++ builds -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {

class RelaxOpsTest : public testing::Test {
protected:
  RelaxOpsTest()
      : builder(&context), loc(builder.getUnknownLoc()),
        handler(&context, [&](Diagnostic &diag) {
          messages += diag.str();
          messages += '\n';
        }) {
    context.loadDialect<RelaxDialect>();
    module = ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
  }

  std::string takeMessages() { return std::exchange(messages, ""); }

  Dim name(StringRef text) { return builder.getStringAttr(text); }

  RankedTensorType tensor(ArrayRef<Dim> dims) {
    return getTensorType(dims, builder.getF32Type());
  }

  /// A value of `type`.
  Value value(Type type) {
    return UnrealizedConversionCastOp::create(builder, loc, type, ValueRange())
        .getResult(0);
  }
  Value value(ArrayRef<Dim> dims) { return value(tensor(dims)); }

  FuncOp function(StringRef name, bool isPure) {
    auto function =
        FuncOp::create(builder, loc, name, builder.getFunctionType({}, {}));
    function.setPrivate();
    if (!isPure)
      function.setIsPure(false);
    return function;
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc;
  std::string messages;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
};

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

TEST_F(RelaxOpsTest, BuildersInferTypes) {
  Dim n = name("n");
  EXPECT_EQ(AddOp::create(builder, loc, value({n, 1}), value({4})).getType(),
            tensor({n, 4}));
  EXPECT_EQ(MatmulOp::create(builder, loc, value({2, n, 3}), value({3, 5}),
                             /*out_dtype=*/TypeAttr())
                .getType(),
            tensor({2, n, 5}));
  EXPECT_EQ(SigmoidOp::create(builder, loc, value({n})).getType(), tensor({n}));
  EXPECT_EQ(AstypeOp::create(builder, loc, value({n}), builder.getF16Type())
                .getType(),
            getTensorType({n}, builder.getF16Type()));

  auto shape = ShapeAttr::get(&context, {n, Dim(2)});
  Value reshaped = ReshapeOp::create(builder, loc, value({2, n}),
                                     ShapeOp::create(builder, loc, shape));
  EXPECT_EQ(reshaped.getType(), tensor({n, 2}));

  Value vector = value({8});
  auto norm = BatchNormOp::create(
      builder, loc, value({1, 8, n}), vector, vector, vector, vector,
      builder.getI64IntegerAttr(1), /*epsilon=*/FloatAttr(),
      /*center=*/BoolAttr(), /*scale=*/BoolAttr(), /*momentum=*/FloatAttr());
  EXPECT_EQ(norm.getResult().getType(), tensor({1, 8, n}));
  EXPECT_EQ(norm.getNewMean().getType(), tensor({8}));
  EXPECT_EQ(norm.getNewVar().getType(), tensor({8}));
  EXPECT_EQ(takeMessages(), "");
}

TEST_F(RelaxOpsTest, BuildersFillInDefaults) {
  // The builders that take operands and attributes as lists, too.
  auto conv = Conv2DOp::create(
      builder, loc, ValueRange{value({1, 3, 8, 8}), value({4, 3, 3, 3})});
  EXPECT_EQ(conv.getType(), tensor({1, 4, 6, 6}));
  EXPECT_EQ(conv.getStrides(), ArrayRef<int64_t>({1, 1}));
  NamedAttribute strides(conv.getStridesAttrName(),
                         builder.getDenseI64ArrayAttr({2, 2}));
  conv = Conv2DOp::create(builder, loc,
                          ValueRange{value({1, 3, 8, 8}), value({4, 3, 3, 3})},
                          strides);
  EXPECT_EQ(conv.getType(), tensor({1, 4, 3, 3}));
  EXPECT_EQ(MaxPool2DOp::create(builder, loc, ValueRange(value({1, 3, 8, 8})))
                .getType(),
            tensor({1, 3, 8, 8}));
  EXPECT_EQ(SumOp::create(builder, loc, ValueRange(value({2, 3}))).getType(),
            tensor({}));
  EXPECT_TRUE(succeeded(verify(*module))) << takeMessages();
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

TEST_F(RelaxOpsTest, Effects) {
  Dim n = name("n"), m = name("m");
  EXPECT_TRUE(isPure(AddOp::create(builder, loc, value({n}), value({n}))));
  EXPECT_TRUE(
      isPure(ShapeOp::create(builder, loc, ShapeAttr::get(&context, n))));

  auto pure = CallOp::create(builder, loc, function("pure", true), {});
  auto impure = CallOp::create(builder, loc, function("impure", false), {});
  EXPECT_TRUE(isMemoryEffectFree(pure));
  EXPECT_FALSE(isMemoryEffectFree(impure));
  // A call may not return.
  EXPECT_FALSE(isSpeculatable(pure));

  // Only a match_cast that introduces names has to stay.
  auto same = MatchCastOp::create(builder, loc, tensor({n}), value({n}));
  auto fresh = MatchCastOp::create(builder, loc, tensor({m}), value({n}));
  EXPECT_TRUE(isMemoryEffectFree(same));
  EXPECT_FALSE(isMemoryEffectFree(fresh));
  EXPECT_TRUE(isOpTriviallyDead(same));
  EXPECT_FALSE(isOpTriviallyDead(fresh));

  // A block is as pure as its ops.
  auto block = DataflowOp::create(builder, loc, TypeRange());
  builder.setInsertionPointToEnd(block.getBody());
  auto exp = ExpOp::create(builder, loc, same);
  OutputOp::create(builder, loc, ValueRange());
  EXPECT_TRUE(isMemoryEffectFree(block));
  fresh->moveBefore(exp);
  EXPECT_FALSE(isMemoryEffectFree(block));
}

//===----------------------------------------------------------------------===//
// Errors of attributes and types
//===----------------------------------------------------------------------===//

TEST_F(RelaxOpsTest, ShapeErrors) {
  auto emitError = [&] { return mlir::emitError(loc); };
  Dim negative[] = {-3};
  EXPECT_FALSE(ShapeType::getChecked(emitError, &context, ArrayRef(negative)));
  EXPECT_EQ(takeMessages(),
            "expected a size of at least 0, found -3 at position 0\n");
  Dim unnamed[] = {Dim(), name("")};
  EXPECT_FALSE(ShapeType::getChecked(emitError, &context, ArrayRef(unnamed)));
  EXPECT_EQ(takeMessages(),
            "expected names of dimensions, found an empty one at position 1\n");

  auto shape = ShapeAttr::get(&context, {name("n"), Dim(2)});
  EXPECT_FALSE(RankedTensorType::getChecked(emitError, {ShapedType::kDynamic},
                                            builder.getF32Type(), shape));
  EXPECT_EQ(takeMessages(),
            "expected 1 dimensions, as many as the tensor has, found 2\n");
  EXPECT_FALSE(RankedTensorType::getChecked(emitError, {2, 2},
                                            builder.getF32Type(), shape));
  EXPECT_EQ(takeMessages(), "expected the tensor's dimension 0, 2, found "
                            "\"n\"\n");
}

//===----------------------------------------------------------------------===//
// Ops with invalid parts
//===----------------------------------------------------------------------===//

/// Builds every op with every choice of parts that C++ may put into an
/// OperationState. Verification and inference must not crash, and must report
/// an error if they fail.
TEST_F(RelaxOpsTest, BadOps) {
  Type f32 = builder.getF32Type();
  Type types[] = {tensor({2, 2}),
                  tensor({name("n")}),
                  tensor({}),
                  UnrankedTensorType::get(f32),
                  RankedTensorType::get({2}, builder.getI8Type()),
                  RankedTensorType::get({2}, builder.getIndexType()),
                  RankedTensorType::get({2, 2}, f32, builder.getUnitAttr()),
                  f32,
                  TupleType::get(&context, {f32}),
                  ShapeType::get(&context, Dim(2)),
                  ObjectType::get(&context)};
  DictionaryAttr none = builder.getDictionaryAttr({});
  unsigned accepted = 0, rejected = 0;
  auto verifyState = [&](OperationState &state) {
    Operation *op = Operation::create(state);
    bool isValid = succeeded(verify(op));
    ++(isValid ? accepted : rejected);
    EXPECT_EQ(isValid, takeMessages().empty())
        << state.name.getStringRef().str();
    op->destroy();
  };
  for (RegisteredOperationName name : context.getRegisteredOperationsByDialect(
           RelaxDialect::getDialectNamespace())) {
    for (Type type : types) {
      Value operand = value(type);
      for (unsigned operands = 0; operands <= 6; ++operands) {
        SmallVector<Value> values(operands, operand);
        for (unsigned results = 0; results <= 3; ++results)
          for (unsigned regions = 0; regions <= 2; ++regions) {
            OperationState state(loc, name);
            state.addOperands(values);
            state.addTypes(SmallVector<Type>(results, type));
            for (unsigned index = 0; index < regions; ++index)
              state.addRegion();
            verifyState(state);
          }
        if (auto *inference = name.getInterface<InferTypeOpInterface>()) {
          SmallVector<Type> inferred;
          (void)inference->inferReturnTypes(&context, loc, values, none,
                                            nullptr, {}, inferred);
          (void)inference->inferReturnTypes(&context, std::nullopt, values,
                                            none, nullptr, {}, inferred);
          takeMessages();
        }
      }
    }
  }
  EXPECT_GT(accepted, 100u);
  EXPECT_GT(rejected, 1000u);
}

TEST_F(RelaxOpsTest, RemovedAttributes) {
  auto conv = Conv2DOp::create(
      builder, loc, ValueRange{value({1, 3, 8, 8}), value({4, 3, 3, 3})});
  auto softmax = SoftmaxOp::create(builder, loc, value({2, 2}));
  auto sum = SumOp::create(builder, loc, ValueRange(value({2, 2})));
  for (Operation *op :
       {conv.getOperation(), softmax.getOperation(), sum.getOperation()}) {
    ASSERT_TRUE(succeeded(verify(op))) << takeMessages();
    for (NamedAttribute attr : op->getAttrs()) {
      op->removeAttr(attr.getName());
      EXPECT_TRUE(failed(verify(op))) << attr.getName().str();
      EXPECT_NE(takeMessages().find("failed to verify that attributes that "
                                    "have a default were not removed"),
                std::string::npos);
      op->setAttr(attr.getName(), attr.getValue());
    }
  }
}

} // namespace
