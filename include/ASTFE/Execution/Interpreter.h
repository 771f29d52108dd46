//===- Interpreter.h - what a function means, in float64 ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle of every stage: evaluates a function over coordinates, all
// numbers in double, before and after it was raised to the astfe dialect. It
// knows nothing of storage, orders or kernels: a profile and a graph mean
// nothing here, and a pattern is the tensor's own list of nonzeros.
//
// Beside each number x it carries a magnitude, the sum of the |terms| that x
// was added up from: a float kernel is right when it differs from x by a small
// multiple of (unit roundoff) x (magnitude), however much cancels. Rules, with
// |x| the magnitude: |a+b| = |a-b| = |a|+|b|, |ab| = |a||b|, |a/b| =
// |a|/abs(b), of a choice (max, select) the larger, but of what is infinite, or
// far from the least or largest one, of any other function its result. Of a
// complex number it is a bound for both parts: |re| + |im| first.
//
// Worked example: y = A x with A = [[3, -3]], x = [1, 1] and y = [0] gives the
// value 0 with the magnitude 6; a float result of 1e-7 is right, of 1e-3 wrong.
//
// Time is (nonzeros) x (dense extents) for astfe.compute, and for linalg ops
// that combine what a sparse input contributes; else the whole space: meant for
// tests. Integers wrap and are exact in all their bits in bodies, in arrays
// that bodies write and in arguments that say all of their bits.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_EXECUTION_INTERPRETER_H
#define ASTFE_EXECUTION_INTERPRETER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cstdint>
#include <variant>
#include <vector>

namespace astfe {

/// A dense tensor or buffer, row-major; a scalar has the shape {}.
struct DenseArray {
  std::vector<int64_t> shape;
  std::vector<double> values;
  /// One per value. May be left empty in an argument: then |values|.
  std::vector<double> magnitudes;
  /// The values of integers of 64 bits, of which a double has 53; may be empty.
  std::vector<int64_t> integers = {};
  /// The imaginary parts, of which `values` are the real ones; empty if all are
  /// 0.
  std::vector<double> imaginaries = {};

  /// Value `i` of integers.
  int64_t integer(size_t i) const {
    return integers.empty() ? int64_t(values[i]) : integers[i];
  }
};

/// A sparse tensor: nonzero n is at (coordinates[0][n], coordinates[1][n],
/// ...). Duplicates and explicit zeros are kept.
struct SparseArray {
  std::vector<int64_t> shape;
  std::vector<std::vector<int64_t>> coordinates;
  std::vector<double> values;
  std::vector<double> magnitudes;
  std::vector<double> imaginaries = {};
  std::vector<int64_t> integers = {}; ///< as those of DenseArray
};

using InterpreterValue = std::variant<DenseArray, SparseArray>;

struct Interpretation {
  std::vector<InterpreterValue> results;
  /// The arguments afterwards: buffers may have been written to.
  std::vector<InterpreterValue> arguments;
};

/// Evaluates `function`. Emits an error at the op in question where an op is
/// not known, a value does not fit its type, or a coordinate is out of range.
mlir::FailureOr<Interpretation>
interpret(mlir::func::FuncOp function,
          mlir::ArrayRef<InterpreterValue> arguments);

} // namespace astfe

#endif // ASTFE_EXECUTION_INTERPRETER_H
