//===- KernelCache.cpp - compiled kernels, by what they were derived from -===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Execution/KernelCache.h"
#include "ASTFE/Execution/HostTarget.h"
#include "ASTFE/Runtime/ABI.h"
#include "KernelFolder.h"
#include "ObjectCode.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include <dlfcn.h>

using namespace astfe;

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

static void setMaxKernels(CacheSettings &settings) {
  const char *text = std::getenv("ASTFE_KERNEL_CACHE_KERNELS");
  if (text && *text &&
      llvm::StringRef(text).getAsInteger(10, settings.maxKernels))
    settings.wrong = "expected a number of kernels in "
                     "ASTFE_KERNEL_CACHE_KERNELS but got '" +
                     std::string(text) + "'";
}

CacheSettings CacheSettings::from(llvm::StringRef choice) {
  CacheSettings settings;
  setMaxKernels(settings);
  if (choice.empty())
    if (const char *variable = std::getenv("ASTFE_KERNEL_CACHE"))
      choice = variable;
  if (choice == "off")
    return settings;
  llvm::SmallString<256> folder(choice);
  if (choice.empty() && llvm::sys::path::cache_directory(folder))
    llvm::sys::path::append(folder, "astfe", "kernels");
  settings.folder = folder.str().str();
  return settings;
}

llvm::StringRef astfe::cacheOutcomeName(CacheOutcome outcome) {
  switch (outcome) {
  case CacheOutcome::Compiled:
    return "miss";
  case CacheOutcome::InFolder:
    return "folder";
  case CacheOutcome::InProcess:
    return "process";
  }
  llvm_unreachable("an outcome without a name");
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// The file that this code was loaded from, with its size and time; empty where
/// it cannot be found.
static std::string buildIdentity() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void *>(&buildIdentity), &info) ||
      !info.dli_fname)
    return {};
  llvm::sys::fs::file_status status;
  // The main program's name may be relative to a folder that was left.
  std::string path = info.dli_fname;
  if (llvm::sys::fs::status(path, status) &&
      llvm::sys::fs::status("/proc/self/exe", status))
    return {};
  return std::to_string(status.getSize()) + " " +
         std::to_string(
             status.getLastModificationTime().time_since_epoch().count());
}

static std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// Everything that the code depends on, as text.
static core::Result<std::string> derivationOf(mlir::ModuleOp module,
                                              const JitOptions &options,
                                              llvm::StringRef lowering) {
  auto target = hostTarget(options.cpu, options.features);
  if (!target)
    return target.error();
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "LLVM " LLVM_VERSION_STRING << " ABI " << ASTFE_RT_ABI_VERSION
      << " build " << buildIdentity() << "\nCPU " << target->cpu << ' '
      << target->features << "\nlevel " << options.optLevel << " contract "
      << options.contract << '\n';
  for (const std::string &library : options.sharedLibraries)
    out << "library " << library << '\n';
  out << "lowering " << lowering << '\n' << textOf(module);
  return text;
}

static std::string keyOf(llvm::StringRef derivation) {
  auto hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef(derivation));
  return llvm::toHex(hash, /*LowerCase=*/true);
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

KernelCache &KernelCache::process() {
  // Never destroyed: code may still run while the process ends.
  static auto &cache = *new KernelCache(CacheSettings::from());
  return cache;
}

void KernelCache::configure(CacheSettings changed) {
  Kernels surplus; // goes once the lock is released
  std::lock_guard<std::mutex> lock(mutex);
  settings = std::move(changed);
  surplus = takeSurplus();
}

void KernelCache::forget() {
  Kernels all;
  std::lock_guard<std::mutex> lock(mutex);
  byKey.clear();
  all.swap(kernels);
}

std::shared_ptr<Jit> KernelCache::find(const std::string &key) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = byKey.find(key);
  if (found == byKey.end())
    return nullptr;
  kernels.splice(kernels.begin(), kernels, found->second);
  return found->second->jit;
}

/// The kernel of `key`: who came first is shared, and compiled twice at worst.
std::shared_ptr<Jit> KernelCache::share(const std::string &key,
                                        std::shared_ptr<Jit> jit) {
  Kernels surplus;
  std::lock_guard<std::mutex> lock(mutex);
  auto [place, isNew] = byKey.try_emplace(key);
  if (!isNew)
    return place->second->jit;
  kernels.push_front({key, jit});
  place->second = kernels.begin();
  surplus = takeSurplus();
  return jit;
}

/// What is beyond the bound, under the lock.
KernelCache::Kernels KernelCache::takeSurplus() {
  Kernels surplus;
  while (kernels.size() > settings.maxKernels) {
    byKey.erase(kernels.back().key);
    surplus.splice(surplus.begin(), kernels, std::prev(kernels.end()));
  }
  return surplus;
}

core::Result<CachedCode>
KernelCache::compile(mlir::ModuleOp module, const JitOptions &options,
                     llvm::StringRef lowering,
                     llvm::function_ref<core::Status()> lower) {
  CacheSettings folder;
  {
    std::lock_guard<std::mutex> lock(mutex);
    folder = settings;
  }
  if (!folder.wrong.empty())
    return core::Error{folder.wrong};
  auto derivation = derivationOf(module, options, lowering);
  if (!derivation)
    return derivation.error();
  const std::string key = keyOf(*derivation);
  if (auto jit = find(key))
    return CachedCode{jit, CacheOutcome::InProcess, {}};
  auto kept =
      keptObject(folder.folder, folder.maxBytes, key,
                 [&]() -> core::Result<std::unique_ptr<llvm::MemoryBuffer>> {
                   if (auto status = lower(); !status)
                     return status.error();
                   return Jit::compileObject(module, options);
                 });
  if (!kept)
    return kept.error();
  auto linked = Jit::link(std::move(kept->object), options);
  if (!linked)
    return linked.error();
  std::shared_ptr<Jit> jit = std::move(*linked);
  if (!jit->has(kInitialize))
    jit = share(key, std::move(jit));
  return CachedCode{
      jit, kept->wasKept ? CacheOutcome::InFolder : CacheOutcome::Compiled,
      kept->note};
}

core::Result<CachedCode> KernelCache::compile(mlir::ModuleOp module,
                                              const JitOptions &options) {
  return compile(module, options, options.pipeline, [&]() -> core::Status {
    if (options.pipeline.empty())
      return core::Success();
    return runPipeline(module, options.pipeline);
  });
}
