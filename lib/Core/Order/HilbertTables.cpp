//===- HilbertTables.cpp - several rounds of the Hilbert curve at once ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Order/HilbertTables.h"
#include "Order/HilbertRound.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace astfe::core;

/// Entries of a table of several rounds: half of a first-level cache.
static constexpr unsigned kTableEntries = 8192;
/// Entries that a table of a single round may have.
static constexpr unsigned kRoundTableEntries = 16384;
/// Points that go through one step before the next.
static constexpr size_t kBatch = 512;

unsigned HilbertStep::width() const {
  return rounds * unsigned(llvm::popcount(axes));
}

bool HilbertTables::processorHasAvx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

HilbertTables::HilbertTables(const Order &order, bool useAvx2)
    : rank(order.rank()), useAvx2(useAvx2) {
  HilbertPhases phases(order);
  panelBits = phases.panelBits;
  used = leadBits = phases.leadBits;
  for (const HilbertPhase &phase : phases.phases)
    addPhase(phase.level, phase.rounds, phase.axes);
}

void HilbertTables::addPhase(unsigned level, unsigned rounds, unsigned axes) {
  unsigned width = unsigned(llvm::popcount(axes));
  unsigned most = 1;
  while (hilbertStates(rank) << (width * (most + 1)) <= kTableEntries)
    ++most;
  bool tabulate = hilbertStates(rank) << width <= kRoundTableEntries;
  for (unsigned count = (rounds + most - 1) / most; count > 0; --count) {
    if (used >= kMaxPrefixBits)
      return; // These rounds are beyond the end of every key.
    unsigned taken = (rounds + count - 1) / count;
    rounds -= taken;
    HilbertStep step{level + rounds, taken, axes};
    if (tabulate)
      step.table = getTable(taken, axes);
    used += step.width();
    step.left = used <= kMaxPrefixBits ? kMaxPrefixBits - used : 0;
    step.right = used <= kMaxPrefixBits ? 0 : used - kMaxPrefixBits;
    steps.push_back(step);
  }
}

const uint32_t *HilbertTables::getTable(unsigned rounds, unsigned axes) {
  std::vector<uint32_t> &table = tables[{rounds, axes}];
  if (!table.empty())
    return table.data();
  unsigned width = rounds * unsigned(llvm::popcount(axes));
  for (unsigned number = 0; number < hilbertStates(rank); ++number) {
    for (unsigned index = 0; index < 1u << width; ++index) {
      HilbertState state = HilbertState::decode(rank, number);
      unsigned bits = 0;
      for (unsigned level = rounds; level-- > 0;) {
        unsigned point = 0, field = level;
        for (unsigned k = 0; k < rank; ++k) {
          if (!(axes >> k & 1))
            continue;
          point |= (index >> field & 1) << k;
          field += rounds;
        }
        bits = bits << unsigned(llvm::popcount(axes)) |
               takeHilbertRound(rank, axes, point, state);
      }
      table.push_back(state.encode(rank) << 16 | bits);
    }
  }
  return table.data();
}

namespace {

/// One stretch of points and how far they have come.
template <typename T>
struct Stretch {
  ArrayRef<const T *> coordinates;
  size_t begin, count;
  uint32_t *states;
  uint64_t *keys;
};

} // namespace

/// The coordinates that a step reads.
template <typename T>
static std::array<const T *, kMaxRank> sources(const HilbertStep &step,
                                               const Stretch<T> &stretch) {
  std::array<const T *, kMaxRank> result{};
  unsigned found = 0;
  for (unsigned k = 0; k < stretch.coordinates.size(); ++k)
    if (step.axes >> k & 1)
      result[found++] = stretch.coordinates[k] + stretch.begin;
  return result;
}

/// A table step from point `first` on, the number of active axes known to the
/// compiler.
template <unsigned Axes, typename T>
static void lookUp(const HilbertStep &step, const Stretch<T> &stretch,
                   size_t first) {
  const auto source = sources(step, stretch);
  const uint32_t *table = step.table;
  const unsigned level = step.level, rounds = step.rounds;
  const unsigned left = step.left, right = step.right;
  const uint64_t field = (uint64_t(1) << rounds) - 1;
  uint32_t *states = stretch.states;
  uint64_t *keys = stretch.keys;
  for (size_t i = first; i < stretch.count; ++i) {
    uint64_t index = states[i];
    for (unsigned a = Axes; a-- > 0;)
      index = index << rounds | ((uint64_t(source[a][i]) >> level) & field);
    uint32_t entry = table[index];
    states[i] = entry >> 16;
    keys[i] |= (uint64_t(entry & 0xffff) << left) >> right;
  }
}

#if defined(__x86_64__)
#define ASTFE_AVX2 __attribute__((target("avx2")))

ASTFE_AVX2 static inline __m256i loadFour(const int32_t *source) {
  return _mm256_cvtepi32_epi64(
      _mm_loadu_si128(reinterpret_cast<const __m128i *>(source)));
}
ASTFE_AVX2 static inline __m256i loadFour(const int64_t *source) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(source));
}

