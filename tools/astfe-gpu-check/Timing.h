//===- Timing.h - how long work on a stream takes ---------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By events around batches, so that what a launch costs the host is hidden
// where the device is busy. Hot: the same work again and again, its operands
// in L2 where they fit. Replayed: the same, recorded once as a graph, whose
// launches cost the host nothing. Cold: other memory is written before each.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_GPUCHECK_TIMING_H
#define ASTFE_TOOLS_GPUCHECK_TIMING_H

#include "DeviceMemory.h"
#include <functional>

namespace astfe::gpucheck {

/// A stream, two events, and memory larger than any cache.
class Timer {
public:
  static core::Result<std::unique_ptr<Timer>> make(rt::Device &device);
  ~Timer();

  struct Times {
    /// Seconds of one call, medians; `replayed` is 0 where work cannot be
    /// recorded, as with the driver's stand-in.
    double hot = 0, cold = 0, replayed = 0;
    /// The least of hot and replayed: what the device needs.
    double device() const {
      return replayed > 0 && replayed < hot ? replayed : hot;
    }
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

} // namespace astfe::gpucheck

#endif // ASTFE_TOOLS_GPUCHECK_TIMING_H
