//===- DropBarriers.cpp - one barrier for a parallel loop -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Transforms/Passes.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_DROPBARRIERSPASS
#include "ASTFE/Transforms/Passes.h.inc"

/// Threads that leave the loop meet at the end of the region, with nothing but
/// its end in between.
static bool endsRegion(omp::WsloopOp loop) {
  return isa<omp::ParallelOp>(loop->getParentOp()) &&
         isa<omp::TerminatorOp>(loop->getNextNode());
}

namespace {
struct DropBarriersPass : impl::DropBarriersPassBase<DropBarriersPass> {
  void runOnOperation() override {
    getOperation().walk([&](omp::WsloopOp loop) {
      if (!endsRegion(loop))
        return;
      loop.setNowait(true);
      ++numDropped;
    });
  }
};
} // namespace
} // namespace astfe
