//===- GraphPartitioner.cpp - Group kernels that run as one ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphPartitioner.h"

using namespace partita::relax;

GraphPartitioner::GraphPartitioner(const FusionGraph &graph, size_t maxNodes)
    : graph(graph), maxNodes(maxNodes), postDominators(graph.nodes.size()),
      visits(graph.nodes.size()) {
  groups.reserve(graph.nodes.size());
  for (auto [index, node] : llvm::enumerate(graph.nodes))
    groups.push_back({static_cast<unsigned>(index), node.pattern,
                      node.pattern == OpPattern::OutEWiseFusable});
}

unsigned GraphPartitioner::getGroup(unsigned node) {
  unsigned root = node;
  while (groups[root].parent != root)
    root = groups[root].parent;
  while (groups[node].parent != root)
    node = std::exchange(groups[node].parent, root);
  return root;
}

unsigned GraphPartitioner::getCommon(unsigned lhs, unsigned rhs,
                                     OpPattern &pattern) const {
  auto goUp = [&](unsigned &node) {
    pattern = std::max(pattern, postDominators[node].pattern);
    node = postDominators[node].node;
  };
  while (lhs != rhs) {
    if (lhs == none || rhs == none)
      return none;
    unsigned left = postDominators[lhs].depth,
             right = postDominators[rhs].depth;
    if (left >= right)
      goUp(lhs);
    if (right >= left)
      goUp(rhs);
  }
  return lhs;
}

void GraphPartitioner::findPostDominator(unsigned node) {
  PostDominator &result = postDominators[node];
  const FusionGraph::Node &info = graph.nodes[node];
  if (info.isOutput) {
    result.pattern = OpPattern::Opaque;
    return;
  }
  if (info.users.empty())
    return;
  result.node = info.users.front().node;
  for (const FusionGraph::Edge &edge : info.users) {
    result.node = getCommon(result.node, edge.node, result.pattern);
    result.pattern = std::max(result.pattern, edge.pattern);
  }
  if (result.node != none)
    result.depth = postDominators[result.node].depth + 1;
}

llvm::SmallVector<unsigned> GraphPartitioner::getNodesUpTo(unsigned source,
                                                           unsigned sink) {
  ++numSearches;
  llvm::SmallVector<unsigned> nodes;
  auto add = [&](unsigned node) {
    if (node != sink && std::exchange(visits[node], numSearches) != numSearches)
      nodes.push_back(node);
  };
  add(source);
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const FusionGraph::Edge &edge : graph.nodes[nodes[i]].users)
      add(edge.node);
  return nodes;
}

bool GraphPartitioner::areGroups(llvm::ArrayRef<unsigned> nodes,
                                 OpPattern atMost) {
  return llvm::all_of(nodes, [&](unsigned node) {
    return groups[getGroup(node)].pattern <= atMost;
  });
}

void GraphPartitioner::merge(llvm::ArrayRef<unsigned> nodes, unsigned target) {
  for (unsigned node : nodes) {
    Group &group = groups[getGroup(node)];
    unsigned root = getGroup(target);
    if (group.parent == root)
      continue;
    groups[root].size += group.size;
    group.parent = root;
    if (group.hasAnchor) {
      groups[root].hasAnchor = true;
      groups[root].pattern = std::max(groups[root].pattern, group.pattern);
    }
  }
}

/// In phase 0 products take the elementwise kernels after them, in phase 1
/// injective kernels join others, in phase 2 they join tuples.
void GraphPartitioner::fuse(unsigned node, int phase) {
  OpPattern pattern = groups[node].pattern;
  const PostDominator &postDominator = postDominators[node];
  unsigned target = postDominator.node;
  if (pattern == OpPattern::Opaque || target == none)
    return;
  llvm::SmallVector<unsigned> nodes = getNodesUpTo(node, target);
  llvm::ArrayRef<unsigned> between = llvm::ArrayRef(nodes).drop_front();
  size_t size = groups[getGroup(target)].size;
  for (unsigned inner : nodes)
    size += groups[inner].size;
  if (size > maxNodes)
    return;
  OpPattern sink = groups[getGroup(target)].pattern;
  if (phase == 2) {
    if (pattern <= OpPattern::Injective && sink <= OpPattern::Injective &&
        groups[target].pattern == OpPattern::Tuple &&
        areGroups(between, OpPattern::Injective))
      merge(nodes, target);
    return;
  }
  if (getGroup(node) == getGroup(target) ||
      groups[target].pattern == OpPattern::Tuple)
    return;
  if (pattern == OpPattern::OutEWiseFusable) {
    if (phase == 0 && postDominator.pattern == OpPattern::ElemWise &&
        sink <= OpPattern::Broadcast &&
        areGroups(between, OpPattern::Broadcast))
      merge(nodes, target);
  } else if (pattern <= OpPattern::Broadcast) {
    if (postDominator.pattern <= OpPattern::CommReduce &&
        sink <= OpPattern::OutEWiseFusable &&
        areGroups(between, OpPattern::Injective))
      merge(nodes, target);
  } else if (pattern == OpPattern::Injective || pattern == OpPattern::Tuple) {
    if (phase == 1 && sink <= OpPattern::Injective &&
        areGroups(between, OpPattern::Injective))
      merge(nodes, target);
  }
}

void GraphPartitioner::run() {
  for (unsigned node = graph.nodes.size(); node-- > 0;)
    findPostDominator(node);
  for (int phase = 0; phase < 3; ++phase)
    for (unsigned node = 0; node < graph.nodes.size(); ++node)
      fuse(node, phase);
}
