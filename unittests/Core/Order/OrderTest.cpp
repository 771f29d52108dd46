//===- OrderTest.cpp - orders against brute force -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Order/Order.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace astfe::core;

namespace {

using Shape = std::vector<int64_t>;

const OrderKind kKinds[] = {OrderKind::Rows, OrderKind::Morton,
                            OrderKind::Hilbert, OrderKind::Panels};

const std::vector<Shape> kSmallShapes = {{0},
                                         {1},
                                         {2},
                                         {13},
                                         {0, 4},
                                         {1, 1},
                                         {4, 4},
                                         {8, 8},
                                         {5, 7},
                                         {1, 9},
                                         {16, 3},
                                         {3, 16},
                                         {4, 0, 2},
                                         {4, 4, 4},
                                         {2, 8, 3},
                                         {5, 1, 6},
                                         {1, 2, 3, 4},
                                         {4, 4, 4, 4},
                                         {3, 2, 2, 5},
                                         {2, 2, 2, 2, 2},
                                         {2, 3, 1, 2, 3, 2, 2, 2}};

Order makeOrder(OrderKind kind, const Shape &shape, unsigned panelLog2 = 1) {
  Result<Order> order = Order::get(kind, shape, panelLog2);
  EXPECT_TRUE(order) << order.message();
  return *order;
}

/// Calls `body` on every point of the space padded to powers of two.
void forEachCell(const Order &order,
                 const std::function<void(const Shape &)> &body) {
  Shape point(order.rank(), 0);
  for (;;) {
    body(point);
    unsigned k = 0;
    while (k < order.rank() && ++point[k] == int64_t(1) << order.bits(k))
      point[k++] = 0;
    if (k == order.rank())
      return;
  }
}

void forEachSmallOrder(const std::function<void(const Order &)> &body) {
  for (OrderKind kind : kKinds)
    for (const Shape &shape : kSmallShapes) {
      SCOPED_TRACE(std::string(orderName(kind)) + " of " +
                   testing::PrintToString(shape));
      body(makeOrder(kind, shape));
    }
}

/// The cells in curve order, padding included.
std::vector<Shape> curve(const Order &order) {
  std::vector<std::pair<uint64_t, Shape>> cells;
  forEachCell(order, [&](const Shape &point) {
    cells.emplace_back(order.key(point), point);
  });
  std::sort(cells.begin(), cells.end());
  std::vector<Shape> result;
  for (auto &cell : cells)
    result.push_back(cell.second);
  return result;
}

int64_t distance(const Shape &a, const Shape &b) {
  int64_t sum = 0;
  for (size_t k = 0; k < a.size(); ++k)
    sum += std::abs(a[k] - b[k]);
  return sum;
}

} // namespace

TEST(Order, WorkedExampleOfTheHeader) {
  const uint64_t expected[4][4] = {
      {0, 3, 4, 5}, {1, 2, 7, 6}, {14, 13, 8, 9}, {15, 12, 11, 10}};
  Order order = makeOrder(OrderKind::Hilbert, {4, 4});
  for (int64_t row = 0; row < 4; ++row)
    for (int64_t column = 0; column < 4; ++column)
      EXPECT_EQ(order.key({row, column}) >> 60, expected[row][column]);

  Box quarter = order.box({0, 2}), half = order.box({0, 1});
  EXPECT_EQ(quarter, (Box{{0, 0}, {1, 1}, 2}));
  EXPECT_EQ(half, (Box{{0, 0}, {1, 2}, 2}));
  EXPECT_EQ(order.box({uint64_t(2) << 60, 4}), (Box{{1, 1}, {0, 0}, 2}));
}

