//===- HostTarget.h - the CPU that host code is compiled for --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are compiled where they run, for this very CPU, unless somebody asks
// for less: another machine's code, or a test of what older CPUs get. The width
// of its vectors decides how many lanes the lowering gives a vector.
//
//   hostTarget()              znver4, 64 bytes (AVX-512)
//   hostTarget("x86-64-v3")   x86-64-v3, 32 bytes (AVX2)
//   hostTarget("x86-64")      x86-64, 16 bytes (SSE2)
//   hostTarget("native", "-avx512f")  znver4, 32 bytes
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_EXECUTION_HOSTTARGET_H
#define ASTFE_EXECUTION_HOSTTARGET_H

#include "ASTFE/Core/Support/Status.h"
#include "ASTFE/Pipelines/HostTraits.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace astfe {

struct HostTarget {
  std::string cpu;      ///< as LLVM names it
  std::string features; ///< "+avx2,-fma,...": beside those of the name
  int64_t vectorBytes = 16;
  HostTraits traits;
};

/// `cpu` is a name of LLVM's or "native"; `features` are added to it. An error
/// where LLVM does not know one, or where this machine has not what it takes.
core::Result<HostTarget> hostTarget(llvm::StringRef cpu = "native",
                                    llvm::StringRef features = "");

/// `contract` fuses multiply and add wherever it can.
core::Result<std::unique_ptr<llvm::TargetMachine>>
createMachine(const HostTarget &target, unsigned optLevel, bool contract);

} // namespace astfe

#endif // ASTFE_EXECUTION_HOSTTARGET_H
