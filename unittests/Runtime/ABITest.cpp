//===- ABITest.cpp - the C interface of the runtime -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Core/Graph/Fuse.h"
#include "ASTFE/Core/Graph/GraphFile.h"
#include "ASTFE/Core/Graph/Partition.h"
#include "ASTFE/Core/Graph/Refine.h"
#include "ASTFE/Core/Kernel/LayoutFile.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Profile/ProfileFile.h"
#include "ASTFE/Runtime/ABISymbols.h"
#include "ASTFE/Runtime/Handles.h"
#include "MemRefOf.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <thread>

using namespace astfe;
using namespace astfe::rt;

namespace {
/// A band matrix of 64 rows, and whatever a test does with its handles.
struct ABI : testing::Test {
  ABI() {
    for (int32_t i = 0; i < 64; ++i) {
      for (int32_t j = std::max(0, i - 3); j < std::min(64, i + 4); ++j) {
        columns.push_back(j);
        values.push_back(float(i * 100 + j));
      }
      positions.push_back(int32_t(columns.size()));
    }
    wide.assign(columns.begin(), columns.end());
    widePositions.assign(positions.begin(), positions.end());
  }
  ~ABI() override {
    EXPECT_EQ(Handle::live(), 0);
    astfe_rt_clear_error();
  }

  void *profile() {
    AstfeMemRef1D p = memref(positions), c = memref(columns);
    return _mlir_ciface_astfe_rt_profile_p32c32(&p, &c, 64, 64, ASTFE_CSR, 2,
                                                10, 4);
  }
  static core::Layout layoutOf(uint8_t bits, uint32_t classes = 3) {
    core::Layout layout;
    layout.columnBits = bits;
    layout.classes = {classes};
    return layout;
  }
  void *pack(void *graph, const core::Layout &layout = layoutOf(16),
             int64_t workers = 5, int64_t tiles = 1) {
    return pack(graph, core::toJson(layout), workers, tiles);
  }
  void *pack(void *graph, std::string layout, int64_t workers = 5,
             int64_t tiles = 1) {
    AstfeMemRef1D p = memref(positions), c = memref(columns),
                  text{layout.data(), layout.data(), 0, int64_t(layout.size()),
                       1};
    return _mlir_ciface_astfe_rt_pack_p32c32(&p, &c, 64, 64, ASTFE_CSR, graph,
                                             &text, workers, tiles);
  }
  /// profile -> partition -> refine -> fuse -> pack.
  void *pattern() {
    void *h = profile();
    void *g0 = _mlir_ciface_astfe_rt_partition(h, 32, 8);
    void *g1 = _mlir_ciface_astfe_rt_refine(g0, h, NAN, 8, 4, 8, -1);
    void *g2 = _mlir_ciface_astfe_rt_fuse(g1, h, NAN, 8, 4, 1 << 20, 1, 4);
    void *result = pack(g2);
    for (void *handle : {h, g0, g1, g2})
      _mlir_ciface_astfe_rt_release(handle);
    return result;
  }
  void expectError(const std::string &part) {
    ASSERT_NE(astfe_rt_last_error(), nullptr) << "expected: " << part;
    EXPECT_NE(std::string(astfe_rt_last_error()).find(part), std::string::npos)
        << astfe_rt_last_error();
    astfe_rt_clear_error();
  }

  std::vector<int32_t> positions{0}, columns;
  std::vector<int64_t> wide, widePositions;
  std::vector<float> values;
};
} // namespace

