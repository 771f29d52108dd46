//===- DeviceTimer.cpp - times of runs by a device's events ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTimer.h"
#include "ASTFE/Runtime/Mgpu.h"

namespace astfe::run {

DeviceTimer::~DeviceTimer() {
  for (void *event : {begin, end})
    if (event)
      (void)bool(device->destroyEvent(event));
  if (stream)
    (void)bool(device->destroyStream(stream));
}

core::Status DeviceTimer::makeEvents() {
  for (auto [target, make] : {std::pair(&stream, &rt::Device::createStream),
                              std::pair(&begin, &rt::Device::createEvent),
                              std::pair(&end, &rt::Device::createEvent)}) {
    if (*target)
      continue;
    auto made = (device->*make)();
    if (!made)
      return made.error();
    *target = *made;
  }
  return core::Success();
}

core::Result<double> DeviceTimer::time(const Runner &run) {
  if (!device)
    return timeOf(run);
  auto status = makeEvents();
  if (status)
    status = device->recordEvent(begin, stream);
  if (status) {
    rt::StreamScope scope(stream);
    status = run();
  }
  if (status)
    status = device->recordEvent(end, stream);
  if (status)
    status = device->synchronizeEvent(end);
  if (!status)
    return status.error();
  return device->secondsBetween(begin, end);
}

} // namespace astfe::run
