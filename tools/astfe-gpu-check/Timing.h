//===- Timing.h - how long work on a stream takes ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By events around batches, so that what a launch costs the host is hidden
// where the device is busy. Hot: the same product again and again, its operands
// in L2 where they fit. Cold: other memory is written before each product.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_GPUCHECK_TIMING_H
#define ASTFE_TOOLS_GPUCHECK_TIMING_H

#include "Product.h"
#include <functional>

namespace astfe::gpucheck {

/// A stream, two events, and memory larger than any cache.
class Timer {
public:
  static core::Result<std::unique_ptr<Timer>> make(rt::Device &device);
  ~Timer();

  struct Times {
    double hot = 0, cold = 0; ///< seconds of one call, medians
  };
  /// `work` puts its work on `stream` and does not wait.
  core::Result<Times> time(const std::function<core::Status()> &work);

  void *stream = nullptr;

private:
  explicit Timer(rt::Device &device) : device(device) {}
  core::Result<double> batch(const std::function<core::Status()> &work,
                             int64_t count);

  rt::Device &device;
  void *begin = nullptr, *end = nullptr;
  std::unique_ptr<DeviceMemory> other;
};

/// cuSPARSE's and cuBLAS's products of the same operands, where the libraries
/// are found: the fastest of all algorithms. Names of algorithms that failed
/// are left out; an empty name: none ran.
struct PeerTime {
  std::string name;
  Timer::Times times;
};
PeerTime timeCuSparse(rt::Device &device, Timer &timer, const Sample &sample,
                      const Operands &operands);
/// With A as a dense matrix.
PeerTime timeCuBlas(rt::Device &device, Timer &timer, const Sample &sample,
                    const Operands &operands);

} // namespace astfe::gpucheck

#endif // ASTFE_TOOLS_GPUCHECK_TIMING_H
