//===- AttentionProblem.h - operands and reference of sparse attention ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_ATTENTIONPROBLEM_H
#define ASTFE_TOOLS_RUN_ATTENTIONPROBLEM_H

#include "ASTFE/Product/Attention.h"
#include "Problem.h"

namespace astfe::run {

/// What attention computes; gradients where they are asked for.
struct AttentionResult {
  Dense o, lse, dq, dk, dv;
};

/// The mask, and operands of shape (row, head, dim): a row of a Dense has all
/// heads.
struct AttentionProblem {
  Problem mask;
  product::AttentionShape shape;
  Dense q, k, v;
  Dense go; ///< the gradient of O

  AttentionResult emptyResult() const;
};

/// Reads the mask and makes random operands.
core::Result<AttentionProblem> readAttention(const Settings &settings);

/// Against float64. Each element is bounded by what rounding does to its terms:
/// an exponential is as wrong as its score, a dot product of dim terms (Higham,
/// section 3.1), and sums add an error for each entry of the row or column.
Difference compareForward(const AttentionProblem &problem,
                          const AttentionResult &result);
/// Gradients, from the exact logarithms of sums.
Difference compareBackward(const AttentionProblem &problem,
                           const AttentionResult &result);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_ATTENTIONPROBLEM_H
