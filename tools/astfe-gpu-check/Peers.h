//===- Peers.h - products by CUDA's libraries -------------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSPARSE and cuBLAS, where they are found.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_GPUCHECK_PEERS_H
#define ASTFE_TOOLS_GPUCHECK_PEERS_H

#include "Samples.h"
#include "Timing.h"

namespace astfe::gpucheck {

/// C = A B, row-major, with B and C on the device.
struct PeerProduct {
  const Sample &a;
  int64_t columns; ///< of B and C; 1: vectors
  void *b, *c;
  bool isDouble = false;
};

/// The fastest of all algorithms. Those that failed are left out; an empty
/// name: none ran.
struct PeerTime {
  std::string name;
  Timer::Times times;
};
PeerTime timeCuSparse(rt::Device &device, Timer &timer,
                      const PeerProduct &product);
/// With A as a dense matrix, of f32 and some 250 million elements at most.
PeerTime timeCuBlas(rt::Device &device, Timer &timer,
                    const PeerProduct &product);

} // namespace astfe::gpucheck

#endif // ASTFE_TOOLS_GPUCHECK_PEERS_H
