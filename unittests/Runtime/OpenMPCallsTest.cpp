//===- OpenMPCallsTest.cpp - what compiled code calls of OpenMP -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Parallel.h"
#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace astfe;

namespace {
template <typename Function>
Function *function(const char *name, bool together = false) {
  for (const rt::Symbol *list = rt::openMPSymbols(together); list->name; ++list)
    if (std::string(name) == list->name)
      return reinterpret_cast<Function *>(list->address);
  ADD_FAILURE() << "no function " << name;
  return nullptr;
}

using Fork = void(void *, int32_t, void *, ...);
template <typename T>
using Init = void(void *, int32_t, int32_t, int32_t *, T *, T *, int64_t *,
                  std::make_signed_t<T>, std::make_signed_t<T>);

constexpr int32_t kStatic = 34, kChunked = 33;

/// A loop from `lower` to `upper` (both inclusive), and who ran what.
struct Loop {
  int64_t lower, upper, step;
  int32_t schedule;
  int64_t chunk;
  std::vector<std::atomic<int>> runs = std::vector<std::atomic<int>>(64);
  std::atomic<int> lasts{0}, members{0};

  /// As LLVM emits it: this member's part of the loop.
  static void region(int32_t *, int32_t *, void *self) {
    auto &loop = *static_cast<Loop *>(self);
    static auto *init = function<Init<uint64_t>>("__kmpc_for_static_init_8u");
    static auto *number = function<int32_t()>("omp_get_thread_num");
    uint64_t from = uint64_t(loop.lower), to = uint64_t(loop.upper);
    int64_t stride = 0;
    int32_t isLast = 0;
    ++loop.members;
    init(nullptr, number(), loop.schedule, &isLast, &from, &to, &stride,
         loop.step, loop.chunk);
    loop.lasts += isLast;
    // Trips are counted modulo 2^64, as an empty loop needs.
    uint64_t trips = (to - from) / uint64_t(loop.step) + 1;
    if (to - from == uint64_t(-loop.step))
      trips = 0;
    for (; trips != 0; from += uint64_t(stride)) {
      for (uint64_t i = 0; i < trips; ++i) {
        const auto index = int64_t(from + i * uint64_t(loop.step));
        if (index > loop.upper)
          break;
        ++loop.runs[size_t(index)];
      }
      if (loop.schedule != kChunked || int64_t(from) + stride > loop.upper)
        break;
    }
  }
};

/// Runs a region of as many members as there are threads.
template <typename Context>
void fork(void (*region)(int32_t *, int32_t *, void *), Context &context,
          bool together = false) {
  function<Fork>("__kmpc_fork_call", together)(
      nullptr, 1, reinterpret_cast<void *>(region), &context);
}

struct OpenMPCalls : testing::Test {
  ~OpenMPCalls() override { astfe_rt_set_threads(0); }
};
} // namespace

TEST_F(OpenMPCalls, EachIterationOfALoopRunsOnce) {
  for (int64_t threads : {1, 2, 3, 7, 40})
    for (int64_t trips : {0, 1, 2, 5, 31})
      for (int64_t step : {1, 2})
        for (int32_t schedule : {kStatic, kChunked}) {
          if (trips == 0 && step != 1)
            continue;
          astfe_rt_set_threads(threads);
          Loop loop{0, trips * step - step, step, schedule, 3};
          fork(Loop::region, loop);
          EXPECT_EQ(loop.members, threads);
          for (int64_t i = 0; i < 64; ++i)
            ASSERT_EQ(loop.runs[size_t(i)], i % step == 0 && i < trips * step)
                << threads << " threads, " << trips << " trips, step " << step
                << ", schedule " << schedule << ", index " << i;
          EXPECT_EQ(loop.lasts, trips > 0);
        }
}

TEST_F(OpenMPCalls, SignedLoopsMayBeEmptyAndGoDown) {
  auto *init = function<Init<int64_t>>("__kmpc_for_static_init_8");
  int64_t lower = 5, upper = 4, stride = 0;
  int32_t isLast = 1;
  init(nullptr, 0, kStatic, &isLast, &lower, &upper, &stride, 1, 0);
  EXPECT_EQ(lower, upper + 1);
  EXPECT_EQ(isLast, 0);
  lower = 10, upper = -2;
  init(nullptr, 0, kStatic, &isLast, &lower, &upper, &stride, -3, 0);
  EXPECT_EQ(lower, 10);
  EXPECT_EQ(upper, -2);
  EXPECT_EQ(isLast, 1);
}

TEST_F(OpenMPCalls, RegionsAskForThreadsAndHaveNoneInside) {
  astfe_rt_set_threads(3);
  auto *push =
      function<void(void *, int32_t, int32_t)>("__kmpc_push_num_threads");
  struct Sizes {
    std::atomic<int> members{0}, inner{0};
  } sizes;
  auto region = [](int32_t *, int32_t *, void *context) {
    ++static_cast<Sizes *>(context)->members;
    fork([](int32_t *, int32_t *,
            void *context) { ++static_cast<Sizes *>(context)->inner; },
         *static_cast<Sizes *>(context));
  };
  fork(region, sizes);
  EXPECT_EQ(sizes.members, 3);
  EXPECT_EQ(sizes.inner, 3);
  push(nullptr, 0, 5);
  fork(region, sizes);
  EXPECT_EQ(sizes.members, 8);
  fork(region, sizes); // What was pushed is for one region.
  EXPECT_EQ(sizes.members, 11);
  // A region may have more members than processors.
  EXPECT_EQ(function<int32_t()>("omp_get_max_threads")(), 3);
  rt::ThreadLimit one(1);
  EXPECT_EQ(function<int32_t()>("omp_get_max_threads")(), 3);
  EXPECT_EQ(function<int32_t()>("omp_get_num_procs")(), 1);
}

TEST_F(OpenMPCalls, ThreadsThatMeetHaveAThreadEach) {
  struct Phases {
    std::atomic<int> first{0}, early{0}, members{0};
  } phases;
  for (int64_t threads : {1, 2, 5}) {
    astfe_rt_set_threads(threads);
    phases.first = phases.members = 0;
    auto region = [](int32_t *thread, int32_t *, void *context) {
      auto &phases = *static_cast<Phases *>(context);
      auto *size = function<int32_t()>("omp_get_num_threads");
      auto *barrier = function<void(void *, int32_t)>("__kmpc_barrier");
      for (int phase = 1; phase <= 20; ++phase) {
        ++phases.first;
        barrier(nullptr, *thread);
        phases.early += phases.first < phase * size();
        barrier(nullptr, *thread);
      }
      ++phases.members;
    };
    fork(region, phases, /*together=*/true);
    EXPECT_EQ(phases.members, threads);
  }
  EXPECT_EQ(phases.early, 0);
}

TEST_F(OpenMPCalls, ReductionsAddOneAtATime) {
  astfe_rt_set_threads(8);
  int64_t sum = 0;
  fork(
      [](int32_t *thread, int32_t *, void *sum) {
        auto *reduce =
            function<int32_t(void *, int32_t, int32_t, size_t, void *, void *,
                             void *)>("__kmpc_reduce_nowait");
        auto *end =
            function<void(void *, int32_t, void *)>("__kmpc_end_reduce_nowait");
        for (int i = 0; i < 1000; ++i) {
          if (reduce(nullptr, *thread, 1, 8, nullptr, nullptr, nullptr) != 1)
            return;
          ++*static_cast<int64_t *>(sum);
          end(nullptr, *thread, nullptr);
        }
      },
      sum);
  EXPECT_EQ(sum, 8000);
}
