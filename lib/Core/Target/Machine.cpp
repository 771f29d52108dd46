//===- Machine.cpp - the numbers of a target ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Machine.h"
#include "ASTFE/Core/Support/Shape.h"
#include "ASTFE/Core/Target/GPUConstants.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace astfe::core {

/// Enough digits to tell a time of a nanosecond from none.
static std::string textOf(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

Status Machine::check() const {
  auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (threads < 1)
    return Error{"expected at least 1 thread but got " +
                 std::to_string(threads)};
  if (cacheBytes[0] < 1 ||
      !std::is_sorted(cacheBytes.begin(), cacheBytes.end()))
    return Error{"expected caches of ascending sizes from 1 but got " +
                 shapeText(cacheBytes, ", ")};
  for (unsigned level = 0; level < Levels; ++level) {
    for (double seconds : accessSeconds[level])
      if (!positive(seconds))
        return Error{"expected a positive time for each access but got " +
                     textOf(seconds)};
    if (!positive(streamBytesPerSecond[level]))
      return Error{"expected a positive stream bandwidth but got " +
                   textOf(streamBytesPerSecond[level])};
  }
  for (double seconds : {rowSeconds[0], rowSeconds[1], surpriseSeconds[0],
                         surpriseSeconds[1], startSeconds, packSeconds})
    if (!positive(seconds))
      return Error{"expected positive times but got " + textOf(seconds)};
  if (!std::isfinite(paceSeconds) || paceSeconds < 0)
    return Error{"expected a pace from 0 but got " + textOf(paceSeconds)};
  return Success();
}

bool Machine::operator==(const Machine &other) const {
  return threads == other.threads && cacheBytes == other.cacheBytes &&
         accessSeconds == other.accessSeconds &&
         streamBytesPerSecond == other.streamBytesPerSecond &&
         rowSeconds == other.rowSeconds &&
         surpriseSeconds == other.surpriseSeconds &&
         startSeconds == other.startSeconds &&
         packSeconds == other.packSeconds && paceSeconds == other.paceSeconds;
}

Machine gpuMachine() {
  Machine gpu;
  gpu.threads = rules::kGPUThreads;
  gpu.cacheBytes = rules::kGPUCacheBytes;
  gpu.accessSeconds = {rules::kGPUAccessL1, rules::kGPUAccessL2,
                       rules::kGPUAccessL2, rules::kGPUAccessL2,
                       rules::kGPUAccessMemory};
  gpu.streamBytesPerSecond = rules::kGPUStreamRates;
  gpu.rowSeconds.fill(rules::kGPURowSeconds);
  // Nothing predicts branches.
  gpu.surpriseSeconds.fill(std::numeric_limits<double>::min());
  return gpu;
}

double Machine::access(unsigned level, int64_t bytes) const {
  const auto &seconds = accessSeconds[level];
  const unsigned i = bytes <= Widths[1] ? 0 : 1;
  const double slope =
      (seconds[i + 1] - seconds[i]) / double(Widths[i + 1] - Widths[i]);
  return std::max(seconds[i] + slope * double(bytes - Widths[i]), 0.0);
}

} // namespace astfe::core
