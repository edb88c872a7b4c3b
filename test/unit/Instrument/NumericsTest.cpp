//===- NumericsTest.cpp - Outputs, and functions that run modules ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instrument/NumericsProcess.h"
#include "partita-c/Transform.h"
#include "partita/Pass/AttachInstruments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gmock/gmock.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace partita;
using namespace partita::instrument;
using testing::HasSubstr;

namespace {

constexpr DType kFloat32{kFloatCode, 32}, kInt32{kIntCode, 32};

template <typename T>
Array makeArray(DType dtype, ArrayRef<T> elements,
                ArrayRef<int64_t> shape = {}) {
  Array array;
  array.dtype = dtype;
  array.shape.assign(shape.begin(), shape.end());
  if (shape.empty())
    array.shape.push_back(elements.size());
  array.data = StringRef(reinterpret_cast<const char *>(elements.data()),
                         elements.size() * sizeof(T));
  return array;
}

std::string compare(const Array &expected, const Array &found,
                    Tolerance tolerance = {}) {
  auto difference = findDifference(expected, found, tolerance);
  return difference ? difference->print() : "";
}

TEST(NumericsTest, NamesTheWorstElement) {
  float left[] = {0, 1, 2, 3, 4, 5}, right[] = {0, 1, 2.5, 3, 1, 5.00001f};
  EXPECT_EQ(compare(makeArray<float>(kFloat32, left, {2, 3}),
                    makeArray<float>(kFloat32, right, {2, 3})),
            "1 at [1, 1] of output 0 in place of 4 (2 of 6 elements differ)");
  EXPECT_EQ(compare(makeArray<float>(kFloat32, left),
                    makeArray<float>(kFloat32, right), {0.0, 3.0}),
            "");
  EXPECT_EQ(compare(makeArray<float>(kFloat32, left),
                    makeArray<float>(kFloat32, left, {2, 3})),
            "float32[2, 3] of output 0 in place of float32[6]");
  Array array = makeArray<float>(kFloat32, left);
  EXPECT_EQ(findDifference({array, array}, array, {})->print(),
            "1 outputs in place of 2");
}

TEST(NumericsTest, ToleratesByDType) {
  double one[] = {1}, near[] = {1 + 1e-8};
  DType float64{kFloatCode, 64};
  EXPECT_EQ(compare(makeArray<double>(float64, one),
                    makeArray<double>(float64, near)),
            "1.00000001 at [0] of output 0 in place of 1 (1 of 1 elements "
            "differ)");
  EXPECT_EQ(compare(makeArray<double>(float64, one),
                    makeArray<double>(float64, near), {1e-7, 0.0}),
            "");
  int32_t many[] = {1000000}, more[] = {1000001};
  EXPECT_EQ(compare(makeArray<int32_t>(kInt32, many),
                    makeArray<int32_t>(kInt32, more)),
            "1000001 at [0] of output 0 in place of 1000000 (1 of 1 elements "
            "differ)");
  EXPECT_EQ(compare(makeArray<int32_t>(kInt32, many),
                    makeArray<int32_t>(kInt32, more), {{}, 1.0}),
            "");
  // As doubles, these are the same.
  int64_t large[] = {(int64_t(1) << 62) + 1}, larger[] = {large[0] + 1};
  DType int64{kIntCode, 64};
  EXPECT_NE(compare(makeArray<int64_t>(int64, large),
                    makeArray<int64_t>(int64, larger)),
            "");
  uint16_t half[] = {0x3c00}, nearHalf[] = {0x3c04}, farHalf[] = {0x3c40};
  for (uint8_t code : {kFloatCode, kBFloatCode})
    EXPECT_EQ(compare(makeArray<uint16_t>({code, 16}, half),
                      makeArray<uint16_t>({code, 16}, nearHalf)),
              "");
  EXPECT_NE(compare(makeArray<uint16_t>({kFloatCode, 16}, half),
                    makeArray<uint16_t>({kFloatCode, 16}, farHalf)),
            "");
}

TEST(NumericsTest, ComparesWhatIsNoNumber) {
  float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  float left[] = {nan, inf, -inf, 1, 2};
  EXPECT_EQ(compare(makeArray<float>(kFloat32, left),
                    makeArray<float>(kFloat32, left)),
            "");
  float otherNaN[] = {-nan, inf, -inf, 1, 2}, turned[] = {nan, inf, inf, 9, 2},
        lost[] = {nan, inf, -inf, nan, 8};
  EXPECT_EQ(compare(makeArray<float>(kFloat32, left),
                    makeArray<float>(kFloat32, otherNaN)),
            "");
  EXPECT_THAT(compare(makeArray<float>(kFloat32, left),
                      makeArray<float>(kFloat32, turned)),
              HasSubstr("inf at [2] of output 0 in place of -inf (2 of 5"));
  EXPECT_THAT(compare(makeArray<float>(kFloat32, left),
                      makeArray<float>(kFloat32, lost)),
              HasSubstr("nan at [3] of output 0 in place of 1 (2 of 5"));
}

TEST(NumericsTest, ComparesArraysInFortransOrder) {
  int32_t rows[] = {1, 2, 3, 4, 5, 6}, columns[] = {1, 4, 2, 5, 3, 6};
  Array left = makeArray<int32_t>(kInt32, rows, {2, 3});
  Array right = makeArray<int32_t>(kInt32, columns, {2, 3});
  EXPECT_NE(compare(left, right), "");
  right.isFortran = true;
  EXPECT_EQ(compare(left, right), "");
  columns[1] = 7;
  EXPECT_THAT(compare(left, right), HasSubstr("7 at [1, 0]"));
}

TEST(NumericsTest, ReadsNumbersOfTexts) {
  auto compareTexts = [](StringRef left, StringRef right) {
    auto difference =
        findDifference(readNumbers(left), readNumbers(right), Tolerance());
    return difference ? difference->message : "";
  };
  EXPECT_EQ(
      compareTexts("at 0x12: [[1, -2.5e3],\n (nan) inf]", "1 -2500 nan inf"),
      "");
  EXPECT_EQ(compareTexts("1.00001", "1.00002"), "");
  EXPECT_THAT(compareTexts("100001", "100002"), HasSubstr("at [0]"));
  EXPECT_THAT(compareTexts("1 2", "1 2 3"), HasSubstr("float64[3]"));
  EXPECT_EQ(readNumbers("no number").kind, NumericsOutcome::Refused);
}

/// Replaces additions by their first operands.
struct WrongPass : PassWrapper<WrongPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrongPass)
  StringRef getArgument() const override { return "wrong"; }
  void runOnOperation() override {
    getOperation().walk([](arith::AddIOp op) {
      op.replaceAllUsesWith(op.getLhs());
      op.erase();
    });
  }
};

