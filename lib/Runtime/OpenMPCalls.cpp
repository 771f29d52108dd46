//===- OpenMPCalls.cpp - the OpenMP calls of compiled code ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM emits for scf.parallel, in the words of LLVM's OpenMP runtime
// (openmp/runtime/src/kmp.h). The names differ, so that a process which links
// another runtime keeps it: the linker of compiled code maps them.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/Parallel.h"
#include "ASTFE/Runtime/Threads.h"
#include "Team.h"
#include <algorithm>
#include <cstdarg>
#include <mutex>
#include <type_traits>
#include <utility>

using namespace astfe;
using namespace astfe::rt;

/// Not static: kernels that are kept as shared objects call them by these
/// names, which libastfe_runtime.so exports.
namespace astfe::rt::omp {
void forkApart(void *location, int32_t count, void *region, ...);
void forkTogether(void *location, int32_t count, void *region, ...);
void pushNumThreads(void *location, int32_t number, int32_t threads);
int32_t threadNumber();
int32_t globalThreadNum(void *location);
int32_t numThreads();
int32_t maxThreads();
int32_t numProcs();
void barrier(void *location, int32_t number);
void staticInit4(void *location, int32_t number, int32_t schedule,
                 int32_t *isLast, int32_t *lower, int32_t *upper,
                 int32_t *stride, int32_t step, int32_t chunk);
void staticInit4u(void *location, int32_t number, int32_t schedule,
                  int32_t *isLast, uint32_t *lower, uint32_t *upper,
                  int32_t *stride, int32_t step, int32_t chunk);
void staticInit8(void *location, int32_t number, int32_t schedule,
                 int32_t *isLast, int64_t *lower, int64_t *upper,
                 int64_t *stride, int64_t step, int64_t chunk);
void staticInit8u(void *location, int32_t number, int32_t schedule,
                  int32_t *isLast, uint64_t *lower, uint64_t *upper,
                  int64_t *stride, int64_t step, int64_t chunk);
void staticFini(void *location, int32_t number);
void critical(void *location, int32_t number, void *name);
void endCritical(void *location, int32_t number, void *name);
int32_t reduce(void *location, int32_t number, int32_t count, size_t bytes,
               void *data, void *combine, void *name);
void endReduce(void *location, int32_t number, void *name);
void endReduceNowait(void *location, int32_t number, void *name);
} // namespace astfe::rt::omp

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// What `num_threads` asked for, for the calling thread's next region; else 0.
static thread_local int32_t pushedThreads = 0;

static int64_t takeTeamSize() {
  const int64_t pushed = std::exchange(pushedThreads, 0);
  if (currentMember())
    return 1;
  return std::min<int64_t>(pushed > 0 ? pushed : rt::threads(),
                           core::kMostThreads);
}

namespace {
constexpr size_t kMostArguments = 15; ///< as in LLVM's runtime

template <size_t>
using Pointer = void *;

/// Calls a region's code with its first sizeof...(I) arguments.
template <size_t... I>
void callWith(void *code, int32_t number, void **arguments,
              std::index_sequence<I...>) {
  int32_t thread = number, zero = 0;
  reinterpret_cast<void (*)(int32_t *, int32_t *, Pointer<I>...)>(code)(
      &thread, &zero, arguments[I]...);
}

struct Code {
  void *code;
  size_t count = 0;
  void *arguments[kMostArguments];

  void call(int32_t number) {
    callAny(number, std::make_index_sequence<kMostArguments + 1>());
  }

private:
  template <size_t... N>
  void callAny(int32_t number, std::index_sequence<N...>) {
    ((count == N
          ? callWith(code, number, arguments, std::make_index_sequence<N>())
          : void()),
     ...);
  }
};
} // namespace

static void callMember(void *code, int32_t number) {
  static_cast<Code *>(code)->call(number);
}

/// LLVM passes one argument, the address of a structure.
static Code codeOf(void *code, int32_t count, va_list list) {
  Code result{code, std::min(size_t(count), kMostArguments), {}};
  for (size_t i = 0; i < result.count; ++i)
    result.arguments[i] = va_arg(list, void *);
  return result;
}

void omp::forkApart(void *, int32_t count, void *region, ...) {
  va_list list;
  va_start(list, region);
  Code code = codeOf(region, count, list);
  va_end(list);
  runApart(takeTeamSize(), callMember, &code);
}

void omp::forkTogether(void *, int32_t count, void *region, ...) {
  va_list list;
  va_start(list, region);
  Code code = codeOf(region, count, list);
  va_end(list);
  runTogether(takeTeamSize(), callMember, &code);
}

void omp::pushNumThreads(void *, int32_t, int32_t threads) {
  pushedThreads = threads;
}

int32_t omp::threadNumber() {
  const Member *member = currentMember();
  return member ? member->number : 0;
}

int32_t omp::globalThreadNum(void *) { return omp::threadNumber(); }

int32_t omp::numThreads() {
  const Member *member = currentMember();
  return member ? member->size : 1;
}

int32_t omp::maxThreads() { return int32_t(rt::threads()); }

int32_t omp::numProcs() { return int32_t(rt::freeProcessors()); }

