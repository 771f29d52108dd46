//===- GraphFile.h - graphs and profiles as JSON --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph file: version, shape, order, parts [{origin, extents, order}],
// permutations (per mode: null or an array), threshold (tau or "auto"), limit
// (T), blocks as [part, length, "prefix in hex", nonzeros, [lower corner],
// [log2 of the sides]] in curve order, groups (offsets into blocks), workers
// (offsets into the packed nonzeros), edges on request. The profile file:
// version, shape, order, parts, permutations, kernel, target, fingerprint, bins
// as [part, length, "prefix in hex", nonzeros, cycles or null, bytes or null].
// Hex prefixes are right-aligned values ("6" of length 4 is 0110). `order` is
// that of the last part; parts of order panels also carry `panel_log2`. Edges
// are [from, to, axis, bytes], the fingerprint is 16 hex digits or null. Errors
// name the file and the field: "g.json: blocks[3][1]: expected ...". Files are
// written to a temporary name and renamed: never half a file.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_GRAPHFILE_H
#define ASTFE_CORE_GRAPHFILE_H

#include "ASTFE/Core/Neighbors.h"

namespace astfe::core {

/// Empty `workers` are left out, and `edges` that were not asked for.
std::string toJson(const Graph &graph, ArrayRef<int64_t> workers = {},
                   std::optional<ArrayRef<Edge>> edges = {});
std::string toJson(const Profile &profile);
/// `name` stands for the file in errors.
Result<Graph> parseGraph(std::string_view text, const std::string &name);
Result<Profile> parseProfile(std::string_view text, const std::string &name);
Result<Graph> readGraph(const std::string &path);
Result<Profile> readProfile(const std::string &path);

/// Writes `text` to a temporary file beside `path` and renames it.
Status writeFile(const std::string &path, std::string_view text);
Result<std::string> readFile(const std::string &path);

} // namespace astfe::core

#endif // ASTFE_CORE_GRAPHFILE_H
