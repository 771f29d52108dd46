//===- Contestants.h - ours and the rivals on the emulator ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_GPU_RIVALS_CONTESTANTS_H
#define ASTFE_BENCHMARKS_GPU_RIVALS_CONTESTANTS_H

#include "ASTFE/Emulator/Model.h"
#include "Generate.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace astfe {
class Jit;
} // namespace astfe

namespace astfe::bench {

/// C = A B with n columns, and what is right.
struct Product {
  const Matrix &a;
  int64_t columns;
  std::vector<float> b;        ///< random in [-1, 1)
  std::vector<double> c, size; ///< float64; sums of |terms|

  Product(const Matrix &a, int64_t columns);
  /// Ends the program, naming `who`, if a result is not right.
  void check(const std::string &who, const float *result) const;
};

[[noreturn]] void fail(const std::string &message);

/// What a product's launches would take on an H200, but for clearing what
/// atomics add to.
emu::Prediction predictRun(const std::vector<emu::LaunchReport> &launches);

/// How our kernel's matrix is stored: what is not said is chosen, as astfe-run
/// does with --storage=auto.
struct Storing {
  std::string order, reorder, storage;
  int64_t expectedRuns; ///< that reordering pays for itself in

  /// "storage=view order=rows reorder=none", options of the pipeline.
  std::string stagesFor(const Product &product) const;
};

/// Our kernel; the emulator must be the current device.
class Ours {
public:
  Ours(mlir::MLIRContext &context, int64_t columns);
  ~Ours();
  /// `stages` are options of the pipeline beside those that every run has.
  void run(const Product &product, const std::string &stages);

private:
  const Jit &compiled(const std::string &stages);

  mlir::MLIRContext &context;
  int64_t columns;
  std::map<std::string, std::unique_ptr<Jit>> programs;
};

/// Names of the rivals that take that number of columns.
std::vector<std::string> rivalsFor(int64_t columns);

class Rivals {
public:
  explicit Rivals(emu::Emulator &emulator);
  void run(const std::string &name, const Product &product);

private:
  emu::Emulator &emulator;
  void *module = nullptr;
};

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_GPU_RIVALS_CONTESTANTS_H
