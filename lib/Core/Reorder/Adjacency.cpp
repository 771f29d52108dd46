//===- Adjacency.cpp - the graph that a reordering looks at ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reorder/Adjacency.h"
#include "Tensor/Nonzeros.h"

namespace astfe::core {
namespace {

/// begin[i + 1] counts list i; makes them offsets.
void accumulate(IndexLists &lists) {
  for (size_t i = 1; i < lists.begin.size(); ++i)
    lists.begin[i] += lists.begin[i - 1];
  lists.index.resize(size_t(lists.begin.back()));
}

/// The columns of each row, in the caller's order, without hubs.
IndexLists rowsOf(const SparseView &view, const Hubs &hubs) {
  std::vector<bool> leftOut[2];
  for (unsigned k = 0; k < 2; ++k) {
    leftOut[k].assign(size_t(view.shape[k]), false);
    for (int64_t hub : k == 0 ? hubs.rows : hubs.columns)
      leftOut[k][size_t(hub)] = true;
  }
  bool all = hubs.empty();
  auto isKept = [&](int64_t row, int64_t column) {
    return all || !(leftOut[0][size_t(row)] || leftOut[1][size_t(column)]);
  };
  IndexLists rows;
  rows.begin.assign(size_t(view.shape[0]) + 1, 0);
  forNonzeros(view, [&](int64_t row, int64_t column) {
    rows.begin[size_t(row) + 1] += isKept(row, column);
  });
  accumulate(rows);
  std::vector<int64_t> next(rows.begin.begin(), rows.begin.end() - 1);
  forNonzeros(view, [&](int64_t row, int64_t column) {
    if (isKept(row, column))
      rows.index[size_t(next[size_t(row)]++)] = int32_t(column);
  });
  return rows;
}

/// Lists by index of the lists that hold it; these are ascending.
IndexLists transpose(const IndexLists &lists, int64_t count) {
  IndexLists result;
  result.begin.assign(size_t(count) + 1, 0);
  for (int32_t index : lists.index)
    ++result.begin[size_t(index) + 1];
  accumulate(result);
  std::vector<int64_t> next(result.begin.begin(), result.begin.end() - 1);
  for (int64_t i = 0; i < lists.size(); ++i)
    for (int32_t index : lists[i])
      result.index[size_t(next[size_t(index)]++)] = int32_t(i);
  return result;
}

bool areSorted(const IndexLists &lists) {
  for (int64_t i = 0; i < lists.size(); ++i)
    if (!std::is_sorted(lists[i].begin(), lists[i].end()))
      return false;
  return true;
}

/// Entries of rows that columns have too: mirror images of each other.
int64_t countMirrored(const IndexLists &rows, const IndexLists &columns) {
  int64_t mirrored = 0;
  for (int64_t i = 0; i < rows.size(); ++i) {
    ArrayRef<int32_t> a = rows[i], b = columns[i];
    for (size_t p = 0, q = 0; p < a.size() && q < b.size();) {
      mirrored += a[p] == b[q];
      bool stepA = a[p] <= b[q], stepB = b[q] <= a[p];
      p += stepA;
      q += stepB;
    }
  }
  return mirrored;
}

/// Neighbours in either, each once, without self loops.
IndexLists uniteMirrored(const IndexLists &rows, const IndexLists &columns) {
  IndexLists result;
  result.index.reserve(rows.index.size());
  for (int64_t i = 0; i < rows.size(); ++i) {
    ArrayRef<int32_t> a = rows[i], b = columns[i];
    auto first = int64_t(result.index.size());
    for (size_t p = 0, q = 0; p < a.size() || q < b.size();) {
      bool takeA = q == b.size() || (p < a.size() && a[p] <= b[q]);
      int32_t next = takeA ? a[p++] : b[q++];
      bool known =
          int64_t(result.index.size()) > first && result.index.back() == next;
      if (next != i && !known)
        result.index.push_back(next);
    }
    result.begin.push_back(int64_t(result.index.size()));
  }
  return result;
}

/// Rows, then columns; each neighbour on the other side.
IndexLists joinRowsAndColumns(IndexLists rows, const IndexLists &columns) {
  auto rowCount = int32_t(rows.size());
  for (int32_t &column : rows.index)
    column += rowCount;
  int64_t first = rows.begin.back();
  rows.index.insert(rows.index.end(), columns.index.begin(),
                    columns.index.end());
  for (int64_t i = 1; i <= columns.size(); ++i)
    rows.begin.push_back(first + columns.begin[size_t(i)]);
  return rows;
}

} // namespace

IndexLists sortedRowsOf(const SparseView &view, const Hubs &hubs) {
  IndexLists rows = rowsOf(view, hubs);
  if (areSorted(rows))
    return rows;
  const IndexLists columns = transpose(rows, view.shape[1]);
  rows = IndexLists();
  return transpose(columns, view.shape[0]);
}

Adjacency adjacencyOf(const SparseView &view, const Hubs &hubs) {
  Adjacency graph;
  graph.rows = view.shape[0];
  graph.columns = view.shape[1];
  IndexLists rows = sortedRowsOf(view, hubs);
  IndexLists columns = transpose(rows, graph.columns);
  graph.bipartite =
      graph.rows != graph.columns ||
      2 * countMirrored(rows, columns) < int64_t(rows.index.size());
  for (int64_t i = 0; i < graph.rows; ++i)
    graph.work.push_back(rows.length(i));
  if (graph.bipartite) {
    for (int64_t i = 0; i < graph.columns; ++i)
      graph.work.push_back(columns.length(i));
    graph.neighbors = joinRowsAndColumns(std::move(rows), columns);
  } else {
    graph.neighbors = uniteMirrored(rows, columns);
  }
  return graph;
}

} // namespace astfe::core
