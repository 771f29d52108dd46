//===- Arrays.h - what the interpreter computes on ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EXECUTION_ARRAYS_H
#define ASTFE_LIB_EXECUTION_ARRAYS_H

#include "ASTFE/Execution/Interpreter.h"
#include "ScalarProgram.h"
#include <memory>

namespace astfe {

int64_t volume(mlir::ArrayRef<int64_t> shape);
std::vector<double> absolute(mlir::ArrayRef<double> values,
                             mlir::ArrayRef<double> imaginaries = {});

std::shared_ptr<DenseArray> zeros(mlir::ArrayRef<int64_t> shape);
/// Element `i`, and the inverse.
Number element(const DenseArray &array, size_t i);
void setElement(DenseArray &array, size_t i, Number number);

std::shared_ptr<DenseArray> scalarArray(Number number);

/// Lets an array of integers of 64 bits hold all of them.
void makeExact(DenseArray &array, mlir::Type element);

/// Duplicates add up.
std::shared_ptr<DenseArray> densify(const SparseArray &from);
/// The elements that are not 0, or are 0 by cancellation.
std::shared_ptr<SparseArray> sparsify(const DenseArray &from);

} // namespace astfe

#endif // ASTFE_LIB_EXECUTION_ARRAYS_H
