//===- MachineMeasure.cpp - the numbers of the machine at hand ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loops of a product over random rows of a B that fits one level of
// the caches, in three widths, on all threads at once. Time is what a processor
// has worked for a thread: that others have it meanwhile does not count. They
// still take room in caches, for tens of milliseconds at a time: so all numbers
// are measured in turn, several times, and the least of each counts.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/MeasureMachine.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "Plan/MachineLoops.h"
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <string>

namespace astfe::core {
namespace {

/// Turns in which everything is measured.
constexpr int kSweeps = 15, kPackings = 5;
/// What a measurement takes at least: short, so that some are undisturbed.
constexpr double kEnough = 3e-4;

/// Seconds that a processor has worked for the calling thread, or for all:
/// whatever else runs meanwhile does not count.
double cpuSeconds(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec time{};
  clock_gettime(clock, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// Seconds of body(thread) on all threads at once, of the slowest.
double secondsOf(unsigned threads, const std::function<void(int64_t)> &body) {
  std::vector<double> seconds(threads, 0);
  parallelFor(int64_t(threads), threads, [&](int64_t thread) {
    const double begin = cpuSeconds();
    body(thread);
    seconds[size_t(thread)] = cpuSeconds() - begin;
  });
  return *std::max_element(seconds.begin(), seconds.end());
}

/// SplitMix64's multiplier in a linear congruential generator.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15ull + 1) {}
  int64_t next(int64_t below) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return int64_t((state >> 33) % uint64_t(below));
  }

private:
  uint64_t state;
};

/// Zeros from the beginning of a cache line on, as the rows of dense operands
/// are.
class Lines {
public:
  explicit Lines(int64_t bytes)
      : size((bytes + kLine - 1) / kLine * kLine),
        memory(static_cast<float *>(std::aligned_alloc(kLine, size)),
               std::free) {
    if (!memory)
      throw std::bad_alloc();
    std::fill_n(memory.get(), size / sizeof(float), 0.0f);
  }
  float *data() const { return memory.get(); }

private:
  static constexpr size_t kLine = 64;
  size_t size;
  std::unique_ptr<float, void (*)(void *)> memory;
};

/// What a probe multiplies: so many nonzeros, in rows of about `mean`, by a B
/// of `bytes` for each thread.
struct ProbeShape {
  int64_t width, bytes, nonzeros, mean;
  bool foreseen = true;
};

/// Four times as many as B has cache lines, so that all are touched.
int64_t nonzerosFor(int64_t bytes) {
  return std::clamp<int64_t>(bytes / 16, 1 << 15, 1 << 19);
}

/// A thread's own matrix: random columns, rows of `mean` nonzeros or of any
/// number around it.
class Sample {
public:
  Sample(const ProbeShape &shape, int64_t rows, uint64_t seed) {
    Random random(seed);
    while (positions.back() < shape.nonzeros) {
      const int64_t length =
          shape.foreseen ? shape.mean : 1 + random.next(2 * shape.mean - 1);
      positions.push_back(
          int32_t(std::min(positions.back() + length, shape.nonzeros)));
    }
    for (int64_t k = 0; k < shape.nonzeros; ++k)
      coordinates.push_back(int32_t(random.next(rows)));
    values.assign(size_t(shape.nonzeros), 1.0f);
  }

  LoopRows rows() const {
    return {positions.data(), coordinates.data(), values.data(), count()};
  }
  int64_t count() const { return int64_t(positions.size()) - 1; }
  int64_t nonzeros() const { return int64_t(coordinates.size()); }

private:
  std::vector<int32_t> positions{0}, coordinates;
  std::vector<float> values;
};

/// One number: seconds of a nonzero.
class Probe {
public:
  Probe(const std::vector<Lines> &operands, const ProbeShape &shape)
      : operands(operands), width(shape.width) {
    const int64_t rows = std::max<int64_t>(shape.bytes / (4 * width), 16);
    for (size_t t = 0; t < operands.size(); ++t) {
      samples.emplace_back(shape, rows, t + 1);
      results.emplace_back(4 * samples[t].count() * width);
    }
    while (passes < 1 << 10 && run() < kEnough)
      passes *= 2;
  }

  void measure() {
    run(); // brings B into its level
    seconds =
        std::min(seconds, run() / (double(samples[0].nonzeros()) * passes));
  }

  double seconds = std::numeric_limits<double>::infinity();

private:
  double run() const {
    return secondsOf(unsigned(samples.size()), [&](int64_t t) {
      for (int pass = 0; pass < passes; ++pass)
        machineLoops().product(samples[size_t(t)].rows(), width,
                               operands[size_t(t)].data(),
                               results[size_t(t)].data());
    });
  }

