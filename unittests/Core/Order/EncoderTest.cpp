//===- EncoderTest.cpp - encoders against the definition ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Order/Encoder.h"
#include "Order/Deposit.h"
#include "Order/HilbertLanes.h"
#include "Order/HilbertTables.h"
#include <gtest/gtest.h>
#include <random>

using namespace astfe::core;

namespace {

const OrderKind kKinds[] = {OrderKind::Rows, OrderKind::Morton,
                            OrderKind::Hilbert, OrderKind::Panels};

/// Random points of a shape, one array per mode.
template <typename T>
struct Points {
  std::vector<std::vector<T>> modes;
  std::vector<const T *> pointers;

  Points(ArrayRef<int64_t> shape, size_t count, uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int64_t extent : shape) {
      modes.emplace_back(count);
      for (T &x : modes.back())
        x = T(random() % uint64_t(extent));
      pointers.push_back(modes.back().data());
    }
  }
  std::vector<int64_t> point(size_t i) const {
    std::vector<int64_t> result;
    for (const auto &mode : modes)
      result.push_back(mode[i]);
    return result;
  }
};

template <typename T, typename EncoderT>
void expectDefinition(const Order &order, const EncoderT &encoder) {
  // More points than one batch, and a rest that no vector takes.
  const size_t count = 1103;
  Points<T> points(order.extents(), count, 7);
  std::vector<uint64_t> keys(count, ~uint64_t(0));
  encoder.encode(points.pointers, count, keys.data());
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(keys[i], order.key(points.point(i)))
        << orderName(order.kind()) << " of rank " << order.rank()
        << " at point " << i;
}

void expectDefinition(ArrayRef<int64_t> shape, unsigned panelLog2 = 3) {
  for (OrderKind kind : kKinds) {
    Order order = *Order::get(kind, shape, panelLog2);
    Encoder encoder(order);
    expectDefinition<int32_t>(order, encoder);
    expectDefinition<int64_t>(order, encoder);
  }
}

} // namespace

TEST(Encoder, AgreesWithTheDefinitionInEveryRank) {
  std::mt19937_64 random(1);
  for (unsigned rank = 1; rank <= kMaxRank; ++rank) {
    for (unsigned trial = 0; trial < 4; ++trial) {
      std::vector<int64_t> shape(rank);
      for (int64_t &extent : shape)
        extent = 1 + int64_t(random() % (uint64_t(1) << (random() % 14)));
      SCOPED_TRACE(testing::PrintToString(shape));
      expectDefinition(shape, unsigned(random() % 12));
    }
  }
}

TEST(Encoder, AgreesOnOddMatrixShapes) {
  for (const std::vector<int64_t> &shape :
       std::vector<std::vector<int64_t>>{{1, 1},
                                         {1, 9},
                                         {9, 1},
                                         {3, 5},
                                         {70000, 70000},
                                         {1 << 20, 3},
                                         {3, 1 << 20},
                                         {4039, 4039},
                                         {2147483647, 2147483647}}) {
    SCOPED_TRACE(testing::PrintToString(shape));
    expectDefinition(shape, 10);
  }
}

TEST(Encoder, DropsWhatAKeyHasNoRoomFor) {
  const int64_t large = int64_t(1) << 31;
  for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
           {large, large, large},
           {large, 5, large, large - 1, 1},
           {large, large, large, large, large, large, large, large}}) {
    SCOPED_TRACE(testing::PrintToString(shape));
    ASSERT_GT(Order::get(OrderKind::Hilbert, shape)->keyBits(), 64u);
    expectDefinition(shape, 20);
  }
}

TEST(Encoder, TakesCoordinatesAbove32Bits) {
  for (const std::vector<int64_t> &shape :
       std::vector<std::vector<int64_t>>{{3000000000, 5},
                                         {5, 3000000000},
                                         {int64_t(1) << 62, int64_t(1) << 62},
                                         {int64_t(1) << 62}}) {
    SCOPED_TRACE(testing::PrintToString(shape));
    for (OrderKind kind : kKinds) {
      Order order = *Order::get(kind, shape);
      expectDefinition<int64_t>(order, Encoder(order));
    }
  }
}

TEST(Encoder, WorksWithoutPdep) {
  for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
           {70000, 300},
           {5, 17, 1 << 20},
           {2147483647, 2147483647, 2147483647}}) {
    Order order = *Order::get(OrderKind::Morton, shape);
    expectDefinition<int32_t>(order, Deposit(order, false));
  }
}

