//===- HilbertLanes.cpp - the Hilbert curve in the lanes of AVX-512 -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Order/HilbertLanes.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace astfe::core;

/// Bits of each axis in the 64 bits of a point.
static constexpr unsigned kPlace2 = 32, kPlace3 = 21;

bool HilbertLanes::processorHasVbmi() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vbmi");
#else
  return false;
#endif
}

bool HilbertLanes::handles(const Order &order) {
  if (order.kind() != OrderKind::Hilbert && order.kind() != OrderKind::Panels)
    return false;
  HilbertPhases phases(order);
  for (unsigned k = 0; k < order.rank(); ++k)
    if (order.bits(k) > 31 || (order.rank() == 3 && phases.bits[k] > kPlace3))
      return false;
  return order.rank() == 2 || order.rank() == 3;
}

HilbertLanes::HilbertLanes(const Order &order) : rank(order.rank()) {
  HilbertPhases phases(order);
  panelBits = phases.panelBits;
  used = leadBits = phases.leadBits;
  for (const HilbertPhase &phase : phases.phases)
    addSteps(phase);
  if (!groups.empty())
    groups.back().steps.back().flush = true;
}

void HilbertLanes::addSteps(const HilbertPhase &phase) {
  unsigned most = rank == 2 ? 2 : 1;
  for (unsigned left = phase.rounds; left > 0 && used < kMaxPrefixBits;) {
    unsigned rounds = std::min(left, most);
    left -= rounds;
    addStep(phase.level + left, rounds, phase.axes);
  }
}

void HilbertLanes::addStep(unsigned level, unsigned rounds, unsigned axes) {
  unsigned width = rounds * unsigned(llvm::popcount(axes));
  if (pending + width > 32) {
    groups.back().steps.back().flush = true;
    pending = 0;
  }
  pending += width;
  used += width;
  if (groups.empty() || groups.back().steps.size() == 8)
    groups.emplace_back();
  Group &group = groups.back();
  unsigned byte = unsigned(group.steps.size());
  // Axis k's bit, or lower bit, ends at this place of the index.
  for (unsigned k = 0; k < rank; ++k) {
    unsigned from = rank == 2 ? k * kPlace2 : k * kPlace3;
    unsigned to = rank == 2 ? 2 - 2 * k : 2 - k;
    group.places[k] |= uint64_t((from + level - to) & 63) << 8 * byte;
  }
  Step step{getTable(rounds, axes), width, false, 0, 0};
  step.left = used <= kMaxPrefixBits ? kMaxPrefixBits - used : 0;
  step.right = used <= kMaxPrefixBits ? 0 : used - kMaxPrefixBits;
  group.steps.push_back(step);
}

size_t HilbertLanes::getTable(unsigned rounds, unsigned axes) {
  auto [known, isNew] = tableOf.insert({{rounds, axes}, tables.size()});
  if (!isNew)
    return known->second;
  unsigned inputs = rank == 2 ? 4 : 3;
  Table table{};
  for (unsigned index = 0; index < hilbertStates(rank) << inputs; ++index) {
    HilbertState state = HilbertState::decode(rank, index >> inputs);
    unsigned bits = 0;
    for (unsigned round = rounds; round-- > 0;) {
      unsigned point = 0;
      for (unsigned k = 0; k < rank; ++k) {
        unsigned place = rank == 2 ? 2 - 2 * k + round : 2 - k;
        point |= (index >> place & axes >> k & 1) << k;
      }
      bits = bits << unsigned(llvm::popcount(axes)) |
             takeHilbertRound(rank, axes, point, state);
    }
    table.entries[index] = uint8_t(state.encode(rank) << inputs | bits);
  }
  tables.push_back(table);
  return known->second;
}

#if defined(__x86_64__)
#define ASTFE_VBMI                                                             \
  __attribute__((target("avx512f,avx512bw,avx512vbmi"), always_inline)) inline
#define ASTFE_VBMI_ENTRY __attribute__((target("avx512f,avx512bw,avx512vbmi")))

namespace {

/// Sixteen points under way.
struct Lanes {
  __m512i entry;     ///< of the last look-up
  __m512i bits;      ///< of the key since the last flush
  __m512i low, high; ///< keys of points 0 to 7 and 8 to 15
  __m512i points[2]; ///< coordinates, eight points each
};

} // namespace

/// Bits of `yes` where `mask` has ones, else those of `no`.
static ASTFE_VBMI __m512i select(__m512i mask, __m512i yes, __m512i no) {
  return _mm512_ternarylogic_epi64(mask, yes, no, 0xca);
}

