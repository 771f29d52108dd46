//===- Contestants.h - ours and the rivals ----------------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_GPU_RIVALS_CONTESTANTS_H
#define ASTFE_BENCHMARKS_GPU_RIVALS_CONTESTANTS_H

#include "ASTFE/Emulator/Model.h"
#include "DeviceMemory.h"
#include "Products.h"

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

/// What a product that is repeated would take on an H200: its launches, after
/// clearing bytes that they add to.
emu::Prediction predictRun(const std::vector<emu::LaunchReport> &launches,
                           int64_t bytesCleared);

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

/// A product by a rival, whose operands are on the device.
class RivalProduct {
public:
  RivalProduct(rt::Device &device, std::string name, const Product &product);

  /// Puts the product on a stream; where the kernel adds to C, after clearing
  /// that. It is not waited for.
  core::Status put(void *stream);
  /// Of C, that put clears.
  int64_t bytesCleared() const {
    return adds ? int64_t(product.c.size() * sizeof(float)) : 0;
  }
  /// Ends the program if C, once the device is done, is not right.
  void check() const;

private:
  friend class Rivals;
  void *result() const { return c->data; }

  rt::Device &device;
  const std::string name;
  const Product &product;
  const std::unique_ptr<gpucheck::DeviceMemory> c;
  std::vector<std::unique_ptr<gpucheck::DeviceMemory>> memory;
  /// The kernel's arguments.
  std::vector<void *> pointers;
  std::vector<int32_t> numbers;
  void *kernel = nullptr;
  rt::LaunchShape shape;
  bool adds = false;
};

/// The rivals' kernels: bitcode for the emulator, PTX for a GPU.
class Rivals {
public:
  Rivals(rt::Device &device, const std::string &path);
  std::unique_ptr<RivalProduct> prepare(const std::string &name,
                                        const Product &product);

private:
  rt::Device &device;
  void *module = nullptr;
};

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_GPU_RIVALS_CONTESTANTS_H
