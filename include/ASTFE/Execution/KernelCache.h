//===- KernelCache.h - compiled kernels, by what they were derived from ---===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal modules (ops, types, constant columns, derivation), lowered by equal
// options for the same CPU by the same build, are the same code: it is compiled
// once a process, and once a machine where there is a folder for it.
//
//   key = SHA-256 of { the module's text, how it is lowered, JitOptions, CPU
//   and
//         features, LLVM's version, the runtime's ABI, the file that holds the
//         compiler (its size and time: another build emits other code) }
//
// In the folder an entry is a file `llvmcache-<key>`: a line that names the
// format, the size and the SHA-256 of what follows, then the object. LLVM's own
// cache (llvm/Support/Caching.h) writes it to a temporary file and renames it,
// so that processes never see a part of one; llvm/Support/CachePruning.h
// removes those that were used least recently. An entry that is not what its
// first line says is compiled anew. A folder that cannot be written is no
// error: the code runs, and `note` of the result says why nothing was kept.
//
// Within a process, modules that load themselves somewhere (kernels of a GPU)
// are never shared: where they load depends on the current device. Of the
// others, those that were used last stay: `maxKernels`. Who holds the code of
// one that went keeps it.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_EXECUTION_KERNELCACHE_H
#define ASTFE_EXECUTION_KERNELCACHE_H

#include "ASTFE/Execution/Jit.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <list>
#include <map>
#include <mutex>

namespace astfe {

struct CacheSettings {
  /// Where objects are kept; empty: nowhere but in this process.
  std::string folder;
  /// More than that is removed from the folder, least recently used first.
  uint64_t maxBytes = uint64_t(256) << 20;
  /// More kernels than that are not shared within this process, least recently
  /// used first.
  size_t maxKernels = 256;
  /// What is wrong with the environment; nothing is compiled then.
  std::string wrong = {};

  /// `choice` (or, where that is empty, $ASTFE_KERNEL_CACHE) names the folder,
  /// or is "off". Default: $XDG_CACHE_HOME/astfe/kernels or
  /// $HOME/.cache/astfe/kernels. $ASTFE_KERNEL_CACHE_KERNELS, where it is not
  /// empty, is `maxKernels`.
  static CacheSettings from(llvm::StringRef choice = "");
};

/// Removes what was used least recently until a folder of entries is within
/// `maxBytes`.
void pruneFolder(const std::string &folder, uint64_t maxBytes);

enum class CacheOutcome { Compiled, InFolder, InProcess };
/// "miss", "folder", "process".
llvm::StringRef cacheOutcomeName(CacheOutcome outcome);

/// Code from the cache or from the compiler.
struct CachedCode {
  std::shared_ptr<Jit> jit;
  CacheOutcome outcome = CacheOutcome::Compiled;
  std::string note; ///< why it could not be kept in the folder
};

/// Thread-safe.
class KernelCache {
public:
  explicit KernelCache(CacheSettings settings) : settings(settings) {}
  /// The one of this process, which ends with it.
  static KernelCache &process();
  void configure(CacheSettings changed);
  /// Shares nothing of what was compiled so far; code in use stays. The folder
  /// keeps its objects.
  void forget();

  /// The code of `module`. On a miss `lower` brings it to the LLVM dialect;
  /// `lowering` says how, completely, since a hit does not run it.
  core::Result<CachedCode> compile(mlir::ModuleOp module,
                                   const JitOptions &options,
                                   llvm::StringRef lowering,
                                   llvm::function_ref<core::Status()> lower);
  /// With options.pipeline, which is run on a miss.
  core::Result<CachedCode> compile(mlir::ModuleOp module,
                                   const JitOptions &options);

private:
  struct Kernel {
    std::string key;
    std::shared_ptr<Jit> jit;
  };
  using Kernels = std::list<Kernel>; ///< used last comes first

  std::shared_ptr<Jit> find(const std::string &key);
  std::shared_ptr<Jit> share(const std::string &key, std::shared_ptr<Jit> jit);
  Kernels takeSurplus();

  std::mutex mutex;
  CacheSettings settings;
  Kernels kernels;
  std::map<std::string, Kernels::iterator> byKey;
};

} // namespace astfe

#endif // ASTFE_EXECUTION_KERNELCACHE_H
