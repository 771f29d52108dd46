//===- HostKernels.h - compiled host kernels against brute force ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix, a kernel described by its parameters, and one function that builds
// the IR, compiles it, runs it, and compares each element with a float64 loop,
// relative to the sum of the absolute values of its terms.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_EXECUTION_HOSTKERNELS_H
#define ASTFE_UNITTESTS_EXECUTION_HOSTKERNELS_H

#include "ASTFE/Execution/Jit.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace astfe {

/// Entries in the order of their rows.
struct TestMatrix {
  int64_t rows = 0, columns = 0;
  std::vector<int64_t> row, column;
  std::vector<double> value;

  void add(int64_t i, int64_t j, double v);
  /// The same entries in the order of their columns, then rows.
  TestMatrix byColumns() const;
};

/// About `density` of the places, values in [-1, 1], fixed by `seed`.
TestMatrix randomMatrix(int64_t rows, int64_t columns, double density,
                        unsigned seed);
/// A random matrix with row `full` filled.
TestMatrix oneDenseRow(int64_t rows, int64_t columns, int64_t full);
/// Dense blocks of `side` x `side` on the diagonal.
TestMatrix denseBlocks(int64_t blocks, int64_t side);
/// Runs of 1, 2, ... 13 rows with the same columns, which do not follow each
/// other.
TestMatrix alikeRows(int64_t rows, int64_t columns);

/// Memref descriptors, as compiled code takes them.
template <unsigned Rank>
struct Descriptor {
  void *allocated, *aligned;
  int64_t offset;
  int64_t sizes[Rank], strides[Rank];
};

/// Integers of a width that is known at run time.
struct Indices {
  std::vector<int32_t> narrow;
  std::vector<int64_t> wide;
  Descriptor<1> memref;

  Indices(const std::vector<int64_t> &values, unsigned width)
      : narrow(values.begin(), values.end()), wide(values) {
    void *data = width == 32 ? static_cast<void *>(narrow.data())
                             : static_cast<void *>(wide.data());
    memref = {data, data, 0, {int64_t(values.size())}, {1}};
  }
};

struct KernelCase {
  bool isDouble = false;
  bool isHalf = false;                   ///< bf16: sums are rounded once
  bool byColumns = false;                ///< CSC
  unsigned posWidth = 32, crdWidth = 32; ///< 0: index
  int64_t denseColumns = -1;             ///< -1: a vector
  bool staticColumns = false;
  int64_t columnTile = 0; ///< of a kernel attribute; 0: without one
  /// Above 0: the dense operands are parts of buffers, with that many elements
  /// before them and between their rows. B's are NaN, C's have to stay.
  int64_t padding = 0;
  /// With padding: so far apart are the elements of a row.
  int64_t apart = 1;
  /// The dense operands are indexed by (k, j) and (k, i).
  bool columnMajor = false;
  std::string layout = "view"; ///< text inside #astfe.layout<...>
  std::string order = "hilbert";
  std::string passOptions; ///< of convert-astfe-to-scf
  std::string pipeline;    ///< instead of the host's
  std::string combiner = "addf";
  std::string product = "mulf";
  /// The output is written; it holds NaN before.
  bool overwrite = false;
};

/// The module of a case: one function @f.
std::string moduleText(const KernelCase &kernel);
/// The passes from there to the LLVM dialect.
std::string hostPipeline(const KernelCase &kernel);

/// A module's function @f, compiled.
struct CompiledText {
  std::unique_ptr<Jit> jit;
  void *entry = nullptr; ///< null after a failure
};
/// Of a text, through the passes of a host; what fails is a failure of the
/// test.
CompiledText compileText(mlir::MLIRContext &context, const std::string &text,
                         const KernelCase &kernel = {});

/// Compiles, runs and compares.
void expectRight(mlir::MLIRContext &context, const KernelCase &kernel,
                 const TestMatrix &matrix);
/// Compiles once, runs on each matrix.
void expectRight(mlir::MLIRContext &context, const KernelCase &kernel,
                 const std::vector<TestMatrix> &matrices);

/// With an output that is added to, then with one that is overwritten.
void expectRightBothWays(mlir::MLIRContext &context, KernelCase kernel,
                         const std::vector<TestMatrix> &matrices);

/// What one run of a compiled f32 case leaves as the thread's error, with that
/// many rows and columns of the dense operand missing.
std::string errorOf(void *entry, const KernelCase &kernel,
                    const TestMatrix &matrix, int64_t missingRows = 0,
                    int64_t missingColumns = 0);

/// The output of one run of a compiled f32 case.
std::vector<float> resultOf(void *entry, const KernelCase &kernel,
                            const TestMatrix &matrix);

struct HostKernelTest : testing::Test {
  HostKernelTest();
  mlir::MLIRContext context;
};

} // namespace astfe

#endif // ASTFE_UNITTESTS_EXECUTION_HOSTKERNELS_H
