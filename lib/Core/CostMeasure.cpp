//===- CostMeasure.cpp - the numbers of the machine at hand ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loop of a product over random rows of a B that fits one level of
// the caches, in three widths, on all threads at once; each number is the least
// of some repetitions, since whatever else runs only makes it larger.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Cost.h"
#include "ASTFE/Core/Pack.h"
#include "ASTFE/Core/Parallel.h"
#include "ASTFE/Core/Plan.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

namespace astfe::core {
namespace {

//===----------------------------------------------------------------------===//
// The loop, for the instructions that the processor has
//===----------------------------------------------------------------------===//

struct Rows {
  const int32_t *positions;
  const int32_t *coordinates;
  const float *values;
  int64_t count;
};

typedef float Vector __attribute__((vector_size(64)));

template <int V>
inline __attribute__((always_inline)) void addRows(const Rows &a,
                                                   const float *b, float *c) {
  for (int64_t i = 0; i < a.count; ++i) {
    Vector sums[V] = {};
    for (int32_t k = a.positions[i]; k < a.positions[i + 1]; ++k)
      for (int v = 0; v < V; ++v) {
        Vector x;
        __builtin_memcpy(&x, b + (int64_t(a.coordinates[k]) * V + v) * 16,
                         sizeof(x));
        sums[v] += x * a.values[k];
      }
    __builtin_memcpy(c + i * V * 16, sums, sizeof(sums));
  }
}

inline __attribute__((always_inline)) void addDots(const Rows &a,
                                                   const float *x, float *y) {
  for (int64_t i = 0; i < a.count; ++i) {
    float sum = 0, second = 0;
    int32_t k = a.positions[i];
    for (; k + 1 < a.positions[i + 1]; k += 2) {
      sum += a.values[k] * x[a.coordinates[k]];
      second += a.values[k + 1] * x[a.coordinates[k + 1]];
    }
    if (k < a.positions[i + 1])
      sum += a.values[k] * x[a.coordinates[k]];
    y[i] = sum + second;
  }
}

inline __attribute__((always_inline)) void addAny(const Rows &a, int64_t width,
                                                  const float *b, float *c) {
  if (width == 1)
    addDots(a, b, c);
  else if (width == 16)
    addRows<1>(a, b, c);
  else
    addRows<8>(a, b, c);
}

/// Repetitions, of which the least counts.
constexpr int Repeat = 5;

using Loop = void (*)(const Rows &, int64_t, const float *, float *);

void loopPlain(const Rows &a, int64_t width, const float *b, float *c) {
  addAny(a, width, b, c);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void loopAVX2(const Rows &a, int64_t width,
                                                  const float *b, float *c) {
  addAny(a, width, b, c);
}
__attribute__((target("avx512f,avx512vl,avx2,fma"))) void
loopAVX512(const Rows &a, int64_t width, const float *b, float *c) {
  addAny(a, width, b, c);
}
#endif

Loop chooseLoop() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    return loopAVX512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return loopAVX2;
#endif
  return loopPlain;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// A thread's own matrix: rows of random lengths around `mean`.
class Sample {
public:
  Sample(int64_t nonzeros, int64_t mean, int64_t bRows, uint64_t seed)
      : state(seed * 0x9e3779b97f4a7c15ull + 1) {
    positions = {0};
    while (positions.back() < nonzeros) {
      const int64_t length = mean == 0 ? 0 : 1 + next(2 * mean - 1);
      positions.push_back(
          int32_t(std::min(positions.back() + length, nonzeros)));
    }
    for (int64_t k = 0; k < nonzeros; ++k)
      coordinates.push_back(int32_t(next(bRows)));
    values.assign(size_t(nonzeros), 1.0f);
  }

  Rows rows() const {
    return {positions.data(), coordinates.data(), values.data(), segments()};
  }
  int64_t segments() const { return int64_t(positions.size()) - 1; }
  int64_t nonzeros() const { return int64_t(coordinates.size()); }

private:
  int64_t next(int64_t below) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return int64_t((state >> 33) % uint64_t(below));
  }

  uint64_t state;
  std::vector<int32_t> positions, coordinates;
  std::vector<float> values;
};

/// Seconds of body(thread) on all threads at once, the least of `repeat`.
double leastSeconds(unsigned threads, int repeat,
                    const std::function<void(int64_t)> &body) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= repeat; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    parallelFor(int64_t(threads), threads, body);
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - begin;
    if (i > 0) // the first warms up
      least = std::min(least, taken.count());
  }
  return least;
}

