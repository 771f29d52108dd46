//===- Peers.cpp - CUDA's own libraries on the same operands -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opened at run time, with the few functions of their C interfaces declared
// here, as the driver's are: building needs no toolkit, and a machine without
// them times ours alone. Names and numbers follow the libraries' manuals.
//
//===----------------------------------------------------------------------===//

#include "Timing.h"
#include <dlfcn.h>
#include <iterator>

namespace astfe::gpucheck {

namespace {

/// A function of a library, by name.
template <typename... Args>
class Function {
public:
  Function(void *library, const char *name)
      : address(library ? dlsym(library, name) : nullptr) {}
  explicit operator bool() const { return address; }
  core::Status operator()(Args... args) const {
    const int code = reinterpret_cast<int (*)(Args...)>(address)(args...);
    if (code == 0)
      return core::Success();
    return core::Error{"status " + std::to_string(code)};
  }

private:
  void *address;
};

void *open(std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return library;
  return nullptr;
}

enum : int { kFloat = 0, kDouble = 1, kIndex32 = 2, kRowMajor = 2 };

/// cuSPARSE's generic product, C = A B.
class CuSparse {
public:
  CuSparse(rt::Device &device, const Sample &sample, const Operands &operands)
      : device(device), sample(sample), operands(operands),
        library(open({"libcusparse.so.12", "libcusparse.so.13",
                      "libcusparse.so.11", "libcusparse.so"})) {}

  core::Status prepare(void *stream);
  core::Status choose(int algorithm);
  core::Status run();

private:
  using P = void *;

  rt::Device &device;
  const Sample &sample;
  const Operands &operands;
  void *library;
  P handle = nullptr, a = nullptr, b = nullptr, c = nullptr;
  std::unique_ptr<DeviceMemory> positions, coordinates, values, buffer;
  double one64 = 1, zero64 = 0;
  float one32 = 1, zero32 = 0;
  int algorithm = 0;

  P one() { return operands.which.isDouble ? P(&one64) : P(&one32); }
  P zero() { return operands.which.isDouble ? P(&zero64) : P(&zero32); }
  int type() const { return operands.which.isDouble ? kDouble : kFloat; }
};

} // namespace

core::Status CuSparse::prepare(void *stream) {
  Function<P *> create(library, "cusparseCreate");
  Function<P, P> setStream(library, "cusparseSetStream");
  Function<P *, int64_t, int64_t, int64_t, P, P, P, int, int, int, int> csr(
      library, "cusparseCreateCsr");
  Function<P *, int64_t, int64_t, int64_t, P, int, int> dense(
      library, "cusparseCreateDnMat");
  if (!create || !setStream || !csr || !dense)
    return core::Error{"no cuSPARSE"};
  Numbers numbers(sample.values.size(), operands.which.isDouble);
  for (size_t n = 0; n < numbers.size(); ++n)
    numbers.set(n, sample.values[n]);
  auto place = [&](std::unique_ptr<DeviceMemory> &memory, const void *data,
                   size_t bytes) -> core::Status {
    auto made = DeviceMemory::upload(device, data, bytes);
    if (!made)
      return made.error();
    memory = std::move(*made);
    return core::Success();
  };
  auto status =
      place(positions, sample.positions.data(), sample.positions.size() * 4);
  if (status)
    status = place(coordinates, sample.coordinates.data(),
                   sample.coordinates.size() * 4);
  if (status)
    status = place(values, numbers.bytes.data(), numbers.bytes.size());
  if (status)
    status = create(&handle);
  if (status)
    status = setStream(handle, stream);
  if (status)
    status =
        csr(&a, sample.rows, sample.columns, sample.nonzeros(), positions->data,
            coordinates->data, values->data, kIndex32, kIndex32, 0, type());
  const int64_t n = operands.columns;
  if (status)
    status = dense(&b, sample.columns, n, n, operands.bData, type(), kRowMajor);
  if (status)
    status = dense(&c, sample.rows, n, n, operands.cData, type(), kRowMajor);
  return status;
}

core::Status CuSparse::choose(int number) {
  algorithm = number;
  Function<P, int, int, P, P, P, P, P, int, int, size_t *> size(
      library, "cusparseSpMM_bufferSize");
  Function<P, int, int, P, P, P, P, P, int, int, P> preprocess(
      library, "cusparseSpMM_preprocess");
  size_t bytes = 0;
  auto status =
      size(handle, 0, 0, one(), a, b, zero(), c, type(), algorithm, &bytes);
  if (!status)
    return status;
  auto made = DeviceMemory::allocate(device, bytes);
  if (!made)
    return made.error();
  buffer = std::move(*made);
  if (!preprocess)
    return core::Success();
  return preprocess(handle, 0, 0, one(), a, b, zero(), c, type(), algorithm,
                    buffer->data);
}

core::Status CuSparse::run() {
  static const Function<P, int, int, P, P, P, P, P, int, int, P> product(
      library, "cusparseSpMM");
  return product(handle, 0, 0, one(), a, b, zero(), c, type(), algorithm,
                 buffer->data);
}

PeerTime timeCuSparse(rt::Device &device, Timer &timer, const Sample &sample,
                      const Operands &operands) {
  CuSparse peer(device, sample, operands);
  PeerTime best;
  if (!peer.prepare(timer.stream))
    return best;
  const std::pair<const char *, int> algorithms[] = {
      {"default", 0}, {"csr 1", 4}, {"csr 2", 6}, {"csr 3", 12}};
  for (const auto &[name, number] : algorithms) {
    if (!peer.choose(number))
      continue;
    auto times = timer.time([&] { return peer.run(); });
    if (times && (best.name.empty() || times->hot < best.times.hot))
      best = {std::string("cuSPARSE ") + name, *times};
  }
  return best;
}

PeerTime timeCuBlas(rt::Device &device, Timer &timer, const Sample &sample,
                    const Operands &operands) {
  using P = void *;
  constexpr double kMostBytes = 1e9;
  if (operands.which.isDouble ||
      double(sample.rows) * double(sample.columns) * 4 > kMostBytes)
    return {};
  void *library = open({"libcublas.so.12", "libcublas.so.13", "libcublas.so.11",
                        "libcublas.so"});
  Function<P *> create(library, "cublasCreate_v2");
  Function<P, P> setStream(library, "cublasSetStream_v2");
  Function<P, int, int, int, int, int, const float *, P, int, P, int,
           const float *, P, int>
      product(library, "cublasSgemm_v2");
  P handle = nullptr;
  if (!create || !setStream || !product || !create(&handle) ||
      !setStream(handle, timer.stream))
    return {};
  std::vector<float> a(size_t(sample.rows * sample.columns));
  for (size_t row = 0; row < size_t(sample.rows); ++row)
    for (auto n = size_t(sample.positions[row]);
         n < size_t(sample.positions[row + 1]); ++n)
      a[row * size_t(sample.columns) + size_t(sample.coordinates[n])] =
          float(sample.values[n]);
  auto placed = DeviceMemory::upload(device, a.data(), a.size() * 4);
  if (!placed)
    return {};
  const float one = 1, zero = 0;
  const int rows = int(sample.rows), depth = int(sample.columns),
            columns = int(operands.columns);
  // Row-major operands are transposed column-major ones: C' = B' A'.
  auto times = timer.time([&] {
    return product(handle, 0, 0, columns, rows, depth, &one, operands.bData,
                   columns, (*placed)->data, depth, &zero, operands.cData,
                   columns);
  });
  return times ? PeerTime{"cuBLAS dense", *times} : PeerTime();
}

} // namespace astfe::gpucheck
