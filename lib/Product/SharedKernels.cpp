//===- SharedKernels.cpp - compiled kernels of other processes ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/SharedKernels.h"
#include "ASTFE/Core/Support/FileText.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace astfe;
using namespace astfe::product;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// FNV-1a.
static uint64_t hashOf(std::string_view text, uint64_t hash) {
  for (char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}
static constexpr uint64_t kBasis = 0xcbf29ce484222325;

/// The processor as the system describes the first one, without what changes
/// while it runs.
static std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(file, line) && !line.empty();)
    for (const char *field : {"vendor_id", "cpu family", "model", "flags",
                              "CPU implementer", "CPU part", "Features"})
      if (line.compare(0, std::strlen(field), field) == 0)
        text += line + "\n";
  return text;
}

/// Another build of the compiler may make other code.
static std::string identityOf(const std::string &compiler) {
  struct stat status;
  if (compiler.empty() || ::stat(compiler.c_str(), &status) != 0)
    return {};
  return "\ncompiler " + std::to_string(status.st_size) + " " +
         std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec) + "\nABI " +
         std::to_string(ASTFE_RT_ABI_VERSION) + "\n" + processor();
}

std::string SharedKernels::fromEnvironment() {
  auto variable = [](const char *name) {
    const char *text = std::getenv(name);
    return std::string(text ? text : "");
  };
  const std::string chosen = variable("ASTFE_KERNEL_CACHE");
  if (!chosen.empty())
    return chosen == "off" ? "" : chosen;
  if (std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/astfe/kernels";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache/astfe/kernels";
}

SharedKernels::SharedKernels(std::string folder, const std::string &compiler)
    : folder(std::move(folder)), identity(identityOf(compiler)) {}

KeptKernel SharedKernels::place(const KernelRequest &request) const {
  // Kernels of a GPU load themselves when their module begins.
  if (folder.empty() || identity.empty() || !request.chip.empty())
    return {};
  KeptKernel kept{{}, request.key() + identity};
  char name[64];
  std::snprintf(name, sizeof(name), "llvmcache-astfe-%016llx%016llx.so",
                (unsigned long long)hashOf(kept.key, kBasis),
                (unsigned long long)hashOf(kept.key, ~kBasis));
  kept.path = folder + "/" + name;
  return kept;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

namespace {
/// The last bytes of an entry.
struct Tail {
  uint64_t objectSize, keySize, checksum;
  char magic[8];
};
} // namespace
static constexpr char kMagic[8] = {'a', 's', 't', 'f', 'e', ' ', 'k', '1'};

static bool isComplete(std::string_view entry, const std::string &key) {
  Tail tail;
  if (entry.size() < sizeof(tail))
    return false;
  const std::string_view all = entry.substr(0, entry.size() - sizeof(tail));
  std::memcpy(&tail, entry.data() + all.size(), sizeof(tail));
  return std::memcmp(tail.magic, kMagic, sizeof(kMagic)) == 0 &&
         tail.keySize == key.size() && tail.objectSize <= all.size() &&
         all.size() - tail.objectSize == key.size() &&
         all.substr(tail.objectSize) == key &&
         hashOf(all, kBasis) == tail.checksum;
}

std::shared_ptr<const Kernel> SharedKernels::load(const KeptKernel &kept) {
  const auto begin = std::chrono::steady_clock::now();
  if (kept.path.empty() || !core::checkRegular(kept.path))
    return nullptr;
  auto entry = core::readFile(kept.path);
  if (!entry || !isComplete(*entry, kept.key))
    return nullptr;
  // A GPU's kernels load themselves then; what its driver refuses is compiled
  // anew, which says why.
  astfe_rt_clear_error();
  void *library = dlopen(kept.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return nullptr;
  auto kernel = std::make_shared<Kernel>();
  kernel->code = std::shared_ptr<void>(library, dlclose);
  kernel->entry = dlsym(library, kKernelEntry);
  if (!kernel->entry || astfe_rt_last_error())
    return nullptr;
  kernel->origin = CodeOrigin::InFolder;
  // The least recently used entries go first, by their time of access.
  const timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  (void)::utimensat(AT_FDCWD, kept.path.c_str(), times, 0);
  kernel->seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return kernel;
}

core::Status SharedKernels::keep(const KeptKernel &kept,
                                 std::string_view object) {
  if (auto status = core::checkRegular(kept.path); !status)
    return status;
  std::string entry = std::string(object) + kept.key;
  Tail tail{object.size(), kept.key.size(), hashOf(entry, kBasis), {}};
  std::memcpy(tail.magic, kMagic, sizeof(kMagic));
  entry.append(reinterpret_cast<const char *>(&tail), sizeof(tail));
  core::makePrivateFolder(std::filesystem::path(kept.path).parent_path());
  return core::writeFile(kept.path, entry);
}
