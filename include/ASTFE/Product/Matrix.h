//===- Matrix.h - a sparse matrix, stored once, multiplied often *- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// So astfe-run, the C API, Python and the benchmarks compute C = A B. A matrix
// is packed by a graph (PackedMatrix.h), or taken as it is stored
// (ViewMatrix.h); makeMatrix chooses.
//
// Worked example, for a view of a CSR matrix and its values:
//
//   MatrixOptions options;
//   options.columns = 128;
//   auto matrix = makeMatrix(view, values, /*graph=*/nullptr, options, source);
//   Dense operand = {b, columns, 128, 128}, result = {c, rows, 128, 128};
//   auto status = (*matrix)->multiply(operand, result, /*accumulate=*/false);
//
// A matrix is stored for the columns that the options expect. A product with
// another number of columns runs on the same tables: there are kernels for any
// width. The first kMostWidths widths of a matrix get kernels of their own,
// which know the number of columns; a program that asks for more (a batch that
// varies, say) gets the kernel for any number, since each takes some 50 ms to
// compile. Samples are counted with products.
//
// Products of one matrix may run at the same time, in any number of threads.
// New values wait for products that run, and products for them.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_MATRIX_H
#define ASTFE_PRODUCT_MATRIX_H

#include "ASTFE/Core/Plan/GPUStorage.h"
#include "ASTFE/Core/Plan/HostStorage.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/Product/KernelSource.h"
#include "ASTFE/Runtime/Device.h"
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace astfe::product {

/// Columns that products without a known number are planned for.
using core::rules::kAssumedColumns;
/// Numbers of columns that get a kernel of their own, for each matrix.
constexpr size_t kMostWidths = 4;

struct MatrixOptions {
  core::Arithmetic arithmetic;
  /// Of the products to come, where that is known.
  std::optional<int64_t> columns;
  /// Samples are taken of the pattern, which is then stored as their kernels
  /// take it.
  bool samples = false;
  /// Rows and nonzeros stay in the order that they have: none is looked for.
  bool keepsOrder = false;
  /// How many products a plan has to pay for itself in.
  int64_t expectedRuns = core::kExpectedRuns;
  /// Runs that the work is cut into; 0: one for each thread, or warp.
  int64_t workers = 0;
  /// Of the host, or of the chip where there is a device.
  std::string cpu = "native", features, chip;
  /// Where products are computed: null is the host.
  rt::Device *device = nullptr;
  /// How makeMatrix stores it; none: by the rules of Core/Plan/GPUStorage.h and
  /// Core/Plan/HostStorage.h.
  std::optional<core::Storage> storage;
};

/// The plan for these products, with the order and the reordering left to
/// choose and the runtime's number of threads.
core::PlanOptions planOptions(const MatrixOptions &options);

/// A dense row-major operand: host memory, or the device's.
struct Dense {
  void *data;
  int64_t rows, columns;
  int64_t leading; ///< elements from a row to the next
};

class Matrix {
public:
  virtual ~Matrix();

  /// New values for the same pattern, in the order of the view.
  core::Status setValues(const void *values);

  /// The kernel of products with that many columns: what multiply() would
  /// compile at its first call.
  virtual core::Result<std::shared_ptr<const Kernel>>
  compile(int64_t columns, bool accumulate, bool strided = false);

  /// C = A B, or C += A B. B and C have as many columns, and rows that fit A.
  virtual core::Status multiply(const Dense &b, const Dense &c,
                                bool accumulate);
  /// The same on a stream of the device, which is not waited for: B and C are
  /// the device's memory and stay where they are. The first product of a matrix
  /// brings its tables there. Null is the default stream.
  core::Status multiplyOn(void *stream, const Dense &b, const Dense &c,
                          bool accumulate);

  /// s_n = a_n <X_i, Y_j> for each nonzero, in the order of the view, on the
  /// host; of no columns they are 0. Needs options.samples.
  virtual core::Status sampleInOrder(const Dense &x, const Dense &y,
                                     void *samples) = 0;

  virtual int64_t rows() const = 0;
  virtual int64_t columns() const = 0;
  virtual int64_t nonzeros() const = 0;
  const core::Arithmetic &arithmetic() const { return options.arithmetic; }
  /// What pack made of it; null where it is stored otherwise.
  virtual const core::Packed *pattern() const { return nullptr; }
  bool isForSamples() const { return options.samples; }
  bool isOnDevice() const { return options.device != nullptr; }

protected:
  /// What a kernel is for, its width apart.
  struct KernelUse {
    Computation computation;
    bool strided, overwrite;
    bool operator==(const KernelUse &other) const {
      return computation == other.computation && strided == other.strided &&
             overwrite == other.overwrite;
    }
  };

  Matrix(const MatrixOptions &options, KernelSource &source)
      : options(options), source(source) {}

  /// Adds how the matrix is stored to a request that is complete otherwise.
  virtual void describe(KernelRequest &request) const = 0;
  /// Takes values in the order of the view, while nothing else runs.
  virtual core::Status takeValues(const void *values) = 0;
  virtual core::Status call(const Kernel &kernel, const Dense &b,
                            const Dense &c, bool accumulates) const = 0;

  core::Result<std::shared_ptr<const Kernel>> kernelFor(int64_t columns,
                                                        KernelUse use);
  /// Values stay as they are while this is held.
  std::shared_lock<std::shared_mutex> readValues();
  /// Copies values to `deviceValues`, where there is a device.
  core::Status placeValues(const void *data, size_t bytes);
  size_t elementBytes() const;
  size_t resultBytes() const;

  const MatrixOptions options;
  void *deviceValues = nullptr;

private:
  struct Known {
    int64_t width; ///< 0: any
    KernelUse use;
    std::shared_ptr<const Kernel> kernel;
  };
  core::Status checkOnDevice(const Dense &b, const Dense &c) const;
  KernelRequest requestFor(int64_t width, KernelUse use) const;
  int64_t ownWidth(int64_t columns) const;
  int64_t takeWidth(int64_t columns);
  std::shared_ptr<const Kernel> find(int64_t width, KernelUse use) const;

  KernelSource &source;
  std::mutex turnstile; ///< to valuesMutex
  std::shared_mutex valuesMutex;

  mutable std::shared_mutex kernelsMutex;
  std::vector<Known> kernels;
  std::vector<int64_t> widths; ///< those with kernels of their own
};

/// A matrix as `options` and `graph` want it; without a graph it is planned.
/// `values` are in the order of the view, whose indices must be in range.
/// `source` must outlive the matrix; nothing else is kept.
core::Result<std::unique_ptr<Matrix>> makeMatrix(const core::SparseView &view,
                                                 const void *values,
                                                 const core::Graph *graph,
                                                 const MatrixOptions &options,
                                                 KernelSource &source);
/// The same by a plan that is there: of planOptions(), or of others that ask for
/// an arrangement and not for how the graph is cut.
core::Result<std::unique_ptr<Matrix>> makePlanned(const core::SparseView &view,
                                                  const void *values,
                                                  const core::Plan &plan,
                                                  const MatrixOptions &options,
                                                  KernelSource &source);

/// Operands as kernels take them.
AstfeMemRef1D vectorOf(void *data, int64_t size);
MemRef2D matrixOf(const Dense &dense);
/// B and C are vectors without gaps.
bool areVectors(const Dense &b, const Dense &c);

} // namespace astfe::product

#endif // ASTFE_PRODUCT_MATRIX_H
