//===- FusedBlocks.cpp - Fuse kernels that are blocks ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedKernel.h"

#include "partita/Dialect/Relax/IR/RelaxVariables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
class FusedBlocks : public FusedKernel {
public:
  FusedBlocks(FuncOp func, KernelCalls &calls)
      : FusedKernel(func, calls), mappings(calls.calls.size()) {}

protected:
  bool createBody() override;
  Value createName(StringAttr name) override {
    return tir::VarOp::create(builder, NameLoc::get(name),
                              builder.getI64Type());
  }

private:
  bool mapArguments(KernelCall &call, IRMapping &mapping);
  bool mapSizes(Value value, BlockArgument parameter, IRMapping &mapping);
  /// What a declaration says of a buffer beside its type.
  struct Description {
    TypeAttr indexType;
    SmallVector<Value> shape, strides;
    Value offset;
    uint64_t alignment = 64, offsetFactor = 1;
    Attribute layout;
  };
  Description describe(OpResult result, BlockArgument parameter,
                       IRMapping &mapping);
  void allocate(OpResult result, BlockArgument parameter, IRMapping &mapping);
  void declare(Value buffer, const Description &description);
  bool cloneStart(KernelCall &call, IRMapping &mapping);
  void declareInputs();
  void eraseUnusedSizes();
  void makeNamesUnique();

  tir::BlockOp root;
  std::vector<IRMapping> mappings;
};
} // namespace

/// The block that is the whole body; null if the body has something else.
static tir::BlockOp getRoot(tir::PrimFuncOp callee) {
  if (callee.isExternal() || !callee.getBody().hasOneBlock())
    return {};
  tir::BlockOp root;
  for (Operation &op : callee.getBody().front().without_terminator()) {
    if (auto block = dyn_cast<tir::BlockOp>(op)) {
      if (root || block.getBody().front().getNumArguments())
        return {};
      root = block;
    } else if (!isa<tir::BufferDeclOp, tir::VarOp>(op) && !isPure(&op)) {
      return {};
    }
  }
  return root;
}

/// The first op of a root after its allocations.
static Block::iterator getFirstStatement(Block &body) {
  Block::iterator first = body.begin();
  for (auto buffer : body.getOps<tir::BlockBufferOp>())
    first = std::next(Block::iterator(buffer));
  return first;
}

static tir::BufferDeclOp getDeclaration(BlockArgument parameter) {
  for (Operation *user : parameter.getUsers())
    if (auto declaration = dyn_cast<tir::BufferDeclOp>(user);
        declaration && declaration.getBuffer() == parameter)
      return declaration;
  return {};
}

/// Maps the variables that are the sizes of a parameter to the sizes of
/// `value`.
bool FusedBlocks::mapSizes(Value value, BlockArgument parameter,
                           IRMapping &mapping) {
  tir::BufferDeclOp declaration = getDeclaration(parameter);
  if (!declaration)
    return true;
  SmallVector<Dim> dims = getDims(value);
  if (declaration.getShape().size() != dims.size())
    return declaration.getShape().empty() ||
           fail("expected an argument of the parameter's rank");
  for (auto [size, dim] : llvm::zip_equal(declaration.getShape(), dims)) {
    if (!size.getDefiningOp<tir::VarOp>() || mapping.contains(size))
      continue;
    Value actual = getSize(dim);
    if (!actual)
      return fail("expected sizes that are sums and products of names");
    if (actual.getType() != size.getType()) {
      if (!size.getType().isSignlessInteger() ||
          size.getType().getIntOrFloatBitWidth() > 64)
        return fail("expected sizes that are integers");
      actual = arith::TruncIOp::create(builder, size.getType(), actual);
    }
    mapping.map(size, actual);
  }
  return true;
}

