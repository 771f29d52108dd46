//===- Program.h - a compiled product and how it is called ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_PROGRAM_H
#define ASTFE_TOOLS_RUN_PROGRAM_H

#include "ASTFE/Execution/Jit.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Device.h"
#include "ModuleText.h"
#include "Stages.h"

namespace astfe::run {

/// The device that `auto` stands for, and whether it is there.
core::Result<Device> resolveDevice(Device wanted);
std::string deviceName(Device device);

/// A user's module through the same stages, on the host.
core::Result<std::unique_ptr<Jit>> compileFile(Lowering &lowering,
                                               const Settings &settings,
                                               mlir::ModuleOp module);

/// The buffers of A, as every entry takes them (docs/Pipelines.md).
struct SparseArguments {
  AstfeMemRef1D positions{}, coordinates{}, values{};
  int64_t rows = 0, columns = 0;
};

/// Compiled code for C += A B on one device.
class Program {
public:
  /// The function through ASTFE, for settings.device (resolved) and the order.
  static core::Result<std::unique_ptr<Program>>
  compile(Lowering &lowering, const Settings &settings, const Problem &problem,
          core::OrderKind order);
  /// The function through upstream's sparsifier on the host.
  static core::Result<std::unique_ptr<Program>>
  compileUpstream(Lowering &lowering, const Settings &settings,
                  const Problem &problem, int64_t vectorLength);
  ~Program();

  /// Partitions and packs (nothing for views), and puts the operands where the
  /// product is computed: A, B and C are then not copied from run to run. Both
  /// arguments must outlive the runs.
  core::Status prepare(Problem &problem, Dense &result);
  /// C = 0.
  core::Status clear();
  /// C += A B.
  core::Status run();
  /// C to `result` of prepare, where it was computed elsewhere.
  core::Status fetch();

  double compileSeconds = 0;

private:
  Program() = default;
  core::Status find(const Settings &settings, bool hasInspector);

  core::Status inspect();
  core::Result<void *> place(const void *data, size_t bytes);

  std::unique_ptr<Jit> jit;
  rt::Device *device = nullptr; ///< null: the host
  bool split = false;           ///< prepare and run are functions of their own
  bool vector = false;          ///< B and C have one dimension
  void *entry = nullptr; ///< of the product, or of what runs it once prepared
  void *inspector = nullptr;
  void *pattern = nullptr;    ///< the runtime's, once prepared
  void *hostValues = nullptr; ///< in packed order, as the inspector made them
  std::vector<void *> allocated; ///< on the device
  Problem *problem = nullptr;
  Dense *result = nullptr;
  SparseArguments sparse;
  AstfeMemRef1D packedValues{};
  void *operandData = nullptr, *resultData = nullptr;
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_PROGRAM_H
