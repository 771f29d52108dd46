//===- HostGathers.h - whether a CPU gathers fast --------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PIPELINES_HOSTGATHERS_H
#define ASTFE_PIPELINES_HOSTGATHERS_H

namespace llvm {
class MCSubtargetInfo;
} // namespace llvm

namespace astfe {

/// Whether one instruction loads sixteen lanes from anywhere, under a mask, and
/// is faster than a load for each: AVX-512 on a CPU that LLVM tunes for it.
/// AMD's have the instruction, but as microcode.
bool hasFastGathers(const llvm::MCSubtargetInfo &cpu);

/// The same of the CPU that this process runs on.
bool hostHasFastGathers();

} // namespace astfe

#endif // ASTFE_PIPELINES_HOSTGATHERS_H
