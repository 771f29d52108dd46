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

#include "Peers.h"
#include "ASTFE/Core/Support/Shape.h"
#include "LibraryFunction.h"

namespace astfe::gpucheck {

namespace {

void *open(std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return library;
  return nullptr;
}

enum : int { kFloat = 0, kDouble = 1, kIndex32 = 2, kRowMajor = 2 };

struct Algorithm {
  const char *name;
  int number;
};
constexpr Algorithm kMatrices[] = {
    {"default", 0}, {"csr 1", 4}, {"csr 2", 6}, {"csr 3", 12}};
constexpr Algorithm kVectors[] = {{"default", 0}, {"csr 1", 2}, {"csr 2", 3}};

/// cuSPARSE's generic products, C = A B and y = A x.
class CuSparse {
public:
  CuSparse(rt::Device &device, const PeerProduct &product)
      : device(device), product(product),
        library(open({"libcusparse.so.12", "libcusparse.so.13",
                      "libcusparse.so.11", "libcusparse.so"})) {}

  bool isVector() const { return product.columns == 1; }
  core::Status prepare(void *stream);
  core::Status choose(int algorithm);
  core::Status run();

private:
  using P = void *;

  core::Status describe();
  core::Status needed(size_t *bytes);
  core::Status preprocess();

  rt::Device &device;
  const PeerProduct &product;
  void *library;
  P handle = nullptr, a = nullptr, b = nullptr, c = nullptr;
  std::unique_ptr<DeviceMemory> positions, coordinates, values, buffer;
  double one64 = 1, zero64 = 0;
  float one32 = 1, zero32 = 0;
  int algorithm = 0;

