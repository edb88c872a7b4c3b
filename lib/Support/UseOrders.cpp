//===- UseOrders.cpp - The orders of uses in an op ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/UseOrders.h"

#include "mlir/IR/Operation.h"

using namespace mlir;

namespace partita {

namespace {
/// The places of uses in an op, each as a number.
class UsePlaces {
public:
  explicit UsePlaces(Operation *root) {
    root->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { numbers.try_emplace(op, numbers.size()); });
  }

  /// The places of the uses of a value or a block, in the order of its uses.
  template <typename UsedT>
  SmallVector<uint64_t> list(UsedT &used) const {
    SmallVector<uint64_t> places;
    for (auto &use : used.getUses())
      places.push_back(uint64_t(numbers.lookup(use.getOwner())) << 32 |
                       use.getOperandNumber());
    return places;
  }

private:
  llvm::DenseMap<Operation *, uint32_t> numbers;
};
} // namespace

/// Calls `handle` on all values and blocks in `root` with several uses.
template <typename HandleT>
static void forEachUsed(Operation *root, HandleT handle) {
  auto handleIfShared = [&](auto &used) {
    if (!used.use_empty() && !used.hasOneUse())
      handle(used);
  };
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      handleIfShared(result);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        handleIfShared(block);
        for (Value argument : block.getArguments())
          handleIfShared(argument);
      }
  });
}

llvm::SmallVector<uint32_t, 0> getUseOrders(Operation *op) {
  UsePlaces places(op);
  SmallVector<uint32_t, 0> orders;
  uint32_t index = 0;
  forEachUsed(op, [&](auto &used) {
    SmallVector<uint64_t> inOrder = places.list(used);
    SmallVector<uint64_t> sorted = inOrder;
    llvm::sort(sorted, std::greater<>());
    if (inOrder != sorted) {
      orders.push_back(index);
      for (uint64_t place : inOrder)
        orders.push_back(llvm::lower_bound(sorted, place, std::greater<>()) -
                         sorted.begin());
    }
    ++index;
  });
  return orders;
}

LogicalResult setUseOrders(Operation *op, ArrayRef<uint32_t> orders) {
  UsePlaces places(op);
  uint32_t index = 0;
  bool isValid = true;
  forEachUsed(op, [&](auto &used) {
    SmallVector<uint64_t> now = places.list(used);
    SmallVector<uint64_t> wanted = now;
    llvm::sort(wanted, std::greater<>());
    if (!orders.empty() && orders.front() == index) {
      ArrayRef<uint32_t> order = orders.drop_front().take_front(now.size());
      isValid &= order.size() == now.size();
      orders = orders.drop_front(1 + order.size());
      SmallVector<uint64_t> sorted = wanted;
      for (auto [place, position] : llvm::zip(wanted, order))
        place = sorted[std::min<size_t>(position, sorted.size() - 1)];
    }
    ++index;
    if (now == wanted)
      return;
    llvm::DenseMap<uint64_t, unsigned> positions;
    for (auto [position, place] : llvm::enumerate(wanted))
      positions[place] = position;
    isValid &= positions.size() == now.size();
    if (isValid)
      used.shuffleUseList(llvm::map_to_vector(
          now, [&](uint64_t place) { return positions.lookup(place); }));
  });
  return success(isValid && orders.empty());
}

} // namespace partita
