//===- PackOracle.cpp - packed patterns read back by brute force ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackOracle.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

namespace astfe::core {
namespace {

int64_t columnOf(const Packed &packed, size_t span, size_t slot,
                 int64_t inSegment) {
  if (SegmentClass(packed.spanClass[span]) == SegmentClass::DenseTile)
    return packed.spanColumn[span] + inSegment;
  switch (packed.layout.columnBits) {
  case 8:
    return packed.spanColumn[span] + packed.columns8[slot];
  case 16:
    return packed.spanColumn[span] + packed.columns16[slot];
  default:
    return packed.columns32[slot];
  }
}

/// The segments of a slice's slots: round after round, one for each row that
/// has nonzeros left.
std::vector<int64_t> roundsOf(const Packed &packed, int64_t first,
                              int64_t begin) {
  std::vector<int64_t> result;
  for (int64_t round = 0;; ++round) {
    size_t before = result.size();
    for (int64_t g = first, from = begin; g < first + kSliceRows; ++g) {
      if (packed.segmentEnd[size_t(g)] - from > round)
        result.push_back(g);
      from = packed.segmentEnd[size_t(g)];
    }
    if (result.size() == before)
      return result;
  }
}

void walkSlices(const Packed &packed, size_t s,
                const std::function<void(size_t, size_t, int64_t)> &body) {
  size_t slot = size_t(packed.spanSlot[s]);
  int64_t begin = 0;
  for (int64_t g = packed.spanSegment[s]; g < packed.spanSegment[s + 1];
       g += kSliceRows) {
    for (int64_t segment : roundsOf(packed, g, begin)) {
      body(size_t(segment), slot, columnOf(packed, s, slot, 0));
      ++slot;
    }
    begin = packed.segmentEnd[size_t(g + kSliceRows - 1)];
  }
  EXPECT_EQ(int64_t(slot), packed.spanSlot[s + 1]);
}

/// Calls body(segment, slot, column) for the slots of a span, in order.
void walkSpan(const Packed &packed, size_t s,
              const std::function<void(size_t, size_t, int64_t)> &body) {
  if (SegmentClass(packed.spanClass[s]) == SegmentClass::RowSlices)
    return walkSlices(packed, s, body);
  int64_t begin = 0;
  for (int64_t g = packed.spanSegment[s]; g < packed.spanSegment[s + 1]; ++g) {
    int64_t end = packed.segmentEnd[size_t(g)];
    for (int64_t k = begin; k < end; ++k) {
      size_t slot = size_t(packed.spanSlot[s] + k);
      body(size_t(g), slot, columnOf(packed, s, slot, k - begin));
    }
    begin = end;
  }
}

/// The same for all spans in the order that workers execute.
void walk(const Packed &packed,
          const std::function<void(size_t, size_t, int64_t)> &body) {
  for (size_t w = 0; w < size_t(packed.workers()); ++w)
    for (int64_t s = packed.workerSpan[w]; s < packed.workerSpan[w + 1]; ++s)
      walkSpan(packed, size_t(s), body);
}

} // namespace

std::vector<int64_t> segmentOfSlots(const Packed &packed, size_t span) {
  std::vector<int64_t> segments;
  walkSpan(packed, span, [&](size_t segment, size_t, int64_t) {
    segments.push_back(int64_t(segment));
  });
  return segments;
}

std::vector<Entry> entriesOf(const SparseView &view) {
  std::vector<Entry> result;
  if (view.format == SparseFormat::Coo) {
    for (int64_t n = 0; n < view.nonzeros(); ++n)
      result.push_back({view.coordinates[0][n], view.coordinates[1][n], n});
    return result;
  }
  bool csr = view.format == SparseFormat::Csr;
  for (int64_t i = 0; i + 1 < view.positions.size(); ++i)
    for (int64_t n = view.positions[i]; n < view.positions[i + 1]; ++n) {
      int64_t other = view.coordinates[0][n];
      result.push_back({csr ? i : other, csr ? other : i, n});
    }
  return result;
}

std::vector<Entry> entriesOf(const Packed &packed) {
  std::vector<int64_t> nonzeroOf(size_t(packed.slots), -1);
  for (size_t n = 0; n < size_t(packed.nonzeros); ++n)
    nonzeroOf[size_t(packed.slotOfNonzero(n))] = int64_t(n);
  std::vector<Entry> result;
  walk(packed, [&](size_t segment, size_t slot, int64_t column) {
    int32_t row = packed.segmentRow[segment];
    if (nonzeroOf[slot] >= 0)
      result.push_back({row < 0 ? ~row : row, column, nonzeroOf[slot]});
  });
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<double> multiplyByTarget(const Packed &packed,
                                     const std::vector<double> &values,
                                     const std::vector<double> &x) {
  std::vector<double> y(size_t(packed.shape[0])),
      partials(size_t(packed.partialRows()));
  walk(packed, [&](size_t segment, size_t slot, int64_t column) {
    int32_t target = packed.segmentTarget[segment];
    double &out = target < 0 ? partials[size_t(~target)] : y[size_t(target)];
    out += values[slot] * x[size_t(column)];
  });
  for (size_t i = 0; i < packed.combineRow.size(); ++i)
    for (int64_t j = packed.combineBegin[i]; j < packed.combineBegin[i + 1];
         ++j)
      y[size_t(packed.combineRow[i])] +=
          partials[size_t(packed.combinePartial[size_t(j)])];
  return y;
}

std::vector<double> multiplyByRow(const Packed &packed,
                                  const std::vector<double> &values,
                                  const std::vector<double> &x) {
  std::vector<double> y(size_t(packed.shape[0]));
  walk(packed, [&](size_t segment, size_t slot, int64_t column) {
    int32_t row = packed.segmentRow[segment];
    y[size_t(row < 0 ? ~row : row)] += values[slot] * x[size_t(column)];
  });
  return y;
}

std::vector<double> multiply(const SparseView &view,
                             const std::vector<double> &values,
                             const std::vector<double> &x) {
  std::vector<double> y(size_t(view.shape[0]));
  for (const Entry &entry : entriesOf(view))
    y[size_t(entry.row)] +=
        values[size_t(entry.nonzero)] * x[size_t(entry.column)];
  return y;
}

Graph graphOf(const SparseView &view, OrderKind order, int64_t min,
              int64_t run) {
  return graphOf(view, *Space::whole(view.shape, order, 3), min, run);
}

Graph graphOf(const SparseView &view, const Space &space, int64_t min,
              int64_t run) {
  Result<Profile> profile = countProfile(view, space, {min, 1});
  EXPECT_TRUE(profile);
  Graph graph;
  graph.space = profile->space;
  graph.part = profile->part;
  graph.length = profile->length;
  graph.prefix = profile->prefix;
  graph.nonzeros = profile->nonzeros;
  int64_t blocks = int64_t(graph.size());
  for (int64_t begin = 0; begin < blocks; begin += run)
    graph.groups.push_back(std::min(begin + run, blocks));
  return graph;
}

CooTensor mixedMatrix(int64_t rows, int64_t columns, int64_t count,
                      unsigned seed) {
  std::mt19937_64 random(seed);
  CooTensor tensor;
  tensor.shape = {rows, columns};
  tensor.coordinates.resize(2);
  auto below = [&](int64_t bound) {
    return int64_t(random() % uint64_t(bound));
  };
  auto add = [&](int64_t row, int64_t column) {
    tensor.coordinates[0].push_back(std::min(row, rows - 1));
    tensor.coordinates[1].push_back(std::min(column, columns - 1));
    tensor.values.push_back(double(tensor.values.size() + 1));
  };
  for (int tile = 0; tile < 3; ++tile) {
    int64_t row = below(rows), column = below(columns);
    int64_t height = 3 + below(7), width = 3 + below(7);
    for (int64_t i = 0; i < height && row + i < rows; ++i)
      for (int64_t j = 0; j < width && column + j < columns; ++j)
        if (tile != 2 || below(10) != 0)
          add(row + i, column + j);
  }
  int64_t denseRow = below(rows);
  for (int64_t j = 0; j < columns; j += 2)
    add(denseRow, j);
  while (tensor.nonzeros() < count)
    add(below(rows), below(columns));
  return tensor;
}

std::vector<double> counting(int64_t count) {
  std::vector<double> result;
  for (int64_t i = 1; i <= count; ++i)
    result.push_back(double(i));
  return result;
}

CooTensor tileMatrix(int64_t rows, int64_t columns, int64_t row, int64_t column,
                     int64_t height, int64_t width) {
  CooTensor tensor{{rows, columns}, {{}, {}}, {}};
  for (int64_t i = 0; i < height; ++i)
    for (int64_t j = 0; j < width; ++j) {
      tensor.coordinates[0].push_back(row + i);
      tensor.coordinates[1].push_back(column + j);
      tensor.values.push_back(1);
    }
  return tensor;
}

CooTensor rowsOfLengths(const std::vector<int64_t> &lengths, int64_t columns) {
  CooTensor tensor{{int64_t(lengths.size()), columns}, {{}, {}}, {}};
  for (size_t row = 0; row < lengths.size(); ++row)
    for (int64_t k = 0; k < lengths[row]; ++k) {
      tensor.coordinates[0].push_back(int64_t(row));
      tensor.coordinates[1].push_back((int64_t(row) + 7 * k) % columns);
      tensor.values.push_back(1);
    }
  return tensor;
}

int64_t spansOf(const Packed &packed, SegmentClass kind) {
  return std::count(packed.spanClass.begin(), packed.spanClass.end(),
                    int32_t(kind));
}

Packed packed(const SparseView &view, const Graph &graph,
              const PackOptions &options) {
  Result<Packed> result = pack(view, graph, options);
  if (result)
    return *result;
  ADD_FAILURE() << result.message();
  return {};
}

void expectExact(const SparseView &view, const Packed &packed) {
  Status status = packed.check();
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(entriesOf(packed), entriesOf(view));

  std::vector<double> values = counting(view.nonzeros());
  std::vector<double> slots(size_t(packed.slots), -1), back(values.size());
  packValues(packed, values.data(), slots.data());
  unpackValues(packed, slots.data(), back.data());
  EXPECT_EQ(back, values);

  std::vector<double> x = counting(view.shape[1]);
  std::vector<double> expected = multiply(view, values, x);
  EXPECT_EQ(multiplyByTarget(packed, slots, x), expected);
  EXPECT_EQ(multiplyByRow(packed, slots, x), expected);
}

} // namespace astfe::core
