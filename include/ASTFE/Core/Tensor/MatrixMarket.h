//===- MatrixMarket.h - strict reader of Matrix Market files --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads `%%MatrixMarket matrix coordinate {real|integer|pattern}
// {general|symmetric|skew-symmetric}`; symmetric entries are mirrored. Who asks
// for complex numbers may get `complex` too, also `hermitian`. Indices are
// 1-based. `%` starts a comment, behind the banner anywhere. Errors name file
// and line: banner, size line, out-of-range or 0-based indices, too few or too
// many entries, trailing text, duplicates (both lines), entries above the
// diagonal of a symmetric file. NaN and Inf are values like others. `array` is
// refused by name.
// Source: R. Boisvert, R. Pozo, K. Remington, NISTIR 5935 (1996).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_TENSOR_MATRIXMARKET_H
#define ASTFE_CORE_TENSOR_MATRIXMARKET_H

#include "ASTFE/Core/Tensor/CooTensor.h"

namespace astfe::core {

struct ReadOptions {
  Duplicates duplicates = Duplicates::Error;
  /// Whether values may be complex numbers.
  bool complex = false;
  /// Where values become integers, the bits of these: what is none, or does not
  /// fit, is an error. Truth values have one bit, and any number is one.
  unsigned integerBits = 0;
};

Result<CooTensor> readMatrixMarket(const std::string &path,
                                   const ReadOptions &options = {});
/// The same from text in memory; `name` stands for the file in errors.
Result<CooTensor> parseMatrixMarket(std::string_view text,
                                    const std::string &name,
                                    const ReadOptions &options = {});

} // namespace astfe::core

#endif // ASTFE_CORE_TENSOR_MATRIXMARKET_H