/// Passes that take long enough for the start of the threads not to count.
int enough(const std::function<double(int)> &seconds) {
  int passes = 1;
  while (passes < 1 << 12 && seconds(passes) < 1e-3)
    passes *= 4;
  return passes;
}

/// Measures one width of B against footprints.
class Probe {
public:
  Probe(unsigned threads, int64_t width)
      : threads(threads), width(width), loop(chooseLoop()) {}

  /// Seconds of one nonzero with a B of `bytes` for each thread, in rows of
  /// about `mean` nonzeros.
  double perNonzero(int64_t bytes, int64_t mean) const {
    // Four times as many as there are cache lines, so that all are touched.
    const int64_t nonzeros = std::clamp<int64_t>(bytes / 16, 1 << 15, 1 << 20);
    const int64_t bRows = std::max<int64_t>(bytes / (4 * width), 16);
    std::vector<Sample> samples;
    std::vector<std::vector<float>> b(threads), c(threads);
    for (unsigned t = 0; t < threads; ++t) {
      samples.emplace_back(nonzeros, mean, bRows, t + 1);
      b[t].assign(size_t(bRows * width), 1.0f);
      c[t].assign(size_t(samples[t].segments() * width), 0.0f);
    }
    auto run = [&](int passes) {
      return [&, passes](int64_t t) {
        for (int pass = 0; pass < passes; ++pass)
          loop(samples[t].rows(), width, b[t].data(), c[t].data());
      };
    };
    const int passes = enough(
        [&](int passes) { return leastSeconds(threads, 1, run(passes)); });
    return leastSeconds(threads, Repeat, run(passes)) /
           (double(nonzeros) * passes);
  }

private:
  unsigned threads;
  int64_t width;
  Loop loop;
};

double streamBandwidth(unsigned threads, int64_t bytes) {
  const size_t count = size_t(std::max<int64_t>(bytes / 4, 1024));
  std::vector<std::vector<float>> x(threads, std::vector<float>(count, 1.0f));
  std::vector<float> sums(threads * 16);
  const int passes = int(std::max<int64_t>(1, (16 << 20) / bytes));
  const double seconds = leastSeconds(threads, Repeat, [&](int64_t t) {
    Vector sum[4] = {};
    for (int pass = 0; pass < passes; ++pass)
      for (size_t i = 0; i + 64 <= count; i += 64)
        for (int v = 0; v < 4; ++v) {
          Vector next;
          __builtin_memcpy(&next, x[t].data() + i + 16 * v, sizeof(next));
          sum[v] += next;
        }
    sum[0] += sum[1] + sum[2] + sum[3];
    __builtin_memcpy(sums.data() + t * 16, &sum[0], sizeof(Vector));
  });
  return double(bytes) * passes / seconds;
}

