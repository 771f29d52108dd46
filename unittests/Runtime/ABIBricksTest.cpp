//===- ABIBricksTest.cpp - tensors of any rank through the C interface ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/PackBricks.h"
#include "ASTFE/Core/Graph/Partition.h"
#include "ASTFE/Core/Reorder/Arrange.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/BricksHandle.h"
#include "MemRefOf.h"
#include "gtest/gtest.h"

#include <array>
#include <random>
#include <set>
#include <thread>

using namespace astfe;
using namespace astfe::rt;

namespace {
/// The numbers of a level, each array with the bits of its entries.
template <typename P, typename C>
void addLevel(std::vector<int64_t> &levels, int64_t kind, int64_t mode,
              int64_t size, const std::vector<P> &positions,
              const std::vector<C> &coordinates, int64_t stride = 1,
              int64_t first = 0) {
  const int64_t count =
      coordinates.empty() ? 0 : int64_t(coordinates.size()) / stride;
  const std::vector<int64_t> fields = {
      kind,
      mode,
      size,
      1,
      0,
      int64_t(uintptr_t(positions.data())),
      int64_t(positions.size()),
      8 * int64_t(sizeof(P)),
      int64_t(uintptr_t(coordinates.data() + first)),
      count,
      stride,
      8 * int64_t(sizeof(C))};
  static_assert(ASTFE_LEVEL_FIELDS == 12, "a field is missing here");
  levels.insert(levels.end(), fields.begin(), fields.end());
}

/// A tensor of 40 x 30 x 20 as compressed fibers and, entry by entry, as
/// coordinates side by side; and whatever a test does with its handles.
struct Bricks : testing::Test {
  Bricks() {
    for (int64_t i = 0; i < 40; i += 2) {
      rows.push_back(uint8_t(i));
      for (int64_t j = i % 3; j < 30; j += 3) {
        columns.push_back(uint16_t(j));
        for (int64_t k = (i + j) % 4; k < 20; k += 4) {
          tubes.push_back(k);
          points.insert(points.end(), {uint32_t(i), uint32_t(j), uint32_t(k)});
          values.push_back(float(i * 1000 + j * 20 + k));
        }
        tubeEnd.push_back(int64_t(tubes.size()));
      }
      columnEnd.push_back(uint16_t(columns.size()));
    }
    rowEnd.push_back(uint32_t(rows.size()));
    addLevel(csf, ASTFE_COMPRESSED, 0, 40, rowEnd, rows);
    addLevel(csf, ASTFE_COMPRESSED, 1, 30, columnEnd, columns);
    addLevel(csf, ASTFE_COMPRESSED, 2, 20, tubeEnd, tubes);
    pointEnd.push_back(values.size());
    addLevel(coo, ASTFE_COMPRESSED, 0, 40, pointEnd, points, 3, 0);
    addLevel(coo, ASTFE_SINGLETON, 1, 30, std::vector<int64_t>(), points, 3, 1);
    addLevel(coo, ASTFE_SINGLETON, 2, 20, std::vector<int64_t>(), points, 3, 2);
  }
  ~Bricks() override {
    EXPECT_EQ(Handle::live(), 0);
    astfe_rt_clear_error();
  }

  /// COO of the first `count` points.
  void usePoints(int64_t extent, int64_t count) {
    pointEnd = {0, count};
    coo.clear();
    addLevel(coo, ASTFE_COMPRESSED, 0, extent, pointEnd, points, 3, 0);
    addLevel(coo, ASTFE_SINGLETON, 1, extent, std::vector<int64_t>(), points, 3,
             1);
    addLevel(coo, ASTFE_SINGLETON, 2, extent, std::vector<int64_t>(), points, 3,
             2);
  }

  void *profile(std::vector<int64_t> &levels) {
    AstfeMemRef1D l = memref(levels), e = memref(extents);
    return _mlir_ciface_astfe_rt_profile_levels(&l, &e, 2, 10, 4);
  }
  void *pack(std::vector<int64_t> &levels, void *graph) {
    AstfeMemRef1D l = memref(levels), e = memref(extents);
    return _mlir_ciface_astfe_rt_pack_levels(&l, &e, graph);
  }
  void *bricks(std::vector<int64_t> &levels) {
    void *h = profile(levels);
    void *g = _mlir_ciface_astfe_rt_partition(h, 64, 8);
    void *result = pack(levels, g);
    _mlir_ciface_astfe_rt_release(h);
    _mlir_ciface_astfe_rt_release(g);
    return result;
  }
  void expectError(const std::string &part) {
    ASSERT_NE(astfe_rt_last_error(), nullptr) << "expected: " << part;
    EXPECT_NE(std::string(astfe_rt_last_error()).find(part), std::string::npos)
        << astfe_rt_last_error();
    astfe_rt_clear_error();
  }

