//===- LevelViewTest.cpp - levels of every kind, and who reads them -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Partition.h"
#include "ASTFE/Core/Graph/Traffic.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Tensor/LevelCursor.h"
#include "ASTFE/Core/Tensor/SparseView.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace astfe::core;

namespace {

using Point = std::vector<int64_t>;

/// (n, coordinates...) by recursion from the root, as the header defines it.
void walk(const LevelView &view, size_t level, int64_t parent, Point point,
          std::vector<Point> &result) {
  if (level == view.levels.size()) {
    point.insert(point.begin(), parent);
    result.push_back(point);
    return;
  }
  const TensorLevel &here = view.levels[level];
  int64_t begin = parent, end = parent + 1;
  if (here.kind == LevelKind::Dense || here.kind == LevelKind::NOutOfM) {
    int64_t each = here.kind == LevelKind::Dense ? here.size : here.stored;
    begin = parent * each;
    end = begin + each;
  } else if (here.kind != LevelKind::Singleton) {
    bool loose = here.kind == LevelKind::Loose;
    begin = here.positions[loose ? 2 * parent : parent];
    end = here.positions[loose ? 2 * parent + 1 : parent + 1];
  }
  for (int64_t q = begin; q < end; ++q) {
    Point next = point;
    next[here.mode] +=
        here.scale *
        (here.kind == LevelKind::Dense ? q - begin : here.coordinates[q]);
    walk(view, level + 1, q, next, result);
  }
}

std::vector<Point> walked(const LevelView &view) {
  std::vector<Point> result;
  walk(view, 0, 0, Point(view.rank(), 0), result);
  return result;
}

/// What cursors over [0, cut) and [cut, all) yield together.
std::vector<Point> read(const LevelView &view, int64_t cut) {
  cut = std::min(cut, view.entries());
  std::vector<Point> result;
  for (auto [begin, end] : {std::pair<int64_t, int64_t>(0, cut),
                            std::pair<int64_t, int64_t>(cut, view.entries())})
    for (LevelCursor cursor(view, begin, end); cursor.next();)
      for (int64_t i = 0; i < cursor.size(); ++i) {
        Point point{cursor.numbers()[i]};
        for (const int64_t *mode : cursor.coordinates())
          point.push_back(mode[i]);
        result.push_back(point);
      }
  return result;
}

void expectReads(const LevelView &view) {
  Status sound = view.check();
  ASSERT_TRUE(sound) << sound.message();
  std::vector<Point> expected = walked(view);
  for (int64_t cut :
       {int64_t(0), view.entries() / 3, view.entries() / 2 + 1, view.entries()})
    EXPECT_EQ(read(view, cut), expected);
}

std::string message(const LevelView &view) {
  Status status = view.check();
  return status ? "" : status.message();
}

template <typename T>
LevelArray array(const std::vector<T> &entries) {
  return {entries.data(), int64_t(entries.size())};
}

/// Sorted points of a tensor and the arrays of its formats, in one width.
template <typename T>
struct Arrays {
  Point shape;
  std::vector<Point> points;
  std::vector<std::vector<T>> positions, coordinates; ///< CSF, modes in order
  std::vector<std::vector<T>> columns;                ///< COO
  std::vector<T> interleavedPoints, ends, rowPositions;