static ASTFE_VBMI __m512i lowerHalf(__m512i dwords) {
  return _mm512_cvtepu32_epi64(_mm512_castsi512_si256(dwords));
}
static ASTFE_VBMI __m512i upperHalf(__m512i dwords) {
  return _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(dwords, 1));
}

template <unsigned Rank>
static ASTFE_VBMI void load(Lanes &lanes, const int32_t *const *coordinates,
                            size_t first, __mmask16 mask, unsigned panelBits,
                            unsigned leadBits) {
  __m512i axis[Rank];
  for (unsigned k = 0; k < Rank; ++k)
    axis[k] = _mm512_maskz_loadu_epi32(mask, coordinates[k] + first);
  lanes.entry = lanes.bits = _mm512_setzero_si512();
  lanes.low = lanes.high = _mm512_setzero_si512();
  if (leadBits != 0) {
    __m128i down = _mm_cvtsi32_si128(int(panelBits));
    __m128i up = _mm_cvtsi32_si128(int(64 - leadBits));
    __m512i lead = _mm512_srl_epi32(axis[0], down);
    lanes.low = _mm512_sll_epi64(lowerHalf(lead), up);
    lanes.high = _mm512_sll_epi64(upperHalf(lead), up);
  }
  unsigned place = Rank == 2 ? kPlace2 : kPlace3;
  if (Rank == 3)
    axis[0] = _mm512_and_si512(axis[0], _mm512_set1_epi32((1 << kPlace3) - 1));
  lanes.points[0] = lowerHalf(axis[0]);
  lanes.points[1] = upperHalf(axis[0]);
  for (unsigned k = 1; k < Rank; ++k) {
    lanes.points[0] = _mm512_or_si512(
        lanes.points[0], _mm512_slli_epi64(lowerHalf(axis[k]), k * place));
    lanes.points[1] = _mm512_or_si512(
        lanes.points[1], _mm512_slli_epi64(upperHalf(axis[k]), k * place));
  }
}

/// Byte j: an axis' bits for step j of a group, with others around them.
static ASTFE_VBMI __m512i pick(uint64_t places, __m512i points) {
  return _mm512_multishift_epi64_epi8(_mm512_set1_epi64(int64_t(places)),
                                      points);
}

/// Byte j: the index bits of step j of the group, with others above them.
template <unsigned Rank>
static ASTFE_VBMI __m512i indexBytes(const HilbertLanes::Group &group,
                                     __m512i points) {
  __m512i first = pick(group.places[0], points);
  __m512i second = pick(group.places[1], points);
  if constexpr (Rank == 2)
    return select(_mm512_set1_epi8(3), second, first);
  else
    return select(
        _mm512_set1_epi8(4), first,
        select(_mm512_set1_epi8(2), second, pick(group.places[2], points)));
}

template <unsigned Rank>
static ASTFE_VBMI __m512i lookUp(const HilbertLanes::Table &table,
                                 __m512i index) {
  __m512i first = _mm512_load_si512(table.entries.data());
  if constexpr (Rank == 2)
    return _mm512_permutexvar_epi8(index, first);
  __m512i second = _mm512_load_si512(table.entries.data() + 64);
  return _mm512_permutex2var_epi8(first, index, second);
}

static ASTFE_VBMI __m512i shift(__m512i bits, const HilbertLanes::Step &step) {
  bits = _mm512_sll_epi64(bits, _mm_cvtsi32_si128(int(step.left)));
  return _mm512_srl_epi64(bits, _mm_cvtsi32_si128(int(step.right)));
}

static ASTFE_VBMI void flush(Lanes &lanes, const HilbertLanes::Step &step) {
  lanes.low = _mm512_or_si512(lanes.low, shift(lowerHalf(lanes.bits), step));
  lanes.high = _mm512_or_si512(lanes.high, shift(upperHalf(lanes.bits), step));
  lanes.bits = _mm512_setzero_si512();
}

