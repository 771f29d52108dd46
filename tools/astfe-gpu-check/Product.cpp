//===- Product.cpp - one matrix, packed for one case, on the device -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Product.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Pack/CutForGPU.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Core/Support/RelativeError.h"
#include "ASTFE/Runtime/Handles.h"
#include "Descriptors.h"
#include <algorithm>
#include <cstring>
#include <random>

namespace astfe::gpucheck {

double Numbers::get(size_t i) const {
  if (isDouble)
    return reinterpret_cast<const double *>(bytes.data())[i];
  return double(reinterpret_cast<const float *>(bytes.data())[i]);
}

void Numbers::set(size_t i, double value) {
  if (isDouble)
    reinterpret_cast<double *>(bytes.data())[i] = value;
  else
    reinterpret_cast<float *>(bytes.data())[i] = float(value);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Bytes behind C that nothing may write, and what they hold.
static constexpr size_t kGuardBytes = 256;
static constexpr char kGuard = 0x5a;

Operands::Operands(const LoadedCase &which, const Sample &sample,
                   int64_t columns, uint64_t seed)
    : which(*which), sample(sample), columns(columns),
      b(size_t(sample.columns * columns), which->isDouble),
      start(size_t(sample.rows * columns), which->isDouble), c(start),
      shifted(0, which->isDouble) {
  std::mt19937_64 random(seed);
  auto next = [&] { return double(int64_t(random() >> 11)) * 0x1p-52 - 1; };
  for (size_t i = 0; i < b.size(); ++i)
    b.set(i, next());
  // What is only written begins as no number.
  for (size_t i = 0; i < start.size(); ++i)
    start.set(i, which->overwrite ? std::numeric_limits<double>::quiet_NaN()
                                  : next());
}

core::Status Operands::place(rt::Device &device, size_t shift) {
  shifted = Numbers(b.size() + shift, which.isDouble);
  std::copy(b.bytes.begin(), b.bytes.end(),
            shifted.bytes.begin() +
                std::ptrdiff_t(shift * which.elementBytes()));
  hostC = start.bytes;
  hostC.resize(hostC.size() + kGuardBytes, kGuard);
  if (which.hostOperands) {
    bData = shifted.bytes.data() + shift * which.elementBytes();
    cData = hostC.data();
    return core::Success();
  }
  auto placed =
      DeviceMemory::upload(device, shifted.bytes.data(), shifted.bytes.size());
  if (!placed)
    return placed.error();
  deviceB = std::move(*placed);
  bData = static_cast<char *>(deviceB->data) + shift * which.elementBytes();
  placed = DeviceMemory::upload(device, hostC.data(), hostC.size());
  if (!placed)
    return placed.error();
  deviceC = std::move(*placed);
  cData = deviceC->data;
  return core::Success();
}

core::Status Operands::fetch() {
  if (deviceC)
    if (auto status = deviceC->download(hostC.data(), hostC.size()); !status)
      return status;
  std::copy_n(hostC.begin(), c.bytes.size(), c.bytes.begin());
  if (std::any_of(hostC.end() - kGuardBytes, hostC.end(),
                  [](char byte) { return byte != kGuard; }))
    return core::Error{"expected nothing behind C to be written"};
  return core::Success();
}

core::Status Operands::compute(rt::Device &device, const Product &product,
                               size_t shift) {
  auto status = place(device, shift);
  if (status)
    status = product.run(*this);
  return status ? fetch() : status;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static core::Result<core::Graph> graphOf(const Sample &sample,
                                         core::OrderKind order) {
  core::PlanOptions options;
  options.order = order;
  options.setWorkers(64);
  auto plan = core::makePlan(sample.view(), options);
  if (!plan)
    return plan.error();
  return std::move(plan->fused);
}

core::Status Product::pack(rt::Device &device, core::OrderKind order) {
  auto graph = graphOf(sample, order);
  if (!graph)
    return graph.error();
  astfe_rt_clear_error();
  core::PackOptions options;
  options.layout = which->layout;
  core::GPUUse use;
  use.multiprocessors = device.multiprocessors();
  use.warps = _mlir_ciface_astfe_rt_device_workers();
  core::cutForGPU(options, use, sample.view());
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  auto packed = core::pack(sample.view(), *graph, options);
  if (!packed)
    return packed.error();
  slots = packed->slots;
  hostValues = Numbers(size_t(slots), which->isDouble);
  for (size_t n = 0; n < sample.values.size(); ++n)
    hostValues.set(size_t(packed->slotOfNonzero(n)), sample.values[n]);
  pattern = new rt::PatternHandle(std::move(*packed));
  return core::Success();
}

core::Status Product::placeView(rt::Device &device) {
  slots = sample.nonzeros();
  hostValues = Numbers(size_t(slots), which->isDouble);
  for (size_t n = 0; n < sample.values.size(); ++n)
    hostValues.set(n, sample.values[n]);
  auto place = [&](const std::vector<int32_t> &data,
                   std::unique_ptr<DeviceMemory> &memory) -> core::Status {
    auto placed = DeviceMemory::upload(device, data.data(), data.size() * 4);
    if (!placed)
      return placed.error();
    memory = std::move(*placed);
    return core::Success();
  };
  if (auto status = place(sample.positions, positions); !status)
    return status;
  return place(sample.coordinates, coordinates);
}

core::Result<std::unique_ptr<Product>> Product::make(rt::Device &device,
                                                     const LoadedCase &which,
                                                     const Sample &sample,
                                                     core::OrderKind order) {
  std::unique_ptr<Product> made(new Product(which, sample));
  auto status =
      which->isView() ? made->placeView(device) : made->pack(device, order);
  if (!status)
    return status.error();
  if (which->hostOperands)
    return made;
  auto placed = DeviceMemory::upload(device, made->hostValues.bytes.data(),
                                     made->hostValues.bytes.size());
  if (!placed)
    return placed.error();
  made->values = std::move(*placed);
  return made;
}

Product::~Product() { _mlir_ciface_astfe_rt_release(pattern); }

template <typename Matrix>
void Product::call(Matrix *b, Matrix *c) const {
  void *stored =
      values ? values->data : const_cast<char *>(hostValues.bytes.data());
  AstfeMemRef1D v = vectorOf(stored, slots);
  if (!which->isView()) {
    reinterpret_cast<void (*)(void *, AstfeMemRef1D *, Matrix *, Matrix *)>(
        which.entry())(pattern, &v, b, c);
    return;
  }
  AstfeMemRef1D p = vectorOf(positions->data, sample.rows + 1);
  AstfeMemRef1D j = vectorOf(coordinates->data, slots);
  Matrix result;
  reinterpret_cast<void (*)(Matrix *, AstfeMemRef1D *, AstfeMemRef1D *,
                            AstfeMemRef1D *, int64_t, int64_t, Matrix *,
                            Matrix *)>(which.entry())(
      &result, &p, &j, &v, sample.rows, sample.columns, b, c);
}

core::Status Product::run(void *b, int64_t bRows, void *c, int64_t cRows,
                          int64_t columns) const {
  astfe_rt_clear_error();
  if (which->isVector) {
    AstfeMemRef1D x = vectorOf(b, bRows), y = vectorOf(c, cRows);
    call(&x, &y);
  } else {
    Matrix2D x = matrixOf(b, bRows, columns), y = matrixOf(c, cRows, columns);
    call(&x, &y);
  }
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  return core::Success();
}

core::Status Product::run(const Operands &operands) const {
  return run(operands.bData, sample.columns, operands.cData, sample.rows,
             operands.columns);
}

//===----------------------------------------------------------------------===//
// The reference
//===----------------------------------------------------------------------===//

double worstError(const Operands &operands) {
  const Sample &a = operands.sample;
  const auto columns = size_t(operands.columns);
  Numbers value(1, operands.which.isDouble);
  double worst = 0;
  for (size_t row = 0; row < size_t(a.rows); ++row)
    for (size_t j = 0; j < columns; ++j) {
      double sum = 0;
      if (!operands.which.overwrite)
        sum = operands.start.get(row * columns + j);
      double size = std::fabs(sum);
      for (auto n = size_t(a.positions[row]); n < size_t(a.positions[row + 1]);
           ++n) {
        value.set(0, a.values[n]);
        const double term =
            value.get(0) *
            operands.b.get(size_t(a.coordinates[n]) * columns + j);
        sum += term;
        size += std::fabs(term);
      }
      worst =
          std::max(worst, core::relativeError(operands.c.get(row * columns + j),
                                              sum, size));
    }
  return worst;
}

double errorBound(const Case &which) { return which.isDouble ? 1e-13 : 1e-5; }

} // namespace astfe::gpucheck
