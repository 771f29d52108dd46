//===- LaunchPlan.h - a saved kernel's launches on a packed matrix --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel file names the role of each argument. A launch plan says, for one
// packed pattern and a number of columns, which kernels run in which order, on
// how many blocks, and what each argument is: docs/Runtime.md as code. A
// launcher (astfe-launch, the C API) only has to bring arrays to the device.
//
//   start     clears what no segment stores, where C is overwritten
//   fill      the combiner's identity into partial rows, where C is added to
//   the kernel itself
//   combine   partial rows into C, in deterministic layouts
//
// Worked example: 10 workers, 100 columns, tile64 -> one launch of ceil(10 / 4)
// x ceil(100 / 64) = 3 x 2 blocks of 128 threads.
//
// O(arguments).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PACK_LAUNCHPLAN_H
#define ASTFE_CORE_PACK_LAUNCHPLAN_H

#include "ASTFE/Core/Kernel/KernelFile.h"
#include "ASTFE/Core/Pack/Packed.h"

namespace astfe::core {

enum class ArgumentKind : uint8_t {
  Table,    ///< `data` of the pattern, `bytes` long
  Values,   ///< of A, in the order of slots
  Dense,    ///< input `number`, row-major, which the caller knows
  Output,   ///< C, row-major
  Partials, ///< scratch memory of `bytes`, the same in all launches
  Scalar,   ///< `number`, an integer of `bits`
  Given     ///< scalar `number` of the body, of the element type
};

struct LaunchArgument {
  std::string role;
  ArgumentKind kind = ArgumentKind::Table;
  const void *data = nullptr;
  int64_t bytes = 0, number = 0;
  unsigned bits = 0; ///< of an element, or of the scalar
};

struct KernelLaunch {
  std::string entry;
  int64_t gridX = 1, gridY = 1, gridZ = 1, blockThreads = 128;
  std::vector<LaunchArgument> arguments;
};

/// The launches of C = A B or C += A B, as the kernel was compiled, on
/// `columns` columns. Those that have nothing to do are left out, the kernel's
/// own too where there are no workers. An error where kernel and pattern do not
/// fit each other, or a role is not known. The tables are the pattern's.
/// `multiprocessors` are the GPU's (GPUGrid.h).
Result<std::vector<KernelLaunch>> planLaunches(const KernelFile &kernel,
                                               const Packed &pattern,
                                               int64_t columns,
                                               int64_t multiprocessors);

} // namespace astfe::core

#endif // ASTFE_CORE_PACK_LAUNCHPLAN_H
