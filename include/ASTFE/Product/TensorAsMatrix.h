//===- TensorAsMatrix.h - a product of a tensor as one of a matrix -*- C++ -*-//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which products sum over one mode, so that the tensor is a matrix for them
// (Core/Bricks/TensorMatrix.h), and these matrices. Dense operands
// are row-major, so that they are the matrix product's where they lie.
//
// Worked example, T of 300 x 400 x 50 and four columns: ttm(3, 2, 4) is
// C = A B, A of 120000 x 50, B of 50 x 4, C of 120000 x 4.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_TENSORASMATRIX_H
#define ASTFE_PRODUCT_TENSORASMATRIX_H

#include "ASTFE/Core/Bricks/TensorMatrix.h"
#include "ASTFE/Product/Matrix.h"
#include "ASTFE/Product/TensorRequest.h"
#include <map>

namespace astfe::product {

struct MatrixForm {
  core::MatrixModes modes;
  /// Whether operands have a dense dimension.
  bool hasColumns = false;
};

/// The form of a product with one dense operand, which is indexed by one mode
/// that the output lacks, and then perhaps by a dense dimension, and with an
/// output of modes and then that dimension. None for others.
std::optional<MatrixForm> matrixFormOf(const TensorProduct &product);

/// Columns of the operands of such a product; 0: any number.
int64_t columnsOf(const TensorProduct &product);

/// The matrices of a tensor, each packed at the first product that wants it.
class TensorMatrices {
public:
  /// Without `source` there are none.
  explicit TensorMatrices(KernelSource *source) : source(source) {}

  /// The matrix of a product that has a form, on a host if that moves less by
  /// it (prefersMatrix(); sums of halves with columns always), with the
  /// tensor's values. Null for others, and where the matrix cannot be made, in
  /// `memory` bytes less those of the matrices before: what is wrong, bricks
  /// find out.
  core::Result<Matrix *> find(const TensorProduct &product,
                              const core::Bricks &bricks, const void *values,
                              int64_t memory, const MatrixOptions &options);
  /// Other values are to be taken by the next find().
  void forgetValues();

  /// Modelled bytes of a product that find() has a matrix for.
  static core::Result<core::Traffic>
  traffic(const TensorProduct &product, const core::Bricks &bricks,
          const core::Arithmetic &arithmetic);

private:
  /// Products of the same modes share one, with a dense dimension or without.
  struct Entry {
    std::unique_ptr<Matrix> matrix; ///< null: it cannot be made
    core::Table<int64_t> nonzeroOf; ///< by entry
    bool isStale = false;
  };
  Entry make(const MatrixForm &form, const core::Bricks &bricks,
             const void *values, int64_t memory, const MatrixOptions &options);

  KernelSource *source;
  std::map<std::pair<core::MatrixModes, bool>, Entry> entries;
  int64_t taken = 0; ///< bytes
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_TENSORASMATRIX_H