void omp::barrier(void *, int32_t) {
  const Member *member = currentMember();
  if (member && member->barrier)
    member->barrier->wait();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Bounds are inclusive. Each member gets an even run of iterations, or, with
/// kmp_sch_static_chunked, every size-th chunk, whose distance is `stride`.
template <typename T>
static void staticInit(void *, int32_t, int32_t schedule, int32_t *isLast,
                       T *lower, T *upper, std::make_signed_t<T> *stride,
                       std::make_signed_t<T> step,
                       std::make_signed_t<T> chunk) {
  constexpr int32_t kStaticChunked = 33;
  using Unsigned = std::make_unsigned_t<T>;
  const auto number = Unsigned(omp::threadNumber()),
             size = Unsigned(omp::numThreads());
  // Counted without a sign and modulo 2^n: an empty loop over indices without
  // a sign ends at -1.
  const auto first = Unsigned(*lower), last = Unsigned(*upper),
             by = Unsigned(step);
  const bool up = step > 0;
  const Unsigned trips =
      up ? (last - first) / by + 1 : Unsigned(first - last) / Unsigned(-by) + 1;
  const bool none = up ? *upper < *lower : *lower < *upper;
  auto set = [&](Unsigned from, Unsigned count, bool hasLast) {
    *lower = T(first + from * by);
    *upper = T(first + (from + count) * by - by);
    if (isLast)
      *isLast = hasLast;
  };
  *stride = std::make_signed_t<T>(trips * by);
  if (none || trips == 0)
    return set(trips, 0, false);
  if (schedule == kStaticChunked) {
    const Unsigned length = Unsigned(std::max<std::make_signed_t<T>>(chunk, 1));
    *stride = std::make_signed_t<T>(length * size * by);
    return set(number * length, length, (trips - 1) / length % size == number);
  }
  const Unsigned each = trips / size, more = trips % size;
  const Unsigned count = each + (number < more);
  set(number * each + std::min(number, more), count,
      count > 0 && number == std::min(size, trips) - 1);
}

#define ASTFE_STATIC_INIT(NAME, T, SIGNED)                                     \
  void omp::NAME(void *location, int32_t number, int32_t schedule,             \
                 int32_t *isLast, T *lower, T *upper, SIGNED *stride,          \
                 SIGNED step, SIGNED chunk) {                                  \
    staticInit(location, number, schedule, isLast, lower, upper, stride, step, \
               chunk);                                                         \
  }
ASTFE_STATIC_INIT(staticInit4, int32_t, int32_t)
ASTFE_STATIC_INIT(staticInit4u, uint32_t, int32_t)
ASTFE_STATIC_INIT(staticInit8, int64_t, int64_t)
ASTFE_STATIC_INIT(staticInit8u, uint64_t, int64_t)
#undef ASTFE_STATIC_INIT

void omp::staticFini(void *, int32_t) {}

//===----------------------------------------------------------------------===//
// One at a time
//===----------------------------------------------------------------------===//

/// One lock for all: few regions have any, and for a moment.
static std::mutex oneAtATime;

void omp::critical(void *, int32_t, void *) { oneAtATime.lock(); }
void omp::endCritical(void *, int32_t, void *) { oneAtATime.unlock(); }

/// 1: the caller adds its part to the result itself, and says when it has.
int32_t omp::reduce(void *, int32_t, int32_t, size_t, void *, void *, void *) {
  oneAtATime.lock();
  return 1;
}
void omp::endReduceNowait(void *, int32_t, void *) { oneAtATime.unlock(); }
void omp::endReduce(void *location, int32_t number, void *) {
  oneAtATime.unlock();
  omp::barrier(location, number);
}

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

template <typename Function>
static Symbol symbol(const char *name, Function *function) {
  return {name, reinterpret_cast<void *>(function)};
}

const Symbol *astfe::rt::openMPSymbols(bool together) {
  static const Symbol symbols[2][20] = {
#define FUNCTIONS(FORK)                                                        \
  {                                                                            \
    symbol("__kmpc_fork_call", FORK),                                          \
        symbol("__kmpc_push_num_threads", omp::pushNumThreads),                \
        symbol("__kmpc_global_thread_num", omp::globalThreadNum),              \
        symbol("__kmpc_barrier", omp::barrier),                                \
        symbol("__kmpc_for_static_init_4", omp::staticInit4),                  \
        symbol("__kmpc_for_static_init_4u", omp::staticInit4u),                \
        symbol("__kmpc_for_static_init_8", omp::staticInit8),                  \
        symbol("__kmpc_for_static_init_8u", omp::staticInit8u),                \
        symbol("__kmpc_for_static_fini", omp::staticFini),                     \
        symbol("__kmpc_critical", omp::critical),                              \
        symbol("__kmpc_end_critical", omp::endCritical),                       \
        symbol("__kmpc_reduce", omp::reduce),                                  \
        symbol("__kmpc_end_reduce", omp::endReduce),                           \
        symbol("__kmpc_reduce_nowait", omp::reduce),                           \
        symbol("__kmpc_end_reduce_nowait", omp::endReduceNowait),              \
        symbol("omp_get_thread_num", omp::threadNumber),                       \
        symbol("omp_get_num_threads", omp::numThreads),                        \
        symbol("omp_get_num_procs", omp::numProcs),                            \
        symbol("omp_get_max_threads", omp::maxThreads), {                      \
      nullptr, nullptr                                                         \
    }                                                                          \
  }
      FUNCTIONS(omp::forkApart), FUNCTIONS(omp::forkTogether)};
#undef FUNCTIONS
  return symbols[together];
}
