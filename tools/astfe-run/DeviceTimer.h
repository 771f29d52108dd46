//===- DeviceTimer.h - times of runs by a device's events -------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of what runs on operands that are on the device. A run that copies some has
// the copies in its time, and the host's clock is as good.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_DEVICETIMER_H
#define ASTFE_TOOLS_RUN_DEVICETIMER_H

#include "ASTFE/Runtime/Device.h"
#include "InTurn.h"

namespace astfe::run {

class DeviceTimer {
public:
  /// A null device is the host.
  explicit DeviceTimer(rt::Device *device) : device(device) {}
  ~DeviceTimer();
  DeviceTimer(const DeviceTimer &) = delete;
  DeviceTimer &operator=(const DeviceTimer &) = delete;

  /// The seconds of a run, between two events on one stream, so that nothing
  /// is made or waited for in between; of the host, by its clock.
  core::Result<double> time(const Runner &run);

private:
  core::Status makeEvents();

  rt::Device *device;
  /// From the first run on.
  void *stream = nullptr, *begin = nullptr, *end = nullptr;
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_DEVICETIMER_H
