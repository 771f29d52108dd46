//===- TensorMatrix.cpp - the matrix that a tensor is for a sum -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/TensorMatrix.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "Bricks/BrickSlots.h"
#include "Support/LargeArray.h"
#include "Support/StableSort.h"
#include "llvm/ADT/STLExtras.h"

namespace astfe::core {

constexpr int64_t kMostIndex = std::numeric_limits<int32_t>::max();

std::optional<std::array<int64_t, 2>>
MatrixModes::shapeOf(const std::vector<int64_t> &shape) const {
  int64_t count = 1;
  for (unsigned mode : rows) {
    // One more is not a number of 32 bits: positions have it.
    if (shape[mode] > 0 && count >= kMostIndex / shape[mode])
      return std::nullopt;
    count *= shape[mode];
  }
  if (shape[column] >= kMostIndex)
    return std::nullopt;
  return std::array<int64_t, 2>{count, shape[column]};
}

/// Whether bricks add to a result that a cache has, of short rows with few
/// nonzeros. A product passes over the nonzeros, too, and of the last cache a
/// process counts on half.
static bool addsNearby(unsigned rank, int64_t rows, int64_t nonzeros,
                       int64_t columns, int64_t elementBytes, int64_t parts) {
  const int64_t rowBytes = columns * elementBytes;
  const int64_t nonzeroBytes = elementBytes + int64_t(sizeof(int32_t));
  return columns * parts > 1 && rowBytes < rules::kLineBytes &&
         (columns * parts == 2 || rank <= rules::kNearModes) &&
         __int128(rows) * rules::kNearNonzeros >= nonzeros &&
         __int128(rows) * rowBytes + __int128(nonzeros) * nonzeroBytes <=
             rules::kCacheBytes[2];
}

bool prefersMatrix(unsigned rank, int64_t rows, int64_t nonzeros,
                   int64_t columns, int64_t elementBytes, int64_t parts) {
  if (addsNearby(rank, rows, nonzeros, columns, elementBytes, parts))
    return false;
  const int64_t rowBytes = columns * elementBytes;
  const bool takesLines =
      columns == 1 || __int128(rows) * rowBytes > rules::kCacheBytes[3];
  const int64_t moved =
      takesLines ? std::max(rowBytes, rules::kLineBytes) : rowBytes;
  return __int128(rows) * int64_t(sizeof(int32_t)) <=
         __int128(nonzeros) * 2 * moved;
}

SparseView TensorMatrix::view() const {
  const auto entries = int64_t(columns.size());
  return SparseView::csr(
      shape[0], shape[1],
      IndexArray(positions.data(), int64_t(positions.size())),
      IndexArray(columns.data(), entries));
}

namespace {
/// The nonzeros' rows and columns, brick by brick in home order.
struct Entries {
  Scratch<int32_t> row, column;
};
} // namespace

static Entries loadEntries(const Bricks &bricks, const MatrixModes &modes,
                           unsigned threads) {
  const auto count = size_t(bricks.nonzeros);
  Entries entries{Scratch<int32_t>(count), Scratch<int32_t>(count)};
  const ModeCopy &copy = *bricks.copies[bricks.anyKey()];
  parallelFor(bricks.bricks(), threads, [&](int64_t brick) {
    BrickSlots slots(bricks.rank());
    loadSlots(bricks, copy, brick, slots);
    const int64_t *origin =
        bricks.origin.data() + size_t(brick) * bricks.rank();
    const auto first = size_t(bricks.brickSlot[size_t(brick)]);
    for (size_t i = 0; i < slots.count(); ++i) {
      auto at = [&](unsigned mode) {
        return origin[mode] + int64_t(slots.local[mode][i]);
      };
      int64_t row = 0;
      for (unsigned mode : modes.rows)
        row = row * bricks.shape[mode] + at(mode);
      entries.row[first + i] = int32_t(row);
      entries.column[first + i] = int32_t(at(modes.column));
    }
  });
  return entries;
}

static TensorMatrix sortEntries(const Bricks &bricks, const Entries &entries,
                                std::array<int64_t, 2> shape,
                                unsigned threads) {
  TensorMatrix matrix;
  matrix.shape = shape;
  std::vector<int64_t> order = identityOrder(bricks.nonzeros);
  auto sortBy = [&](uint64_t largest, auto keyOf) {
    stableSortBy(order, largest, keyOf, threads);
  };
  const int64_t *numbers = bricks.nonzeroOf.data();
  const int32_t *rows = entries.row.data(), *columns = entries.column.data();
  sortBy(uint64_t(bricks.nonzeros), [=](int64_t i) { return numbers[i]; });
  sortBy(uint64_t(shape[1]), [=](int64_t i) { return columns[i]; });
  sortBy(uint64_t(shape[0]), [=](int64_t i) { return rows[i]; });
  matrix.positions.assign(size_t(shape[0]) + 1, 0);
  matrix.columns = Table<int32_t>(order.size());
  matrix.nonzeroOf = Table<int64_t>(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const int64_t from = order[i];
    ++matrix.positions[size_t(rows[from]) + 1];
    matrix.columns[i] = columns[from];
    matrix.nonzeroOf[i] = numbers[from];
  }
  std::partial_sum(matrix.positions.begin(), matrix.positions.end(),
                   matrix.positions.begin());
  return matrix;
}

Result<TensorMatrix> tensorMatrix(const Bricks &bricks,
                                  const MatrixModes &modes, int64_t memory,
                                  unsigned threads) {
  auto isMode = [&](unsigned mode) { return mode < bricks.rank(); };
  if (!isMode(modes.column) || !llvm::all_of(modes.rows, isMode))
    return Error{"expected modes below " + std::to_string(bricks.rank())};
  auto shape = modes.shapeOf(bricks.shape);
  if (!shape)
    return Error{"expected rows and columns that 32 bits number"};
  // Two orders, rows and columns, and what is left: columns and numbers.
  const __int128 needed =
      __int128(bricks.nonzeros) * 36 +
      (__int128((*shape)[0]) + 1) * int64_t(sizeof(int64_t));
  if (Status s = checkMemory("the matrix of a tensor", needed, memory); !s)
    return s.error();
  return withinMemory({"expected memory for the matrix of a tensor but got "
                       "none: it takes about " +
                       std::to_string(int64_t(needed)) + " bytes"},
                      [&]() -> Result<TensorMatrix> {
                        return sortEntries(bricks,
                                           loadEntries(bricks, modes, threads),
                                           *shape, threads);
                      });
}

} // namespace astfe::core
