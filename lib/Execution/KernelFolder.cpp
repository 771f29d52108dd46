//===- KernelFolder.cpp - objects in files --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFolder.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Execution/KernelCache.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Caching.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace astfe;

using Buffer = std::unique_ptr<llvm::MemoryBuffer>;

static std::string headerOf(llvm::StringRef object) {
  auto hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef(object));
  return "astfe-kernel 1 " + std::to_string(object.size()) + " " +
         llvm::toHex(hash) + "\n";
}

/// The object of an entry, aligned; null where it is not what its header says.
static Buffer objectOf(const llvm::MemoryBuffer &entry) {
  auto [header, object] = entry.getBuffer().split('\n');
  if (headerOf(object) != (header + "\n").str())
    return nullptr;
  return llvm::MemoryBuffer::getMemBufferCopy(object);
}

static std::string pathOf(llvm::StringRef folder, llvm::StringRef key) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, "llvmcache-" + key);
  return path.str().str();
}

namespace {
/// One look into the folder: an object, or a way to write one.
struct Lookup {
  Buffer object;
  llvm::AddStreamFn add;
};
} // namespace

static llvm::Expected<Lookup> lookUp(llvm::StringRef folder,
                                     llvm::StringRef key) {
  Lookup result;
  Buffer entry;
  // Kept by the stream too, which hands over what was written.
  auto take = std::make_shared<Buffer>();
  auto cache =
      llvm::localCache("kernel cache", "astfe", folder,
                       [take](unsigned, const llvm::Twine &, Buffer buffer) {
                         *take = std::move(buffer);
                       });
  if (!cache)
    return cache.takeError();
  auto add = (*cache)(0, key, "kernel");
  if (!add)
    return add.takeError();
  result.add = std::move(*add);
  if (*take)
    result.object = objectOf(**take);
  return result;
}

/// Without a way to write where the folder cannot be used, which `note` tells.
static Lookup lookUpOrRepair(const std::string &folder, llvm::StringRef key,
                             std::string &note) {
  if (auto status = core::checkRegular(pathOf(folder, key)); !status) {
    note = status.message();
    return {};
  }
  core::makePrivateFolder(folder);
  for (bool repaired : {false, true}) {
    auto found = lookUp(folder, key);
    if (!found) {
      note = llvm::toString(found.takeError());
      return {};
    }
    if (found->object || found->add)
      return std::move(*found);
    // The entry is damaged. Whoever else repairs it writes the same.
    std::error_code error = llvm::sys::fs::remove(pathOf(folder, key));
    if (repaired || error) {
      note = pathOf(folder, key) + ": a damaged entry that cannot be replaced";
      break;
    }
  }
  return {};
}

static llvm::Error write(const llvm::AddStreamFn &add, llvm::StringRef object) {
  auto stream = add(0, "kernel");
  if (!stream)
    return stream.takeError();
  auto &file = static_cast<llvm::raw_fd_ostream &>(*(*stream)->OS);
  file << headerOf(object) << object;
  file.flush();
  // A full disk leaves a part, which its header gives away.
  llvm::Error failed = file.has_error() ? llvm::errorCodeToError(file.error())
                                        : llvm::Error::success();
  file.clear_error();
  return llvm::joinErrors((*stream)->commit(), std::move(failed));
}

void astfe::pruneFolder(const std::string &folder, uint64_t maxBytes) {
  llvm::CachePruningPolicy policy;
  policy.Interval = std::chrono::seconds(0);
  policy.Expiration = std::chrono::seconds(0);
  policy.MaxSizePercentageOfAvailableSpace = 0;
  policy.MaxSizeBytes = maxBytes;
  llvm::pruneCache(folder, policy);
}

core::Result<KeptObject>
astfe::keptObject(const std::string &folder, uint64_t maxBytes,
                  llvm::StringRef key,
                  llvm::function_ref<core::Result<Buffer>()> compile) {
  KeptObject result;
  Lookup found;
  if (!folder.empty())
    found = lookUpOrRepair(folder, key, result.note);
  result.object = std::move(found.object);
  result.wasKept = bool(result.object);
  if (result.wasKept)
    return result;
  auto object = compile();
  if (!object)
    return object.error();
  result.object = std::move(*object);
  if (!found.add)
    return result;
  if (llvm::Error error = write(found.add, result.object->getBuffer()))
    result.note = llvm::toString(std::move(error));
  else
    pruneFolder(folder, maxBytes);
  return result;
}
