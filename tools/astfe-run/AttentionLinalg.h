//===- AttentionLinalg.h - sparse attention as linalg, for upstream -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One head, with a sparse tensor for each step, by upstream's sparsifier. Its
// operands are copies of each head in contiguous rows, made once, which is the
// best for it; heads run one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_ATTENTIONLINALG_H
#define ASTFE_TOOLS_RUN_ATTENTIONLINALG_H

#include "ASTFE/Execution/Jit.h"
#include "AttentionProblem.h"
#include "Pipelines.h"

namespace astfe::run {

/// `func.func @head(%A, %Q, %K, %V, %O)`, with the extents of the problem.
std::string attentionLinalg(const AttentionProblem &problem);

class UpstreamAttention {
public:
  /// With vectors of so many elements, or none.
  static core::Result<std::unique_ptr<UpstreamAttention>>
  compile(Lowering &lowering, const Settings &settings,
          AttentionProblem &problem, int64_t vectorLength);

  /// All heads, into copies of their own.
  core::Status run();
  /// These copies, as one result.
  void fetch(AttentionResult &result) const;
  double seconds = 0; ///< to compile

private:
  explicit UpstreamAttention(AttentionProblem &problem) : problem(problem) {}

  struct OneHead {
    Dense q, k, v, o;
  };
  AttentionProblem &problem;
  Dense values; ///< ones, where the mask is the pattern
  std::vector<OneHead> heads;
  std::shared_ptr<Jit> jit;
  void (*entry)(void **) = nullptr;
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_ATTENTIONLINALG_H