TEST(Order, KeysAreABijection) {
  forEachSmallOrder([](const Order &order) {
    std::set<uint64_t> keys;
    size_t cells = 0;
    forEachCell(order, [&](const Shape &point) {
      uint64_t key = order.key(point);
      // Nothing below the leading keyBits: so keys, shifted, are < 2^keyBits.
      EXPECT_EQ(key << order.keyBits(), 0u);
      keys.insert(key);
      ++cells;
    });
    EXPECT_EQ(keys.size(), cells);
    EXPECT_EQ(cells, size_t(1) << order.keyBits());
  });
}

TEST(Order, EveryPrefixIsABox) {
  forEachSmallOrder([](const Order &order) {
    for (unsigned length = 0; length <= order.prefixBits(); ++length) {
      // Each cell's prefix has a box that holds the cell; if the box has as
      // many cells as the prefix, then these are its cells.
      std::map<uint64_t, int64_t> population;
      forEachCell(order, [&](const Shape &point) {
        uint64_t bits = length == 0 ? 0
                                    : order.key(point) >> (64 - length)
                                                              << (64 - length);
        EXPECT_TRUE(order.box({bits, uint8_t(length)}).contains(point));
        ++population[bits];
      });
      EXPECT_EQ(population.size(), size_t(1) << length);
      for (auto [bits, count] : population) {
        Box box = order.box({bits, uint8_t(length)});
        int64_t volume = 1;
        for (unsigned k = 0; k < order.rank(); ++k) {
          volume <<= box.log2[k];
          EXPECT_EQ(box.lower[k] & ((int64_t(1) << box.log2[k]) - 1), 0);
        }
        EXPECT_EQ(volume, count);
      }
    }
  });
}

TEST(Order, ChildrenHalveAndSiblingsMerge) {
  forEachSmallOrder([](const Order &order) {
    std::vector<Prefix> level{Prefix()};
    while (level.front().length < order.prefixBits()) {
      std::vector<Prefix> next;
      for (Prefix prefix : level) {
        Order::Split split = order.split(prefix);
        Box first = order.box(prefix.child(false));
        Box second = order.box(prefix.child(true));
        Box lower = order.box(prefix), upper = lower;
        --lower.log2[split.axis];
        --upper.log2[split.axis];
        upper.lower[split.axis] += int64_t(1) << upper.log2[split.axis];
        EXPECT_EQ(first, split.upperFirst ? upper : lower);
        EXPECT_EQ(second, split.upperFirst ? lower : upper);
        for (bool half : {false, true}) {
          Prefix child = prefix.child(half);
          EXPECT_EQ(child.parent(), prefix);
          EXPECT_EQ(child.sibling(), prefix.child(!half));
          next.push_back(child);
        }
      }
      level = next;
    }
  });
}

TEST(Order, RowsIsLexicographic) {
  Order order = makeOrder(OrderKind::Rows, {5, 3, 9});
  forEachCell(order, [&](const Shape &p) {
    uint64_t key = (uint64_t(p[0]) << 6) | (uint64_t(p[1]) << 4) | p[2];
    EXPECT_EQ(order.key(p), key << (64 - 9));
  });
}

TEST(Order, MortonInterleavesFromTheHighestLevel) {
  // Levels: 3 {axis 0}, 2 {0, 2}, 1 {0, 1, 2}, 0 {0, 1, 2}.
  Order order = makeOrder(OrderKind::Morton, {16, 4, 8});
  forEachCell(order, [&](const Shape &p) {
    auto bit = [&](unsigned k, unsigned level) { return (p[k] >> level) & 1; };
    uint64_t key = 0;
    for (uint64_t b : {bit(0, 3), bit(0, 2), bit(2, 2), bit(0, 1), bit(1, 1),
                       bit(2, 1), bit(0, 0), bit(1, 0), bit(2, 0)})
      key = key << 1 | b;
    EXPECT_EQ(order.key(p), key << (64 - 9));
  });
}

TEST(Order, HilbertStepsAreUnitStepsOnEqualExtents) {
  for (unsigned rank = 1; rank <= 4; ++rank)
    for (int64_t extent : {2, 4, 8}) {
      Order order = makeOrder(OrderKind::Hilbert, Shape(rank, extent));
      std::vector<Shape> cells = curve(order);
      for (size_t i = 1; i < cells.size(); ++i)
        ASSERT_EQ(distance(cells[i - 1], cells[i]), 1) << rank << " " << i;
    }
}

