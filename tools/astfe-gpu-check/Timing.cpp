//===- Timing.cpp - how long work on a stream takes ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Timing.h"
#include "Recording.h"
#include <algorithm>

namespace astfe::gpucheck {

/// Five times the L2 of an H200.
static constexpr size_t kOtherBytes = size_t(256) << 20;

core::Result<std::unique_ptr<Timer>> Timer::make(rt::Device &device) {
  std::unique_ptr<Timer> timer(new Timer(device));
  for (auto [target, made] : {std::pair(&timer->stream, device.createStream()),
                              std::pair(&timer->begin, device.createEvent()),
                              std::pair(&timer->end, device.createEvent())}) {
    if (!made)
      return made.error();
    *target = *made;
  }
  auto memory = DeviceMemory::allocate(device, kOtherBytes);
  if (!memory)
    return memory.error();
  timer->other = std::move(*memory);
  return timer;
}

Timer::~Timer() {
  for (void *event : {begin, end})
    if (event)
      (void)bool(device.destroyEvent(event));
  if (stream)
    (void)bool(device.destroyStream(stream));
}

/// Seconds of all of them.
core::Result<double> Timer::batch(const std::function<core::Status()> &work,
                                  int64_t count) {
  auto status = device.recordEvent(begin, stream);
  for (int64_t i = 0; i < count && status; ++i)
    status = work();
  if (status)
    status = device.recordEvent(end, stream);
  if (status)
    status = device.synchronizeEvent(end);
  if (!status)
    return status.error();
  return device.secondsBetween(begin, end);
}

core::Result<Timer::Times>
Timer::time(const std::function<core::Status()> &work) {
  constexpr double kLeastBatch = 2e-3;
  constexpr int kRepeats = 9;
  // The first call brings tables and compiles.
  auto first = batch(work, 2), once = first ? batch(work, 4) : first;
  if (!once)
    return once.error();
  const auto count = std::clamp<int64_t>(
      int64_t(kLeastBatch / std::max(*once / 4, 1e-7)), 1, 1000);
  std::vector<double> hot, cold;
  for (int i = 0; i < kRepeats; ++i) {
    auto many = batch(work, count);
    if (!many)
      return many.error();
    hot.push_back(*many / double(count));
    if (auto status =
            device.fill32(other->data, uint32_t(i), kOtherBytes / 4, stream);
        !status)
      return status.error();
    auto one = batch(work, 1);
    if (!one)
      return one.error();
    cold.push_back(*one);
  }
  for (auto *times : {&hot, &cold})
    std::sort(times->begin(), times->end());
  Times times{hot[kRepeats / 2], cold[kRepeats / 2]};
  if (auto recording = Recording::make(stream, work, count)) {
    std::vector<double> replayed;
    for (int i = 0; i < kRepeats; ++i) {
      // While the device is at one, the host launches the next.
      if (auto status = (*recording)->replay(); !status)
        return status.error();
      auto many = batch([&] { return (*recording)->replay(); }, 2);
      if (!many)
        return many.error();
      replayed.push_back(*many / double(2 * count));
    }
    std::sort(replayed.begin(), replayed.end());
    times.replayed = replayed[kRepeats / 2];
  }
  return times;
}

} // namespace astfe::gpucheck