  Arrays(Point extents, size_t count, uint64_t seed) : shape(extents) {
    std::mt19937_64 random(seed);
    for (size_t n = 0; n < count; ++n) {
      Point point;
      for (int64_t extent : shape)
        point.push_back(int64_t(random() % uint64_t(extent)));
      points.push_back(point);
    }
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    makeCoo();
    makeFibers();
  }
  void makeCoo() {
    columns.resize(shape.size());
    rowPositions.assign(size_t(shape[0]) + 1, 0);
    for (const Point &point : points) {
      for (size_t k = 0; k < shape.size(); ++k) {
        columns[k].push_back(T(point[k]));
        interleavedPoints.push_back(T(point[k]));
      }
      ++rowPositions[size_t(point[0]) + 1];
    }
    for (size_t i = 1; i < rowPositions.size(); ++i)
      rowPositions[i] = T(rowPositions[i] + rowPositions[i - 1]);
    ends = {T(0), T(points.size())};
  }
  void makeFibers() {
    positions.assign(shape.size(), {T(0)});
    coordinates.resize(shape.size());
    for (size_t n = 0; n < points.size(); ++n) {
      size_t level = 0;
      while (n > 0 && points[n][level] == points[n - 1][level])
        ++level;
      for (; level < shape.size(); ++level) {
        if (level > 0)
          while (positions[level].size() < coordinates[level - 1].size())
            positions[level].push_back(T(coordinates[level].size()));
        coordinates[level].push_back(T(points[n][level]));
      }
    }
    for (size_t level = 0; level < shape.size(); ++level)
      if (level == 0 || !coordinates[level - 1].empty())
        positions[level].push_back(T(coordinates[level].size()));
  }
  LevelView coo() const {
    return LevelView::coo(shape, array(ends), arrays(columns));
  }
  LevelView aos() const {
    return LevelView::coo(shape, array(ends),
                          interleaved(interleavedPoints.data(),
                                      unsigned(shape.size()),
                                      int64_t(points.size())));
  }
  LevelView csf() const {
    std::vector<unsigned> modes(shape.size());
    std::iota(modes.begin(), modes.end(), 0u);
    LevelView view =
        LevelView::csf(shape, modes, arrays(positions), arrays(coordinates));
    for (TensorLevel &level : view.levels)
      level.ordered = level.unique = true;
    return view;
  }
  LevelView csr() const {
    return LevelView::csr(shape[0], shape[1], array(rowPositions),
                          array(columns[1]));
  }
  LevelView csc() const {
    return LevelView::csc(shape[1], shape[0], array(rowPositions),
                          array(columns[1]));
  }
  static std::vector<LevelArray> arrays(const std::vector<std::vector<T>> &of) {
    std::vector<LevelArray> result;
    for (const std::vector<T> &entries : of)
      result.push_back(array(entries));
    return result;
  }
  std::vector<Point> numbered() const {
    std::vector<Point> result = points;
    for (size_t n = 0; n < result.size(); ++n)
      result[n].insert(result[n].begin(), int64_t(n));
    return result;
  }
};

template <typename T>
void expectFormats(size_t count) {
  Arrays<T> cube({17, 9, 23}, count, 7), matrix({41, 30}, count, 8);
  for (const LevelView &view : {cube.coo(), cube.aos(), cube.csf()}) {
    expectReads(view);
    EXPECT_EQ(read(view, 0), cube.numbered());
  }
  for (const LevelView &view : {matrix.csr(), matrix.csf(), matrix.aos()})
    EXPECT_EQ(read(view, 5), matrix.numbered());
  for (const LevelView &view : {matrix.csc(), matrix.csr(), matrix.csf()})
    expectReads(view);
}

} // namespace

TEST(LevelView, WorkedExamplesOfTheHeader) {
  std::vector<int32_t> positions{0, 2, 2, 3}, columns{1, 3, 0};
  std::vector<uint8_t> rowEnds{0, 2}, rows{0, 2}, ends{0, 2, 3};
  std::vector<uint16_t> all{0, 3}, rowOf{0, 0, 2};
  std::vector<Point> expected{{0, 0, 1}, {1, 0, 3}, {2, 2, 0}};
  EXPECT_EQ(read(LevelView::csr(3, 4, array(positions), array(columns)), 0),
            expected);
  LevelView dcsr = LevelView::dcsr(3, 4, {array(rowEnds), array(ends)},
                                   {array(rows), array(columns)});
  EXPECT_EQ(read(dcsr, 1), expected);
  EXPECT_EQ(
      read(LevelView::coo({3, 4}, array(all), {array(rowOf), array(columns)}),
           2),
      expected);
  EXPECT_EQ(message(dcsr), "");
}