/// The steps of a group, `Count` times sixteen points side by side.
template <unsigned Rank, unsigned Count>
static ASTFE_VBMI void runGroup(const HilbertLanes::Group &group,
                                ArrayRef<HilbertLanes::Table> tables,
                                Lanes *lanes) {
  const __m512i inputs = _mm512_set1_epi32(Rank == 2 ? 15 : 7);
  const __m512i evens = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12,
                                         10, 8, 6, 4, 2, 0);
  const __m512i odds = _mm512_add_epi32(evens, _mm512_set1_epi32(1));
  __m512i now[Count], later[Count];
  for (unsigned c = 0; c < Count; ++c) {
    __m512i a = indexBytes<Rank>(group, lanes[c].points[0]);
    __m512i b = indexBytes<Rank>(group, lanes[c].points[1]);
    now[c] = _mm512_permutex2var_epi32(a, evens, b);
    later[c] = _mm512_permutex2var_epi32(a, odds, b);
  }
  unsigned done = 0;
  for (const HilbertLanes::Step &step : group.steps) {
    const HilbertLanes::Table &table = tables[step.table];
    const __m128i width = _mm_cvtsi32_si128(int(step.width));
    const __m512i made = _mm512_set1_epi32((1 << step.width) - 1);
    if (done++ == 4)
      for (unsigned c = 0; c < Count; ++c)
        now[c] = later[c];
    for (unsigned c = 0; c < Count; ++c) {
      Lanes &lane = lanes[c];
      lane.entry = lookUp<Rank>(table, select(inputs, now[c], lane.entry));
      now[c] = _mm512_srli_epi32(now[c], 8);
      lane.bits = select(made, lane.entry, _mm512_sll_epi32(lane.bits, width));
      if (step.flush)
        flush(lane, step);
    }
  }
}

/// Count times sixteen points; the last `mask` of them alone exist.
template <unsigned Rank, unsigned Count>
static ASTFE_VBMI void
encodeLanes(ArrayRef<HilbertLanes::Group> groups,
            ArrayRef<HilbertLanes::Table> tables,
            const int32_t *const *coordinates, size_t first, __mmask16 mask,
            unsigned panelBits, unsigned leadBits, uint64_t *keys) {
  Lanes lanes[Count];
  for (unsigned c = 0; c < Count; ++c)
    load<Rank>(lanes[c], coordinates, first + c * 16, mask, panelBits,
               leadBits);
  for (const HilbertLanes::Group &group : groups)
    runGroup<Rank, Count>(group, tables, lanes);
  for (unsigned c = 0; c < Count; ++c) {
    uint64_t *to = keys + first + c * 16;
    _mm512_mask_storeu_epi64(to, __mmask8(mask), lanes[c].low);
    _mm512_mask_storeu_epi64(to + 8, __mmask8(mask >> 8), lanes[c].high);
  }
}

template <unsigned Rank>
ASTFE_VBMI_ENTRY static void encodeAll(ArrayRef<HilbertLanes::Group> groups,
                                       ArrayRef<HilbertLanes::Table> tables,
                                       const int32_t *const *coordinates,
                                       size_t count, unsigned panelBits,
                                       unsigned leadBits, uint64_t *keys) {
  size_t i = 0;
  for (; i + 32 <= count; i += 32)
    encodeLanes<Rank, 2>(groups, tables, coordinates, i, 0xffff, panelBits,
                         leadBits, keys);
  for (; i < count; i += 16) {
    size_t left = std::min<size_t>(count - i, 16);
    encodeLanes<Rank, 1>(groups, tables, coordinates, i,
                         __mmask16((1u << left) - 1), panelBits, leadBits,
                         keys);
  }
}
#endif

void HilbertLanes::encode(ArrayRef<const int32_t *> coordinates, size_t count,
                          uint64_t *keys) const {
#if defined(__x86_64__)
  if (rank == 2)
    encodeAll<2>(groups, tables, coordinates.data(), count, panelBits, leadBits,
                 keys);
  else
    encodeAll<3>(groups, tables, coordinates.data(), count, panelBits, leadBits,
                 keys);
#else
  assert(false && "a processor without these instructions");
#endif
}

void HilbertLanes::encode(ArrayRef<const int64_t *> coordinates, size_t count,
                          uint64_t *keys) const {
  constexpr size_t kBatch = 512;
  std::array<std::array<int32_t, kBatch>, 3> narrow;
  for (size_t begin = 0; begin < count; begin += kBatch) {
    size_t size = std::min(kBatch, count - begin);
    std::array<const int32_t *, 3> pointers{};
    for (unsigned k = 0; k < rank; ++k) {
      for (size_t i = 0; i < size; ++i)
        narrow[k][i] = int32_t(coordinates[k][begin + i]);
      pointers[k] = narrow[k].data();
    }
    encode({pointers.data(), rank}, size, keys + begin);
  }
}
