//===- Problem.h - operands, reference and error of one product -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_PROBLEM_H
#define ASTFE_TOOLS_RUN_PROBLEM_H

#include "ASTFE/Core/Tensor/MatrixMarket.h"
#include "Dense.h"
#include "Difference.h"
#include "Settings.h"
#include <vector>

namespace astfe::run {

/// A as the compiled code takes it (CSR, 32-bit indices), and its dense
/// operands.
struct Problem {
  int64_t rows = 0, columns = 0; ///< of A as it is stored
  bool transposed = false;       ///< the product is with A^T
  core::Semiring semiring = core::Semiring::PlusTimes;
  std::vector<int32_t> positions, coordinates;
  Dense values;  ///< nonzeros x 1
  Dense operand; ///< B, or Y
  Dense left;    ///< X of samples

  /// The result is one sample a nonzero, of X Y^T.
  bool isSampled() const { return left.columns != 0; }
  int64_t nonzeros() const { return int64_t(coordinates.size()); }
  core::Arithmetic arithmetic() const { return {values.element, semiring}; }
  /// Rows and columns of what is multiplied: A or A^T.
  int64_t resultRows() const { return transposed ? columns : rows; }
  int64_t depth() const { return transposed ? rows : columns; }
  /// What is multiplied: A's arrays are those of A^T by columns.
  core::SparseView view() const;
};

/// Zeros of the shape of the result.
Dense emptyResult(const Problem &problem, const Settings &settings);

/// Reads the file of a matrix.
core::Result<core::CooTensor> readMatrix(const Settings &settings);
/// Makes a problem of a matrix that is not far, whose products TensorProblem.h
/// has, if the operands fit the memory.
core::Result<Problem> makeProblem(const Settings &settings,
                                  const core::CooTensor &matrix);
/// Both.
core::Result<Problem> readProblem(const Settings &settings);
/// The same for a matrix in memory, whose name in errors is settings.matrix.
core::Result<Problem> makeProblem(const Settings &settings,
                                  const core::CsrMatrix &csr);
/// How a file is read for values of settings' type.
core::ReadOptions readOptions(const Settings &settings);
/// The values of a sparse operand, those of integers of 64 bits from
/// `integers`. No imaginary parts are zeros.
Dense valuesOf(const std::vector<double> &values,
               const std::vector<double> &imaginaries,
               const std::vector<int64_t> &integers, core::Element element);

/// How far a result is from the reference.
Difference compare(const Problem &problem, const Dense &result,
                   unsigned threads, Rounding rounding = Rounding::Once);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_PROBLEM_H