bool FusedBlocks::mapArguments(KernelCall &call, IRMapping &mapping) {
  for (auto [index, argument] : llvm::enumerate(call.arguments)) {
    BlockArgument parameter = call.callee.getArgument(index);
    Value actual = isa<MemRefType>(parameter.getType())
                       ? buffers.lookup(argument)
                       : getNumber(argument, parameter.getType());
    if (!actual)
      return fail("expected arguments that are tensors or numbers");
    mapping.map(parameter, actual);
  }
  for (auto [index, argument] : llvm::enumerate(call.arguments))
    if (!mapSizes(argument, call.callee.getArgument(index), mapping))
      return false;
  for (OpResult result : call.op->getResults())
    if (!mapSizes(result, call.getResultParameter(result.getResultNumber()),
                  mapping))
      return false;
  return true;
}

/// Describes the buffer of a result as the callee describes its parameter.
FusedBlocks::Description FusedBlocks::describe(OpResult result,
                                               BlockArgument parameter,
                                               IRMapping &mapping) {
  Description description;
  if (tir::BufferDeclOp declaration = getDeclaration(parameter)) {
    for (Value stride : declaration.getStrides())
      description.strides.push_back(mapping.lookupOrDefault(stride));
    if (Value offset = declaration.getElemOffset())
      description.offset = mapping.lookupOrDefault(offset);
    description.indexType = declaration.getIndexTypeAttr();
    description.alignment = declaration.getDataAlignment();
    description.offsetFactor = declaration.getOffsetFactor();
    description.layout = declaration.getLayoutAttr();
  }
  // Sizes are 64 bits wide, whatever the offset is.
  bool isWide =
      description.indexType && description.indexType.getValue().isInteger(64);
  if (!getBufferType(result).hasStaticShape() || !isWide)
    for (Dim dim : getDims(result))
      description.shape.push_back(getSize(dim));
  return description;
}

void FusedBlocks::allocate(OpResult result, BlockArgument parameter,
                           IRMapping &mapping) {
  StringAttr name = getVarName(parameter);
  Location loc =
      getNamedLoc(builder.getContext(),
                  (name ? name.getValue() : "buffer") + "_intermediate");
  Description description = describe(result, parameter, mapping);
  auto inRoot = OpBuilder::atBlockEnd(&root.getBody().front());
  buffers[result] = tir::BlockBufferOp::create(
      inRoot, loc, getBufferType(result), description.shape,
      description.strides, description.offset, /*allocated_addr=*/ValueRange(),
      description.indexType, description.alignment, description.offsetFactor,
      description.layout);
}

void FusedBlocks::declare(Value buffer, const Description &description) {
  tir::BufferDeclOp::create(builder, buffer, description.shape,
                            description.strides, description.offset,
                            /*allocated_addr=*/ValueRange(),
                            description.indexType, description.alignment,
                            description.offsetFactor, description.layout);
}

/// Copies everything up to the last allocation of the callee's root, and maps
/// its parameters.
bool FusedBlocks::cloneStart(KernelCall &call, IRMapping &mapping) {
  tir::BlockOp calleeRoot = getRoot(call.callee);
  if (!calleeRoot)
    return fail("expected @" + call.callee.getSymName() +
                " to have a body that is one block");
  if (!mapArguments(call, mapping))
    return false;
  for (Operation &op : call.callee.getBody().front().without_terminator()) {
    if (&op == calleeRoot || isa<tir::BufferDeclOp>(op))
      continue;
    if (isa<tir::VarOp>(op) && mapping.contains(op.getResult(0)))
      continue;
    if (isa<tir::VarOp>(op) && !op.use_empty())
      return fail("expected the sizes of @" + call.callee.getSymName() +
                  " to follow from its arguments");
    builder.clone(op, mapping);
  }
  Block &body = calleeRoot.getBody().front();
  auto inRoot = OpBuilder::atBlockEnd(&root.getBody().front());
  for (Operation &op :
       llvm::make_range(body.begin(), getFirstStatement(body))) {
    if (op.getNumRegions() || isa<tir::MatchBufferOp>(op))
      return fail("expected the buffers of @" + call.callee.getSymName() +
                  " before its statements");
    if (!isa<tir::ReadsOp, tir::WritesOp>(op))
      inRoot.clone(op, mapping);
  }
  for (OpResult result : call.op->getResults()) {
    BlockArgument parameter = call.getResultParameter(result.getResultNumber());
    int64_t overwritten = call.inPlace[result.getResultNumber()];
    if (overwritten >= 0) {
      buffers[result] = mapping.lookup(parameter);
      continue;
    }
    if (!getBufferType(result))
      return fail("expected a result of known sizes and elements");
    if (Value output = buffers.lookup(result))
      declare(output, describe(result, parameter, mapping));
    else
      allocate(result, parameter, mapping);
    mapping.map(parameter, buffers.lookup(result));
  }
  return true;
}

