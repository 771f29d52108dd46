//===- Deposit.cpp - keys whose bits are the coordinates' bits ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Order/Deposit.h"
#include "Order/Cursor.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace astfe::core;

bool Deposit::handles(const Order &order) {
  return order.rank() == 1 || order.kind() == OrderKind::Rows ||
         order.kind() == OrderKind::Morton;
}

bool Deposit::processorHasPdep() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

/// The bits of `value`, lowest first, at the ones of `mask`, lowest first.
static uint64_t depositByLoop(uint64_t value, uint64_t mask) {
  uint64_t result = 0;
  for (; mask != 0; mask &= mask - 1, value >>= 1)
    if (value & 1)
      result |= mask & (~mask + 1);
  return result;
}

Deposit::Deposit(const Order &order, bool usePdep)
    : usePdep(usePdep), modes(order.rank()) {
  Cursor cursor(order);
  for (unsigned i = 0; i < order.prefixBits(); ++i) {
    modes[cursor.split().axis].mask |= uint64_t(1) << (63 - i);
    cursor.descend(false);
  }
  for (unsigned k = 0; k < order.rank(); ++k) {
    Mode &mode = modes[k];
    unsigned kept = unsigned(llvm::popcount(mode.mask));
    mode.drop = order.bits(k) - kept;
    mode.contiguous = mode.mask == 0 || llvm::isShiftedMask_64(mode.mask);
    mode.shift = mode.mask == 0 ? 0 : unsigned(llvm::countr_zero(mode.mask));
    if (mode.contiguous || usePdep)
      continue;
    uint64_t mask = mode.mask;
    mode.spread.resize((kept + 7) / 8);
    for (auto &table : mode.spread) {
      for (unsigned value = 0; value < 256; ++value)
        table[value] = depositByLoop(value, mask);
      for (unsigned i = 0; i < 8; ++i)
        mask &= mask - 1;
    }
  }
}

#if defined(__x86_64__)
template <typename T>
__attribute__((target("bmi2"))) static void
addByPdep(const T *coordinates, size_t count, unsigned drop, uint64_t mask,
          uint64_t *keys) {
  for (size_t i = 0; i < count; ++i)
    keys[i] |= _pdep_u64(uint64_t(coordinates[i]) >> drop, mask);
}
#endif

template <typename T>
static void addByShift(const T *coordinates, size_t count, unsigned drop,
                       unsigned shift, uint64_t *keys) {
  for (size_t i = 0; i < count; ++i)
    keys[i] |= (uint64_t(coordinates[i]) >> drop) << shift;
}

template <typename T>
static void addByTables(const T *coordinates, size_t count, unsigned drop,
                        ArrayRef<std::array<uint64_t, 256>> spread,
                        uint64_t *keys) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t value = uint64_t(coordinates[i]) >> drop;
    for (const auto &table : spread) {
      keys[i] |= table[value & 255];
      value >>= 8;
    }
  }
}

template <typename T>
void Deposit::encodeAll(ArrayRef<const T *> coordinates, size_t count,
                        uint64_t *keys) const {
  // Mode by mode over a stretch of keys that stays in the first-level cache.
  constexpr size_t kBatch = 1024;
  for (size_t begin = 0; begin < count; begin += kBatch) {
    size_t size = std::min(kBatch, count - begin);
    std::fill_n(keys + begin, size, 0);
    for (size_t k = 0; k < modes.size(); ++k) {
      const Mode &mode = modes[k];
      const T *source = coordinates[k] + begin;
      if (mode.mask == 0)
        continue;
      if (mode.contiguous)
        addByShift(source, size, mode.drop, mode.shift, keys + begin);
#if defined(__x86_64__)
      else if (usePdep)
        addByPdep(source, size, mode.drop, mode.mask, keys + begin);
#endif
      else
        addByTables<T>(source, size, mode.drop, mode.spread, keys + begin);
    }
  }
}

void Deposit::encode(ArrayRef<const int32_t *> coordinates, size_t count,
                     uint64_t *keys) const {
  encodeAll(coordinates, count, keys);
}

void Deposit::encode(ArrayRef<const int64_t *> coordinates, size_t count,
                     uint64_t *keys) const {
  encodeAll(coordinates, count, keys);
}
