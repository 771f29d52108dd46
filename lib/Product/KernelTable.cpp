//===- KernelTable.cpp - the kernels that a process has -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/KernelTable.h"

using namespace astfe;
using namespace astfe::product;

/// Drops what failed, unless somebody tries it anew already.
void KernelTable::forget(const std::string &key, uint64_t number) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = byKey.find(key);
  if (found == byKey.end() || found->second->number != number)
    return;
  entries.erase(found->second);
  byKey.erase(found);
}

KernelTable::Made KernelTable::make(const KernelRequest &request,
                                    const std::string &key, uint64_t number,
                                    std::promise<Made> promise) {
  try {
    Made made = source.get(request);
    if (!made)
      forget(key, number);
    promise.set_value(made);
    return made;
  } catch (...) {
    forget(key, number);
    promise.set_exception(std::current_exception());
    throw;
  }
}

core::Result<std::shared_ptr<const Kernel>>
KernelTable::get(const KernelRequest &request) {
  const std::string key = request.key();
  std::promise<Made> promise;
  Entries surplus; // goes once the lock is released
  std::unique_lock<std::mutex> lock(mutex);
  auto found = byKey.find(key);
  if (found != byKey.end()) {
    entries.splice(entries.begin(), entries, found->second);
    auto made = found->second->made;
    lock.unlock();
    return made.get();
  }
  const uint64_t number = ++count;
  entries.push_front({key, promise.get_future().share(), number});
  byKey[key] = entries.begin();
  while (entries.size() > most) {
    byKey.erase(entries.back().key);
    surplus.splice(surplus.begin(), entries, std::prev(entries.end()));
  }
  lock.unlock();
  return make(request, key, number, std::move(promise));
}
