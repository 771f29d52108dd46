//===- StoredValues.h - buffers of tensors' values, interpreted -*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of sparse_tensor.values is the memory that holds a tensor's
// values, in the order in which they are stored: what is written there the
// tensor holds from then on, under whatever name. A buffer is an array beside
// the tensor's list of nonzeros, which is brought up to date when somebody
// reads the tensor:
//
//   %v = sparse_tensor.values %A        // bufferOf(A)
//   memref.store %h, %v[%i]             // the buffer alone
//   %y = linalg.matvec ins(%A, %x) ...  // update(A), then A
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EXECUTION_STOREDVALUES_H
#define ASTFE_LIB_EXECUTION_STOREDVALUES_H

#include "ASTFE/Execution/Interpreter.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include <memory>
#include <string>

namespace astfe {

class StoredValues {
public:
  /// The buffer of a tensor that `type` stores; null, and why in `whyNot`,
  /// where more is stored than the nonzeros that are known.
  std::shared_ptr<DenseArray>
  bufferOf(const std::shared_ptr<SparseArray> &tensor,
           mlir::sparse_tensor::SparseTensorType type, std::string &whyNot);
  /// Lets a tensor hold what its buffer, if it has one, holds.
  void update(const SparseArray *tensor);
  void updateAll();

private:
  struct Buffer {
    std::shared_ptr<SparseArray> tensor;
    std::vector<size_t> order; ///< the number of the nonzero at each place
    std::shared_ptr<DenseArray> values;
  };
  static void update(const Buffer &buffer);

  llvm::DenseMap<const SparseArray *, Buffer> buffers;
};

} // namespace astfe

#endif // ASTFE_LIB_EXECUTION_STOREDVALUES_H