/// Runs the function, whose only ops are additions, on 1, 2, ...
llvm::Expected<NumericsOutputs> evaluate(Operation *module) {
  func::FuncOp function;
  module->walk([&](func::FuncOp op) { function = op; });
  llvm::DenseMap<Value, int32_t> values;
  for (BlockArgument argument : function.getArguments())
    values[argument] = argument.getArgNumber() + 1;
  function.walk([&](arith::AddIOp op) {
    values[op] = values[op.getLhs()] + values[op.getRhs()];
  });
  auto end = cast<func::ReturnOp>(function.front().getTerminator());
  int32_t result = values[end.getOperand(0)];
  NumericsOutputs outputs;
  if (llvm::Error error = outputs.add("sum", kInt32, {}, &result))
    return std::move(error);
  // A copy belongs to the runner.
  function.erase();
  return std::move(outputs);
}

constexpr const char *kSum = R"(
  func.func @sum(%a: i32, %b: i32) -> i32 {
    %0 = arith.addi %a, %b : i32
    %1 = arith.addi %0, %b : i32
    return %1 : i32
  })";

class ForeignTest : public testing::Test {
protected:
  ForeignTest() {
    partitaRegisterInstruments();
    context.loadDialect<arith::ArithDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(kSum, &context);
    manager.addNestedPass<func::FuncOp>(createCSEPass());
    manager.addPass(createCanonicalizerPass());
    manager.addNestedPass<func::FuncOp>(std::make_unique<WrongPass>());
    manager.addPass(createCSEPass());
  }

  /// Runs the foreign pass manager with an instrument; returns the errors.
  std::string run(PassInstrumentRef instrument) {
    transform::PassContextOptions options;
    options.instruments = {std::move(instrument)};
    transform::PassContext passContext =
        llvm::cantFail(transform::PassContext::create(std::move(options)));
    EXPECT_TRUE(succeeded(transform::attachInstruments(manager, passContext)));
    std::string errors;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
    });
    bool isGood = succeeded(manager.run(*module));
    EXPECT_EQ(isGood, errors.empty());
    return errors;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  PassManager manager{&context};
};

TEST_F(ForeignTest, FindsThePassByAFunction) {
  PassInstrumentRef numerics = createNumerics(NumericsOptions(), evaluate);
  EXPECT_THAT(
      run(numerics),
      HasSubstr("expected the same outputs after pass 'wrong' (step 3), "
                "but found 1 at [] of output 0 in place of 5"));
  EXPECT_THAT(numerics->render(), HasSubstr("// 3 wrong: differs: 1 at []"));
}

TEST_F(ForeignTest, CallsFunctionsInC) {
  int numRuns = 0;
  PartitaNumericsRunner runner;
  runner.destroy = [](void *data) { *static_cast<int *>(data) = -1; };
  runner.run = [](MlirOperation, PartitaNumericsOutputs outputs, void *data) {
    int &numRuns = *static_cast<int *>(data);
    if (++numRuns == 2) {
      partitaNumericsOutputsRefuse(outputs,
                                   mlirStringRefCreateFromCString("not now"));
      return mlirLogicalResultFailure();
    }
    float numbers[] = {1, numRuns == 1 ? 2.0f : 2.00001f};
    int64_t size = 2;
    return partitaNumericsOutputsAdd(outputs,
                                     mlirStringRefCreateFromCString("out"),
                                     kFloatCode, 32, 1, &size, numbers);
  };
  auto parse = [&](const char *text, std::string &error) {
    return partitaPassInstrumentParseNumerics(
        mlirStringRefCreateFromCString(text), runner, &numRuns,
        [](MlirStringRef text, void *to) {
          static_cast<std::string *>(to)->assign(text.data, text.length);
        },
        &error);
  };
  std::string error;
  EXPECT_EQ(parse("timing", error).ptr, nullptr);
  EXPECT_EQ(error, "expected instrument 'numerics', but found 'timing'");
  EXPECT_EQ(numRuns, -1);
  numRuns = 0;
  PartitaPassInstrument numerics = parse("numerics{print=false}", error);
  ASSERT_NE(numerics.ptr, nullptr);
  EXPECT_EQ(run(*static_cast<PassInstrumentRef *>(numerics.ptr)), "");
  EXPECT_EQ(numRuns, 2);
  partitaPassInstrumentDestroy(numerics);
}

} // namespace
