//===- LargeChecks.cpp - beyond what 16 and 32 bits count ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are made on the device: B is 1 everywhere, and of C a few rows are
// looked at.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/GPUConstants.h"
#include "Checks.h"

namespace astfe::gpucheck {

namespace {

constexpr uint32_t kOne = 0x3f800000; // 1.0f

/// A row of C is the sum of its values in every column.
core::Status checkRow(const DeviceMemory &c, const Sample &sample, int64_t row,
                      int64_t columns) {
  float sum = 0;
  for (int32_t n = sample.positions[size_t(row)];
       n < sample.positions[size_t(row) + 1]; ++n)
    sum += float(sample.values[size_t(n)]);
  std::vector<float> got(static_cast<size_t>(columns));
  const char *from = static_cast<const char *>(c.data) + row * columns * 4;
  // An address inside an allocation is as good to copy from as its first.
  if (auto status =
          c.device.copy(got.data(), from, size_t(columns) * 4, nullptr);
      !status)
    return status;
  for (float value : got)
    if (!(std::abs(value - sum) <= 1e-5f))
      return core::Error{"expected " + std::to_string(sum) + " in row " +
                         std::to_string(row) + " but got " +
                         std::to_string(value)};
  return core::Success();
}

core::Status checkFew(const DeviceMemory &b, const DeviceMemory &c,
                      const LoadedCase &which, const Sample &sample,
                      int64_t columns) {
  rt::Device &device = b.device;
  auto product = Product::make(device, which, sample);
  if (!product)
    return product.error();
  auto status =
      device.fill32(b.data, kOne, size_t(sample.columns * columns), nullptr);
  if (status)
    status = device.fill32(c.data, ~uint32_t(0), size_t(sample.rows * columns),
                           nullptr);
  if (status)
    status = device.synchronize();
  if (status)
    status =
        (*product)->run(b.data, sample.columns, c.data, sample.rows, columns);
  for (int64_t row : {int64_t(0), sample.rows / 2, sample.rows - 1})
    if (status)
      status = checkRow(c, sample, row, columns);
  return status;
}

/// Three rows with nonzeros: the first, the middle, and the last, which has the
/// last column.
Sample few(int64_t rows, int64_t columns) {
  Sample sample{"few", rows, columns, {0}, {}, {}};
  for (int64_t row = 0; row < rows; ++row) {
    auto add = [&](int64_t column) {
      sample.coordinates.push_back(int32_t(column));
      sample.values.push_back(0.25 + double(sample.values.size()));
    };
    if (row == 0 || row == rows / 2)
      add(columns / 2);
    if (row == rows - 1)
      add(columns - 1);
    sample.positions.push_back(int32_t(sample.values.size()));
  }
  return sample;
}

} // namespace

void checkLarge(Suite &suite) {
  for (const Case &which : suite.cases) {
    // 32-bit columns, packed: whatever the size.
    if (which.isView() || which.isDouble || which.isVector ||
        !which.overwrite || which.hostOperands || which.layout.columnBits != 32)
      continue;
    auto loaded = LoadedCase::load(suite.folder, which);
    if (!loaded)
      return suite.tally.add(which.name, loaded.error());
    auto check = [&](const char *name, int64_t rows, int64_t depth,
                     int64_t columns) {
      const std::string what = which.name + ", " + name;
      auto b = DeviceMemory::allocate(suite.device,
                                      size_t(depth * columns) * 4),
           c = DeviceMemory::allocate(suite.device, size_t(rows * columns) * 4);
      if (!b || !c) {
        const std::string why = (b ? c : b).message();
        return why.find("OUT_OF_MEMORY") != why.npos
                   ? suite.tally.skip(what, why)
                   : suite.tally.add(what, core::Error{why});
      }
      suite.tally.add(what,
                      checkFew(**b, **c, *loaded, few(rows, depth), columns));
    };
    check("more tiles than a grid has in y", 3, 5,
          32 * core::rules::kGPUGridLimit + 33);
    check("C of more than 2^31 elements", 16500000, 9, 132);
    check("B of more than 2^32 elements", 9, 33400000, 129);
  }
}

} // namespace astfe::gpucheck
