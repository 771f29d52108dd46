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

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
} // namespace mlir

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

/// What the last launch would take on an H200.
emu::Prediction predictLast(const emu::Emulator &emulator);

/// Our packed kernel; the emulator must be the current device. `stages` are
/// options of the pipeline beside those that every run has.
class Ours {
public:
  Ours(mlir::MLIRContext &context, int64_t columns, const std::string &stages);
  ~Ours();
  void run(const Product &product);

private:
  struct State;
  std::unique_ptr<State> state;
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
