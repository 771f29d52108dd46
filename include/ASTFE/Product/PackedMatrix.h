//===- PackedMatrix.h - a sparse matrix, packed once, multiplied often ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// plan -> graph -> pack -> kernel -> run. core::makePlan makes the graph once,
// and pack cuts by it; the kernel has code for the classes of blocks that the
// pattern holds, and an emitter for each of them at every width.
//
// Worked example, for a view of a CSR matrix and its values:
//
//   MatrixOptions options;
//   options.columns = 128;
//   auto plan = core::makePlan(view, planOptions(options));
//   const core::Graph &graph = plan->fused;
//   auto matrix = PackedMatrix::pack(view, values, graph, options, source);
//   Dense operand = {b, columns, 128, 128}, result = {c, rows, 128, 128};
//   auto status = (*matrix)->multiply(operand, result, /*accumulate=*/false);
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_PACKEDMATRIX_H
#define ASTFE_PRODUCT_PACKEDMATRIX_H

#include "ASTFE/Core/Pack/Packed.h"
#include "ASTFE/Product/Matrix.h"

namespace astfe::product {

class PackedMatrix final : public Matrix {
public:
  /// Packs by a graph of the same matrix. `values` are in the order of the
  /// view. The view's indices must be in range. `source` must outlive the
  /// matrix; nothing else is kept.
  static core::Result<std::unique_ptr<PackedMatrix>>
  pack(const core::SparseView &view, const void *values,
       const core::Graph &graph, const MatrixOptions &options,
       KernelSource &source);
  ~PackedMatrix() override;

  /// The kernel of samples of X and Y with that many columns.
  core::Result<std::shared_ptr<const Kernel>> compileSamples(int64_t columns);

  /// s_n = a_n <X_i, Y_j> for each nonzero: in the order of the view on a host,
  /// in packed order on a device (core::unpackValues makes the other of it).
  /// `samples` has sampleCount() elements, of the device where there is one.
  /// Needs options.samples.
  int64_t sampleCount() const;
  core::Status sample(const Dense &x, const Dense &y, void *samples);
  core::Status sampleInOrder(const Dense &x, const Dense &y,
                             void *samples) override;

  int64_t rows() const override { return packed().shape[0]; }
  int64_t columns() const override { return packed().shape[1]; }
  int64_t nonzeros() const override { return packed().nonzeros; }
  const core::Packed &packed() const;
  const core::Packed *pattern() const override { return &packed(); }
  /// What pack and the first values took.
  double packSeconds = 0;

private:
  using Matrix::Matrix;
  void describe(KernelRequest &request) const override;
  core::Status takeValues(const void *values) override;
  core::Status call(const Kernel &kernel, const Dense &b, const Dense &c,
                    bool accumulates) const override;
  AstfeMemRef1D storedValues() const;

  void *handle = nullptr; ///< the runtime's
  core::Table<char> values;
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_PACKEDMATRIX_H
