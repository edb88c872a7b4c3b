//===- GraphPartitioner.h - Group kernels that run as one -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_GRAPHPARTITIONER_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_GRAPHPARTITIONER_H

#include "OpPattern.h"

namespace partita::relax {

/// A graph of values and their users. A node comes after the nodes that it
/// uses.
struct FusionGraph {
  struct Edge {
    /// The user.
    unsigned node;
    /// How the user reads the value.
    OpPattern pattern;
  };
  struct Node {
    OpPattern pattern = OpPattern::Opaque;
    /// Whether code outside of the graph uses the value, too.
    bool isOutput = false;
    llvm::SmallVector<Edge, 2> users;
  };
  std::vector<Node> nodes;
};

/// Groups the nodes of a graph by TVM's rules. A node joins its immediate
/// post-dominator, the first node that all its users lead to, and all nodes
/// between the two, if the patterns on the way allow it.
class GraphPartitioner {
public:
  /// No group gets more than `maxNodes` nodes.
  GraphPartitioner(const FusionGraph &graph, size_t maxNodes);

  void run();
  /// The number of a node's group: the node that represents it.
  unsigned getGroup(unsigned node);

private:
  static constexpr unsigned none = ~0u;

  /// The immediate post-dominator of a node.
  struct PostDominator {
    unsigned node = none;
    unsigned depth = 1;
    /// The most complex pattern on the ways to it.
    OpPattern pattern = OpPattern::ElemWise;
  };
  /// What a group's representative knows.
  struct Group {
    unsigned parent;
    OpPattern pattern;
    bool hasAnchor;
    size_t size = 1;
  };

  void findPostDominator(unsigned node);
  /// The nearest node that post-dominates both; adds the patterns on the ways.
  unsigned getCommon(unsigned lhs, unsigned rhs, OpPattern &pattern) const;
  void fuse(unsigned node, int phase);
  /// The nodes on the ways from `source` to `sink`, the latter left out.
  llvm::SmallVector<unsigned> getNodesUpTo(unsigned source, unsigned sink);
  bool areGroups(llvm::ArrayRef<unsigned> nodes, OpPattern atMost);
  void merge(llvm::ArrayRef<unsigned> nodes, unsigned target);

  const FusionGraph &graph;
  size_t maxNodes;
  std::vector<PostDominator> postDominators;
  std::vector<Group> groups;
  /// The last search that came to a node.
  std::vector<unsigned> visits;
  unsigned numSearches = 0;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_GRAPHPARTITIONER_H
