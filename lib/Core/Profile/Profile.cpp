//===- Profile.cpp - work along the order, as a histogram -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Profile/Profile.h"
#include <algorithm>
#include <numeric>

using namespace astfe::core;

int64_t Profile::totalNonzeros() const {
  return std::accumulate(nonzeros.begin(), nonzeros.end(), int64_t(0));
}

bool Profile::measured() const {
  return !cycles.empty() &&
         std::all_of(cycles.begin(), cycles.end(),
                     [](int64_t count) { return count >= 0; });
}

static Status checkLengths(const Profile &profile) {
  size_t bins = profile.size();
  auto check = [&](const char *what, size_t got) -> Status {
    if (got == bins)
      return Success{};
    return Error{"expected one entry per bin in " + std::string(what) +
                 ", which is " + std::to_string(bins) + ", but got " +
                 std::to_string(got)};
  };
  if (Status s = check("part", profile.part.size()); !s)
    return s;
  if (Status s = check("length", profile.length.size()); !s)
    return s;
  if (Status s = check("nonzeros", profile.nonzeros.size()); !s)
    return s;
  if (!profile.cycles.empty())
    if (Status s = check("cycles", profile.cycles.size()); !s)
      return s;
  if (!profile.bytes.empty())
    return check("bytes", profile.bytes.size());
  return Success{};
}

static Error wrongBin(size_t i, const std::string &expected,
                      const std::string &got) {
  return Error{"bin " + std::to_string(i) + ": expected " + expected +
               " but got " + got};
}

static Status checkCounts(const Profile &profile, size_t i) {
  if (profile.nonzeros[i] <= 0)
    return wrongBin(i, "a positive number of nonzeros",
                    std::to_string(profile.nonzeros[i]));
  for (const std::vector<int64_t> *counts : {&profile.cycles, &profile.bytes})
    if (!counts->empty() && (*counts)[i] < -1)
      return wrongBin(i, "a count, or -1 where unknown,",
                      std::to_string((*counts)[i]));
  return Success{};
}

/// Sums of counts are 64-bit numbers everywhere.
static Status checkTotals(const Profile &profile) {
  for (const std::vector<int64_t> *counts :
       {&profile.nonzeros, &profile.cycles, &profile.bytes}) {
    int64_t total = 0;
    for (size_t i = 0; i < counts->size(); ++i)
      if (__builtin_add_overflow(total, std::max<int64_t>((*counts)[i], 0),
                                 &total))
        return wrongBin(i, "totals below 2^63",
                        std::to_string((*counts)[i]) + " more");
  }
  return Success{};
}

Status Profile::check() const {
  if (Status s = space.check(); !s)
    return s;
  if (Status s = checkLengths(*this); !s)
    return s;
  std::vector<unsigned> depths;
  for (const Part &part : space.parts)
    depths.push_back(part.order().prefixBits());
  for (size_t i = 0; i < size(); ++i) {
    if (part[i] >= depths.size())
      return wrongBin(i, "a part below " + std::to_string(depths.size()),
                      std::to_string(part[i]));
    if (length[i] > depths[part[i]])
      return wrongBin(
          i, "a prefix of at most " + std::to_string(depths[part[i]]) + " bits",
          std::to_string(length[i]));
    if (length[i] < 64 && prefix[i] << length[i] != 0)
      return wrongBin(i, "zeros after the prefix", "other bits");
    if (i > 0 && (part[i] < part[i - 1] ||
                  (part[i] == part[i - 1] && prefix[i] <= bin(i - 1).last())))
      return wrongBin(i, "bins in ascending curve order and disjoint",
                      "'" + bin(i).str() + "' after '" + bin(i - 1).str() +
                          "'");
    if (Status s = checkCounts(*this, i); !s)
      return s;
  }
  return checkTotals(*this);
}