  std::vector<int64_t> extents{40, 30, 20}, csf, coo;
  std::vector<uint8_t> rows;
  std::vector<uint16_t> columns, columnEnd{0};
  std::vector<uint32_t> rowEnd{0}, points;
  std::vector<int64_t> tubes, tubeEnd{0}, pointEnd{0};
  std::vector<float> values;
};

/// The tables of one mode, as a kernel takes them.
struct Tables {
  Tables(void *bricks, int64_t key)
      : bricks(bricks), key(key), ranges(_mlir_ciface_astfe_rt_workers()) {
    for (int64_t t = 0; t < ASTFE_BRICK_SEGMENT_LAST; ++t)
      _mlir_ciface_astfe_rt_brick_table_i64(&wide[t], bricks, key, ranges, t);
    _mlir_ciface_astfe_rt_brick_table_i16(&last, bricks, key, ranges,
                                          ASTFE_BRICK_SEGMENT_LAST);
    for (int64_t m = 0; m < 3; ++m) {
      _mlir_ciface_astfe_rt_brick_table_i16(&modes[m], bricks, key, ranges,
                                            ASTFE_BRICK_COORDINATE + m);
      _mlir_ciface_astfe_rt_brick_table_i16(&slotModes[m], bricks, key, ranges,
                                            ASTFE_SLOT_COORDINATE + m);
    }
    _mlir_ciface_astfe_rt_brick_table_i16(&fiberLast, bricks, key, ranges,
                                          ASTFE_FIBER_LAST);
    _mlir_ciface_astfe_rt_brick_table_i16(&segmentFiber, bricks, key, ranges,
                                          ASTFE_BRICK_SEGMENT_FIBER);
    fiberMode = _mlir_ciface_astfe_rt_brick_fiber_mode(bricks, key);
  }
  int64_t at(int64_t table, int64_t i) const {
    return static_cast<int64_t *>(wide[table].aligned)[i];
  }
  static int64_t entry(const AstfeMemRef1D &table, int64_t i) {
    EXPECT_LT(i + ASTFE_BRICK_AHEAD, table.size);
    return static_cast<uint16_t *>(table.aligned)[i];
  }
  int64_t coordinate(int64_t mode, int64_t i) const {
    return entry(modes[mode], i);
  }

  /// Calls body(row range, slot, point) for all slots, as kernels walk.
  template <typename Body>
  void walk(Body body) const {
    const int64_t count = _mlir_ciface_astfe_rt_brick_count(bricks, key);
    for (int64_t r = 0; r < ranges; ++r)
      for (int64_t b = 0; b < count; ++b) {
        const int64_t place = b * (ranges + 1) + r;
        int64_t slot = at(ASTFE_RANGE_SLOT, place);
        int64_t fiber = at(ASTFE_RANGE_FIBER, place);
        const int64_t base = at(ASTFE_BRICK_SLOT, b);
        for (int64_t g = at(ASTFE_RANGE_SEGMENT, place);
             g < at(ASTFE_RANGE_SEGMENT, place + 1); ++g) {
          for (; slot <= base + static_cast<uint16_t *>(last.aligned)[g];
               ++slot) {
            if (fiberMode >= 0 &&
                slot > base + static_cast<uint16_t *>(fiberLast.aligned)[fiber])
              ++fiber;
            std::array<int64_t, 3> point;
            for (int64_t m = 0; m < 3; ++m) {
              const int64_t local = coordinate(m, m == key         ? g
                                                  : m == fiberMode ? fiber
                                                                   : slot);
              EXPECT_EQ(entry(slotModes[m], m == key ? g : slot), local);
              point[size_t(m)] = at(ASTFE_BRICK_ORIGIN, b * 3 + m) + local;
            }
            body(r, slot, point);
          }
          if (fiberMode >= 0) {
            EXPECT_EQ(at(ASTFE_BRICK_FIBER, b) +
                          static_cast<uint16_t *>(segmentFiber.aligned)[g],
                      fiber++);
          }
        }
      }
  }