/// lookUp, four points at a time; returns the points done.
template <unsigned Axes, typename T>
ASTFE_AVX2 static size_t lookUpFours(const HilbertStep &step,
                                     const Stretch<T> &stretch) {
  const auto source = sources(step, stretch);
  const int *table = reinterpret_cast<const int *>(step.table);
  const __m128i level = _mm_cvtsi32_si128(int(step.level));
  const __m128i rounds = _mm_cvtsi32_si128(int(step.rounds));
  const __m128i left = _mm_cvtsi32_si128(int(step.left));
  const __m128i right = _mm_cvtsi32_si128(int(step.right));
  const __m256i field = _mm256_set1_epi64x((1 << step.rounds) - 1);
  size_t i = 0;
  for (; i + 4 <= stretch.count; i += 4) {
    auto *states = reinterpret_cast<__m128i *>(stretch.states + i);
    auto *keys = reinterpret_cast<__m256i *>(stretch.keys + i);
    __m256i index = _mm256_cvtepu32_epi64(_mm_loadu_si128(states));
    for (unsigned a = Axes; a-- > 0;) {
      __m256i bits = _mm256_srl_epi64(loadFour(source[a] + i), level);
      index = _mm256_or_si256(_mm256_sll_epi64(index, rounds),
                              _mm256_and_si256(bits, field));
    }
    __m128i entry = _mm256_i64gather_epi32(table, index, 4);
    _mm_storeu_si128(states, _mm_srli_epi32(entry, 16));
    __m256i key =
        _mm256_cvtepu32_epi64(_mm_and_si128(entry, _mm_set1_epi32(0xffff)));
    key = _mm256_srl_epi64(_mm256_sll_epi64(key, left), right);
    _mm256_storeu_si256(keys, _mm256_or_si256(_mm256_loadu_si256(keys), key));
  }
  return i;
}
#endif

template <unsigned Axes, typename T>
static void lookUp(bool useAvx2, const HilbertStep &step,
                   const Stretch<T> &stretch) {
  size_t first = 0;
#if defined(__x86_64__)
  if (useAvx2)
    first = lookUpFours<Axes>(step, stretch);
#endif
  lookUp<Axes>(step, stretch, first);
}

/// A step whose table would be too large: the rounds one by one.
template <typename T>
static void compute(unsigned rank, const HilbertStep &step,
                    const Stretch<T> &stretch) {
  for (size_t i = 0; i < stretch.count; ++i) {
    HilbertState state = HilbertState::decode(rank, stretch.states[i]);
    uint64_t bits = 0;
    for (unsigned level = step.level + step.rounds; level-- > step.level;) {
      unsigned point = 0;
      for (unsigned k = 0; k < rank; ++k)
        point |= unsigned(uint64_t(stretch.coordinates[k][stretch.begin + i]) >>
                              level &
                          (step.axes >> k & 1))
                 << k;
      bits = bits << unsigned(llvm::popcount(step.axes)) |
             takeHilbertRound(rank, step.axes, point, state);
    }
    stretch.states[i] = state.encode(rank);
    stretch.keys[i] |= (bits << step.left) >> step.right;
  }
}

template <typename T>
static void runStep(unsigned rank, bool useAvx2, const HilbertStep &step,
                    const Stretch<T> &stretch) {
  if (!step.table)
    return compute(rank, step, stretch);
  switch (llvm::popcount(step.axes)) {
  case 1:
    return lookUp<1>(useAvx2, step, stretch);
  case 2:
    return lookUp<2>(useAvx2, step, stretch);
  case 3:
    return lookUp<3>(useAvx2, step, stretch);
  case 4:
    return lookUp<4>(useAvx2, step, stretch);
  case 5:
    return lookUp<5>(useAvx2, step, stretch);
  default:
    return lookUp<6>(useAvx2, step, stretch);
  }
}

template <typename T>
void HilbertTables::encodeAll(ArrayRef<const T *> coordinates, size_t count,
                              uint64_t *keys) const {
  std::array<uint32_t, kBatch> states;
  for (size_t begin = 0; begin < count; begin += kBatch) {
    size_t size = std::min(kBatch, count - begin);
    states.fill(0);
    for (size_t i = begin; i < begin + size; ++i)
      keys[i] = leadBits == 0 ? 0
                              : uint64_t(coordinates[0][i]) >>
                                    panelBits << (64 - leadBits);
    Stretch<T> stretch{coordinates, begin, size, states.data(), keys + begin};
    for (const HilbertStep &step : steps)
      runStep(rank, useAvx2, step, stretch);
  }
}

void HilbertTables::encode(ArrayRef<const int32_t *> coordinates, size_t count,
                           uint64_t *keys) const {
  encodeAll(coordinates, count, keys);
}

void HilbertTables::encode(ArrayRef<const int64_t *> coordinates, size_t count,
                           uint64_t *keys) const {
  encodeAll(coordinates, count, keys);
}
