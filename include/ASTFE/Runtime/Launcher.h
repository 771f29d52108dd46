//===- Launcher.h - a saved kernel on a saved tensor ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs C = A B with what the compiler left on disk: a kernel file (Core's
// KernelFile.h: JSON and PTX) and a packed tensor. No compiler is needed. Which
// kernels run, on how many blocks and with what, says Core's LaunchPlan.h; the
// launcher copies what the roles stand for to the device.
//
// Kernels that add to C get zeros first; those that write it find NaN there,
// which the check would see.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_LAUNCHER_H
#define ASTFE_RUNTIME_LAUNCHER_H

#include "ASTFE/Core/Kernel/KernelFile.h"
#include "ASTFE/Core/Pack/PackedFile.h"
#include "ASTFE/Core/Tensor/CooTensor.h"
#include "ASTFE/Runtime/Device.h"

namespace astfe::rt {

struct LaunchRequest {
  int64_t columns = 1; ///< of B and C
  int64_t repeat = 10; ///< timed batches, after runs that are not
  uint64_t seed = 1;   ///< of B's elements, in [-1, 1)
  bool check = false;  ///< against a loop in float64
  /// The A that the check multiplies by, before packing; null: the packed one.
  const core::CsrMatrix *matrix = nullptr;
};

struct LaunchOutcome {
  std::string device;
  /// Of one run of all kernels, by the device's events around some runs; 0 if
  /// repeat is. Kernels that add go on adding.
  double secondsMedian = 0, secondsMin = 0;
  /// The median of setting C to zero, likewise: what C = A B takes beside where
  /// kernels add; 0 where they write.
  double secondsClear = 0;
  int64_t batch = 0; ///< runs between two events
  /// Largest |C - float64| over the sum of |terms| of that element; only after
  /// a check; infinite where exactly one of the
  /// two is NaN or infinite.
  double maxRelativeError = 0;
};

/// Refuses kernels and tensors that do not fit each other, and roles that it
/// does not know.
core::Result<LaunchOutcome> launchPacked(Device &device,
                                         const core::KernelFile &kernel,
                                         const std::string &image,
                                         const core::PackedTensor &tensor,
                                         const LaunchRequest &request);

/// The relative error up to which a check passes.
double errorBound(const core::KernelFile &kernel);

} // namespace astfe::rt

#endif // ASTFE_RUNTIME_LAUNCHER_H