  void *bricks;
  int64_t key, ranges, fiberMode;
  AstfeMemRef1D wide[ASTFE_BRICK_SEGMENT_LAST], last, segmentFiber, fiberLast,
      modes[3], slotModes[3];
};
} // namespace

TEST_F(Bricks, HoldEveryNonzeroInEveryMode) {
  astfe_rt_set_workers(3);
  for (std::vector<int64_t> *levels : {&csf, &coo}) {
    void *handle = bricks(*levels);
    ASSERT_NE(handle, nullptr) << astfe_rt_last_error();
    EXPECT_EQ(_mlir_ciface_astfe_rt_slots(handle), int64_t(values.size()));
    for (int64_t m = 0; m < 3; ++m)
      EXPECT_EQ(_mlir_ciface_astfe_rt_extent(handle, m), extents[size_t(m)]);
    EXPECT_EQ(_mlir_ciface_astfe_rt_brick_bits(handle, 0), 16);
    for (int64_t key : {1, 0, 2}) {
      ASSERT_EQ(_mlir_ciface_astfe_rt_bricks_fit(handle, 3, key), 1);
      std::vector<float> packed(values.size()), back(values.size());
      AstfeMemRef1D v = memref(values), p = memref(packed), u = memref(back);
      EXPECT_EQ(_mlir_ciface_astfe_rt_nonzeros(handle), int64_t(values.size()));
      EXPECT_EQ(_mlir_ciface_astfe_rt_in_order(handle, key), 0);
      _mlir_ciface_astfe_rt_brick_values_f32(handle, key, &v, &p);
      _mlir_ciface_astfe_rt_brick_unpack_f32(handle, key, &p, &u);
      EXPECT_EQ(back, values);
      std::vector<uint8_t> bytes(values.size()), byKey(bytes), again(bytes);
      for (size_t n = 0; n < bytes.size(); ++n)
        bytes[n] = uint8_t(n);
      AstfeMemRef1D b = memref(bytes), k = memref(byKey), a = memref(again);
      _mlir_ciface_astfe_rt_brick_values_i8(handle, key, &b, &k);
      _mlir_ciface_astfe_rt_brick_unpack_i8(handle, key, &k, &a);
      EXPECT_EQ(again, bytes);
      const Tables tables(handle, key);
      ASSERT_EQ(tables.ranges, 3);
      // There is one brick, which has each row once.
      EXPECT_EQ(
          _mlir_ciface_astfe_rt_brick_rows_ascend(handle, key, tables.ranges),
          1);
      std::set<std::array<int64_t, 3>> seen;
      tables.walk([&](int64_t range, int64_t slot, std::array<int64_t, 3> at) {
        seen.insert(at);
        EXPECT_EQ(packed[size_t(slot)],
                  float(at[0] * 1000 + at[1] * 20 + at[2]));
        EXPECT_GE(at[size_t(key)], tables.at(ASTFE_RANGE_ROW, range));
        EXPECT_LT(at[size_t(key)], tables.at(ASTFE_RANGE_ROW, range + 1));
      });
      EXPECT_EQ(seen.size(), values.size());
    }
    EXPECT_EQ(astfe_rt_last_error(), nullptr);
    _mlir_ciface_astfe_rt_release(handle);
  }
  astfe_rt_set_workers(0);
}