/// Profile, graph and tables of a uniform matrix, per nonzero and thread.
double packTime(unsigned threads) {
  constexpr int64_t Rows = 1 << 14, Mean = 16;
  std::vector<int32_t> positions, coordinates;
  uint64_t state = 1;
  for (int64_t i = 0; i <= Rows; ++i)
    positions.push_back(int32_t(i * Mean));
  for (int64_t k = 0; k < Rows * Mean; ++k) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    coordinates.push_back(int32_t((k % Mean) * (Rows / Mean) +
                                  int64_t(state >> 33) % (Rows / Mean)));
  }
  const SparseView view =
      SparseView::csr(Rows, Rows, IndexArray(positions.data(), Rows + 1),
                      IndexArray(coordinates.data(), Rows * Mean));
  PlanOptions plan;
  plan.order = OrderKind::Rows;
  plan.profile.threads = threads;
  PackOptions options;
  options.threads = threads;
  options.workers = threads;
  const double seconds = leastSeconds(1, Repeat, [&](int64_t) {
    if (auto made = makePlan(view, plan))
      (void)pack(view, made->fused, options);
  });
  return seconds * double(threads) / double(Rows * Mean);
}

/// The first word of a small file; empty where there is none.
std::string firstWord(const std::string &path) {
  std::string word;
  std::ifstream(path) >> word;
  return word;
}

/// The sizes as the system tells them; sysconf() adds up all L3 of the machine.
void readCaches(Machine &machine) {
  for (int i = 0; i < 8; ++i) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const int level = std::atoi(firstWord(folder + "level").c_str());
    const std::string type = firstWord(folder + "type");
    const std::string size = firstWord(folder + "size"); // such as 1024K
    const int64_t unit =
        !size.empty() && size.back() == 'M' ? 1 << 20 : 1 << 10;
    const int64_t bytes = std::atoll(size.c_str()) * unit;
    if (level >= 1 && level <= 3 && type != "Instruction" && bytes > 0)
      machine.cacheBytes[size_t(level - 1)] = bytes;
  }
  for (size_t i = 1; i < machine.cacheBytes.size(); ++i)
    machine.cacheBytes[i] =
        std::max(machine.cacheBytes[i], machine.cacheBytes[i - 1]);
}

} // namespace

Machine measureMachine(unsigned threads) {
  Machine machine;
  machine.threads = std::max(1u, threads);
  threads = unsigned(machine.threads);
  readCaches(machine);
  const auto &caches = machine.cacheBytes;
  // Well inside a level, and well outside the one before.
  const int64_t shared = caches[2] / machine.threads;
  const std::array<int64_t, Machine::Levels> footprints = {
      caches[0] / 2, caches[1] / 2, std::max(shared / 2, caches[1]),
      std::min<int64_t>(4 * shared, 256 << 20)};
  constexpr int64_t Long = 64;
  double shortRows = std::numeric_limits<double>::infinity();
  // A disturbance that lasts longer than one number's repetitions is over by
  // the next sweep.
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (unsigned level = 0; level < Machine::Levels; ++level) {
      for (size_t w = 0; w < Machine::Widths.size(); ++w) {
        double &least = machine.accessSeconds[level][w];
        const double seconds = Probe(threads, Machine::Widths[w] / 4)
                                   .perNonzero(footprints[level], Long);
        least = sweep ? std::min(least, seconds) : seconds;
      }
      double &most = machine.streamBytesPerSecond[level];
      const double bandwidth = streamBandwidth(threads, footprints[level]);
      most = sweep ? std::max(most, bandwidth) : bandwidth;
    }
    shortRows =
        std::min(shortRows, Probe(threads, 16).perNonzero(footprints[0], 4));
  }
  // Noise apart, what is nearer is never slower.
  for (unsigned level = Machine::Levels - 1; level-- > 0;) {
    for (size_t w = 0; w < Machine::Widths.size(); ++w)
      machine.accessSeconds[level][w] = std::min(
          machine.accessSeconds[level][w], machine.accessSeconds[level + 1][w]);
    machine.streamBytesPerSecond[level] =
        std::max(machine.streamBytesPerSecond[level],
                 machine.streamBytesPerSecond[level + 1]);
  }
  // Rows of 4 cost a beginning and an end for every fourth nonzero.
  machine.segmentSeconds =
      std::max(4 * (shortRows - machine.accessSeconds[0][1]), 1e-10);
  machine.packSeconds = packTime(threads);
  return machine;
}

} // namespace astfe::core