TEST(Order, HilbertJumpsOnUnequalExtents) {
  // Said here so that nobody comes to rely on unit steps.
  std::vector<Shape> cells = curve(makeOrder(OrderKind::Hilbert, {4, 16}));
  int64_t longest = 0;
  for (size_t i = 1; i < cells.size(); ++i)
    longest = std::max(longest, distance(cells[i - 1], cells[i]));
  EXPECT_GT(longest, 1);
}

TEST(Order, CompactHilbertIsTheRankOfTheCubesCurve) {
  // The theorem of Hamilton and Rau-Chaplin: the compact index of a point is
  // its rank, among the points of the box, on the curve of the enclosing cube.
  for (const Shape &shape : {Shape{4, 16}, Shape{16, 2}, Shape{2, 8, 4},
                             Shape{8, 1, 4}, Shape{2, 4, 8, 2}}) {
    Order compact = makeOrder(OrderKind::Hilbert, shape);
    int64_t side = *std::max_element(shape.begin(), shape.end());
    Order cube = makeOrder(OrderKind::Hilbert, Shape(shape.size(), side));
    std::vector<Shape> inside;
    for (const Shape &point : curve(cube))
      if (std::equal(point.begin(), point.end(), shape.begin(),
                     std::less<int64_t>()))
        inside.push_back(point);
    EXPECT_EQ(curve(compact), inside) << testing::PrintToString(shape);
  }
}

TEST(Order, PanelsAreRowsAboveAndHilbertInside) {
  Order panels = makeOrder(OrderKind::Panels, {32, 16}, 2);
  Order inner = makeOrder(OrderKind::Hilbert, {4, 16});
  forEachCell(panels, [&](const Shape &p) {
    uint64_t key = uint64_t(p[0] / 4) << 6 | inner.key({p[0] % 4, p[1]}) >> 58;
    EXPECT_EQ(panels.key(p), key << (64 - 9));
  });
}

TEST(Order, PanelsLargerThanTheSpaceAreHilbert) {
  Order panels = makeOrder(OrderKind::Panels, {8, 16}, 62);
  Order hilbert = makeOrder(OrderKind::Hilbert, {8, 16});
  EXPECT_EQ(curve(panels), curve(hilbert));
}

TEST(Order, RoundsEndWhereAllBoxesAreEqual) {
  auto rounds = [](OrderKind kind, const Shape &shape, unsigned panelLog2 = 1) {
    return makeOrder(kind, shape, panelLog2).rounds().vec();
  };
  using List = std::vector<uint8_t>;
  EXPECT_EQ(rounds(OrderKind::Hilbert, {4, 4}), (List{0, 2, 4}));
  EXPECT_EQ(rounds(OrderKind::Morton, {16, 4, 8}), (List{0, 1, 3, 6, 9}));
  EXPECT_EQ(rounds(OrderKind::Hilbert, {16, 4, 8}), (List{0, 1, 3, 6, 9}));
  EXPECT_EQ(rounds(OrderKind::Rows, {4, 2}), (List{0, 1, 2, 3}));
  EXPECT_EQ(rounds(OrderKind::Panels, {16, 8}, 2), (List{0, 1, 2, 3, 5, 7}));
  EXPECT_EQ(rounds(OrderKind::Hilbert, {1, 0}), (List{0}));
  // 3 x 31 bits: the last round that is complete ends at 63.
  List deep = rounds(OrderKind::Hilbert, Shape(3, int64_t(1) << 31));
  ASSERT_EQ(deep.size(), 23u);
  EXPECT_EQ(deep[21], 63);
  EXPECT_EQ(deep[22], 64);

  forEachSmallOrder([](const Order &order) {
    EXPECT_EQ(order.rounds().front(), 0);
    EXPECT_EQ(order.rounds().back(), order.prefixBits());
    for (uint8_t end : order.rounds()) {
      Box reference = order.box({0, end});
      for (uint64_t i = 1; i < uint64_t(1) << end; ++i)
        EXPECT_EQ(order.box({i << (64 - end), end}).log2, reference.log2);
    }
  });
}

