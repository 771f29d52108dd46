//===- IntrinsicsWarp.cpp - shuffles, votes, reductions of a warp ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As the PTX manual defines shfl.sync, vote.sync, redux.sync and match.sync.
//
//===----------------------------------------------------------------------===//

#include "Intrinsics.h"

using namespace astfe::emu;

//===----------------------------------------------------------------------===//
// Shuffles: arguments mask, value, b, c; result value (and a predicate byte)
//===----------------------------------------------------------------------===//

/// `source(lane, b, limit, segment, inRange)` gives the lane to read. A source
/// out of range means the lane's own value and a false predicate.
template <typename Source>
static std::string shuffle(Lanes lanes, Source source) {
  std::string problem;
  lanes.forEach([&](unsigned lane) {
    auto b = lanes.argument<uint32_t>(lane, 2) & 31;
    auto c = lanes.argument<uint32_t>(lane, 3);
    unsigned clamp = c & 31, segment = c >> 8 & 31;
    unsigned limit = (lane & segment) | (clamp & ~segment);
    bool inRange = true;
    unsigned from = source(lane, b, limit, segment, inRange);
    if (!inRange)
      from = lane;
    if (!lanes.has(from)) {
      problem = "expected to read a lane that takes part but lane " +
                std::to_string(lane) + " got lane " + std::to_string(from);
      return;
    }
    lanes.result(lane, lanes.argument<uint32_t>(from, 1));
    lanes.result(lane, uint8_t(inRange), 4);
  });
  return problem;
}

std::string astfe::emu::shuffleDown(Lanes lanes) {
  return shuffle(lanes, [](unsigned lane, unsigned b, unsigned limit, unsigned,
                           bool &inRange) {
    inRange = lane + b <= limit;
    return lane + b;
  });
}

std::string astfe::emu::shuffleUp(Lanes lanes) {
  return shuffle(lanes, [](unsigned lane, unsigned b, unsigned limit, unsigned,
                           bool &inRange) {
    inRange = int(lane) - int(b) >= int(limit);
    return lane - b;
  });
}

std::string astfe::emu::shuffleXor(Lanes lanes) {
  return shuffle(lanes, [](unsigned lane, unsigned b, unsigned limit, unsigned,
                           bool &inRange) {
    inRange = (lane ^ b) <= limit;
    return lane ^ b;
  });
}

std::string astfe::emu::shuffleIndex(Lanes lanes) {
  return shuffle(lanes, [](unsigned lane, unsigned b, unsigned limit,
                           unsigned segment, bool &inRange) {
    unsigned from = (lane & segment) | (b & ~segment);
    inRange = from <= limit;
    return from;
  });
}

//===----------------------------------------------------------------------===//
// Votes: arguments mask, predicate
//===----------------------------------------------------------------------===//

/// The lanes whose predicate holds, and those that take part.
static std::pair<uint32_t, uint32_t> votes(Lanes lanes) {
  uint32_t yes = 0, all = 0;
  lanes.forEach([&](unsigned lane) {
    all |= 1u << lane;
    yes |= uint32_t(lanes.argument<uint8_t>(lane, 1) & 1) << lane;
  });
  return {yes, all};
}

template <typename T>
static std::string giveAll(Lanes lanes, T value) {
  lanes.forEach([&](unsigned lane) { lanes.result(lane, value); });
  return "";
}

std::string astfe::emu::voteAll(Lanes lanes) {
  auto [yes, all] = votes(lanes);
  return giveAll(lanes, uint8_t(yes == all));
}

std::string astfe::emu::voteAny(Lanes lanes) {
  return giveAll(lanes, uint8_t(votes(lanes).first != 0));
}

std::string astfe::emu::voteUniform(Lanes lanes) {
  auto [yes, all] = votes(lanes);
  return giveAll(lanes, uint8_t(yes == all || yes == 0));
}

std::string astfe::emu::voteBallot(Lanes lanes) {
  return giveAll(lanes, votes(lanes).first);
}

//===----------------------------------------------------------------------===//
// Reductions: arguments value, mask
//===----------------------------------------------------------------------===//

template <typename T, typename Combine>
static std::string reduce(Lanes lanes, Combine combine) {
  bool first = true;
  T total = 0;
  lanes.forEach([&](unsigned lane) {
    T value = lanes.argument<T>(lane, 0);
    total = first ? value : combine(total, value);
    first = false;
  });
  return giveAll(lanes, total);
}

std::string astfe::emu::reduceAdd(Lanes lanes) {
  return reduce<uint32_t>(lanes, [](auto a, auto b) { return a + b; });
}
std::string astfe::emu::reduceMin(Lanes lanes) {
  return reduce<int32_t>(lanes, [](auto a, auto b) { return a < b ? a : b; });
}
std::string astfe::emu::reduceMax(Lanes lanes) {
  return reduce<int32_t>(lanes, [](auto a, auto b) { return a < b ? b : a; });
}
std::string astfe::emu::reduceUnsignedMin(Lanes lanes) {
  return reduce<uint32_t>(lanes, [](auto a, auto b) { return a < b ? a : b; });
}
std::string astfe::emu::reduceUnsignedMax(Lanes lanes) {
  return reduce<uint32_t>(lanes, [](auto a, auto b) { return a < b ? b : a; });
}
std::string astfe::emu::reduceAnd(Lanes lanes) {
  return reduce<uint32_t>(lanes, [](auto a, auto b) { return a & b; });
}
std::string astfe::emu::reduceOr(Lanes lanes) {
  return reduce<uint32_t>(lanes, [](auto a, auto b) { return a | b; });
}
std::string astfe::emu::reduceXor(Lanes lanes) {
  return reduce<uint32_t>(lanes, [](auto a, auto b) { return a ^ b; });
}

//===----------------------------------------------------------------------===//
// Matches: arguments mask, value; result the lanes with the same value
//===----------------------------------------------------------------------===//

template <typename T>
static std::string matchAny(Lanes lanes) {
  lanes.forEach([&](unsigned lane) {
    uint32_t same = 0;
    lanes.forEach([&](unsigned other) {
      if (lanes.argument<T>(other, 1) == lanes.argument<T>(lane, 1))
        same |= 1u << other;
    });
    lanes.result(lane, same);
  });
  return "";
}

std::string astfe::emu::matchAny32(Lanes lanes) {
  return matchAny<uint32_t>(lanes);
}
std::string astfe::emu::matchAny64(Lanes lanes) {
  return matchAny<uint64_t>(lanes);
}
