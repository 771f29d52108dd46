//===- GroupFinder.cpp - the group that a key belongs to ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/GroupFinder.h"
#include <algorithm>

namespace astfe::core {

GroupFinder::GroupFinder(const Graph &graph)
    : parts(std::max<size_t>(graph.space.parts.size(), 1)) {
  for (size_t group = 0; group < graph.groupCount(); ++group) {
    size_t first = size_t(graph.groups[group]);
    parts[graph.part[first]].firstKeys.push_back(graph.prefix[first]);
  }
  uint64_t before = 0;
  for (PartTable &table : parts) {
    table.groupsBefore = before;
    before += table.firstKeys.size();
    buildTable(table);
  }
}

void GroupFinder::buildTable(PartTable &table) {
  // Few entries with a start inside, so that a branch on it is predicted, and
  // no more than fits a second-level cache.
  while (table.tableBits < 16 &&
         uint64_t(1) << table.tableBits < 16 * table.firstKeys.size())
    ++table.tableBits;
  uint64_t entries = uint64_t(1) << table.tableBits;
  table.startsBelow.assign(size_t(entries) + 1,
                           uint32_t(table.firstKeys.size()));
  size_t start = 0;
  for (uint64_t entry = 0; entry < entries && table.tableBits > 0; ++entry) {
    uint64_t first = entry << (64 - table.tableBits);
    while (start < table.firstKeys.size() && table.firstKeys[start] < first)
      ++start;
    table.startsBelow[size_t(entry)] = uint32_t(start);
  }
  if (table.tableBits == 0)
    table.startsBelow[0] = 0;
}

uint64_t GroupFinder::find(uint32_t part, uint64_t key) const {
  const PartTable &table = parts[part];
  size_t entry =
      table.tableBits == 0 ? 0 : size_t(key >> (64 - table.tableBits));
  const uint64_t *keys = table.firstKeys.data();
  const uint64_t *after =
      std::upper_bound(keys + table.startsBelow[entry],
                       keys + table.startsBelow[entry + 1], key);
  uint64_t started = table.groupsBefore + uint64_t(after - keys);
  return started == 0 ? 0 : started - 1;
}

/// The same as one by one, for the keys of one part.
void GroupFinder::findInPart(const PartTable &table, const uint64_t *keys,
                             int64_t count, uint32_t *groups) {
  const uint64_t *firsts = table.firstKeys.data();
  const uint32_t *below = table.startsBelow.data();
  const unsigned shift = 63 - table.tableBits;
  for (int64_t i = 0; i < count; ++i) {
    size_t entry = size_t(keys[i] >> 1 >> shift);
    uint64_t started = below[entry], last = below[entry + 1];
    if (started != last)
      started = uint64_t(
          std::upper_bound(firsts + started, firsts + last, keys[i]) - firsts);
    started += table.groupsBefore;
    groups[i] = uint32_t(started - (started != 0));
  }
}

void GroupFinder::find(const uint32_t *partOf, const uint64_t *keys,
                       int64_t count, uint32_t *groups) const {
  if (!partOf)
    return findInPart(parts[0], keys, count, groups);
  for (int64_t i = 0; i < count; ++i)
    groups[i] = uint32_t(find(partOf[i], keys[i]));
}

} // namespace astfe::core
