//===- Transposes.h - dense dimensions last ---------------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_TRANSPOSES_H
#define ASTFE_LIB_TRANSFORMS_TRANSPOSES_H

#include "StandIn.h"

namespace astfe {

/// An op with dense operands whose dense dimensions come before the sparse
/// operand's modes, as one over their transposes: lanes of a GPU run over what
/// lies side by side in memory. Worked example:
///
///   C_rj += B_ri a_ij    becomes    D_ir = B_ri, E_jr += a_ij D_ir, C_rj =
///   E_jr
///
/// An output that is filled, or holds nothing before, is transposed once, else
/// twice.
class Transposes : public StandIn {
public:
  explicit Transposes(mlir::linalg::LinalgOp op);

  /// The op over transposes; null where nothing has to be transposed.
  mlir::linalg::LinalgOp inner() const { return transposed; }
  /// How many operands have become transposes.
  unsigned number() const { return changed; }

private:
  mlir::linalg::GenericOp transposed;
  unsigned changed = 0;
};

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_TRANSPOSES_H
