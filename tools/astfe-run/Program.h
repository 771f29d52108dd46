//===- Program.h - a way to compute C += A B, and its operands ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_PROGRAM_H
#define ASTFE_TOOLS_RUN_PROGRAM_H

#include "ASTFE/Compiler/Lowering.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Product/KernelSource.h"
#include "ASTFE/Runtime/Device.h"
#include "DeviceTimer.h"
#include "Problem.h"

namespace astfe::run {

/// The device that `auto` stands for, and whether it is there.
core::Result<Device> resolveDevice(Device wanted);
std::string deviceName(Device device);

/// Where code came from: the worst outcome of its parts.
struct Compilation {
  double seconds = 0;
  product::CodeOrigin origin = product::CodeOrigin::InProcess;
  std::string note; ///< why the cache's folder could not keep it
};

/// What pack made of a graph.
struct PackReport {
  int64_t groups = 0, workers = 0;
  double imbalance = 1, seconds = 0;
  unsigned columnBits = 32;
};

/// Operands are placed where the product is computed, so that they are not
/// copied from run to run.
class Program {
public:
  /// A packed by a graph, through Product.
  static core::Result<std::unique_ptr<Program>>
  packed(product::KernelSource &source, const Settings &settings,
         core::Graph graph);
  /// A stored as C and Python have it where nobody says how: by a plan, which
  /// must outlive the preparation.
  static core::Result<std::unique_ptr<Program>>
  chosen(product::KernelSource &source, const Settings &settings,
         const core::Plan &plan);
  /// linalg on A as it is stored, through ASTFE.
  static core::Result<std::unique_ptr<Program>>
  view(compiler::Lowering &lowering, const Settings &settings,
       const Problem &problem);
  /// The same function through upstream's sparsifier on the host, by OpenMP
  /// threads or by one.
  static core::Result<std::unique_ptr<Program>>
  upstream(compiler::Lowering &lowering, const Settings &settings,
           const Problem &problem, int64_t vectorLength, bool openmp = true);
  /// The same function through --astfe-sparsifier, as it is for a compiler that
  /// changes nothing but the flag: by one thread.
  static core::Result<std::unique_ptr<Program>>
  dropIn(compiler::Lowering &lowering, const Settings &settings,
         const Problem &problem);
  virtual ~Program();

  /// Both arguments must outlive the runs.
  core::Status prepare(Problem &problem, Dense &result);
  /// Zeros in C if it is added to, else NaN.
  virtual core::Status clear();
  /// C = A B, or C += A B.
  virtual core::Status run() = 0;
  /// The seconds of a run.
  core::Result<double> runTimed();
  /// C to `result` of prepare, where it was computed elsewhere.
  virtual core::Status fetch();

  /// Complete after prepare, as the next.
  Compilation compilation;
  PackReport pack;
  core::Storage storage = core::Storage::Packed;

protected:
  Program(rt::Device *device, bool accumulate)
      : device(device), accumulate(accumulate), timer(device) {}
  /// All that is done once for A.
  virtual core::Status prepareMatrix() = 0;
  /// Where the data is for the device; itself on the host.
  core::Result<void *> place(const void *data, size_t bytes);

  rt::Device *device; ///< null: the host
  bool accumulate;    ///< C += A B, not C = A B
  Problem *problem = nullptr;
  Dense *result = nullptr;
  void *operandData = nullptr, *leftData = nullptr, *resultData = nullptr;

private:
  std::vector<void *> allocated; ///< on the device
  DeviceTimer timer;
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_PROGRAM_H