TEST_F(Bricks, ModesWithoutReuseAreWalkedByTheirRows) {
  // Hardly any row has two nonzeros, and no factor fits a cache.
  const int64_t extent = 65536, count = 66000;
  extents = {extent, extent, extent};
  points.clear();
  for (int64_t n = 0; n < count; ++n)
    points.insert(points.end(),
                  {uint32_t(n * 5 % extent), uint32_t(n * 7919 % extent),
                   uint32_t(n * 4999 % extent)});
  values.assign(size_t(count), 0);
  for (int64_t n = 0; n < count; ++n)
    values[size_t(n)] = float(n);
  usePoints(extent, count);
  astfe_rt_set_workers(2);
  void *handle = bricks(coo);
  ASSERT_NE(handle, nullptr) << astfe_rt_last_error();
  const core::Bricks &all = handleAs<BricksHandle>(handle)->fixed();
  ASSERT_GT(all.bricks(), 1);
  for (int64_t key : {2, 0, 1}) {
    ASSERT_EQ(_mlir_ciface_astfe_rt_bricks_fit(handle, 3, key), 1);
    EXPECT_NE(*handleAs<BricksHandle>(handle)->walkedBy(key), &all);
    EXPECT_EQ(_mlir_ciface_astfe_rt_brick_count(handle, key), 2);
    std::vector<float> packed(values.size()), back(values.size());
    AstfeMemRef1D v = memref(values), p = memref(packed), u = memref(back);
    _mlir_ciface_astfe_rt_brick_values_f32(handle, key, &v, &p);
    _mlir_ciface_astfe_rt_brick_unpack_f32(handle, key, &p, &u);
    EXPECT_EQ(back, values);
    const Tables tables(handle, key);
    EXPECT_EQ(tables.ranges, 2);
    EXPECT_EQ(
        _mlir_ciface_astfe_rt_brick_rows_ascend(handle, key, tables.ranges), 1);
    int64_t seen = 0;
    tables.walk([&](int64_t range, int64_t slot, std::array<int64_t, 3> at) {
      const auto n = size_t(packed[size_t(slot)]);
      for (size_t k = 0; k < 3; ++k)
        EXPECT_EQ(at[k], int64_t(points[3 * n + k]));
      EXPECT_GE(at[size_t(key)], tables.at(ASTFE_RANGE_ROW, range));
      EXPECT_LT(at[size_t(key)], tables.at(ASTFE_RANGE_ROW, range + 1));
      ++seen;
    });
    EXPECT_EQ(seen, count);
  }
  EXPECT_EQ(astfe_rt_last_error(), nullptr);
  _mlir_ciface_astfe_rt_release(handle);
  astfe_rt_set_workers(0);
}

TEST_F(Bricks, ModesWithoutMemoryHaveSlices) {
  astfe_rt_set_memory(-1);
  expectError("expected bytes >= 0 but got -1");
  astfe_rt_set_memory(1);
  astfe_rt_set_workers(2);
  void *handle = bricks(csf);
  ASSERT_NE(handle, nullptr) << astfe_rt_last_error();
  EXPECT_EQ(_mlir_ciface_astfe_rt_brick_slices(handle, 4, 1, 4), 0);
  expectError("expected a tensor of rank 4");
  EXPECT_EQ(_mlir_ciface_astfe_rt_brick_slices(handle, 3, 3, 4), 0);
  expectError("expected a mode from 0 to 2 but got 3");
  // The copy that bricks are packed with is always there.
  for (int64_t key = 0; key < 3; ++key) {
    const bool isSliced = key != 0;
    const int64_t slices =
        _mlir_ciface_astfe_rt_brick_slices(handle, 3, key, sizeof(float));
    ASSERT_EQ(slices, 1) << astfe_rt_last_error();
    std::vector<float> packed(values.size()), back(values.size());
    AstfeMemRef1D v = memref(values), p = memref(packed), u = memref(back);
    EXPECT_EQ(_mlir_ciface_astfe_rt_in_order(handle, key), isSliced);
    _mlir_ciface_astfe_rt_brick_values_f32(handle, key, &v, &p);
    _mlir_ciface_astfe_rt_brick_unpack_f32(handle, key, &p, &u);
    EXPECT_EQ(back, values);
    EXPECT_EQ(_mlir_ciface_astfe_rt_brick_rows_ascend(handle, key, 2),
              !isSliced);
    void *slice = _mlir_ciface_astfe_rt_brick_slice(handle, key, 0, slices);
    EXPECT_EQ(slice == handle, !isSliced);
    AstfeMemRef1D own;
    _mlir_ciface_astfe_rt_brick_slice_values(&own, slice, key,
                                             int64_t(uintptr_t(packed.data())),
                                             sizeof(float), 0, 1);
    EXPECT_EQ(own.aligned == packed.data(), !isSliced);
    ASSERT_EQ(_mlir_ciface_astfe_rt_bricks_fit(slice, 3, key), 1);
    int64_t seen = 0;
    Tables(slice, key)
        .walk([&](int64_t, int64_t slot, std::array<int64_t, 3> at) {
          EXPECT_EQ(static_cast<float *>(own.aligned)[slot],
                    float(at[0] * 1000 + at[1] * 20 + at[2]));
          ++seen;
        });
    EXPECT_EQ(seen, int64_t(values.size()));
    _mlir_ciface_astfe_rt_release(slice);
  }
  EXPECT_EQ(astfe_rt_last_error(), nullptr);
  // Who walks the copy and nothing else has an error.
  EXPECT_EQ(_mlir_ciface_astfe_rt_bricks_fit(handle, 3, 1), 0);
  expectError("expected the copy of mode 1 to take at most 0 bytes but got");
  _mlir_ciface_astfe_rt_release(handle);
  astfe_rt_set_workers(0);
  astfe_rt_set_memory(0);
}

