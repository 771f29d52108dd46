//===- HostStorage.cpp - a view or a pattern, on a host -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/HostStorage.h"
#include "ASTFE/Core/Cost/Cost.h"
#include "ASTFE/Core/Plan/ScatterShares.h"
#include "ASTFE/Core/Target/Constants.h"
#include <algorithm>
#include <limits>

using namespace astfe;
using namespace astfe::core;

HostProducts HostProducts::of(Element element, int64_t columns) {
  const int64_t bytes = core::elementBytes(element);
  if (!isComplex(element))
    return {columns, bytes};
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 2;
  return {2 * std::min(columns, kMost), bytes / 2};
}

int64_t HostProducts::vectors() const {
  return (columns - 1) / (rules::kLineBytes / elementBytes) + 1;
}

bool core::isTinyProduct(const SparseView &view, const HostProducts &products) {
  if (view.rank() != 2 || products.columns < 0)
    return false;
  const int64_t nonzeros = view.nonzeros();
  // All columns are walked, and all rows begin with zeros.
  if (view.format == SparseFormat::Csc)
    return products.columns > 0 &&
           std::max(view.shape[0], view.shape[1]) <= rules::kTinyScatter &&
           nonzeros <= rules::kTinyScatter / products.vectors();
  if (view.format != SparseFormat::Csr)
    return false;
  const int64_t most = rules::kTinyProduct;
  if (products.columns <= 1 && view.shape[0] > rules::kTinyRows)
    return false;
  // Neither product overflows.
  return nonzeros <= most && products.vectors() <= most &&
         view.shape[0] <= most &&
         nonzeros * products.vectors() + view.shape[0] <= most;
}

/// Whether pack found rows only, of one nonzero even, or blocks of them that
/// save less than they take: a tile reads rows of B once for several rows of C.
static bool hasPlainRows(const Packed &packed, const HostProducts &products) {
  const ClassSet rows =
      ClassSet::of(SegmentClass::RowSegments).with(SegmentClass::Scattered);
  return rows.contains(packed.classes()) ||
         products.columns < rules::kLineBytes / products.elementBytes;
}

/// Whether the threads of a view, which has rows whole, would wait for a row
/// that workers share.
static bool waitsForRow(const SparseView &view, const Packed &packed) {
  return packed.partialRows() != 0 &&
         longestRun(view.positions) > view.nonzeros() / packed.workers();
}

/// Whether rows without nonzeros, of which pack clears runs, cost a view less
/// than the ends of the others save.
static bool hasShortGaps(const SparseView &view) {
  const int64_t rows = view.shape[0];
  int64_t empty = 0, runs = 0;
  bool wasEmpty = false;
  for (int64_t row = 0; row < rows; ++row) {
    const bool isEmpty = view.positions[row] == view.positions[row + 1];
    empty += isEmpty;
    runs += isEmpty && !wasEmpty;
    wasEmpty = isEmpty;
  }
  return rules::kEmptyRow * empty <= rules::kEmptyRun * runs + (rows - empty);
}

/// Whether pack left the rows in their order, where each that workers share
/// stands aside.
static bool keepsOrder(const Packed &packed) {
  int64_t aside = 0;
  for (int64_t g = 1; g < packed.segments(); ++g)
    if (packed.segmentRow[size_t(g)] < packed.segmentRow[size_t(g - 1)] &&
        ++aside > int64_t(packed.combineRow.size()))
      return false;
  return true;
}

/// Whether rows as they came are as fast: the ends of short ones where pack
/// left them so, and any beyond a vector where it sorted them by length, so
/// that rows of C are written in another order.
static bool gainsByOrder(const SparseView &view, const Packed &packed,
                         const HostProducts &products) {
  if (!keepsOrder(packed))
    return products.vectors() > 1;
  return view.nonzeros() <=
         view.shape[0] * rules::kShortRow / products.vectors();
}

/// Whether sums of what rows store gain nothing by lanes over rows.
static bool hasLongRows(const SparseView &view) {
  return view.nonzeros() / rules::kStoredSumRow >= view.shape[0];
}

bool core::takesHostView(const SparseView &view, const Arrangement &arrangement,
                         const Packed &packed, const HostProducts &products) {
  if (view.format != SparseFormat::Csr || products.columns == 1 ||
      !arrangement.isPlain() || arrangement.order != OrderKind::Rows)
    return false;
  if (products.columns == 0)
    return hasLongRows(view) && !waitsForRow(view, packed);
  return hasShortGaps(view) && hasPlainRows(packed, products) &&
         gainsByOrder(view, packed, products) && !waitsForRow(view, packed);
}

/// A view by columns is walked as rows of B, each of which is taken once, and
/// each nonzero finds its row of C as it would a row of B in a product by rows.
/// None of `threads` waits for work where a matrix is packed; of a view some
/// do.
static std::optional<double> scatteredSeconds(const SparseView &view,
                                              const HostProducts &products,
                                              int64_t threads) {
  const Machine machine;
  Product product;
  product.columns = products.columns;
  product.elementBytes = products.elementBytes;
  SparseView walked = view;
  walked.format = SparseFormat::Csr;
  std::swap(walked.shape[0], walked.shape[1]);
  Result<Work> work = countWork(machine, product, walked);
  if (!work)
    return std::nullopt;
  const ScatterShares shares =
      shareScattered({view.shape[0], view.shape[1], view.nonzeros(),
                      products.columns, products.elementBytes});
  work->outputs = work->nonzeros;
  if (!shares.arePieces)
    work->segments *= machine.threads;
  work->shared = work->surprises = 0;
  work->slowest = double(threads) / double(std::min(shares.count, threads));
  return predict(machine, product, *work).seconds;
}

/// Whether most of so many rows of B or C come from memory when they are taken
/// again: all operands have about half of the last cache (Machine.h).
static bool outgrowCaches(int64_t rows, const HostProducts &products) {
  return double(rows) * double(products.columns) *
             double(products.elementBytes) >
         double(rules::kCacheBytes[2]);
}

bool core::takesScatteredView(const SparseView &view,
                              const HostProducts &products, int64_t threads,
                              double packedSeconds) {
  const int64_t nonzeros = view.nonzeros();
  if (view.format != SparseFormat::Csc || view.rank() != 2)
    return false;
  // Rows of C shorter than a line are updated no faster than whole ones, and
  // sums of halves walk the matrix once for each tile.
  if (products.elementBytes < int64_t(sizeof(float)) ||
      products.columns < rules::kLineBytes / products.elementBytes)
    return false;
  // Empty rows are walked, too.
  if (view.shape[0] > nonzeros || view.shape[1] > nonzeros)
    return false;
  if (!outgrowCaches(view.shape[1], products) ||
      outgrowCaches(view.shape[0], products))
    return false;
  const std::optional<double> seconds =
      scatteredSeconds(view, products, std::max<int64_t>(threads, 1));
  return seconds && *seconds <= rules::kWinnerShare * packedSeconds;
}
