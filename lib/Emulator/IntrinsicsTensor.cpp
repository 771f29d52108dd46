//===- IntrinsicsTensor.cpp - cp.async, ldmatrix, mma.sync ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies read when they are issued and write when they are waited
// for, so that a missing wait gives wrong numbers. Fragments of matrices lie in
// the lanes as the PTX manual draws them; with g = lane / 4 and t = lane % 4:
//
//   m16n8k16   A: rows g, g + 8, columns 2t, 2t + 1 and 8 further
//              B: rows 2t, 2t + 1 and 8 further, column g
//              C: rows g, g + 8, columns 2t, 2t + 1
//
//===----------------------------------------------------------------------===//

#include "Intrinsics.h"

#include <cmath>
#include <cstring>

using namespace astfe::emu;

//===----------------------------------------------------------------------===//
// cp.async: arguments to, from and, in the .s forms, the bytes that are read
//===----------------------------------------------------------------------===//

/// Checks an access that an intrinsic makes.
static void check(Thread &thread, const Site &call, AccessKind kind,
                  char *address, size_t bytes) {
  Site site;
  site.what = call.what;
  site.kind = kind;
  site.alignment = uint32_t(bytes);
  thread.processor->accessOfHandler(site, address, address, bytes);
}

static void issueCopy(Thread &thread, const Site &site, const char *arguments,
                      unsigned bytes, unsigned read) {
  PendingCopy copy;
  copy.site = &site;
  copy.to = argument<char *>(arguments, 0);
  copy.bytes = bytes;
  auto *from = argument<char *>(arguments, 1);
  if (read > bytes)
    return thread.processor->fail(site.what + ": expected to read at most " +
                                  std::to_string(bytes) + " bytes but got " +
                                  std::to_string(read));
  if (read)
    check(thread, site, AccessKind::Read, from, bytes);
  if (thread.processor->failed())
    return;
  std::memset(copy.data, 0, sizeof(copy.data));
  std::memcpy(copy.data, from, read);
  copy.group = thread.copyGroup;
  thread.copies.push_back(copy);
}

template <unsigned bytes>
static void copyAll(Thread &thread, const Site &site, const char *arguments,
                    char *) {
  issueCopy(thread, site, arguments, bytes, bytes);
}

template <unsigned bytes>
static void copySome(Thread &thread, const Site &site, const char *arguments,
                     char *) {
  issueCopy(thread, site, arguments, bytes, argument<uint32_t>(arguments, 2));
}

static void commitGroup(Thread &thread, const Site &, const char *, char *) {
  ++thread.copyGroup;
}

/// Makes the copies of all groups before `end` visible.
static void finishCopies(Thread &thread, int64_t end) {
  size_t kept = 0;
  for (const PendingCopy &copy : thread.copies) {
    if (copy.group >= end) {
      thread.copies[kept++] = copy;
      continue;
    }
    check(thread, *copy.site, AccessKind::Write, copy.to, copy.bytes);
    if (thread.processor->failed())
      return;
    std::memcpy(copy.to, copy.data, copy.bytes);
  }
  thread.copies.resize(kept);
}

static void waitGroup(Thread &thread, const Site &, const char *arguments,
                      char *) {
  finishCopies(thread, thread.copyGroup - argument<int32_t>(arguments, 0));
}

static void waitAll(Thread &thread, const Site &, const char *, char *) {
  finishCopies(thread, ++thread.copyGroup);
}

//===----------------------------------------------------------------------===//
// ldmatrix: lane i gives the address of row i; 8 rows a matrix
//===----------------------------------------------------------------------===//

template <unsigned matrices, bool transposed>
static std::string loadMatrices(Lanes lanes) {
  lanes.forEach([&](unsigned lane) {
    for (unsigned m = 0; m < matrices; ++m) {
      auto element = [&](unsigned row, unsigned column) {
        const char *begin = lanes.argument<char *>(8 * m + row, 0);
        return *reinterpret_cast<const uint16_t *>(begin + 2 * column);
      };
      unsigned g = lane / 4, t = 2 * (lane % 4);
      uint32_t low = transposed ? element(t, g) : element(g, t);
      uint32_t high = transposed ? element(t + 1, g) : element(g, t + 1);
      lanes.result(lane, low | high << 16, 4 * m);
    }
  });
  return "";
}

template <unsigned matrices, bool transposed>
static void loadMatrix(Thread &thread, const Site &site, const char *arguments,
                       char *result) {
  if (thread.number % 32 < 8 * matrices)
    check(thread, site, AccessKind::Read, argument<char *>(arguments, 0), 16);
  if (thread.processor->failed())
    return;
  thread.wait = {&site, arguments, result, loadMatrices<matrices, transposed>,
                 ~0u};
  thread.processor->collective(thread);
}

//===----------------------------------------------------------------------===//
// mma.sync: arguments four registers of A, two of B, four floats of C
//===----------------------------------------------------------------------===//

static float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