TEST_F(ABI, StepsAreThoseOfCore) {
  void *h = profile();
  ASSERT_NE(h, nullptr) << astfe_rt_last_error();
  const core::Profile &counted = handleAs<ProfileHandle>(h)->value;
  void *g0 = _mlir_ciface_astfe_rt_partition(h, 32, 8);
  void *g1 = _mlir_ciface_astfe_rt_refine(g0, h, 0.7, 8, 4, 8, 2);
  void *g2 = _mlir_ciface_astfe_rt_fuse(g1, h, NAN, 8, 4, 4096, 16, 4);
  ASSERT_NE(g2, nullptr) << astfe_rt_last_error();
  auto partitioned = core::partition(counted, {32, 8});
  auto refined = core::refine(*partitioned, counted, {0.7, 8, 4, 8, 2});
  auto fused = core::fuse(*refined, counted, {std::nullopt, 8, 4, 4096, 16, 4});
  EXPECT_TRUE(handleAs<GraphHandle>(g0)->value == *partitioned);
  EXPECT_TRUE(handleAs<GraphHandle>(g1)->value == *refined);
  EXPECT_TRUE(handleAs<GraphHandle>(g2)->value == *fused);
  for (void *handle : {h, g0, g1, g2})
    _mlir_ciface_astfe_rt_release(handle);
}

TEST_F(ABI, WidthsAndFormatsGiveOneProfile) {
  AstfeMemRef1D p32 = memref(positions), p64 = memref(widePositions);
  AstfeMemRef1D c32 = memref(columns), c64 = memref(wide);
  // The band is symmetric: its CSC arrays are its CSR arrays.
  void *handles[] = {profile(),
                     _mlir_ciface_astfe_rt_profile_p32c64(&p32, &c64, 64, 64,
                                                          ASTFE_CSR, 2, 10, 4),
                     _mlir_ciface_astfe_rt_profile_p64c32(&p64, &c32, 64, 64,
                                                          ASTFE_CSC, 2, 10, 4),
                     _mlir_ciface_astfe_rt_profile_p64c64(&p64, &c64, 64, 64,
                                                          ASTFE_CSC, 2, 10, 4)};
  const core::Profile &first = handleAs<ProfileHandle>(handles[0])->value;
  for (void *handle : handles) {
    const core::Profile &other = handleAs<ProfileHandle>(handle)->value;
    EXPECT_EQ(other.prefix, first.prefix);
    EXPECT_EQ(other.nonzeros, first.nonzeros);
  }
  for (void *handle : handles)
    _mlir_ciface_astfe_rt_release(handle);
}

TEST_F(ABI, ConstantsComeAsTheTextOfFiles) {
  void *h = profile();
  void *g = _mlir_ciface_astfe_rt_partition(h, 32, 8);
  std::string profileText = core::toJson(handleAs<ProfileHandle>(h)->value);
  std::string graphText = core::toJson(handleAs<GraphHandle>(g)->value);
  std::vector<char> profileBytes(profileText.begin(), profileText.end());
  std::vector<char> graphBytes(graphText.begin(), graphText.end());
  AstfeMemRef1D p = memref(profileBytes), q = memref(graphBytes);
  void *h2 = _mlir_ciface_astfe_rt_known_profile(&p);
  void *g2 = _mlir_ciface_astfe_rt_graph(&q);
  ASSERT_NE(g2, nullptr) << astfe_rt_last_error();
  EXPECT_TRUE(handleAs<GraphHandle>(g2)->value ==
              handleAs<GraphHandle>(g)->value);
  EXPECT_EQ(handleAs<ProfileHandle>(h2)->value.nonzeros,
            handleAs<ProfileHandle>(h)->value.nonzeros);
  for (void *handle : {h, g, h2, g2})
    _mlir_ciface_astfe_rt_release(handle);
  q.size /= 2;
  EXPECT_EQ(_mlir_ciface_astfe_rt_graph(&q), nullptr);
  expectError("the constant graph");
}

