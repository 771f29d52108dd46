//===- ChainMatrix.h - a matrix that chains walk, both ways ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chain matrix is a pattern and its values, and both in the order of its
// columns, which is made when gradients by column first ask for it. Any number
// of threads may run chains; new values wait for chains that run. On a GPU the
// arrays are copied to its memory when a chain first reads them.
//
// Worked example, with values of 4 bytes:
//
//   auto matrix = ChainMatrix::create(view, /*elementBytes=*/4);
//   auto status = (*matrix)->setValues(values);
//   status = (*matrix)->makeColumns();
//   auto lock = (*matrix)->holdValues();
//   // The transposed matrix:
//   status = (*matrix)->pass(call, ChainMatrix::Walk::Columns);
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_CHAINMATRIX_H
#define ASTFE_PRODUCT_CHAINMATRIX_H

#include "ASTFE/Product/ChainPattern.h"
#include "ASTFE/Product/ChainPrograms.h"
#include "ASTFE/Runtime/Handles.h"
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace astfe::product {

/// Where a matrix is, and chains over it run.
struct ChainPlace {
  rt::Device *device = nullptr; ///< the current one; null: the host
  std::string chip;             ///< of the device, like sm_90
  /// Chains run on the current device although the matrix and all operands are
  /// in the host's memory, from which each call copies them.
  bool copiesOperands = false;
};

class ChainMatrix {
public:
  /// Whether a chain walks the rows of the matrix or of its transpose.
  enum class Walk { Rows, Columns };

  /// A copy of a checked view of compressed rows, without values: the pattern
  /// alone, until some are set. Fails as ChainPattern::copy().
  static core::Result<std::unique_ptr<ChainMatrix>>
  create(const core::SparseView &view, size_t elementBytes,
         const ChainPlace &place = {});
  ~ChainMatrix();

  rt::Device *device() const { return place.device; }
  bool runsOnGPU() const { return place.device || place.copiesOperands; }
  /// What chains of that walk, whose order is made, are compiled for, of which
  /// so many run together.
  core::Result<ChainTarget> target(Walk walk, int64_t together = 1) const;

  /// Copies an element for each nonzero; waits for what holds the values. Fails
  /// where a GPU has no memory for them.
  core::Status setValues(const void *given);

  /// Makes the order of the columns, unless it is made. Fails as setValues().
  core::Status makeColumns();

  /// The values stay as they are while it lives. A thread holds them once.
  std::shared_lock<std::shared_mutex> holdValues() const {
    return std::shared_lock<std::shared_mutex>(mutex);
  }
  /// The arguments of a function for `tensor<?x?, #CSR>`, whose rows are those
  /// of the walk; to be held. Columns have to be made. Fails where a GPU has no
  /// memory for the arrays.
  core::Status pass(PackedCall &call, Walk walk) const;

  int64_t rows() const { return byRow.rows; }
  int64_t columns() const { return byRow.columns; }
  int64_t nonzeros() const { return byRow.nonzeros(); }

private:
  /// Values in the order of a walk, and where a GPU has them.
  struct Values {
    std::vector<char> data;
    void *onDevice = nullptr;
  };

  ChainMatrix(ChainPattern pattern, size_t elementBytes,
              const ChainPlace &place)
      : byRow(std::move(pattern)), elementBytes(elementBytes), place(place) {}
  void orderValues();
  core::Status placeOnDevice(Values &some);
  const ChainPattern &patternOf(Walk walk) const {
    return walk == Walk::Rows ? byRow : byColumn;
  }
  core::Result<ChainPattern::Arrays> arraysOf(Walk walk) const;

  const ChainPattern byRow;
  const size_t elementBytes;
  const ChainPlace place;
  mutable rt::DeviceCopies copies; ///< of positions and coordinates
  mutable std::shared_mutex mutex; ///< of what follows
  bool hasColumns = false;
  ChainPattern byColumn;
  std::vector<int32_t> order; ///< of byColumn's entries
  Values values, valuesByColumn;
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_CHAINMATRIX_H