TEST(LevelView, EveryFormatInEveryWidth) {
  expectFormats<uint8_t>(90);
  expectFormats<uint16_t>(2500);
  expectFormats<uint32_t>(2500);
  expectFormats<int32_t>(1100);
  expectFormats<int64_t>(0);
  expectFormats<int64_t>(2500);
}

TEST(LevelView, UnsignedBytesAboveTheSignedOnes) {
  std::vector<uint8_t> ends{0, 2}, rows{1, 255}, columns{200, 130};
  LevelView view =
      LevelView::coo({256, 201}, array(ends), {array(rows), array(columns)});
  expectReads(view);
  EXPECT_EQ(read(view, 0), (std::vector<Point>{{0, 1, 200}, {1, 255, 130}}));
}

TEST(LevelView, BlocksAreDenseLevelsInside) {
  // 4x6 in blocks of 2x3: blocks (0, 1) and (1, 0).
  std::vector<int32_t> positions{0, 1, 2}, columns{1, 0};
  LevelView view = LevelView::bsr(4, 6, 2, 3, array(positions), array(columns));
  expectReads(view);
  std::vector<Point> found = read(view, 0);
  ASSERT_EQ(found.size(), 12u);
  EXPECT_EQ(found[4], (Point{4, 1, 4}));
  EXPECT_EQ(found[6], (Point{6, 2, 0}));
  EXPECT_EQ(
      message(LevelView::bsr(5, 6, 2, 3, array(positions), array(columns))),
      "mode 0: expected levels of 5 values but got 4");
}

TEST(LevelView, NOutOfM) {
  // 2x8, two of four.
  TensorLevel rows, blocks, inner;
  rows.size = 2;
  blocks.mode = inner.mode = 1;
  blocks.size = 2;
  blocks.scale = inner.size = 4;
  inner.kind = LevelKind::NOutOfM;
  inner.stored = 2;
  std::vector<uint8_t> kept{0, 3, 1, 2, 0, 1, 2, 3};
  inner.coordinates = array(kept);
  LevelView view{{2, 8}, {rows, blocks, inner}};
  expectReads(view);
  EXPECT_EQ(read(view, 0)[3], (Point{3, 0, 6}));
  kept[3] = 4;
  EXPECT_EQ(message(view), "level 2 (n:m): entry 3: expected a coordinate of "
                           "mode 1 below 4 but got 4");
  view.levels[2].stored = 5;
  EXPECT_EQ(message(view), "level 2 (n:m): expected n in 1..4 but got 5");
}

TEST(LevelView, ModesAreOneInAnyOrder) {
  // (i, j, k) of 4 x 2 x 3 as row 4 k + i and column j.
  TensorLevel i, j, k;
  i.size = k.scale = 4;
  j.size = 2;
  j.mode = 1;
  k.size = 3;
  LevelView view{{12, 2}, {i, j, k}};
  expectReads(view);
  // i = 1, j = 1, k = 2.
  EXPECT_EQ(read(view, 0)[11], (Point{11, 9, 1}));
  view.levels[2].scale = 5;
  EXPECT_EQ(message(view),
            "level 2 (dense): expected a scale of 4 but got 5, as mode 0 has 2 "
            "levels");
  // One of a single value counts as much as what is beside it.
  TensorLevel one;
  one.size = 1;
  EXPECT_EQ(message({{4, 2}, {i, j, one}}), "");
  EXPECT_EQ(message({{4, 2}, {one, j, i}}), "");
}

TEST(LevelView, LooseLevelsSkipPositions) {
  // Rows of a matrix in an array with room: [0, 2), none, [4, 5).
  std::vector<int64_t> positions{0, 2, 3, 3, 4, 5};
  std::vector<int32_t> columns{1, 3, -7, 99, 0, 5};
  LevelView view = LevelView::csr(3, 4, {}, array(columns));
  view.levels[1].kind = LevelKind::Loose;
  view.levels[1].positions = array(positions);
  expectReads(view);
  EXPECT_EQ(read(view, 3),
            (std::vector<Point>{{0, 0, 1}, {1, 0, 3}, {4, 2, 0}}));
  EXPECT_EQ(SparseView::of(view).check().message(),
            "expected loose levels that skip no position but got a gap");
  positions = {0, 2, 2, 2, 2, 6};
  columns = {1, 3, 0, 1, 2, 3};
  EXPECT_TRUE(SparseView::of(view).check());
  positions[4] = 1;
  EXPECT_EQ(message(view), "level 1 (loose): position 4: expected one in 2..6 "
                           "but got 1");
}

