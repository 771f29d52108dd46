//===- ExpertIsa.h - the expert's loops, by instruction set ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_KERNELS_EXPERTISA_H
#define ASTFE_BENCHMARKS_KERNELS_EXPERTISA_H

#include "Expert.h"

namespace astfe::bench {

struct ExpertLoops {
  ExpertRows<float> f32;
  ExpertRows<double> f64;
  ExpertRows<float> minPlusF32;
  ExpertRows<double> minPlusF64;
};

/// One file each, compiled with the flags that the name says. The first two are
/// there on x86-64 only.
extern const ExpertLoops expertAVX512, expertAVX2, expertPlain;

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_KERNELS_EXPERTISA_H