TEST_F(ABI, ValuesGoThereAndBack) {
  void *packed = pattern();
  ASSERT_NE(packed, nullptr) << astfe_rt_last_error();
  int64_t slots = _mlir_ciface_astfe_rt_slots(packed);
  std::vector<float> inOrder(slots), back(values.size());
  EXPECT_EQ(_mlir_ciface_astfe_rt_nonzeros(packed), int64_t(values.size()));
  EXPECT_EQ(_mlir_ciface_astfe_rt_in_order(packed, 0), 0);
  EXPECT_EQ(_mlir_ciface_astfe_rt_nonzeros(nullptr), 0);
  EXPECT_EQ(_mlir_ciface_astfe_rt_in_order(nullptr, 0), 1);
  AstfeMemRef1D v = memref(values), s = memref(inOrder), r = memref(back);
  _mlir_ciface_astfe_rt_values_f32(packed, &v, &s);
  EXPECT_NE(inOrder, values) << "a Hilbert order changes this matrix's order";
  _mlir_ciface_astfe_rt_unpack_f32(packed, &s, &r);
  EXPECT_EQ(back, values);
  std::vector<double> values64(values.begin(), values.end()), inOrder64(slots),
      back64(values.size());
  AstfeMemRef1D v64 = memref(values64), s64 = memref(inOrder64),
                r64 = memref(back64);
  _mlir_ciface_astfe_rt_values_f64(packed, &v64, &s64);
  _mlir_ciface_astfe_rt_unpack_f64(packed, &s64, &r64);
  EXPECT_EQ(back64, values64);
  // The others go where these go.
  auto narrow = [&](auto type, auto gather, auto scatter) {
    using T = decltype(type);
    std::vector<T> source(values.size()), packedValues(slots), unpacked(source);
    for (size_t n = 0; n < source.size(); ++n)
      source[n] = T(n * 37);
    AstfeMemRef1D from = memref(source), to = memref(packedValues),
                  again = memref(unpacked);
    gather(packed, &from, &to);
    scatter(packed, &to, &again);
    EXPECT_EQ(unpacked, source);
    for (size_t n = 0; n < source.size(); ++n) {
      const auto slot = std::find(inOrder.begin(), inOrder.end(), values[n]) -
                        inOrder.begin();
      EXPECT_EQ(packedValues[size_t(slot)], source[n]);
    }
  };
  narrow(uint8_t(), _mlir_ciface_astfe_rt_values_i8,
         _mlir_ciface_astfe_rt_unpack_i8);
  narrow(uint16_t(), _mlir_ciface_astfe_rt_values_i16,
         _mlir_ciface_astfe_rt_unpack_i16);
  EXPECT_EQ(astfe_rt_last_error(), nullptr);
  s.size -= 1;
  _mlir_ciface_astfe_rt_values_f32(packed, &v, &s);
  expectError("slots but got");
  _mlir_ciface_astfe_rt_release(packed);
}

TEST_F(ABI, TablesAreBorrowedWithTheirOwnWidth) {
  void *packed = pattern();
  const core::Packed &core = handleAs<PatternHandle>(packed)->value;
  AstfeMemRef1D table;
  _mlir_ciface_astfe_rt_table_i64(&table, packed, ASTFE_WORKER_SPAN);
  EXPECT_EQ(table.aligned, core.workerSpan.data());
  EXPECT_EQ(table.size, 6);
  _mlir_ciface_astfe_rt_table_i32(&table, packed, ASTFE_SEGMENT_ROW);
  EXPECT_EQ(table.aligned, core.segmentRow.data());
  _mlir_ciface_astfe_rt_table_i16(&table, packed, ASTFE_COLUMNS);
  EXPECT_EQ(table.aligned, core.columns16.data());
  EXPECT_EQ(table.size, core.slots);
  _mlir_ciface_astfe_rt_table_i8(&table, packed, ASTFE_COLUMNS);
  EXPECT_EQ(table.size, 0);
  expectError("expected table 9 as i16 but got i8");
  _mlir_ciface_astfe_rt_table_i32(&table, packed, ASTFE_TABLE_COUNT);
  expectError("expected a table from 0 to 26 but got 27");
  for (int64_t sums : {ASTFE_SUM_TARGET, ASTFE_SLOT_SUM_TARGET}) {
    _mlir_ciface_astfe_rt_table_i32(&table, packed, sums);
    EXPECT_EQ(table.size, core.segments());
  }
  EXPECT_EQ(_mlir_ciface_astfe_rt_pattern_workers(packed), 5);
  EXPECT_EQ(_mlir_ciface_astfe_rt_partial_rows(packed), core.partialRows());
  EXPECT_EQ(_mlir_ciface_astfe_rt_extent(packed, 1), 64);
  EXPECT_EQ(_mlir_ciface_astfe_rt_extent(packed, 2), 0);
  expectError("expected a mode from 0 to 1 but got 2");
  _mlir_ciface_astfe_rt_release(packed);
}

