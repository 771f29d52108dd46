//===- GraphFile.h - graphs as JSON ---------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph file: version, shape, order, parts [{origin, extents, order}],
// permutations (per mode: null or an array), threshold (tau or "auto"), limit
// (T), blocks as [part, length, "prefix in hex", nonzeros, [lower corner],
// [log2 of the sides]] in curve order, groups (offsets into blocks), workers
// (offsets into the packed nonzeros), edges on request. Hex prefixes are
// right-aligned values ("6" of length 4 is 0110). `order` is that of the last
// part; parts of order panels also carry `panel_log2`. Edges are [from, to,
// axis, bytes]. Errors name the file and the field: "g.json: blocks[3][1]:
// expected ...". O(bytes).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_GRAPH_GRAPHFILE_H
#define ASTFE_CORE_GRAPH_GRAPHFILE_H

#include "ASTFE/Core/Graph/Neighbors.h"

namespace astfe::core {

/// Empty `workers` are left out, and `edges` that were not asked for.
std::string toJson(const Graph &graph, ArrayRef<int64_t> workers = {},
                   std::optional<ArrayRef<Edge>> edges = {});
/// `name` stands for the file in errors.
Result<Graph> parseGraph(std::string_view text, const std::string &name);
Result<Graph> readGraph(const std::string &path);

} // namespace astfe::core

#endif // ASTFE_CORE_GRAPH_GRAPHFILE_H