  P one() { return product.isDouble ? P(&one64) : P(&one32); }
  P zero() { return product.isDouble ? P(&zero64) : P(&zero32); }
  int type() const { return product.isDouble ? kDouble : kFloat; }
};

} // namespace

core::Status CuSparse::prepare(void *stream) {
  LibraryFunction<P *> create(library, "cusparseCreate");
  LibraryFunction<P, P> setStream(library, "cusparseSetStream");
  if (!create || !setStream)
    return core::Error{"no cuSPARSE"};
  const Sample &matrix = product.a;
  auto place = [&](std::unique_ptr<DeviceMemory> &memory,
                   const auto &data) -> core::Status {
    auto made = DeviceMemory::upload(device, data.data(),
                                     data.size() * sizeof(data[0]));
    if (!made)
      return made.error();
    memory = std::move(*made);
    return core::Success();
  };
  auto status = place(positions, matrix.positions);
  if (status)
    status = place(coordinates, matrix.coordinates);
  if (status)
    status = product.isDouble
                 ? place(values, matrix.values)
                 : place(values, std::vector<float>(matrix.values.begin(),
                                                    matrix.values.end()));
  if (status)
    status = create(&handle);
  if (status)
    status = setStream(handle, stream);
  return status ? describe() : status;
}

core::Status CuSparse::describe() {
  LibraryFunction<P *, int64_t, int64_t, int64_t, P, P, P, int, int, int, int>
      csr(library, "cusparseCreateCsr");
  LibraryFunction<P *, int64_t, int64_t, int64_t, P, int, int> dense(
      library, "cusparseCreateDnMat");
  LibraryFunction<P *, int64_t, P, int> vector(library, "cusparseCreateDnVec");
  if (!csr || !dense || !vector)
    return core::Error{"no generic interface of cuSPARSE"};
  const Sample &matrix = product.a;
  auto status =
      csr(&a, matrix.rows, matrix.columns, matrix.nonzeros(), positions->data,
          coordinates->data, values->data, kIndex32, kIndex32, 0, type());
  auto operand = [&](P *to, int64_t rows, P data) {
    const int64_t n = product.columns;
    return isVector() ? vector(to, rows, data, type())
                      : dense(to, rows, n, n, data, type(), kRowMajor);
  };
  if (status)
    status = operand(&b, matrix.columns, product.b);
  if (status)
    status = operand(&c, matrix.rows, product.c);
  return status;
}

core::Status CuSparse::needed(size_t *bytes) {
  LibraryFunction<P, int, P, P, P, P, P, int, int, size_t *> vector(
      library, "cusparseSpMV_bufferSize");
  LibraryFunction<P, int, int, P, P, P, P, P, int, int, size_t *> matrix(
      library, "cusparseSpMM_bufferSize");
  return isVector() ? vector(handle, 0, one(), a, b, zero(), c, type(),
                             algorithm, bytes)
                    : matrix(handle, 0, 0, one(), a, b, zero(), c, type(),
                             algorithm, bytes);
}

/// A step that newer versions have, and not for each algorithm.
core::Status CuSparse::preprocess() {
  LibraryFunction<P, int, P, P, P, P, P, int, int, P> vector(
      library, "cusparseSpMV_preprocess");
  LibraryFunction<P, int, int, P, P, P, P, P, int, int, P> matrix(
      library, "cusparseSpMM_preprocess");
  if (isVector())
    return vector ? vector(handle, 0, one(), a, b, zero(), c, type(), algorithm,
                           buffer->data)
                  : core::Success();
  return matrix ? matrix(handle, 0, 0, one(), a, b, zero(), c, type(),
                         algorithm, buffer->data)
                : core::Success();
}

core::Status CuSparse::choose(int number) {
  algorithm = number;
  size_t bytes = 0;
  if (auto status = needed(&bytes); !status)
    return status;
  auto made = DeviceMemory::allocate(device, bytes);
  if (!made)
    return made.error();
  buffer = std::move(*made);
  return preprocess();
}

core::Status CuSparse::run() {
  static const LibraryFunction<P, int, P, P, P, P, P, int, int, P> vector(
      library, "cusparseSpMV");
  static const LibraryFunction<P, int, int, P, P, P, P, P, int, int, P> matrix(
      library, "cusparseSpMM");
  return isVector() ? vector(handle, 0, one(), a, b, zero(), c, type(),
                             algorithm, buffer->data)
                    : matrix(handle, 0, 0, one(), a, b, zero(), c, type(),
                             algorithm, buffer->data);
}

PeerTime timeCuSparse(rt::Device &device, Timer &timer,
                      const PeerProduct &product) {
  CuSparse peer(device, product);
  PeerTime best;
  if (!peer.prepare(timer.stream))
    return best;
  const core::ArrayRef<Algorithm> algorithms =
      peer.isVector() ? core::ArrayRef<Algorithm>(kVectors)
                      : core::ArrayRef<Algorithm>(kMatrices);
  for (const Algorithm &algorithm : algorithms) {
    if (!peer.choose(algorithm.number))
      continue;
    auto times = timer.time([&] { return peer.run(); });
    if (times && (best.name.empty() || times->device() < best.times.device()))
      best = {std::string("cuSPARSE ") + algorithm.name, *times};
  }
  return best;
}

PeerTime timeCuBlas(rt::Device &device, Timer &timer,
                    const PeerProduct &product) {
  using P = void *;
  constexpr double kMostBytes = 1e9;
  const Sample &matrix = product.a;
  if (product.isDouble || product.columns == 1 ||
      double(matrix.rows) * double(matrix.columns) * 4 > kMostBytes)
    return {};
  void *library = open({"libcublas.so.12", "libcublas.so.13", "libcublas.so.11",
                        "libcublas.so"});
  LibraryFunction<P *> create(library, "cublasCreate_v2");
  LibraryFunction<P, P> setStream(library, "cublasSetStream_v2");
  LibraryFunction<P, int, int, int, int, int, const float *, P, int, P, int,
                  const float *, P, int>
      multiply(library, "cublasSgemm_v2");
  P handle = nullptr;
  if (!create || !setStream || !multiply || !create(&handle) ||
      !setStream(handle, timer.stream))
    return {};
  std::vector<float> a(size_t(matrix.rows * matrix.columns));
  for (size_t row = 0; row < size_t(matrix.rows); ++row)
    for (auto n = size_t(matrix.positions[row]);
         n < size_t(matrix.positions[row + 1]); ++n)
      a[row * size_t(matrix.columns) + size_t(matrix.coordinates[n])] =
          float(matrix.values[n]);
  auto placed = DeviceMemory::upload(device, a.data(), a.size() * 4);
  if (!placed)
    return {};
  const float one = 1, zero = 0;
  const int rows = int(matrix.rows), depth = int(matrix.columns),
            columns = int(product.columns);
  // Row-major operands are transposed column-major ones: C' = B' A'.
  auto times = timer.time([&] {
    return multiply(handle, 0, 0, columns, rows, depth, &one, product.b,
                    columns, (*placed)->data, depth, &zero, product.c, columns);
  });
  return times ? PeerTime{"cuBLAS dense", *times} : PeerTime();
}

} // namespace astfe::gpucheck