TEST_F(Bricks, FormatsOfOneTensorGiveTheSameTables) {
  void *fromCsf = bricks(csf), *fromCoo = bricks(coo);
  for (int64_t key = 0; key < 3; ++key) {
    const core::ModeCopy &a = **handleAs<BricksHandle>(fromCsf)->copyOf(key);
    const core::ModeCopy &b = **handleAs<BricksHandle>(fromCoo)->copyOf(key);
    EXPECT_EQ(a.segments.coordinate, b.segments.coordinate);
    EXPECT_EQ(a.home, b.home);
  }
  _mlir_ciface_astfe_rt_release(fromCsf);
  _mlir_ciface_astfe_rt_release(fromCoo);
}

TEST_F(Bricks, RowsThatAreExpectedDecideWhatIsWalked) {
  // A third of all rows has no nonzero: where rows are short, to clear gaps
  // takes longer than to add to them (Core/Bricks/WalkTimes.h).
  const int64_t extent = 100000, count = 100000;
  extents = {extent, extent, extent};
  points.clear();
  std::mt19937_64 random(1);
  for (int64_t n = 0; n < 3 * count; ++n)
    points.push_back(uint32_t(random() % uint64_t(extent)));
  usePoints(extent, count);
  for (int64_t rowBytes : {64, 128}) {
    void *handle = bricks(coo);
    ASSERT_NE(handle, nullptr) << astfe_rt_last_error();
    auto *mine = handleAs<BricksHandle>(handle);
    ASSERT_GT(mine->fixed().bricks(), 1);
    mine->expectRows(rowBytes);
    EXPECT_EQ(*mine->walkedBy(0) == &mine->fixed(), rowBytes == 64);
    // Those of a GPU are by rows, whatever a host would walk; what is there
    // already stays.
    _mlir_ciface_astfe_rt_bricks_expect_gpu(handle);
    EXPECT_EQ(*mine->walkedBy(0) == &mine->fixed(), rowBytes == 64);
    EXPECT_NE(*mine->walkedBy(1), &mine->fixed());
    _mlir_ciface_astfe_rt_release(handle);
  }
}

TEST_F(Bricks, OneBrickIsWalkedByAGPU) {
  void *handle = bricks(coo);
  auto *mine = handleAs<BricksHandle>(handle);
  ASSERT_EQ(mine->fixed().bricks(), 1);
  _mlir_ciface_astfe_rt_bricks_expect_gpu(handle);
  EXPECT_EQ(*mine->walkedBy(1), &mine->fixed());
  // A null handle is an error of whoever made it.
  _mlir_ciface_astfe_rt_bricks_expect_gpu(nullptr);
  _mlir_ciface_astfe_rt_release(handle);
}