TEST(Order, LevelsBeyond64AreNeverSplit) {
  const int64_t extent = int64_t(1) << 62;
  for (OrderKind kind : kKinds) {
    Order order = makeOrder(kind, Shape(8, extent));
    EXPECT_EQ(order.keyBits(), 496u);
    EXPECT_EQ(order.prefixBits(), 64u);
    Shape point{extent - 1, 5, extent / 3, 0, 7, extent / 2, 1, extent - 2};
    uint64_t key = order.key(point);
    EXPECT_TRUE(order.box({key, 64}).contains(point));
    EXPECT_FALSE(order.box({key ^ 1, 64}).contains(point));
    unsigned log2 = 0;
    for (unsigned k = 0; k < 8; ++k)
      log2 += order.box({key, 64}).log2[k];
    EXPECT_EQ(log2, 496u - 64u);
  }
}

TEST(Order, ProductsAbove31BitsKeepCellsApart) {
  for (OrderKind kind : kKinds)
    for (const Shape &shape : {Shape{70000, 70000}, Shape{3000000000, 5}}) {
      Order order = makeOrder(kind, shape, 10);
      Shape last{shape[0] - 1, shape[1] - 1};
      Box cell = order.box({order.key(last), uint8_t(order.keyBits())});
      EXPECT_EQ(cell, (Box{{last[0], last[1]}, {0, 0}, 2}));
    }
}

TEST(Order, RefusesWhatHasNoOrder) {
  auto message = [](const Shape &shape) {
    return Order::get(OrderKind::Hilbert, shape).message();
  };
  EXPECT_EQ(message({}), "expected 1 to 8 modes but got 0");
  EXPECT_EQ(message(Shape(9, 2)), "expected 1 to 8 modes but got 9");
  EXPECT_EQ(message({3, -1}),
            "expected the extent of mode 1 in 0..2^62 but got -1");
  EXPECT_EQ(message({(int64_t(1) << 62) + 1}),
            "expected the extent of mode 0 in 0..2^62 but got "
            "4611686018427387905");
  EXPECT_TRUE(Order::get(OrderKind::Hilbert, {int64_t(1) << 62}));
  EXPECT_EQ(Order::get(OrderKind::Panels, {4}, 63).message(),
            "expected panels of at most 2^62 rows but got 2^63");
}

TEST(Order, NamesRoundTrip) {
  for (OrderKind kind : kKinds)
    EXPECT_EQ(parseOrder(orderName(kind)), kind);
  EXPECT_FALSE(parseOrder("Hilbert"));
  EXPECT_FALSE(parseOrder(""));
}

TEST(Prefix, CoversItsKeysOnly) {
  Prefix root, whole{~uint64_t(0), 64}, some{uint64_t(5) << 60, 4};
  EXPECT_EQ(root.last(), ~uint64_t(0));
  EXPECT_EQ(whole.last(), whole.first());
  EXPECT_EQ(some.str(), "0101");
  EXPECT_EQ(root.str(), "");
  EXPECT_EQ(some.last(), (uint64_t(6) << 60) - 1);
  EXPECT_TRUE(some.contains(some.last()));
  EXPECT_FALSE(some.contains(some.last() + 1));
  EXPECT_TRUE(some.contains(some.child(true)));
  EXPECT_FALSE(some.child(true).contains(some));
  EXPECT_TRUE(some < some.child(false));
  EXPECT_TRUE(some.child(false) < some.child(true));
  EXPECT_EQ(Prefix().child(true).bits, uint64_t(1) << 63);
}
