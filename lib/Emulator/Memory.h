//===- Memory.h - the allocations that kernels may touch ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory is ordinary memory with unregistered bytes on both sides, and a
// table of what is registered: allocations, host memory that the program
// registered, and the global variables of loaded modules.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_MEMORY_H
#define ASTFE_LIB_EMULATOR_MEMORY_H

#include "ASTFE/Core/Support/Status.h"
#include "Shadow.h"

#include <map>
#include <set>
#include <string>

namespace astfe::emu {

struct Allocation {
  char *begin;
  size_t bytes;
  std::string what; ///< "an allocation", "global variable 'x'"
  bool readOnly;
  std::unique_ptr<char[]> owned; ///< with the bytes on both sides
  Shadow shadow;

  /// Whether [address, address + size) lies inside.
  bool holds(const char *address, size_t size) const {
    return address >= begin && size <= bytes &&
           size_t(address - begin) <= bytes - size;
  }
};

class Memory {
public:
  core::Result<void *> allocate(size_t bytes);
  /// Memory that something else owns.
  core::Status add(void *begin, size_t bytes, std::string what, bool readOnly);
  /// Takes an allocation, or memory that was added, out of the table.
  core::Status remove(void *begin, bool owned);

  /// The allocation that the address lies in (its end counts), or null. Valid
  /// while generation() does not change.
  Allocation *find(const void *address);
  /// For copies from the host: a range that begins in an allocation must end in
  /// it. `what` begins the error.
  core::Status check(const void *address, size_t bytes, const char *what);
  uint64_t generation() const { return changes; }
  /// Begins all shadows anew, before numbers of phases are used again.
  void forgetAccesses();

private:
  /// An allocation with a byte among these, or null.
  Allocation *overlapping(const char *begin, size_t bytes);

  std::map<uintptr_t, Allocation> table; ///< by first address
  std::multiset<void *> empty;           ///< what was added without a byte
  uint64_t changes = 1;
};

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_MEMORY_H