static float fromBFloat(uint16_t bits) {
  return fromBits(uint32_t(bits) << 16);
}

static float fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  float size = exponent == 31 ? (mantissa ? NAN : INFINITY)
               : exponent == 0
                   ? std::ldexp(float(mantissa), -24)
                   : std::ldexp(float(mantissa + 1024), exponent - 25);
  return bits >> 15 ? -size : size;
}

/// C += A B with A 16 x k and B k x 8, given by functions of (row, column).
template <typename A, typename B>
static std::string multiply(Lanes lanes, unsigned k, A a, B b) {
  float product[16][8];
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      double sum = 0;
      for (unsigned i = 0; i < k; ++i)
        sum += double(a(row, i)) * double(b(i, column));
      product[row][column] = float(sum);
    }
  lanes.forEach([&](unsigned lane) {
    for (unsigned i = 0; i < 4; ++i) {
      float sum = product[lane / 4 + i / 2 * 8][2 * (lane % 4) + i % 2];
      lanes.result(lane, lanes.argument<float>(lane, 6 + i) + sum, 4 * i);
    }
  });
  return "";
}

template <float (*convert)(uint16_t)>
static std::string multiply16(Lanes lanes) {
  auto half = [&](unsigned lane, unsigned index, unsigned i) {
    return convert(uint16_t(lanes.argument<uint32_t>(lane, index) >> 16 * i));
  };
  return multiply(
      lanes, 16,
      [&](unsigned row, unsigned k) {
        return half(row % 8 * 4 + k % 8 / 2, row / 8 + k / 8 * 2, k % 2);
      },
      [&](unsigned k, unsigned column) {
        return half(column * 4 + k % 8 / 2, 4 + k / 8, k % 2);
      });
}

static std::string multiplyTf32(Lanes lanes) {
  // Ten bits of mantissa; the hardware ignores the others.
  auto number = [&](unsigned lane, unsigned index) {
    return fromBits(lanes.argument<uint32_t>(lane, index) & ~0x1fffu);
  };
  return multiply(
      lanes, 8,
      [&](unsigned row, unsigned k) {
        return number(row % 8 * 4 + k % 4, row / 8 + k / 4 * 2);
      },
      [&](unsigned k, unsigned column) {
        return number(column * 4 + k % 4, 4 + k / 4);
      });
}

template <Compute compute>
static void multiplyWarp(Thread &thread, const Site &site,
                         const char *arguments, char *result) {
  thread.wait = {&site, arguments, result, compute, ~0u};
  thread.processor->collective(thread);
}

template <Compute compute>
static Meaning multiplication() {
  Meaning meaning{Meaning::Collective};
  meaning.handler = multiplyWarp<compute>;
  meaning.compute = compute;
  return meaning;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

const std::vector<std::pair<std::string, Meaning>> &
astfe::emu::tensorMeanings() {
  static const std::vector<std::pair<std::string, Meaning>> meanings = [] {
    auto call = [](Handler handler) {
      return Meaning{Meaning::Call, 0, nullptr, handler};
    };
    std::vector<std::pair<std::string, Meaning>> list = {
        {"cp.async.ca.shared.global.4", call(copyAll<4>)},
        {"cp.async.ca.shared.global.8", call(copyAll<8>)},
        {"cp.async.ca.shared.global.16", call(copyAll<16>)},
        {"cp.async.cg.shared.global.16", call(copyAll<16>)},
        {"cp.async.ca.shared.global.4.s", call(copySome<4>)},
        {"cp.async.ca.shared.global.8.s", call(copySome<8>)},
        {"cp.async.ca.shared.global.16.s", call(copySome<16>)},
        {"cp.async.cg.shared.global.16.s", call(copySome<16>)},
        {"cp.async.commit.group", call(commitGroup)},
        {"cp.async.wait.group", call(waitGroup)},
        {"cp.async.wait.all", call(waitAll)},
        {"mma.m16n8k16.row.col.bf16", multiplication<multiply16<fromBFloat>>()},
        {"mma.m16n8k16.row.col.f32.f32",
         multiplication<multiply16<fromHalf>>()},
        {"mma.m16n8k8.row.col.tf32", multiplication<multiplyTf32>()}};
    for (const char *space : {".p0", ".p3"}) {
      std::string name = "ldmatrix.sync.aligned.m8n8.", b16 = ".b16",
                  t = ".trans";
      b16 += space;
      list.push_back({name + "x1" + b16, call(loadMatrix<1, false>)});
      list.push_back({name + "x2" + b16, call(loadMatrix<2, false>)});
      list.push_back({name + "x4" + b16, call(loadMatrix<4, false>)});
      list.push_back({name + "x1" + t + b16, call(loadMatrix<1, true>)});
      list.push_back({name + "x2" + t + b16, call(loadMatrix<2, true>)});
      list.push_back({name + "x4" + t + b16, call(loadMatrix<4, true>)});
    }
    return list;
  }();
  return meanings;
}
