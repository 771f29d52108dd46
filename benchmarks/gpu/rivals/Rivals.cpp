//===- Rivals.cpp - the rivals on the emulator ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contestants.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>

using namespace astfe;
using namespace astfe::bench;

namespace {

constexpr int64_t kWarpsOfBlock = 4;
/// Nonzeros of a part of a row, as RoDe's.
constexpr int32_t kPart = 512;

/// Device memory that goes with it.
class Buffer {
public:
  template <typename T>
  Buffer(emu::Emulator &emulator, const std::vector<T> &data)
      : emulator(emulator) {
    const size_t bytes = std::max<size_t>(data.size() * sizeof(T), 1);
    auto made = emulator.allocate(bytes, false);
    if (!made)
      fail(made.message());
    memory = *made;
    if (auto status = emulator.copy(memory, data.data(),
                                    data.size() * sizeof(T), nullptr);
        !status)
      fail(status.message());
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() { (void)bool(emulator.free(memory)); }
  void *memory = nullptr;

private:
  emu::Emulator &emulator;
};

/// A kernel of a rival: its name, threads' columns, and what it works through.
struct Work {
  std::string kernel;
  int64_t tile;    ///< columns of a block
  int64_t workers; ///< warps, or parts of them
  int64_t perWarp = 1;
};

/// The widest tile of 32, 64 and 128 columns that divides the columns.
int64_t tileOf(int64_t columns) {
  for (int64_t tile : {128, 64, 32})
    if (columns % tile == 0)
      return tile;
  return columns;
}

/// Rows by falling length, equal ones by number.
std::vector<int32_t> byLength(const Matrix &a) {
  std::vector<int32_t> order(size_t(a.rows));
  std::iota(order.begin(), order.end(), 0);
  auto length = [&](int32_t row) {
    return a.positions[size_t(row) + 1] - a.positions[size_t(row)];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t x, int32_t y) { return length(x) > length(y); });
  return order;
}

struct Parts {
  std::vector<int32_t> rows; ///< complement: of several parts
  std::vector<int32_t> ranges;
};

Parts partsOf(const Matrix &a) {
  Parts parts;
  for (int32_t row = 0; row < a.rows; ++row) {
    const int32_t begin = a.positions[size_t(row)],
                  end = a.positions[size_t(row) + 1];
    const bool several = end - begin > kPart;
    for (int32_t at = begin; at == begin || at < end; at += kPart) {
      parts.rows.push_back(several ? ~row : row);
      parts.ranges.push_back(at);
      parts.ranges.push_back(std::min(end, at + kPart));
    }
  }
  return parts;
}

} // namespace

std::vector<std::string> bench::rivalsFor(int64_t columns) {
  if (columns < 32)
    return {"row_per_warp", "merge_path"};
  return {"row_per_warp", "merge_path", "row_tiles", "row_parts"};
}

Rivals::Rivals(emu::Emulator &emulator) : emulator(emulator) {
  std::ifstream file(ASTFE_RIVALS, std::ios::binary);
  const std::string image((std::istreambuf_iterator<char>(file)),
                          std::istreambuf_iterator<char>());
  auto loaded = emulator.loadModule(image.data(), image.size());
  if (!loaded)
    fail(loaded.message());
  module = *loaded;
}

void Rivals::run(const std::string &name, const Product &product) {
  const Matrix &a = product.a;
  Buffer positions(emulator, a.positions), columns(emulator, a.coordinates),
      values(emulator, a.values), b(emulator, product.b),
      c(emulator, std::vector<float>(product.c.size(), 0));
  auto rows = int32_t(a.rows), n = int32_t(product.columns);
  const int64_t tile = tileOf(n);
  Work work{name + std::to_string(tile), tile, a.rows};
  std::vector<void *> params = {&positions.memory,
                                &columns.memory,
                                &values.memory,
                                &b.memory,
                                &c.memory,
                                &rows,
                                &n};
  std::unique_ptr<Buffer> list, ranges;
  int32_t share = 0;
  if (name == "row_per_warp") {
    const int64_t lanes = std::min<int64_t>(n, 32);
    work = {n == 1 ? "row_vector" : name + std::to_string(lanes), lanes, a.rows,
            n == 1 ? 1 : 32 / lanes};
  } else if (name == "merge_path") {
    // As many workers as an H200 holds warps, if each has some length.
    work.perWarp = 32 / std::min<int64_t>(n, 32);
    const int64_t all = a.rows + a.nonzeros();
    const int64_t most =
        132 * 64 * work.perWarp / std::max<int64_t>(1, n / tile);
    share = int32_t(std::max<int64_t>((all + most - 1) / most, 32));
    work.workers = (all + share - 1) / share;
    params.push_back(&share);
  } else if (name == "row_tiles") {
    list = std::make_unique<Buffer>(emulator, byLength(a));
    params.insert(params.begin(), &list->memory);
  } else {
    const Parts parts = partsOf(a);
    list = std::make_unique<Buffer>(emulator, parts.rows);
    ranges = std::make_unique<Buffer>(emulator, parts.ranges);
    work.workers = int64_t(parts.rows.size());
    rows = int32_t(work.workers);
    params[0] = &ranges->memory;
    params.insert(params.begin(), &list->memory);
  }
  auto kernel = emulator.kernel(module, work.kernel.c_str());
  if (!kernel)
    fail(kernel.message());
  const int64_t warps = (work.workers + work.perWarp - 1) / work.perWarp;
  rt::LaunchShape shape{
      {(warps + kWarpsOfBlock - 1) / kWarpsOfBlock, n / work.tile, 1},
      {32 * kWarpsOfBlock, 1, 1}};
  if (auto status = emulator.launch(*kernel, shape, nullptr, params.data());
      !status)
    fail(status.message());
  product.check(name, static_cast<const float *>(c.memory));
}