TEST_F(Bricks, ThreadsFindTheSameCopies) {
  void *handle = bricks(csf);
  std::vector<std::thread> threads;
  std::vector<const core::ModeCopy *> found(12);
  for (size_t t = 0; t < found.size(); ++t)
    threads.emplace_back([&, t] {
      found[t] = *handleAs<BricksHandle>(handle)->copyOf(int64_t(t % 3));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t t = 3; t < found.size(); ++t)
    EXPECT_EQ(found[t], found[t % 3]);
  _mlir_ciface_astfe_rt_release(handle);
}

TEST_F(Bricks, WrongInputIsAnError) {
  // An error in front of an error is kept; null goes through.
  EXPECT_EQ(pack(csf, nullptr), nullptr);
  EXPECT_EQ(astfe_rt_last_error(), nullptr);
  EXPECT_EQ(_mlir_ciface_astfe_rt_bricks_fit(nullptr, 3, 0), 0);
  EXPECT_EQ(_mlir_ciface_astfe_rt_brick_slices(nullptr, 3, 0, 4), 0);
  EXPECT_EQ(_mlir_ciface_astfe_rt_brick_slice(nullptr, 0, 0, 1), nullptr);
  AstfeMemRef1D ofNone;
  _mlir_ciface_astfe_rt_brick_slice_values(&ofNone, nullptr, 0, 64, 4, 0, 1);
  EXPECT_EQ(ofNone.size, 0);
  EXPECT_EQ(_mlir_ciface_astfe_rt_brick_parts(nullptr, 0, 4), 0);
  EXPECT_EQ(_mlir_ciface_astfe_rt_brick_rows_ascend(nullptr, 0, 1), 0);
  EXPECT_EQ(_mlir_ciface_astfe_rt_brick_count(nullptr, 0), 0);
  EXPECT_EQ(_mlir_ciface_astfe_rt_brick_row_parts(nullptr, 0, 4), 0);
  EXPECT_EQ(astfe_rt_last_error(), nullptr);
  auto wrong = [&](size_t field, int64_t value, const std::string &text) {
    std::vector<int64_t> levels = csf;
    levels[field] = value;
    EXPECT_EQ(profile(levels), nullptr);
    expectError(text);
  };
  wrong(ASTFE_LEVEL_KIND, 5, "level 0: expected a kind from 0 to 4 but got 5");
  wrong(ASTFE_LEVEL_MODE, 8, "level 0: expected a mode from 0 to 7 but got 8");
  wrong(ASTFE_LEVEL_POSITION_BITS, 24,
        "expected integers of 8, 16, 32 or 64 bits but got 24");
  wrong(ASTFE_LEVEL_FIELDS + ASTFE_LEVEL_COORDINATE_COUNT, -1,
        "level 1: expected an array of 0 or more entries");
  wrong(ASTFE_LEVEL_SIZE, 39, "mode 0");
  // The arrays contradict each other.
  wrong(ASTFE_LEVEL_COORDINATE_COUNT, 19, "level 0");
  columns[3] = 30;
  EXPECT_EQ(profile(csf), nullptr);
  expectError("30");
  columns[3] = 9;
  csf.pop_back();
  EXPECT_EQ(profile(csf), nullptr);
  expectError("expected 12 numbers for each level but got 35");
}

TEST_F(Bricks, WrongQuestionsAreErrors) {
  void *handle = bricks(csf);
  AstfeMemRef1D table;
  EXPECT_EQ(_mlir_ciface_astfe_rt_bricks_fit(handle, 4, 0), 0);
  expectError("expected a tensor of rank 4, which the kernel is for, but got "
              "rank 3");
  EXPECT_EQ(_mlir_ciface_astfe_rt_bricks_fit(handle, 3, 3), 0);
  expectError("expected a mode from 0 to 2 but got 3");
  EXPECT_EQ(_mlir_ciface_astfe_rt_extent(handle, -1), 0);
  expectError("expected a mode from 0 to 2 but got -1");
  _mlir_ciface_astfe_rt_brick_table_i64(&table, handle, 0, 1, 13);
  EXPECT_EQ(table.size, 0);
  expectError("expected a table from 0 to 12 but got 13");
  _mlir_ciface_astfe_rt_brick_table_i64(&table, handle, 0, 1, ASTFE_FIBER_LAST);
  expectError("as i16 but got i64");
  _mlir_ciface_astfe_rt_brick_table_i64(&table, handle, 0, 0, ASTFE_RANGE_ROW);
  expectError("at least 1 range");
  std::vector<float> few(3);
  AstfeMemRef1D v = memref(values), f = memref(few);
  _mlir_ciface_astfe_rt_brick_values_f32(handle, 0, &v, &f);
  expectError("values and as many slots but got");
  // Coordinates of 8 bits are for other readers.
  std::vector<core::IndexArray> arrays;
  const std::vector<int32_t> none;
  for (int64_t k = 0; k < 3; ++k)
    arrays.emplace_back(none.data(), 0);
  auto view = core::SparseView::coo({3, 3, 3}, arrays);
  auto space = *core::arrange(view, {core::OrderKind::Hilbert, 10,
                                     core::ReorderKind::None, core::kNoHubs});
  auto counted = *core::countProfile(view, space, {});
  auto *narrow = new BricksHandle(
      *core::packBricks(view, *core::partition(counted, {64, 1})));
  EXPECT_EQ(_mlir_ciface_astfe_rt_bricks_fit(narrow, 3, 0), 0);
  expectError("expected bricks whose coordinates all have 16 bits");
  _mlir_ciface_astfe_rt_release(narrow);
  // Bricks are no matrix, nor the other way.
  EXPECT_EQ(_mlir_ciface_astfe_rt_pattern_workers(handle), 0);
  expectError("expected a pattern but got bricks");
  _mlir_ciface_astfe_rt_release(handle);
  void *h = profile(csf);
  EXPECT_EQ(_mlir_ciface_astfe_rt_brick_count(h, 0), 0);
  expectError("expected bricks but got a profile");
  _mlir_ciface_astfe_rt_release(h);
}
