//===- Jit.h - compiled modules in this process ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module in the LLVM dialect, compiled for this very machine and callable by
// symbol. The runtime's functions (Runtime/ABI.h, Runtime/Mgpu.h) are those of
// this process, also when linked statically. So are those of OpenMP: regions
// run on threads that the process has (Runtime/Parallel.h), and no OpenMP
// runtime is loaded for them.
//
// Example:
//   auto jit = astfe::Jit::compile(module, {"astfe-to-cpu"});
//   if (!jit) return report(jit.message());
//   auto entry = (*jit)->lookup("_mlir_ciface_spmm");
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_EXECUTION_JIT_H
#define ASTFE_EXECUTION_JIT_H

#include "ASTFE/Core/Support/Status.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir
namespace llvm {
class MemoryBuffer;
namespace orc {
class LLJIT;
}
} // namespace llvm

namespace astfe {

/// Whether IR is verified after each pass: in a library built with assertions,
/// which is what tests run; verifying takes a fifth of the time of the passes.
extern const bool kVerifyPasses;

struct JitOptions {
  /// Passes to run first, as on the command line but without
  /// `builtin.module(...)`; empty where the module is in the LLVM dialect.
  std::string pipeline;
  /// LLVM's optimisation level, 0 to 3.
  unsigned optLevel = 3;
  /// Fuse multiply and add also where the IR does not permit it: how upstream's
  /// code, which carries no such permission, is compiled at its best.
  bool contract = false;
  /// Beside the runtime's symbols.
  std::vector<std::string> sharedLibraries;
  /// The CPU to compile for (Execution/HostTarget.h). The lowering before must
  /// have been told the width of its vectors.
  std::string cpu = "native";
  std::string features;
};

class Jit {
public:
  ~Jit();

  /// Compiles the module, which is changed by the pipeline. The text of a
  /// failure holds the diagnostics.
  static core::Result<std::unique_ptr<Jit>>
  compile(mlir::ModuleOp module, const JitOptions &options = {});

  /// The first half of it, for a module in the LLVM dialect: an ELF file.
  static core::Result<std::unique_ptr<llvm::MemoryBuffer>>
  compileObject(mlir::ModuleOp module, const JitOptions &options);
  /// The second half, of what was compiled in this process or another.
  static core::Result<std::unique_ptr<Jit>>
  link(std::unique_ptr<llvm::MemoryBuffer> object, const JitOptions &options);

  /// The address of a symbol, `_mlir_ciface_<function>` for functions with a C
  /// interface, `_mlir__mlir_ciface_<function>` to call one with the addresses
  /// of its arguments in an array.
  core::Result<void *> lookup(llvm::StringRef symbol) const;
  bool has(llvm::StringRef symbol) const;
  /// Whether threads of its parallel regions wait for one another.
  bool threadsMeet() const;
  /// What was linked, an ELF file.
  llvm::StringRef objectCode() const;

private:
  Jit();
  core::Status materialize() const;
  core::Status callOptional(llvm::StringRef name) const;

  std::unique_ptr<llvm::MemoryBuffer> object;
  std::unique_ptr<llvm::StringSet<>> symbols;
  std::unique_ptr<llvm::orc::LLJIT> linker;
  bool initialized = false;
};

/// Runs passes given as text on a module; diagnostics become the error.
core::Status runPipeline(mlir::ModuleOp module, llvm::StringRef pipeline);

} // namespace astfe

#endif // ASTFE_EXECUTION_JIT_H
