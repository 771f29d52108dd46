//===- ViewMatrix.h - a sparse matrix as it is stored -----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions, coordinates and values of a CSR or CSC matrix, which kernels walk
// where products are computed: on the host, or in a device's memory. Nothing is
// packed, and the order is the caller's. On a GPU the nonzeros of long rows
// that are summed into are several warps', which the matrix finds out when it
// is made, as the positions are on the host then: a second launch adds up what
// these have. The kernel of each width cuts at a length of its own
// (core::cutsGPURows). A host's kernels have rows whole.
//
// Worked example, for a view of a CSR matrix, its values, and eight columns:
//
//   MatrixOptions options;
//   options.device = device;
//   options.chip = device->chip();
//   options.columns = 8;
//   auto matrix = ViewMatrix::make(view, values, options, source);
//   auto status = (*matrix)->multiplyOn(stream, {b, columns, 8, 8},
//                                       {c, rows, 8, 8}, false);
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_VIEWMATRIX_H
#define ASTFE_PRODUCT_VIEWMATRIX_H

#include "ASTFE/Core/Support/Table.h"
#include "ASTFE/Product/Matrix.h"
#include "ASTFE/Runtime/Handles.h"

namespace astfe::product {

class ViewMatrix final : public Matrix {
public:
  /// Copies the view, which is CSR or CSC, of fewer than 2^31 rows and columns,
  /// and in range; on a host coordinates of a CSC ascend. Not for samples.
  /// `source` must outlive the matrix.
  static core::Result<std::unique_ptr<ViewMatrix>>
  make(const core::SparseView &view, const void *values,
       const MatrixOptions &options, KernelSource &source);
  ~ViewMatrix() override;

  /// The products that options expect, on the current device.
  static core::Result<core::GPUProducts> products(const MatrixOptions &options);

  core::Status sampleInOrder(const Dense &x, const Dense &y,
                             void *samples) override;

  int64_t rows() const override { return shape[0]; }
  int64_t columns() const override { return shape[1]; }
  int64_t nonzeros() const override { return int64_t(coordinates.size()); }

private:
  using Matrix::Matrix;
  void describe(KernelRequest &request) const override;
  core::Status takeValues(const void *values) override;
  core::Status call(const Kernel &kernel, const Dense &b, const Dense &c,
                    bool accumulates) const override;
  /// Where kernels read a table.
  template <typename T>
  core::Result<AstfeMemRef1D> placed(int64_t table,
                                     const core::Table<T> &data) const;

  std::vector<int64_t> shape;
  bool byColumns = false;
  /// Of these one is empty: positions have 64 bits where they need them.
  core::Table<int32_t> positions32, coordinates;
  core::Table<int64_t> positions64;
  core::Table<char> values; ///< of the host
  int64_t longest = 0;      ///< nonzeros of a row, of a CSC one of a column
  int64_t warps = 1;        ///< of the device
  mutable rt::DeviceCopies copies;
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_VIEWMATRIX_H