TEST(LevelView, GapsLongerThanABatch) {
  std::vector<int64_t> positions{2, 3, 4000, 4002};
  std::vector<int32_t> columns(5000, 0);
  columns[4001] = 1;
  LevelView view = LevelView::csr(2, 2, {}, array(columns));
  view.levels[1].kind = LevelKind::Loose;
  view.levels[1].positions = array(positions);
  expectReads(view);
}

TEST(LevelView, ErrorsNameLevelEntryAndValue) {
  std::vector<int32_t> positions{0, 2, 2, 3}, columns{1, 3, 0};
  auto check = [&] {
    return message(LevelView::csr(3, 4, array(positions), array(columns)));
  };
  EXPECT_EQ(check(), "");
  columns[1] = 4;
  EXPECT_EQ(check(), "level 1 (compressed): entry 1: expected a coordinate of "
                     "mode 1 below 4 but got 4");
  columns[1] = -1;
  EXPECT_EQ(check(), "level 1 (compressed): entry 1: expected a coordinate of "
                     "mode 1 below 4 but got -1");
  positions[2] = 1;
  EXPECT_EQ(check(), "level 1 (compressed): position 2: expected at least 2 "
                     "but got 1");
  positions[0] = 1;
  EXPECT_EQ(check(), "level 1 (compressed): position 0: expected 0 but got 1");
  positions = {0, 2, 2};
  EXPECT_EQ(check(), "level 1 (compressed): expected 4 positions but got 3");
  positions = {0, 2, 2, 2};
  EXPECT_EQ(check(), "level 1 (compressed): position 3: expected the 3 "
                     "coordinates but got 2");
  EXPECT_EQ(message({{3}, {}}), "expected 1 to 16 levels but got 0");
  TensorLevel single;
  single.kind = LevelKind::Singleton;
  single.size = 3;
  EXPECT_EQ(message({{3}, {single}}),
            "level 0 (singleton): expected a level with coordinates above a "
            "singleton but got none");
  TensorLevel huge;
  huge.size = int64_t(1) << 40;
  TensorLevel more = huge;
  huge.mode = 1;
  EXPECT_EQ(message({{more.size, more.size}, {more, huge}}),
            "level 1 (dense): expected at most 2^62 positions but got "
            "1099511627776 times 1099511627776");
  more.scale = 2;
  EXPECT_EQ(message({{more.size}, {more}}),
            "level 0 (dense): expected a scale of 1 but got 2");
  huge.mode = 7;
  EXPECT_EQ(message({{more.size}, {huge}}),
            "level 0 (dense): expected a mode below 1 but got 7");
}

TEST(LevelView, OrderAndUniquenessAreChecked) {
  std::vector<int32_t> ends{0, 4}, rows{0, 0, 1, 1}, columns{2, 3, 0, 0};
  LevelView view =
      LevelView::coo({2, 4}, array(ends), {array(rows), array(columns)});
  EXPECT_EQ(message(view), "");
  view.levels[0].ordered = view.levels[1].ordered = true;
  EXPECT_EQ(message(view), "");
  view.levels[1].unique = true;
  EXPECT_EQ(message(view), "level 1 (singleton): entry 3: expected a "
                           "coordinate above 0 but got it again");
  columns[3] = 1;
  EXPECT_EQ(message(view), "");
  columns[0] = 3;
  columns[1] = 2;
  EXPECT_EQ(message(view), "level 1 (singleton): entry 1: expected a "
                           "coordinate from 3 but got 2");
  columns[1] = 3;
  view.levels[1].unique = false;
  rows[0] = 1;
  EXPECT_EQ(message(view), "level 0 (compressed): entry 1: expected a "
                           "coordinate from 1 but got 0");
}

