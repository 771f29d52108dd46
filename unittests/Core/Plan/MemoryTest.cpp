//===- MemoryTest.cpp - how much memory Core takes at once ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every allocation of this program is counted.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "Generate.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <new>

using namespace astfe::bench;
using namespace astfe::core;

static std::atomic<int64_t> now{0}, peak{0};

void *operator new(size_t size) {
  void *memory = std::malloc(size);
  if (!memory)
    throw std::bad_alloc();
  int64_t total = now += int64_t(malloc_usable_size(memory));
  for (int64_t known = peak; total > known;)
    if (peak.compare_exchange_weak(known, total))
      break;
  return memory;
}
void *operator new[](size_t size) { return operator new(size); }
void operator delete(void *memory) noexcept {
  now -= int64_t(malloc_usable_size(memory));
  std::free(memory);
}
void operator delete[](void *memory) noexcept { operator delete(memory); }
void operator delete(void *memory, size_t) noexcept { operator delete(memory); }
void operator delete[](void *memory, size_t) noexcept {
  operator delete(memory);
}

/// The most bytes that `body` held at once, beyond those before it.
template <typename Body>
static int64_t peakOf(Body body) {
  int64_t before = now;
  peak = before;
  body();
  return peak - before;
}

template <typename Entries>
static int64_t bytesOf(const Entries &table) {
  return int64_t(table.size() * sizeof(table[0]));
}

static int64_t bytesOf(const Packed &packed) {
  return bytesOf(packed.segmentRow) + bytesOf(packed.segmentTarget) +
         bytesOf(packed.segmentEnd) + bytesOf(packed.columns16) +
         bytesOf(packed.columns32) + bytesOf(packed.slotOf) +
         bytesOf(packed.combineRow) + bytesOf(packed.combinePartial);
}

/// Of the coordinates of a nonzero, which pack cuts and forgets.
constexpr int64_t kCoordinateBytes = 2 * sizeof(int32_t);

/// What slots in the order of the nonzeros leave is less than coordinates take.
TEST(Memory, PackTakesAtMostTwiceWhatItMakesOrBesideItCoordinates) {
  for (MatrixClass kind :
       {MatrixClass::Uniform, MatrixClass::Rmat, MatrixClass::Pruned75}) {
    Matrix matrix = generate(kind, 1000000);
    for (OrderKind order : {OrderKind::Rows, OrderKind::Hilbert})
      for (int bits : {16, 32}) {
        SCOPED_TRACE(className(kind) + std::string(" ") +
                     std::string(orderName(order)));
        PlanOptions planOptions;
        planOptions.order = order;
        Graph graph = makePlan(matrix.view(), planOptions)->fused;
        PackOptions options;
        options.workers = 4;
        options.layout.columnBits = uint8_t(bits);
        int64_t size = 0, coordinates = 0;
        int64_t most = peakOf([&] {
          auto packed = pack(matrix.view(), graph, options);
          size = bytesOf(*packed);
          if (packed->isInOrder())
            coordinates = matrix.nonzeros() * kCoordinateBytes;
        });
        EXPECT_LE(most, 2 * size + coordinates);
        RecordProperty(
            "bytesPerNonzero",
            std::to_string(double(most) / double(matrix.nonzeros())));
      }
  }
}

TEST(Memory, PackOfUnsortedNonzerosKeepsNothingThatItIsDoneWith) {
  Matrix matrix = generate(MatrixClass::Uniform, 1000000);
  std::vector<int32_t> rows, columns(matrix.coordinates);
  for (int64_t row = 0; row < matrix.rows; ++row)
    rows.resize(size_t(matrix.positions[size_t(row) + 1]), int32_t(row));
  std::reverse(rows.begin(), rows.end());
  std::reverse(columns.begin(), columns.end());
  const int64_t count = matrix.nonzeros();
  SparseView view = SparseView::coo(
      {matrix.rows, matrix.columns},
      {IndexArray(rows.data(), count), IndexArray(columns.data(), count)});
  PlanOptions planOptions;
  planOptions.order = OrderKind::Rows;
  Graph graph = makePlan(view, planOptions)->fused;
  int64_t most = peakOf([&] { ASSERT_TRUE(pack(view, graph, {})); });
  // 24 bytes a nonzero: row, column, both once more while they are sorted, and
  // 8 of the slot map.
  EXPECT_LE(most, 25 * count);
}

/// `count` strips of rows, each a part.
static Space strips(const Matrix &matrix, int64_t count) {
  Space space = *Space::whole(matrix.view().shape, OrderKind::Hilbert);
  const Part whole = space.parts[0];
  space.parts.assign(size_t(count), whole);
  for (int64_t i = 0; i < count; ++i) {
    Part &part = space.parts[size_t(i)];
    part.origin[0] = whole.extents[0] * i / count;
    part.extents[0] = whole.extents[0] * (i + 1) / count - part.origin[0];
  }
  return space;
}

TEST(Memory, CountingAProfileTakesAtMostEightBytesANonzero) {
  for (MatrixClass kind : {MatrixClass::Uniform, MatrixClass::Rmat}) {
    Matrix matrix = generate(kind, 2000000);
    int64_t most = peakOf(
        [&] { ASSERT_TRUE(countProfile(matrix.view(), strips(matrix, 1))); });
    EXPECT_LE(most, 8 * matrix.nonzeros()) << className(kind);
  }
}

TEST(Memory, CountingManyPartsByManyThreadsTakesNoMore) {
  Matrix matrix = generate(MatrixClass::Rmat, 8000000);
  int64_t most = peakOf([&] {
    ASSERT_TRUE(countProfile(matrix.view(), strips(matrix, 50), {256, 64}));
  });
  EXPECT_LE(most, 8 * matrix.nonzeros());
}

TEST(Memory, CountingFineBinsDoesNotTakeMoreWithThreads) {
  // Bins of single nonzeros are what the profile itself is made of.
  Matrix matrix = generate(MatrixClass::Uniform, 1000000);
  auto peakWith = [&](unsigned threads) {
    return peakOf([&] {
      ASSERT_TRUE(countProfile(matrix.view(), strips(matrix, 1), {1, threads}));
    });
  };
  int64_t one = peakWith(1);
  EXPECT_LE(peakWith(64), one + 8 * matrix.nonzeros());
}
