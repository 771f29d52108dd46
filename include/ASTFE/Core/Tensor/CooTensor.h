//===- CooTensor.h - an owned sparse tensor, as files hold it -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the readers return: coordinates per mode, values in double, in the
// file's order. sortedCsr() turns a matrix into CSR for the kernels.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_TENSOR_COOTENSOR_H
#define ASTFE_CORE_TENSOR_COOTENSOR_H

#include "ASTFE/Core/Tensor/SparseView.h"

namespace astfe::core {

struct CooTensor {
  std::vector<int64_t> shape;
  std::vector<std::vector<int64_t>> coordinates; ///< one array per mode
  std::vector<double> values;                    ///< 1 for pattern files
  /// Of complex numbers, whose real parts `values` are; else empty.
  std::vector<double> imaginaries = {};
  /// The values of integers of 64 bits, of which a double has 53; else empty.
  std::vector<int64_t> integers = {};

  int64_t nonzeros() const { return int64_t(values.size()); }
  SparseView view() const;
};

struct CsrMatrix {
  int64_t rows = 0, columns = 0;
  std::vector<int64_t> positions;
  std::vector<int64_t> coordinates; ///< ascending inside a row
  std::vector<double> values;
  std::vector<double> imaginaries = {}; ///< as those of CooTensor
  std::vector<int64_t> integers = {};   ///< as those of CooTensor
  SparseView view() const;
};

/// Stable by (row, column); duplicates stay. Two-dimensional tensors only.
Result<CsrMatrix> toCsr(const CooTensor &tensor);

/// What a reader does with coordinates that occur twice.
enum class Duplicates : uint8_t { Error, Sum };

} // namespace astfe::core

#endif // ASTFE_CORE_TENSOR_COOTENSOR_H
