//===- CountRows.cpp - the bins of sorted rows ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile/CountRows.h"
#include "Tensor/Nonzeros.h"
#include <algorithm>

namespace astfe::core {
namespace {

/// Below this a search for each bit of a bin's prefix costs more than keys.
constexpr int64_t kLeastMin = 16;

/// Whether keys are rows and columns as they are, one after the other.
bool isPlainRows(const SparseView &view, const Space &space) {
  return view.format == SparseFormat::Csr && space.isByRows() &&
         !space.isRenumbered();
}

class RowBins {
public:
  RowBins(const SparseView &view, const Order &order, int64_t min)
      : view(view), rowBits(order.bits(0)), columnBits(order.bits(1)),
        rule{order.prefixBits(), min} {}

  /// Adds the bins of a box, the nonzeros [begin, end); false where a row that
  /// is cut is not sorted, or better counted by all threads.
  bool collect(Prefix prefix, int64_t begin, int64_t end) {
    if (begin == end)
      return true;
    if (rule.isBin(prefix, end - begin)) {
      bins.push_back({prefix, begin, end - begin});
      return true;
    }
    if (prefix.length == rowBits &&
        (end - begin >= kSharedCount || !isSorted(begin, end)))
      return false;
    const Prefix second = prefix.child(true);
    const int64_t middle = prefix.length < rowBits
                               ? rowBegin(second.bits)
                               : columnBegin(second.bits, begin, end);
    return collect(prefix.child(false), begin, middle) &&
           collect(second, middle, end);
  }

  std::vector<CountedBox> bins;

private:
  int64_t rowBegin(uint64_t key) const {
    return view
        .positions[std::min(int64_t(key >> (64 - rowBits)), view.shape[0])];
  }
  /// Inside of a row.
  int64_t columnBegin(uint64_t key, int64_t begin, int64_t end) const {
    const auto column = int64_t(key << rowBits >> (64 - columnBits));
    return withEntries(view.coordinates[0], [&](const auto *columns) {
      return std::lower_bound(columns + begin, columns + end, column) - columns;
    });
  }
  bool isSorted(int64_t begin, int64_t end) const {
    return withEntries(view.coordinates[0], [&](const auto *columns) {
      return std::is_sorted(columns + begin, columns + end);
    });
  }

  const SparseView &view;
  unsigned rowBits, columnBits;
  BinRule rule;
};

} // namespace

std::optional<std::vector<CountedBox>>
countRows(const SparseView &view, const Space &space, int64_t min) {
  if (min < kLeastMin || !isPlainRows(view, space))
    return std::nullopt;
  const Order order = space.parts[0].order();
  if (order.keyBits() > kMaxPrefixBits)
    return std::nullopt;
  RowBins rows(view, order, min);
  if (!rows.collect(Prefix(), 0, view.nonzeros()))
    return std::nullopt;
  return std::move(rows.bins);
}

} // namespace astfe::core