TEST(Encoder, WorksWithoutAvx2) {
  for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
           {70000, 300}, {5, 17, 1 << 20}, {9, 9, 9, 9}, {4, 5, 4, 5, 4, 5}}) {
    Order order = *Order::get(OrderKind::Hilbert, shape);
    expectDefinition<int32_t>(order, HilbertTables(order, false));
    expectDefinition<int64_t>(order, HilbertTables(order, false));
  }
}

TEST(Encoder, TakesNoPointsAndCanBeMoved) {
  Order order = *Order::get(OrderKind::Hilbert, {8, 8});
  Encoder first(order);
  Encoder second(std::move(first));
  expectDefinition<int32_t>(order, second);
  std::vector<const int32_t *> none{nullptr, nullptr};
  second.encode(none, 0, nullptr);
}

/// Shapes that HilbertLanes takes: odd bits, axes that run out at different
/// levels, keys of more than 32 and more than 64 bits, single rows and cells.
static std::vector<std::vector<int64_t>> shapesOfLanes() {
  std::vector<std::vector<int64_t>> shapes{{1 << 20, 1 << 20},
                                           {1 << 19, 1 << 12},
                                           {7, 1 << 30},
                                           {1 << 30, 7},
                                           {1, 1},
                                           {1, 900},
                                           {2147483647, 2147483647},
                                           {1 << 12, 1 << 12, 1 << 12},
                                           {1 << 21, 1 << 21, 1 << 21},
                                           {1 << 21, 3, 1 << 9},
                                           {1, 1 << 20, 1},
                                           {1, 1, 1}};
  std::mt19937_64 random(5);
  for (unsigned trial = 0; trial < 24; ++trial) {
    std::vector<int64_t> shape(2 + trial % 2);
    for (int64_t &extent : shape)
      extent = 1 + int64_t(random() % (uint64_t(1) << (random() % 21)));
    shapes.push_back(shape);
  }
  return shapes;
}

TEST(Encoder, LanesTakeTwoAndThreeModesOfModerateExtents) {
  auto handles = [](OrderKind kind, std::vector<int64_t> shape) {
    return HilbertLanes::handles(*Order::get(kind, shape));
  };
  for (const std::vector<int64_t> &shape : shapesOfLanes())
    EXPECT_TRUE(handles(OrderKind::Hilbert, shape));
  EXPECT_TRUE(handles(OrderKind::Panels, {int64_t(1) << 31, 9, 9}));
  EXPECT_FALSE(handles(OrderKind::Hilbert, {int64_t(1) << 31, 9, 9}));
  EXPECT_FALSE(handles(OrderKind::Hilbert, {int64_t(1) << 32, 9}));
  EXPECT_FALSE(handles(OrderKind::Hilbert, {9, 9, 9, 9}));
  EXPECT_FALSE(handles(OrderKind::Hilbert, {9}));
  EXPECT_FALSE(handles(OrderKind::Morton, {9, 9}));
}

TEST(Encoder, LanesAgreeWithTablesAndWithTheDefinition) {
  if (!HilbertLanes::processorHasVbmi())
    GTEST_SKIP() << "no AVX-512 VBMI";
  for (const std::vector<int64_t> &shape : shapesOfLanes())
    for (OrderKind kind : {OrderKind::Hilbert, OrderKind::Panels})
      for (unsigned panelLog2 : {3u, 10u}) {
        SCOPED_TRACE(testing::PrintToString(shape));
        Order order = *Order::get(kind, shape, panelLog2);
        HilbertLanes lanes(order);
        expectDefinition<int32_t>(order, lanes);
        expectDefinition<int64_t>(order, lanes);
        expectDefinition<int32_t>(order, HilbertTables(order, false));
        if (HilbertTables::processorHasAvx2())
          expectDefinition<int32_t>(order, HilbertTables(order, true));
      }
}

TEST(Encoder, LanesWriteNoKeyBeyondTheLast) {
  if (!HilbertLanes::processorHasVbmi())
    GTEST_SKIP() << "no AVX-512 VBMI";
  const std::vector<int64_t> shape{5000, 300};
  Order order = *Order::get(OrderKind::Hilbert, shape);
  HilbertLanes lanes(order);
  Points<int32_t> points(shape, 70, 3);
  for (size_t count = 0; count <= 70; ++count) {
    std::vector<uint64_t> keys(count + 1, 77);
    lanes.encode(points.pointers, count, keys.data());
    ASSERT_EQ(keys[count], 77u) << count;
    for (size_t i = 0; i < count; ++i)
      ASSERT_EQ(keys[i], order.key(points.point(i)));
  }
}
