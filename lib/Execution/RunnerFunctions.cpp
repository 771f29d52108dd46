//===- RunnerFunctions.cpp - what compiled code calls beside our runtime --===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream lowers memref.copy of strided buffers and vector.print to functions
// of its libmlir_c_runner_utils, which a process with ASTFE need not have.
// Where a processor has no instruction that rounds to bf16, LLVM calls a
// function that GCC's library has from version 13 on.
//
//===----------------------------------------------------------------------===//

#include "RunnerFunctions.h"
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace {
/// A memref as upstream passes one of any rank.
struct AnyMemRef {
  int64_t rank;
  void *descriptor;
};

/// The descriptor: two pointers, the offset, then sizes and strides.
struct Descriptor {
  char *allocated, *aligned;
  int64_t offset;

  int64_t *sizes() { return &offset + 1; }
  int64_t *strides(int64_t rank) { return sizes() + rank; }
};
} // namespace

/// Copies dimensions `at` and up; strides are in elements.
static void copyFrom(int64_t at, int64_t rank, int64_t bytes,
                     const int64_t *sizes, const char *source,
                     const int64_t *sourceStrides, char *target,
                     const int64_t *targetStrides) {
  if (at == rank) {
    std::memcpy(target, source, size_t(bytes));
    return;
  }
  for (int64_t i = 0; i < sizes[at]; ++i)
    copyFrom(at + 1, rank, bytes, sizes, source + i * sourceStrides[at] * bytes,
             sourceStrides, target + i * targetStrides[at] * bytes,
             targetStrides);
}

static void memrefCopy(int64_t bytes, AnyMemRef *source, AnyMemRef *target) {
  int64_t rank = source->rank;
  auto *from = static_cast<Descriptor *>(source->descriptor);
  auto *to = static_cast<Descriptor *>(target->descriptor);
  copyFrom(0, rank, bytes, from->sizes(), from->aligned + from->offset * bytes,
           from->strides(rank), to->aligned + to->offset * bytes,
           to->strides(rank));
}

static void printI64(int64_t value) { std::printf("%" PRId64, value); }
static void printU64(uint64_t value) { std::printf("%" PRIu64, value); }
static void printF32(float value) { std::printf("%g", double(value)); }
static void printF64(double value) { std::printf("%g", value); }
static void printString(const char *text) { std::fputs(text, stdout); }
static void printOpen() { std::fputs("( ", stdout); }
static void printClose() { std::fputs(" )", stdout); }
static void printComma() { std::fputs(", ", stdout); }
static void printNewline() { std::fputc('\n', stdout); }

static double rtclock() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// The nearest bf16, ties to even, as functions return one: in the low half of
/// a float's register.
static float roundedToBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  // The low bits of a NaN may be all that makes it one.
  bits = std::isnan(value) ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1);
  bits >>= 16;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

/// By the f32 towards whose odd last bit an f64 is rounded where it is none
/// itself, so that nothing is rounded twice.
static float roundedDoubleToBF16(double value) {
  float nearest = float(value);
  uint32_t bits;
  std::memcpy(&bits, &nearest, sizeof bits);
  if (double(nearest) != value && !std::isnan(value) && bits % 2 == 0) {
    const bool isLarger = std::fabs(value) > std::fabs(double(nearest));
    bits += isLarger ? 1 : -1;
    std::memcpy(&nearest, &bits, sizeof bits);
  }
  return roundedToBF16(nearest);
}

template <typename Function>
static astfe::RunnerFunction named(const char *name, Function *function) {
  return {name, reinterpret_cast<void *>(function)};
}

llvm::ArrayRef<astfe::RunnerFunction> astfe::runnerFunctions() {
#define F(NAME) named(#NAME, NAME)
  static const RunnerFunction list[] = {
      F(memrefCopy),
      F(printI64),
      F(printU64),
      F(printF32),
      F(printF64),
      F(printString),
      F(printOpen),
      F(printClose),
      F(printComma),
      F(printNewline),
      F(rtclock),
      named("__truncsfbf2", roundedToBF16),
      named("__truncdfbf2", roundedDoubleToBF16)};
#undef F
  return list;
}
