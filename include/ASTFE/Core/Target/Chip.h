//===- Chip.h - the GPUs that kernels can be compiled for -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chip is what PTX calls a target: sm_<number>, with `a` for instructions
// that no later chip has and `f` for those that its family shares. Each needs a
// version of the PTX language that knows it; LLVM ends the process when it is
// asked for a chip in an older version, so both are compared here first.
//
// Example: sm_90 is in PTX since 7.8. A driver refuses versions that are newer
// than itself, so the oldest is the default; `+ptx80` asks for another one.
//
// The table is LLVM 22's (llc -march=nvptx64 -mcpu=help), from sm_70 on, the
// first chip whose threads of a warp run independently. O(chips).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_TARGET_CHIP_H
#define ASTFE_CORE_TARGET_CHIP_H

#include "ASTFE/Core/Support/Status.h"
#include <string>
#include <string_view>

namespace astfe::core {

struct Chip {
  std::string_view name; ///< sm_90a
  unsigned ptx;          ///< The oldest PTX version that has it: 80 is 8.0.
};

/// Null for a name that is none of chipNames().
const Chip *findChip(std::string_view name);

/// "sm_70, sm_72, ... or sm_121f", for messages.
std::string chipNames();

/// What LLVM is told beside the chip: `features` itself, or "+ptx<oldest>"
/// where it is empty. An error unless it is one PTX version that LLVM knows and
/// that has the chip.
Result<std::string> ptxFeatures(const Chip &chip, std::string_view features);

} // namespace astfe::core

#endif // ASTFE_CORE_TARGET_CHIP_H
