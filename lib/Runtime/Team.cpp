//===- Team.cpp - the threads of a region of OpenMP -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Team.h"
#include "ASTFE/Runtime/Parallel.h"
#include <algorithm>
#include <exception>
#include <future>
#include <thread>
#include <vector>

using namespace astfe;
using namespace astfe::rt;

void Barrier::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  const uint64_t now = round;
  if (++arrived == size) {
    arrived = 0;
    ++round;
    changed.notify_all();
    return;
  }
  changed.wait(lock, [&] { return round != now; });
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

static thread_local const Member *current = nullptr;

const Member *rt::currentMember() { return current; }

namespace {
/// A region that is being run.
struct Region {
  int32_t size;
  MemberBody body;
  void *context;
  Barrier *barrier = nullptr;

  void run(int32_t number) const {
    const Member member{number, size, barrier};
    const Member *outer = current;
    current = &member;
    body(context, number);
    current = outer;
  }
};
} // namespace

void rt::runApart(int64_t size, MemberBody body, void *context) {
  Region region{int32_t(size), body, context};
  rt::parallel(
      [](void *region, int64_t share) {
        static_cast<Region *>(region)->run(int32_t(share));
      },
      &region, size);
}

void rt::runTogether(int64_t size, MemberBody body, void *context) {
  size = std::min<int64_t>(size, core::kMostThreads);
  Barrier barrier;
  Region region{1, body, context, &barrier};
  std::promise<void> sizeIsKnown;
  std::shared_future<void> start = sizeIsKnown.get_future().share();
  std::vector<std::thread> others;
  others.reserve(size_t(size - 1));
  try {
    for (int32_t number = 1; number < size; ++number)
      others.emplace_back([&region, start, number] {
        start.wait();
        region.run(number);
      });
  } catch (const std::exception &) {
    // No more threads to be had: the team is smaller.
  }
  region.size = int32_t(others.size()) + 1;
  barrier.expect(region.size);
  sizeIsKnown.set_value();
  region.run(0);
  for (std::thread &other : others)
    other.join();
}