TEST_F(ABI, StripsAreForWideOperands) {
  void *h = profile();
  void *g = _mlir_ciface_astfe_rt_partition(h, 32, 8);
  auto stripBytes = [&](int64_t denseBytes) {
    core::Layout layout = layoutOf(16);
    layout.denseBytes = denseBytes;
    void *packed = pack(g, layout);
    EXPECT_NE(packed, nullptr) << astfe_rt_last_error();
    int64_t bytes = _mlir_ciface_astfe_rt_strip_bytes(packed);
    _mlir_ciface_astfe_rt_release(packed);
    return bytes;
  };
  constexpr int64_t kWide = int64_t(1) << 30;
  EXPECT_EQ(stripBytes(0), 0);
  EXPECT_EQ(stripBytes(2048), 0);
  EXPECT_EQ(stripBytes(kWide), 512);
  EXPECT_EQ(_mlir_ciface_astfe_rt_strip_bytes(nullptr), 0);
  _mlir_ciface_astfe_rt_release(g);
  _mlir_ciface_astfe_rt_release(h);
}

TEST_F(ABI, KernelsFitPatternsWhoseClassesTheyHave) {
  void *packed = pattern();
  const auto *handle = handleAs<PatternHandle>(packed);
  const int64_t held = handle->classes.bits;
  EXPECT_EQ(held, handle->value.classes().bits);
  EXPECT_EQ(_mlir_ciface_astfe_rt_fits(packed, 16, held), 1);
  EXPECT_EQ(_mlir_ciface_astfe_rt_fits(packed, 16, 255), 1);
  EXPECT_EQ(astfe_rt_last_error(), nullptr);
  EXPECT_EQ(_mlir_ciface_astfe_rt_fits(packed, 8, held), 0);
  expectError("expected a pattern with columns of 8 bits");
  const auto windows = core::ClassSet::of(core::SegmentClass::RowWindows).bits;
  EXPECT_EQ(_mlir_ciface_astfe_rt_fits(packed, 16, windows), 0);
  expectError("the classes row_windows, which the kernel has, but got 16 bits "
              "and row_segments");
  _mlir_ciface_astfe_rt_release(packed);
}

TEST_F(ABI, NullHandlesPassThroughAndKeepTheFirstError) {
  AstfeMemRef1D p = memref(positions), c = memref(columns);
  void *h =
      _mlir_ciface_astfe_rt_profile_p32c32(&p, &c, 63, 64, ASTFE_CSR, 2, 10, 4);
  EXPECT_EQ(h, nullptr);
  std::string first = astfe_rt_last_error();
  void *g = _mlir_ciface_astfe_rt_partition(h, 32, 8);
  EXPECT_EQ(g, nullptr);
  EXPECT_EQ(_mlir_ciface_astfe_rt_refine(g, h, NAN, 8, 4, 8, -1), nullptr);
  EXPECT_EQ(_mlir_ciface_astfe_rt_fuse(g, h, NAN, 8, 4, 1, 1, 4), nullptr);
  EXPECT_EQ(pack(g), nullptr);
  AstfeMemRef1D table;
  _mlir_ciface_astfe_rt_table_i64(&table, nullptr, ASTFE_SPAN_SLOT);
  EXPECT_EQ(table.size, 0);
  EXPECT_EQ(_mlir_ciface_astfe_rt_slots(nullptr), 0);
  EXPECT_EQ(_mlir_ciface_astfe_rt_fits(nullptr, 16, 255), 0);
  _mlir_ciface_astfe_rt_values_f32(nullptr, &p, &c);
  _mlir_ciface_astfe_rt_retain(nullptr);
  _mlir_ciface_astfe_rt_release(nullptr);
  EXPECT_EQ(astfe_rt_last_error(), first);
}