void FusedBlocks::declareInputs() {
  for (BlockArgument input : func.getArguments()) {
    Value buffer = buffers.lookup(input);
    auto type = buffer ? dyn_cast<MemRefType>(buffer.getType()) : MemRefType();
    if (!type)
      continue;
    Description description{TypeAttr::get(builder.getI64Type())};
    if (!type.hasStaticShape())
      for (Dim dim : getDims(input))
        description.shape.push_back(getSize(dim));
    declare(buffer, description);
  }
}

/// Renames blocks as TVM does: compute, compute1, compute2.
void FusedBlocks::makeNamesUnique() {
  llvm::StringSet<> names;
  llvm::StringMap<uint64_t> counts;
  root.getBody().walk<WalkOrder::PreOrder>([&](tir::BlockOp block) {
    StringRef name = block.getBlockName();
    if (names.insert(name).second)
      return;
    StringRef base = name.rtrim("0123456789");
    uint64_t number = 0;
    if (name.drop_front(base.size()).getAsInteger(10, number) &&
        base.size() != name.size())
      base = name;
    uint64_t &count = counts[base];
    count = std::max(count, number);
    std::string renamed;
    do
      renamed = (base + Twine(++count)).str();
    while (!names.insert(renamed).second);
    block.setBlockName(renamed);
  });
}

/// Keeps one declaration of each buffer: arguments can be the same.
template <typename OpT>
static void mergeAccesses(tir::BlockOp block) {
  llvm::DenseSet<Value> declared;
  for (OpT op : llvm::make_early_inc_range(block.getBody().getOps<OpT>()))
    if (!declared.insert(op.getBuffer()).second)
      op.erase();
}

/// Erases what computes the sizes of the callees' parameters alone.
void FusedBlocks::eraseUnusedSizes() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(kernel->getBody().front())))
    if (isOpTriviallyDead(&op) && !isa<tir::DeclBufferOp>(op))
      op.erase();
}

bool FusedBlocks::createBody() {
  Value always = arith::ConstantOp::create(builder, builder.getBoolAttr(true));
  root = tir::BlockOp::create(builder, "root", builder.getStrArrayAttr({}),
                              /*bindings=*/ValueRange(), /*mins=*/ValueRange(),
                              /*extents=*/ValueRange(), always,
                              /*annotations=*/DictionaryAttr());
  root.getBody().emplaceBlock();
  builder.setInsertionPoint(root);
  declareInputs();
  for (auto [call, mapping] : llvm::zip_equal(calls.calls, mappings))
    if (!cloneStart(call, mapping))
      return false;
  auto inRoot = OpBuilder::atBlockEnd(&root.getBody().front());
  for (auto [call, mapping] : llvm::zip_equal(calls.calls, mappings)) {
    Block &body = getRoot(call.callee).getBody().front();
    for (Operation &op : llvm::make_range(
             getFirstStatement(body), Block::iterator(body.getTerminator())))
      if (!isa<tir::ReadsOp, tir::WritesOp>(op))
        inRoot.clone(op, mapping);
  }
  tir::YieldOp::create(inRoot, builder.getLoc());
  eraseUnusedSizes();
  (*kernel)->setAttr("s_tir", builder.getBoolAttr(true));
  root.walk([](tir::BlockOp block) {
    mergeAccesses<tir::ReadsOp>(block);
    mergeAccesses<tir::WritesOp>(block);
  });
  makeNamesUnique();
  return true;
}

std::unique_ptr<FusedKernel> relax::createFusedBlocks(FuncOp func,
                                                      KernelCalls &calls) {
  return std::make_unique<FusedBlocks>(func, calls);
}
