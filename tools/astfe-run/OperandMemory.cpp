//===- OperandMemory.cpp - bytes of operands, before they are -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandMemory.h"
#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace astfe::run {

void OperandMemory::add(const std::string &what,
                        const std::vector<int64_t> &extents, double bytesEach) {
  double bytes = bytesEach;
  for (int64_t extent : extents)
    bytes *= double(extent);
  parts.push_back({what, bytes});
}

/// Beyond 2^53 the bytes are not known exactly.
static std::string text(double bytes) {
  if (bytes <= 0x1p53)
    return std::to_string(int64_t(bytes));
  char about[32];
  std::snprintf(about, sizeof(about), "about %.3g", bytes);
  return about;
}

core::Status OperandMemory::check() const {
  const double memory =
      double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  double sum = 0;
  for (const Part &part : parts)
    sum += part.bytes;
  if (sum <= memory)
    return core::Success();
  std::vector<Part> sorted = parts;
  std::sort(sorted.begin(), sorted.end(),
            [](const Part &a, const Part &b) { return a.bytes > b.bytes; });
  std::string list;
  for (const Part &part : sorted)
    list += (list.empty() ? "" : ", ") + text(part.bytes) + " of " + part.what;
  return core::Error{"expected operands that fit the memory of " +
                     text(memory) + " bytes but they take " + text(sum) +
                     " bytes: " + list};
}

} // namespace astfe::run