TEST_F(ABI, WrongInputIsAnErrorThatNamesIt) {
  AstfeMemRef1D p = memref(positions), c = memref(columns);
  auto make = [&](int64_t rows, int64_t format, int64_t order) {
    return _mlir_ciface_astfe_rt_profile_p32c32(&p, &c, rows, 64, format, order,
                                                10, 4);
  };
  EXPECT_EQ(make(-1, ASTFE_CSR, 2), nullptr);
  expectError("expected extents >= 0 but got -1x64");
  EXPECT_EQ(make(64, 7, 2), nullptr);
  expectError("but got 7");
  EXPECT_EQ(make(64, ASTFE_CSR, 4), nullptr);
  expectError("expected an order from 0 to 3 but got 4");
  columns[5] = 64;
  EXPECT_EQ(make(64, ASTFE_CSR, 2), nullptr);
  expectError("64");
  columns[5] = 1;
  void *h = make(64, ASTFE_CSR, 2);
  EXPECT_EQ(_mlir_ciface_astfe_rt_partition(h, -1, 8), nullptr);
  expectError("leaf");
  void *g = _mlir_ciface_astfe_rt_partition(h, 32, 8);
  EXPECT_EQ(_mlir_ciface_astfe_rt_refine(g, h, 0.2, 8, 4, 8, -1), nullptr);
  expectError("threshold");
  EXPECT_EQ(_mlir_ciface_astfe_rt_refine(h, h, 0.7, 8, 4, 8, -1), nullptr);
  expectError("expected a graph but got a profile");
  EXPECT_EQ(pack(g, layoutOf(24)), nullptr);
  expectError("the layout of a pattern: expected columns of 8, 16 or 32 bits "
              "but got 24");
  EXPECT_EQ(pack(g, layoutOf(16, 0)), nullptr);
  expectError("expected packed storage to permit 'row_segments'");
  core::Layout layout = layoutOf(16);
  layout.windowColumns = 48;
  layout.target = core::PackTarget::GPU;
  EXPECT_EQ(pack(g, layout), nullptr);
  expectError("expected windows and bytes of dense operands for a host only");
  EXPECT_EQ(pack(g, std::string("{}")), nullptr);
  expectError("the layout of a pattern: ");
  EXPECT_EQ(pack(g, std::string("packed")), nullptr);
  expectError("the layout of a pattern: ");
  _mlir_ciface_astfe_rt_release(h);
  _mlir_ciface_astfe_rt_release(g);
}

TEST_F(ABI, HandlesCountTheirReferences) {
  void *h = profile();
  EXPECT_EQ(Handle::live(), 1);
  _mlir_ciface_astfe_rt_retain(h);
  _mlir_ciface_astfe_rt_release(h);
  EXPECT_EQ(Handle::live(), 1);
  _mlir_ciface_astfe_rt_release(h);
  EXPECT_EQ(Handle::live(), 0);
}

TEST_F(ABI, EachThreadHasItsOwnError) {
  std::string text = "extents differ";
  std::vector<char> bytes(text.begin(), text.end());
  AstfeMemRef1D message = memref(bytes);
  _mlir_ciface_astfe_rt_report(&message);
  std::thread([] { EXPECT_EQ(astfe_rt_last_error(), nullptr); }).join();
  EXPECT_EQ(astfe_rt_last_error(), text);
  astfe_rt_clear_error();
  EXPECT_EQ(astfe_rt_last_error(), nullptr);
}

