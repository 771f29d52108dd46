//===- GraphDrawing.h - graphs for people: table, DOT, SVG ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// These functions return a graph as text. Blocks are listed in curve order;
// JSON is the graph file of Core/Graph/GraphFile.h.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_ANALYSIS_GRAPHDRAWING_H
#define ASTFE_ANALYSIS_GRAPHDRAWING_H

#include "ASTFE/Core/Graph/Neighbors.h"
#include <string>
#include <vector>

namespace astfe {

/// What is shown beside blocks and groups.
struct GraphDetails {
  bool boxes = false;
  /// C of each block, or empty: then intensities are not shown.
  std::vector<int64_t> intensities;
  std::vector<core::Edge> edges;
};

/// The median over positive intensities (M), the lower of two; 0 without any.
int64_t medianIntensity(const std::vector<int64_t> &intensities);

/// One line per block; C / (C + M) with three digits beside C.
std::string graphTable(const core::Graph &graph, const GraphDetails &details);

/// An undirected graph for `dot` or `neato`: a cluster per group.
std::string graphDot(const core::Graph &graph, const GraphDetails &details);

/// Boxes of a two-dimensional graph, rows downwards, coloured by group, shaded
/// by density, joined by the curve, with a legend below. The longer side of the
/// picture is 800 pixels.
core::Result<std::string> graphSvg(const core::Graph &graph,
                                   const GraphDetails &details);

} // namespace astfe

#endif // ASTFE_ANALYSIS_GRAPHDRAWING_H