TEST(LevelView, ExtentsBeyond32Bits) {
  const int64_t far = int64_t(1) << 40;
  std::vector<int64_t> rowEnds{0, 2}, rows{5, far - 1}, ends{0, 1, 3};
  std::vector<uint32_t> columns{4294967295u, 0, 7};
  LevelView view =
      LevelView::dcsr(far, 5000000000, {array(rowEnds), array(ends)},
                      {array(rows), array(columns)});
  expectReads(view);
  SparseView sparse = SparseView::of(view);
  EXPECT_EQ(sparse.nonzeros(), 3);
  std::vector<uint32_t> parts;
  std::vector<uint64_t> keys;
  Space space = *Space::whole(view.shape, OrderKind::Hilbert);
  encodeNonzeros(sparse, space, parts, keys);
  EXPECT_EQ(keys[0], space.parts[0].order().key({5, 4294967295}));
  EXPECT_EQ(keys[2], space.parts[0].order().key({far - 1, 7}));
}

TEST(LevelView, FastFormatsAreRecognised) {
  Arrays<int32_t> narrow({41, 30}, 300, 8);
  Arrays<int64_t> wide({41, 30}, 300, 8);
  Arrays<uint16_t> half({41, 30}, 300, 8);
  Arrays<uint32_t> plain({41, 30}, 300, 8);
  EXPECT_EQ(SparseView::of(narrow.csr()).format, SparseFormat::Csr);
  EXPECT_EQ(SparseView::of(wide.csc()).format, SparseFormat::Csc);
  EXPECT_EQ(SparseView::of(narrow.coo()).format, SparseFormat::Coo);
  EXPECT_EQ(SparseView::of(plain.csr()).format, SparseFormat::Csr);
  EXPECT_EQ(SparseView::of(half.csr()).format, SparseFormat::Levels);
  EXPECT_EQ(SparseView::of(narrow.aos()).format, SparseFormat::Levels);
  EXPECT_EQ(SparseView::of(narrow.csf()).format, SparseFormat::Levels);
}

/// Levels and CSR of one matrix are one matrix to all that takes a view.
TEST(LevelView, ReadersOfViewsTakeLevels) {
  Arrays<int32_t> matrix({300, 200}, 9000, 3);
  SparseView csr = SparseView::of(matrix.csr());
  ASSERT_EQ(csr.format, SparseFormat::Csr);
  Space space = *Space::whole(csr.shape, OrderKind::Hilbert);
  Profile expected = *countProfile(csr, space, {64, 1});
  Graph graph = *partition(expected, {500, 4});
  PackOptions options;
  options.layout.storage = Storage::Packed;
  options.workers = 3;
  Packed packed = *pack(csr, graph, options);
  TrafficModel model;
  for (const LevelView &levels : {matrix.aos(), matrix.csf()}) {
    SparseView view = SparseView::of(levels);
    EXPECT_EQ(fingerprintPattern(view, 2), fingerprintPattern(csr));
    Profile profile = *countProfile(view, space, {64, 2});
    EXPECT_EQ(profile.prefix, expected.prefix);
    EXPECT_EQ(profile.nonzeros, expected.nonzeros);
    Packed other = *pack(view, graph, options);
    EXPECT_TRUE(other.check());
    EXPECT_EQ(other.slotOf, packed.slotOf);
    EXPECT_EQ(other.segmentRow, packed.segmentRow);
    EXPECT_EQ(countTraffic(model, view, graph, 3)->total(),
              countTraffic(model, csr, graph, 3)->total());
  }
}

TEST(LevelView, ReadersRefuseLevelsOutOfRange) {
  Arrays<int32_t> matrix({30, 20}, 200, 3);
  matrix.coordinates[1][7] = 20;
  SparseView view = SparseView::of(matrix.csf());
  Result<Profile> profile =
      countProfile(view, *Space::whole(view.shape, OrderKind::Hilbert), {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.message(), "level 1 (compressed): entry 7: expected a "
                               "coordinate of mode 1 below 20 but got 20");
}
