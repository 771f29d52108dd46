//===- HostTraits.h - what a CPU does fast ---------------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PIPELINES_HOSTTRAITS_H
#define ASTFE_PIPELINES_HOSTTRAITS_H

#include <string>

namespace llvm {
class MCSubtargetInfo;
} // namespace llvm

namespace astfe {

/// What kernels for a CPU are chosen by, beside the instructions that it has.
struct HostTraits {
  /// One instruction loads sixteen lanes from anywhere, under a mask, and is
  /// faster than a load for each: AVX-512 on a CPU that LLVM tunes for it.
  /// AMD's have the instruction, but as microcode.
  bool fastGathers = false;
  /// Half a row of a far operand costs half of what the row costs, so that
  /// walking strips of it keeps more in the caches. It holds where a processor
  /// completes pairs of lines only (Intel's); AMD's fetch more of the row,
  /// which is then read twice. LLVM's tables do not say this: the CPUs that it
  /// tunes for gathers, which older ones are not among, are Intel's.
  /// docs/Log.md has both measurements.
  bool farStrips = false;
  /// 32 vectors of 512 bits, with masks for lanes of 8 bits and more.
  bool wideMasks = false;

  /// ", gathers, far strips, wide masks": of those that hold.
  std::string text() const;
};

HostTraits hostTraits(const llvm::MCSubtargetInfo &cpu);

/// Those of the CPU that this process runs on.
const HostTraits &hostTraits();

} // namespace astfe

#endif // ASTFE_PIPELINES_HOSTTRAITS_H
