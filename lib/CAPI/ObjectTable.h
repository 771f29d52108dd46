//===- ObjectTable.h - the objects that callers hold ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a caller holds is a name: a pointer to nothing, which says which object
// it is. One that was destroyed is told from one that is there, and an object
// lives until the last call that found it returns.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CAPI_OBJECTTABLE_H
#define ASTFE_LIB_CAPI_OBJECTTABLE_H

#include "ForkGate.h"
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace astfe::capi {

/// Thread-safe.
template <typename Name, typename Object>
class ObjectTable {
public:
  Name *add(std::shared_ptr<Object> object) {
    // Like an address of something, for those who look at their bits.
    constexpr uintptr_t kStep = 64;
    std::unique_lock<std::shared_mutex> lock(mutex);
    byName.emplace(last += kStep, std::move(object));
    return reinterpret_cast<Name *>(last);
  }

  /// Null where there is none.
  std::shared_ptr<Object> find(const Name *name) const {
    std::shared_lock<std::shared_mutex> lock(mutex);
    auto found = byName.find(numberOf(name));
    return found == byName.end() ? nullptr : found->second;
  }

  void remove(const Name *name) {
    const Inside call;
    std::shared_ptr<Object> object; // goes outside of the lock
    std::unique_lock<std::shared_mutex> lock(mutex);
    auto found = byName.find(numberOf(name));
    if (found == byName.end())
      return;
    object = std::move(found->second);
    byName.erase(found);
  }

private:
  static uintptr_t numberOf(const Name *name) {
    return reinterpret_cast<uintptr_t>(name);
  }

  mutable std::shared_mutex mutex;
  uintptr_t last = 0;
  std::unordered_map<uintptr_t, std::shared_ptr<Object>> byName;
};

} // namespace astfe::capi

#endif // ASTFE_LIB_CAPI_OBJECTTABLE_H
