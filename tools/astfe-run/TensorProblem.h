//===- TensorProblem.h - operands and reference of a tensor's product -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_TENSORPROBLEM_H
#define ASTFE_TOOLS_RUN_TENSORPROBLEM_H

#include "ASTFE/Product/PackedTensor.h"
#include "Problem.h"

namespace astfe::run {

/// A dense operand of any rank: `dense` has its elements, row-major.
struct TensorOperand {
  std::vector<int64_t> extents;
  Dense dense;

  product::DenseTensor view() { return {dense.data(), extents}; }
};

/// T and the dense operands of one product.
struct TensorProblem {
  core::CooTensor tensor;
  core::Arithmetic arithmetic;
  Dense values; ///< nonzeros x 1
  product::TensorProduct product;
  std::vector<TensorOperand> inputs;

  core::SparseView view() const { return tensor.view(); }
  /// All zeros.
  TensorOperand output() const;
  std::vector<product::DenseTensor> inputViews();
};

/// Reads the tensor; fails for a mode that it has not, and for operands that do
/// not fit the machine's memory.
core::Result<TensorProblem> readTensorProblem(const Settings &settings);
/// A product of a matrix over bricks, whose coordinates have 64 bits.
core::Result<TensorProblem> makeFarProblem(const Settings &settings,
                                           core::CooTensor matrix);

/// Against the reference (Difference.h).
Difference compare(const TensorProblem &problem, const TensorOperand &result,
                   Rounding rounding = Rounding::Once);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_TENSORPROBLEM_H