  const std::vector<Lines> &operands;
  int64_t width;
  std::vector<Sample> samples;
  std::vector<Lines> results;
  int passes = 1;
};

/// Bytes a second that each thread reads from a footprint.
double streamBandwidth(const std::vector<Lines> &operands, int64_t bytes) {
  const int passes = int(std::max<int64_t>(1, (16 << 20) / bytes));
  std::vector<float> sums(operands.size() * 16);
  const double seconds = secondsOf(unsigned(operands.size()), [&](int64_t t) {
    for (int pass = 0; pass < passes; ++pass)
      sums[size_t(t) * 16] +=
          machineLoops().stream(operands[size_t(t)].data(), size_t(bytes / 4));
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
  double seconds = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kPackings; ++i) {
    const double begin = cpuSeconds(CLOCK_PROCESS_CPUTIME_ID);
    if (auto made = makePlan(view, plan))
      (void)pack(view, made->fused, options);
    seconds = std::min(seconds, cpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - begin);
  }
  return seconds / double(Rows * Mean);
}

/// The first word of a small file; empty where there is none.
std::string firstWord(const std::string &path) {
  std::string word;
  std::ifstream(path) >> word;
  return word;
}

/// The sizes as the system tells them; sysconf() adds up all L3 of the machine.
void readCaches(Machine &machine) {
  constexpr size_t Last = Machine::Caches - 1;
  auto &bytes = machine.cacheBytes;
  for (int i = 0; i < 8; ++i) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const int level = std::atoi(firstWord(folder + "level").c_str());
    const std::string type = firstWord(folder + "type");
    const std::string size = firstWord(folder + "size"); // such as 1024K
    const int64_t unit =
        !size.empty() && size.back() == 'M' ? 1 << 20 : 1 << 10;
    const int64_t known = std::atoll(size.c_str()) * unit;
    if (level >= 1 && level <= 3 && type != "Instruction" && known > 0)
      bytes[level == 3 ? Last : size_t(level - 1)] = known;
  }
  bytes[1] = std::max(bytes[1], bytes[0]);
  bytes[Last] = std::max(bytes[Last], bytes[1]);
  bytes[2] = std::max(bytes[Last] / 2, bytes[1]);
}

/// Everything that is measured in turn.
class Sweep {
public:
  Sweep(const std::array<int64_t, Machine::Levels> &bytes, unsigned threads)
      : bytes(bytes), threads(threads) {
    for (unsigned t = 0; t < threads; ++t)
      operands.emplace_back(bytes.back());
    constexpr int64_t Long = 64, Few = 1 << 15, Many = 1 << 19;
    for (int64_t level : bytes)
      for (int64_t width : Machine::Widths)
        add({width / 4, level, nonzerosFor(level), Long});
    // No predictor remembers the lengths of many rows.
    for (int64_t width : {1, 16}) {
      add({width, bytes[0], Few, meanOf(width)});
      add({width, bytes[0], Many, meanOf(width)});
      add({width, bytes[0], Many, meanOf(width), /*foreseen=*/false});
    }
  }

  void run(Machine &machine) {
    for (Probe &probe : probes)
      probe.measure();
    for (size_t level = 0; level < bytes.size(); ++level)
      bandwidth[level] =
          std::max(bandwidth[level], streamBandwidth(operands, bytes[level]));
    machine.paceSeconds = std::min(machine.paceSeconds, measurePace(threads));
  }

  void store(Machine &machine) const {
    const size_t widths = Machine::Widths.size();
    for (size_t level = 0; level < bytes.size(); ++level) {
      for (size_t w = 0; w < widths; ++w)
        machine.accessSeconds[level][w] = probes[level * widths + w].seconds;
      machine.streamBytesPerSecond[level] = bandwidth[level];
    }
    const Probe *rows = &probes[bytes.size() * widths];
    for (size_t kind = 0; kind < 2; ++kind, rows += 3) {
      const double mean = double(meanOf(kind ? 16 : 1));
      const double access = machine.accessSeconds[0][kind];
      constexpr double Least = 1e-10;
      machine.rowSeconds[kind] =
          std::max(mean * (rows[0].seconds - access), Least);
      machine.surpriseSeconds[kind] =
          std::max(mean * (rows[2].seconds - rows[1].seconds), Least);
    }
  }

private:
  void add(const ProbeShape &shape) { probes.emplace_back(operands, shape); }
  /// Rows so short that their ends are most of their time.
  static int64_t meanOf(int64_t width) { return width == 1 ? 10 : 5; }

  std::array<int64_t, Machine::Levels> bytes;
  unsigned threads;
  std::vector<Lines> operands;
  std::vector<Probe> probes;
  std::array<double, Machine::Levels> bandwidth = {};
};

} // namespace

double measurePace(unsigned threads) {
  constexpr int64_t Count = 1 << 16;
  constexpr int Repeat = 5;
  threads = std::max(1u, threads);
  std::vector<float> results(threads * 16);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < Repeat; ++i)
    least = std::min(least, secondsOf(threads, [&](int64_t t) {
                       results[size_t(t) * 16] +=
                           machineLoops().registers(Count, 0.5f);
                     }));
  return least / double(8 * Count);
}

std::array<int64_t, Machine::Levels> measuredBytes(const Machine &machine) {
  constexpr int64_t Most = 256 << 20;
  const auto &caches = machine.cacheBytes;
  const int64_t shared = caches.back() / machine.threads;
  std::array<int64_t, Machine::Levels> bytes = {
      caches[0] / 2, caches[1] / 2, std::max(shared / 4, caches[1]),
      std::max(shared * 3 / 4, caches[1]), std::max(shared, caches[1]) * 4};
  for (int64_t &level : bytes)
    level = std::min(level, Most);
  return bytes;
}

Machine measureMachine(unsigned threads) {
  Machine machine;
  machine.threads = std::max(1u, threads);
  threads = unsigned(machine.threads);
  readCaches(machine);
  machine.paceSeconds = std::numeric_limits<double>::infinity();
  Sweep sweep(measuredBytes(machine), threads);
  for (int i = 0; i < kSweeps; ++i)
    sweep.run(machine);
  sweep.store(machine);
  // Noise apart, what is nearer is never slower.
  for (unsigned level = Machine::Levels - 1; level-- > 0;) {
    for (size_t w = 0; w < Machine::Widths.size(); ++w)
      machine.accessSeconds[level][w] = std::min(
          machine.accessSeconds[level][w], machine.accessSeconds[level + 1][w]);
    machine.streamBytesPerSecond[level] =
        std::max(machine.streamBytesPerSecond[level],
                 machine.streamBytesPerSecond[level + 1]);
  }
  machine.packSeconds = packTime(threads);
  return machine;
}

} // namespace astfe::core
