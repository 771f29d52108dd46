//===- Rivals.cpp - the rivals on a device --------------------------------===//
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

/// Device memory with that data, at least a byte.
template <typename T>
static std::unique_ptr<gpucheck::DeviceMemory>
upload(rt::Device &device, const std::vector<T> &data) {
  auto made = gpucheck::DeviceMemory::upload(device, data.data(),
                                             data.size() * sizeof(T));
  if (!made)
    fail(made.message());
  return std::move(*made);
}

Rivals::Rivals(rt::Device &device, const std::string &path) : device(device) {
  std::ifstream file(path, std::ios::binary);
  const std::string image((std::istreambuf_iterator<char>(file)),
                          std::istreambuf_iterator<char>());
  if (image.empty())
    fail("expected the rivals' kernels in '" + path + "' but got nothing");
  auto loaded = device.loadModule(image.c_str(), image.size());
  if (!loaded)
    fail(loaded.message());
  module = *loaded;
}

std::unique_ptr<RivalProduct> Rivals::prepare(const std::string &name,
                                              const Product &product) {
  const Matrix &a = product.a;
  auto made = std::make_unique<RivalProduct>(device, name, product);
  auto place = [&](const auto &data) {
    made->memory.push_back(upload(device, data));
    return made->memory.back()->data;
  };
  auto rows = int32_t(a.rows), n = int32_t(product.columns);
  const int64_t tile = tileOf(n);
  Work work{name + std::to_string(tile), tile, a.rows};
  std::vector<void *> pointers = {place(a.positions), place(a.coordinates),
                                  place(a.values), place(product.b),
                                  made->result()};
  std::vector<int32_t> last;
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
    const auto share = int32_t(std::max<int64_t>((all + most - 1) / most, 32));
    work.workers = (all + share - 1) / share;
    last.push_back(share);
    made->adds = true;
  } else if (name == "row_tiles") {
    pointers.insert(pointers.begin(), place(byLength(a)));
  } else {
    const Parts parts = partsOf(a);
    work.workers = int64_t(parts.rows.size());
    rows = int32_t(work.workers);
    pointers[0] = place(parts.ranges);
    pointers.insert(pointers.begin(), place(parts.rows));
    made->adds = work.workers != a.rows;
  }
  made->pointers = std::move(pointers);
  made->numbers = {rows, n};
  made->numbers.insert(made->numbers.end(), last.begin(), last.end());
  auto kernel = device.kernel(module, work.kernel.c_str());
  if (!kernel)
    fail(kernel.message());
  made->kernel = *kernel;
  const int64_t warps = (work.workers + work.perWarp - 1) / work.perWarp;
  made->shape = {
      {(warps + kWarpsOfBlock - 1) / kWarpsOfBlock, n / work.tile, 1},
      {32 * kWarpsOfBlock, 1, 1}};
  return made;
}

RivalProduct::RivalProduct(rt::Device &device, std::string name,
                           const Product &product)
    : device(device), name(std::move(name)), product(product),
      c(upload(device, std::vector<float>(product.c.size(), 0))) {}

core::Status RivalProduct::put(void *stream) {
  if (adds)
    if (auto status = device.fill32(c->data, 0, product.c.size(), stream);
        !status)
      return status;
  std::vector<void *> params;
  for (void *&pointer : pointers)
    params.push_back(&pointer);
  for (int32_t &number : numbers)
    params.push_back(&number);
  return device.launch(kernel, shape, stream, params.data());
}

void RivalProduct::check() const {
  std::vector<float> result(product.c.size());
  if (auto status = c->download(result.data(), result.size() * sizeof(float));
      !status)
    fail(status.message());
  product.check(name, result.data());
}
