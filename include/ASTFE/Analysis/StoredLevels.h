//===- StoredLevels.h - what a tensor's encoding says of its levels -*- C++
//-*-//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// These functions say which sparse tensors there is code for. Matrices in CSR
// and CSC are walked where they are; every tensor whose levels can be listed is
// packed. Raising asks before it takes a computation, and the lowering writes
// the levels that are listed.
//
// Worked example: BSR in blocks of 2 x 3,
//
//   (i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed,
//              i mod 2 : dense, j mod 3 : dense)
//
// has the levels (dense, mode 0, a coordinate counts 2), (compressed, mode 1,
// counts 3), (dense, mode 0, counts 1, size 2), (dense, mode 1, counts 1, size
// 3).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_ANALYSIS_STOREDLEVELS_H
#define ASTFE_ANALYSIS_STOREDLEVELS_H

#include "ASTFE/Core/Tensor/LevelView.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include <optional>

namespace astfe {

/// How a matrix is stored: a dense level over a compressed one, whose indices
/// ascend, of any width.
struct CompressedMatrix {
  bool byColumns = false;     ///< CSC
  unsigned positionWidth = 0; ///< bits: 8 to 64
  unsigned coordinateWidth = 0;

  /// Whether the runtime reads both arrays where they are.
  bool isReadAsIs() const {
    return positionWidth >= 32 && coordinateWidth >= 32;
  }

  /// None where the type is something else.
  static std::optional<CompressedMatrix> of(mlir::Type type);
};

/// A level as packing reads it.
struct StoredLevel {
  core::LevelKind kind = core::LevelKind::Dense;
  unsigned mode = 0;
  /// What a coordinate counts in its mode: more than 1 where those of a block
  /// are other levels.
  int64_t scale = 1;
  /// Of a level inside of blocks; 0: the mode's extent / scale.
  int64_t size = 0;
};

/// The levels of a sparse tensor, outermost first; none where packing does not
/// read such a one: slices, values other than zero that are not stored, levels
/// of other kinds or of other functions of the dimensions.
std::optional<llvm::SmallVector<StoredLevel>>
storedLevels(mlir::sparse_tensor::SparseTensorEncodingAttr encoding);

/// What storedLevels() takes, for messages.
std::string storedLevelsText();

} // namespace astfe

#endif // ASTFE_ANALYSIS_STOREDLEVELS_H