TEST_F(ABI, TeamsOfARowOfAView) {
  // A mean of 16 nonzeros is four for each of four lanes.
  EXPECT_EQ(_mlir_ciface_astfe_rt_row_teams(1 << 20, 16 << 20, 1, 4224), 2);
}

TEST_F(ABI, OneThreadSetting) {
  astfe_rt_set_threads(3);
  EXPECT_EQ(_mlir_ciface_astfe_rt_threads(), 3);
  EXPECT_EQ(_mlir_ciface_astfe_rt_workers(), 3);
  astfe_rt_set_workers(7);
  EXPECT_EQ(_mlir_ciface_astfe_rt_workers(), 7);
  EXPECT_EQ(_mlir_ciface_astfe_rt_device_workers(), 7);
  astfe_rt_set_workers(0);
  astfe_rt_set_threads(4097);
  expectError("expected 0 to 4096 threads but got 4097");
  EXPECT_EQ(_mlir_ciface_astfe_rt_threads(), 3);
  astfe_rt_set_threads(0);
  EXPECT_GE(_mlir_ciface_astfe_rt_threads(), 1);
}

TEST_F(ABI, AGridIsThatOfTheDevice) {
  // There is none here; how many workers someone wants is another matter.
  astfe_rt_set_workers(64);
  EXPECT_EQ(_mlir_ciface_astfe_rt_grid(264, 4, 0, 0), 4);
  EXPECT_EQ(_mlir_ciface_astfe_rt_grid(264, 4, 0, 1), 33);
  EXPECT_EQ(_mlir_ciface_astfe_rt_grid(264, 4, 0, 2), 8);
  // One tile after another.
  EXPECT_EQ(_mlir_ciface_astfe_rt_grid(264, 4, 1, 0), 1);
  EXPECT_EQ(_mlir_ciface_astfe_rt_grid(264, 4, 1, 1), 132);
  astfe_rt_set_workers(0);
}

TEST_F(ABI, AGPUHasFewWorkersForLittleWorkUnlessTheirNumberIsSet) {
  core::Layout layout = layoutOf(16);
  layout.target = core::PackTarget::GPU;
  void *h = profile();
  void *g = _mlir_ciface_astfe_rt_partition(h, 32, 8);
  void *few = pack(g, layout, 1000);
  const int64_t expected = core::gpuWorkers(1000, int64_t(columns.size()));
  EXPECT_LT(expected, 1000);
  EXPECT_EQ(_mlir_ciface_astfe_rt_pattern_workers(few), expected);
  astfe_rt_set_workers(1000);
  void *set = pack(g, layout, 0);
  // A part of them for each tile would not be what was set.
  void *tiles = pack(g, layout, 0, 4);
  astfe_rt_set_workers(0);
  EXPECT_EQ(_mlir_ciface_astfe_rt_pattern_workers(set), 1000);
  EXPECT_EQ(_mlir_ciface_astfe_rt_pattern_workers(tiles), 1000);
  void *part = pack(g, layout, 16, 4);
  EXPECT_EQ(_mlir_ciface_astfe_rt_pattern_workers(part), 4);
  for (void *handle : {h, g, few, set, tiles, part})
    _mlir_ciface_astfe_rt_release(handle);
}

TEST_F(ABI, SymbolsAreDistinctAndNamedForTheCInterface) {
  std::set<std::string> names;
  std::set<void *> addresses;
  for (const Symbol *symbol = abiSymbols(); symbol->name; ++symbol) {
    EXPECT_EQ(std::string(symbol->name).rfind("_mlir_ciface_astfe_rt_", 0), 0u);
    EXPECT_TRUE(names.insert(symbol->name).second) << symbol->name;
    EXPECT_TRUE(addresses.insert(symbol->address).second) << symbol->name;
  }
}

