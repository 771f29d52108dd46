//===- FarMatrix.h - a matrix whose indices need 64 bits ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed matrices and views have indices of 32 bits. Far matrices, of 2^31
// rows, columns or nonzeros and more, are packed as tensors, whose coordinates
// have 64 bits, with a third mode (Core/Tensor/MatrixAsTensor.h). On the host
// only, and for operands whose rows follow each other.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_FARMATRIX_H
#define ASTFE_PRODUCT_FARMATRIX_H

#include "ASTFE/Product/Matrix.h"
#include "ASTFE/Product/PackedTensor.h"

namespace astfe::product {

class FarMatrix final : public Matrix {
public:
  /// Copies the view, which is CSR or CSC, and in range. Sources must outlive
  /// the matrix.
  static core::Result<std::unique_ptr<FarMatrix>>
  make(const core::SparseView &view, const void *values,
       const MatrixOptions &options, KernelSource &source,
       TensorKernelSource &tensors);

  core::Result<std::shared_ptr<const Kernel>>
  compile(int64_t columns, bool accumulate, bool strided) override;
  core::Status multiply(const Dense &b, const Dense &c,
                        bool accumulate) override;
  core::Status sampleInOrder(const Dense &x, const Dense &y,
                             void *samples) override;

  int64_t rows() const override { return tensor->bricks().shape[0]; }
  int64_t columns() const override { return tensor->bricks().shape[1]; }
  int64_t nonzeros() const override { return tensor->bricks().nonzeros; }

private:
  using Matrix::Matrix;
  void describe(KernelRequest &request) const override;
  core::Status takeValues(const void *values) override;
  core::Status call(const Kernel &kernel, const Dense &b, const Dense &c,
                    bool accumulates) const override;

  std::unique_ptr<PackedTensor> tensor;
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_FARMATRIX_H
