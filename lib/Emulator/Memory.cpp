//===- Memory.cpp - the allocations that kernels may touch ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include <cstring>
#include <limits>
#include <new>

using namespace astfe;
using namespace astfe::emu;

/// As CUDA's; kernels may rely on it.
static constexpr size_t alignment = 256;
static constexpr size_t guardBytes = 4096;

core::Result<void *> Memory::allocate(size_t bytes) {
  constexpr size_t extra = 2 * guardBytes + alignment;
  if (bytes > std::numeric_limits<size_t>::max() / 2)
    return core::Error{"expected memory for " + std::to_string(bytes) +
                       " bytes but got none"};
  std::unique_ptr<char[]> owned(new (std::nothrow) char[bytes + extra]);
  if (!owned)
    return core::Error{"expected memory for " + std::to_string(bytes) +
                       " bytes but got none"};
  uintptr_t begin = reinterpret_cast<uintptr_t>(owned.get()) + guardBytes;
  begin = (begin + alignment - 1) / alignment * alignment;
  char *memory = reinterpret_cast<char *>(begin);
  // A value that shows: nothing may depend on fresh memory being zero.
  std::memset(memory, 0xCD, bytes);
  table.emplace(begin,
                std::make_unique<Allocation>(memory, bytes, "an allocation",
                                             false, std::move(owned)));
  ++changes;
  return static_cast<void *>(memory);
}

core::Status Memory::add(void *begin, size_t bytes, std::string what,
                         bool readOnly) {
  if (bytes == 0) {
    empty.insert(begin);
    return core::Success();
  }
  if (Allocation *other = overlapping(static_cast<char *>(begin), bytes))
    return core::Error{"expected " + what + " but got memory of " +
                       other->what};
  table.insert_or_assign(
      reinterpret_cast<uintptr_t>(begin),
      std::make_unique<Allocation>(static_cast<char *>(begin), bytes,
                                   std::move(what), readOnly, nullptr));
  ++changes;
  return core::Success();
}

core::Status Memory::remove(void *begin, bool owned) {
  if (auto none = empty.find(begin); !owned && none != empty.end()) {
    empty.erase(none);
    return core::Success();
  }
  auto it = table.find(reinterpret_cast<uintptr_t>(begin));
  if (it == table.end() || (it->second->owned != nullptr) != owned)
    return core::Error{std::string("expected the first address of ") +
                       (owned ? "an allocation" : "registered memory") +
                       " but got another or one released before"};
  table.erase(it);
  ++changes;
  return core::Success();
}

/// Entries are disjoint, so that the last one to begin also ends last.
Allocation *Memory::overlapping(const char *begin, size_t bytes) {
  auto it = table.lower_bound(reinterpret_cast<uintptr_t>(begin) + bytes);
  if (it == table.begin())
    return nullptr;
  Allocation &last = *std::prev(it)->second;
  return last.begin + last.bytes > begin ? &last : nullptr;
}

Allocation *Memory::find(const void *address) {
  auto it = table.upper_bound(reinterpret_cast<uintptr_t>(address));
  if (it == table.begin())
    return nullptr;
  Allocation &last = *std::prev(it)->second;
  bool inside = static_cast<const char *>(address) <= last.begin + last.bytes;
  return inside ? &last : nullptr;
}

core::Status Memory::check(const void *address, size_t bytes,
                           const char *what) {
  Allocation *found = find(address);
  // Host memory, or just past an allocation: nothing is known of it.
  if (!found || found->begin + found->bytes == address ||
      found->holds(static_cast<const char *>(address), bytes))
    return core::Success();
  size_t offset = static_cast<const char *>(address) - found->begin;
  return core::Error{std::string("expected ") + what + " inside " +
                     found->what + " of " + std::to_string(found->bytes) +
                     " bytes but got bytes " + std::to_string(offset) + ".." +
                     std::to_string(offset + bytes)};
}

void Memory::forgetAccesses() {
  forEach([](Allocation &allocation) {
    for (std::unique_ptr<Shadow> &shadow : allocation.shadows)
      shadow.reset();
    for (std::unique_ptr<Owners> &owners : allocation.owners)
      owners.reset();
  });
}