TEST_F(ABI, SymbolsCanBeCalledByTheAddressesOfTheirArguments) {
  auto call = [](const std::string &name, std::vector<void *> arguments) {
    for (const Symbol *symbol = abiSymbols(); symbol->name; ++symbol)
      if (symbol->name == "_mlir_ciface_astfe_rt_" + name)
        return symbol->call(arguments.data());
    FAIL() << name;
  };
  void *pattern = this->pattern();
  int64_t mode = 1, extent = 0;
  call("extent", {&pattern, &mode, &extent});
  EXPECT_EQ(extent, 64);
  AstfeMemRef1D table{}, *result = &table;
  int64_t number = ASTFE_WORKER_SPAN;
  call("table_i64", {&result, &pattern, &number});
  EXPECT_EQ(table.size, _mlir_ciface_astfe_rt_pattern_workers(pattern) + 1);
  call("release", {&pattern});
}

TEST_F(ABI, MemoryIsLentAgainAndKeepsItsPattern) {
  void *packed = pattern();
  AstfeMemRef1D first, second, third;
  auto address = [](const AstfeMemRef1D &lent) {
    return reinterpret_cast<int64_t>(lent.aligned);
  };
  _mlir_ciface_astfe_rt_lend(&first, packed, 1000);
  _mlir_ciface_astfe_rt_lend(&second, packed, 50);
  ASSERT_EQ(first.size, 1000);
  ASSERT_EQ(second.size, 50);
  EXPECT_EQ(address(first) % 64, 0);
  EXPECT_EQ(address(second) % 64, 0);
  std::memset(first.aligned, 1, 1000);
  std::memset(second.aligned, 2, 50);
  _mlir_ciface_astfe_rt_take_back(address(first));
  _mlir_ciface_astfe_rt_take_back(address(second));
  // The smallest that is large enough.
  _mlir_ciface_astfe_rt_lend(&third, packed, 40);
  EXPECT_EQ(third.aligned, second.aligned);
  _mlir_ciface_astfe_rt_take_back(address(third));
  _mlir_ciface_astfe_rt_lend(&third, packed, 900);
  EXPECT_EQ(third.aligned, first.aligned);
  // The pattern lives until its memory is back.
  _mlir_ciface_astfe_rt_release(packed);
  EXPECT_GT(Handle::live(), 0);
  _mlir_ciface_astfe_rt_take_back(address(third));
  EXPECT_EQ(Handle::live(), 0);
  EXPECT_EQ(astfe_rt_last_error(), nullptr);
}

TEST_F(ABI, NothingIsLentWithoutAPatternBytesOrMemory) {
  void *packed = pattern(),
       *graph = _mlir_ciface_astfe_rt_partition(nullptr, 32, 8);
  AstfeMemRef1D lent;
  auto lend = [&](void *handle, int64_t bytes) {
    _mlir_ciface_astfe_rt_lend(&lent, handle, bytes);
    EXPECT_EQ(lent.aligned, nullptr);
    EXPECT_EQ(lent.size, 0);
    _mlir_ciface_astfe_rt_take_back(0);
  };
  lend(nullptr, 10);
  lend(graph, 10);
  lend(packed, 0);
  EXPECT_EQ(astfe_rt_last_error(), nullptr);
  _mlir_ciface_astfe_rt_lend_spare(&lent, packed, INT64_MAX);
  EXPECT_EQ(lent.aligned, nullptr);
  EXPECT_EQ(astfe_rt_last_error(), nullptr);
  lend(packed, INT64_MAX);
  EXPECT_STREQ(astfe_rt_last_error(), "out of memory");
  astfe_rt_clear_error();
  void *h = profile();
  lend(h, 10);
  EXPECT_STREQ(astfe_rt_last_error(), "expected a pattern but got a profile");
  _mlir_ciface_astfe_rt_release(h);
  _mlir_ciface_astfe_rt_release(packed);
}
