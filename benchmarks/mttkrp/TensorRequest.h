//===- TensorRequest.h - which tensors a benchmark takes --------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A benchmark of tensors of three modes takes a file, or generated cubes of
// which one may be named:
//
//   bench-ttm --tensor=T.tns     bench-ttm --only=clusters --nonzeros=1000000
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_MTTKRP_TENSORREQUEST_H
#define ASTFE_BENCHMARKS_MTTKRP_TENSORREQUEST_H

#include "Generate.h"
#include "Options.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace astfe::bench {

/// A generated tensor: its extents, and what its nonzeros are like.
struct Cube {
  const char *name;
  TensorClass kind;
  int64_t extent;
};

struct TensorRequest {
  std::string file, only;
  int64_t nonzeros, threads = 1; ///< nonzeros: of a generated tensor

  /// Adds --tensor, --only, --nonzeros and --threads.
  void declare(tools::Options &options);
  /// Calls `measure` with the name and the tensor of the file, or of each cube
  /// that is asked for; fails at the first that fails, for what is no file of
  /// three modes, and for a name that no cube has.
  core::Status
  forEach(core::ArrayRef<Cube> cubes,
          llvm::function_ref<core::Status(const std::string &, core::CooTensor)>
              measure) const;
};

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_MTTKRP_TENSORREQUEST_H
