//===- ComplexBody.h - bodies that compute with parts -----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors, atomics and warps' shuffles know no complex numbers. A body on such
// becomes one on floats: each complex value of it is two, its parts.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_COMPLEXBODY_H
#define ASTFE_CONVERSION_COMPLEXBODY_H

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace astfe {

/// The parts of a complex number.
struct Parts {
  mlir::Value real, imaginary;
};

/// Whether the value is a complex number, or holds such.
bool isComplex(mlir::Value value);

/// A copy of a body that computes with the parts of complex numbers.
class PartsBody {
public:
  /// `outside` is before the computation, and `inside` in its new body.
  PartsBody(mlir::ImplicitLocOpBuilder &outside,
            mlir::ImplicitLocOpBuilder &inside)
      : outside(outside), inside(inside) {}

  /// What stands for a value of the body: its parts, or itself.
  void set(mlir::Value value, Parts number) { parts[value] = number; }
  void set(mlir::Value value, mlir::Value real) { mapping.map(value, real); }
  void copy(mlir::Operation &op);
  Parts get(mlir::Value value);
  mlir::Value getReal(mlir::Value value) {
    return mapping.lookupOrDefault(value);
  }

private:
  Parts partsOf(mlir::Operation &op);
  Parts constant(mlir::complex::ConstantOp op);
  Parts product(mlir::complex::MulOp op);
  template <typename RealOp, typename Op>
  Parts elementwise(Op op);

  mlir::ImplicitLocOpBuilder &outside, &inside;
  llvm::DenseMap<mlir::Value, Parts> parts;
  mlir::IRMapping mapping;
};

} // namespace astfe

#endif // ASTFE_CONVERSION_COMPLEXBODY_H
