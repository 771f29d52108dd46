//===- Program.h - a compiled product and how it is called ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_PROGRAM_H
#define ASTFE_TOOLS_RUN_PROGRAM_H

#include "ASTFE/Execution/CallProgram.h"
#include "ASTFE/Execution/KernelCache.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Device.h"
#include "ModuleText.h"
#include "Pipelines.h"
#include "Stages.h"

namespace astfe::run {

/// The device that `auto` stands for, and whether it is there.
core::Result<Device> resolveDevice(Device wanted);
std::string deviceName(Device device);

/// Where code came from: the worst outcome of its parts.
struct Compilation {
  double seconds = 0;
  CacheOutcome outcome = CacheOutcome::InProcess;
  std::string note; ///< why the cache's folder could not keep it

  void add(const CachedCode &code, double took);
};

/// A user's module through the same stages.
core::Result<CachedCode> compileFile(Lowering &lowering,
                                     const Settings &settings,
                                     mlir::ModuleOp module);

/// The buffers of A, as every entry takes them (docs/Pipelines.md).
struct SparseArguments {
  AstfeMemRef1D positions{}, coordinates{}, values{};
  int64_t rows = 0, columns = 0;
};

/// What the inspector returns: pattern and values in packed order.
struct Prepared {
  void *pattern;
  AstfeMemRef1D values;
};

/// Compiled code for C += A B on one device. With packed storage the inspector
/// is run first, then the kernel, for the classes that the pattern
/// turned out to hold.
class Program {
public:
  /// The function through ASTFE, for settings.device (resolved) and the order.
  /// `lowering` must outlive the program.
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

  /// Complete after prepare.
  Compilation compilation;

private:
  explicit Program(const Settings &settings)
      : settings(settings), vector(settings.kernel == Kernel::SpMV) {}
  core::Status compileStages(Lowering &lowering,
                             mlir::OwningOpRef<mlir::ModuleOp> module,
                             core::OrderKind order);
  core::Status compileKernel();
  core::Result<std::shared_ptr<Jit>> compilePart(mlir::ModuleOp module,
                                                 llvm::StringRef prefix,
                                                 unsigned firstStage,
                                                 unsigned optLevel = 3);

  core::Status compileInspector(mlir::OwningOpRef<mlir::ModuleOp> module);
  Prepared callInspector();
  core::Status inspect();
  core::Result<void *> place(const void *data, size_t bytes);

  Settings settings;
  StageRequest request;
  JitOptions jitOptions;
  std::vector<Stage> stages; ///< of lowering
  /// What prepare compiles, and in which context; null once it has.
  Lowering *lowering = nullptr;
  mlir::OwningOpRef<mlir::ModuleOp> kernel;
  std::shared_ptr<Jit> jit, inspectorJit;
  /// The inspector where it is not compiled.
  std::unique_ptr<CallProgram> calls;
  rt::Device *device = nullptr; ///< null: the host
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
