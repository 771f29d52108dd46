//===- BodyText.h - the ops of an arithmetic, as MLIR ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_COMPILER_BODYTEXT_H
#define ASTFE_COMPILER_BODYTEXT_H

#include "ASTFE/Core/Kernel/Arithmetic.h"
#include <vector>

namespace astfe::compiler {

/// An element as MLIR writes it: "f32", "complex<f32>".
std::string typeText(core::Element element);

/// The ops of results' type that a semiring multiplies and adds with, the
/// latter's name as a combiner, and its identity as an op without its type:
/// "arith.constant 0.0".
struct SemiringOps {
  std::string times, plus, combiner, identity;
};
SemiringOps opsOf(const core::Arithmetic &arithmetic);

/// Lines of ops, and the name of what they compute.
struct ProductText {
  std::string lines, result;
};
/// The product of `factors`, names of values of the operands' type, from the
/// left. Each line begins with `indent`.
ProductText productText(const core::Arithmetic &arithmetic,
                        const std::vector<std::string> &factors,
                        const std::string &indent);

} // namespace astfe::compiler

#endif // ASTFE_COMPILER_BODYTEXT_H
