//===- ViewMatrix.cpp - a sparse matrix as it is stored -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/ViewMatrix.h"
#include <algorithm>
#include <cstring>
#include <limits>

using namespace astfe;
using namespace astfe::product;

/// Warps that the current device holds at a time.
static core::Result<int64_t> deviceWarps() {
  astfe_rt_clear_error();
  const int64_t warps = _mlir_ciface_astfe_rt_device_workers();
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  return std::max<int64_t>(1, warps);
}

core::Result<core::GPUProducts>
ViewMatrix::products(const MatrixOptions &options) {
  auto warps = deviceWarps();
  if (!warps)
    return warps.error();
  const int64_t columns = options.columns.value_or(kAssumedColumns);
  return core::GPUProducts{options.arithmetic.result(), columns, *warps};
}

//===----------------------------------------------------------------------===//
// Pattern and values
//===----------------------------------------------------------------------===//

static core::Status checkView(const core::SparseView &view,
                              const MatrixOptions &options) {
  if (auto status = options.arithmetic.check(); !status)
    return status;
  if (view.format != core::SparseFormat::Csr &&
      view.format != core::SparseFormat::Csc)
    return core::Error{"expected CSR or CSC for a view but got " +
                       std::string(core::formatName(view.format))};
  for (int64_t extent : view.shape)
    if (extent > std::numeric_limits<int32_t>::max())
      return core::Error{"expected extents below 2^31 of a view but got " +
                         std::to_string(extent)};
  return core::Success();
}

/// Parts of a host's sums along columns find their nonzeros by searches.
static core::Status checkAscending(const core::SparseView &view) {
  const core::IndexArray &rows = view.coordinates.front();
  for (int64_t column = 0; column < view.shape[1]; ++column)
    for (int64_t n = view.positions[column] + 1; n < view.positions[column + 1];
         ++n)
      if (rows[n] < rows[n - 1])
        return core::Error{"expected ascending coordinates of a transposed "
                           "view on the host but got " +
                           std::to_string(rows[n]) + " behind " +
                           std::to_string(rows[n - 1])};
  return core::Success();
}

template <typename T>
static core::Table<T> copyOf(const core::IndexArray &given) {
  core::Table<T> copy(static_cast<size_t>(given.size()));
  for (int64_t i = 0; i < given.size(); ++i)
    copy[size_t(i)] = T(given[i]);
  return copy;
}

core::Result<std::unique_ptr<ViewMatrix>>
ViewMatrix::make(const core::SparseView &view, const void *values,
                 const MatrixOptions &options, KernelSource &source) {
  if (auto status = checkView(view, options); !status)
    return status.error();
  if (!options.device && view.format == core::SparseFormat::Csc)
    if (auto status = checkAscending(view); !status)
      return status.error();
  std::unique_ptr<ViewMatrix> matrix(new ViewMatrix(options, source));
  if (options.device) {
    auto warps = deviceWarps();
    if (!warps)
      return warps.error();
    matrix->warps = *warps;
    matrix->longest = core::longestRun(view.positions);
  }
  matrix->shape = view.shape;
  matrix->byColumns = view.format == core::SparseFormat::Csc;
  matrix->coordinates = copyOf<int32_t>(view.coordinates.front());
  if (view.nonzeros() <= std::numeric_limits<int32_t>::max())
    matrix->positions32 = copyOf<int32_t>(view.positions);
  else
    matrix->positions64 = copyOf<int64_t>(view.positions);
  if (auto status = matrix->setValues(values); !status)
    return status.error();
  return matrix;
}

ViewMatrix::~ViewMatrix() = default;

core::Status ViewMatrix::takeValues(const void *given) {
  const size_t bytes = coordinates.size() * elementBytes();
  if (options.device)
    return placeValues(given, bytes);
  values.resize(bytes);
  if (bytes)
    std::memcpy(values.data(), given, bytes);
  return core::Success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void ViewMatrix::describe(KernelRequest &request) const {
  request.layout = {};
  request.layout.storage = core::Storage::View;
  request.classes = core::ClassSet::of(core::SegmentClass::RowSegments);
  ViewRequest view;
  view.positionBits = positions64.empty() ? 32 : 64;
  view.byColumns = byColumns;
  // The kernel for any number of columns has no teams, as there are none for
  // the assumed number.
  view.cutsRows =
      options.device && !byColumns &&
      core::cutsGPURows(longest, nonzeros(),
                        {options.arithmetic.result(),
                         request.columns.value_or(kAssumedColumns), warps});
  request.view = view;
}

template <typename T>
core::Result<AstfeMemRef1D>
ViewMatrix::placed(int64_t table, const core::Table<T> &data) const {
  if (!options.device)
    return vectorOf(const_cast<T *>(data.data()), int64_t(data.size()));
  auto memory =
      copies.get(options.device, table, data.data(), data.size() * sizeof(T));
  if (!memory)
    return memory.error();
  return vectorOf(*memory, int64_t(data.size()));
}

core::Status ViewMatrix::call(const Kernel &kernel, const Dense &b,
                              const Dense &c, bool /*accumulates*/) const {
  enum Table { Positions, Coordinates };
  auto positions = positions64.empty() ? placed(Positions, positions32)
                                       : placed(Positions, positions64);
  if (!positions)
    return positions.error();
  auto columns = placed(Coordinates, coordinates);
  if (!columns)
    return columns.error();
  AstfeMemRef1D stored = vectorOf(
      options.device ? deviceValues : const_cast<char *>(values.data()),
      nonzeros());
  auto run = [&](auto x, auto y) -> core::Status {
    using D = decltype(x);
    astfe_rt_clear_error();
    reinterpret_cast<void (*)(AstfeMemRef1D *, AstfeMemRef1D *, AstfeMemRef1D *,
                              D *, D *)>(kernel.entry)(&*positions, &*columns,
                                                       &stored, &x, &y);
    if (const char *text = astfe_rt_last_error())
      return core::Error{text};
    return core::Success();
  };
  if (areVectors(b, c))
    return run(vectorOf(b.data, b.rows), vectorOf(c.data, c.rows));
  return run(matrixOf(b), matrixOf(c));
}

core::Status ViewMatrix::sampleInOrder(const Dense &, const Dense &, void *) {
  return core::Error{"expected a packed matrix for samples but got a view"};
}
