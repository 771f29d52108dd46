//===- Memory.h - the allocations that kernels may touch ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory is ordinary memory with unregistered bytes on both sides, and a
// table of what is registered: allocations, host memory that the program
// registered, and the global variables of loaded modules.
//
// Most allocations of a launch are read and never written. Reads of those need
// no record, since nothing can race with them, so that a launch begins by
// hoping so of every allocation. The first write to one that was read shows the
// hope wrong: the launch puts back what it wrote and begins again, and from
// then on reads of that allocation are recorded.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_MEMORY_H
#define ASTFE_LIB_EMULATOR_MEMORY_H

#include "ASTFE/Core/Support/Status.h"
#include "Owners.h"

#include <array>
#include <atomic>
#include <map>
#include <set>
#include <string>

namespace astfe::emu {

/// Blocks of a launch run on at most so many host threads.
constexpr unsigned kMostProcessors = 8;

struct Allocation {
  char *begin;
  size_t bytes;
  std::string what; ///< "an allocation", "global variable 'x'"
  bool readOnly;
  std::unique_ptr<char[]> owned; ///< with the bytes on both sides
  /// By the processor that runs the block; null until the first record.
  std::array<std::unique_ptr<Shadow>, kMostProcessors> shadows;
  std::array<std::unique_ptr<Owners>, kMostProcessors> owners;
  /// A launch has read and written it: hope no more.
  bool recordsReads = false;
  /// Threads of a launch have exchanged values through it: owners say too
  /// little.
  std::atomic<bool> needsShadow{false};
  /// Of the launch that runs: what was done to it so far.
  static constexpr uint8_t kReadUnrecorded = 1, kWritten = 2;
  std::atomic<uint8_t> use{0};
  /// Its bytes before the first write of the launch that runs.
  std::unique_ptr<char[]> before;

  Allocation(char *begin, size_t bytes, std::string what, bool readOnly,
             std::unique_ptr<char[]> owned)
      : begin(begin), bytes(bytes), what(std::move(what)), readOnly(readOnly),
        owned(std::move(owned)) {}
  Owners &owner(unsigned processor) {
    if (!owners[processor])
      owners[processor] = std::make_unique<Owners>(bytes);
    return *owners[processor];
  }
  Shadow &shadow(unsigned processor) {
    if (!shadows[processor])
      shadows[processor] = std::make_unique<Shadow>(bytes);
    return *shadows[processor];
  }

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
  /// Begins all shadows anew, before numbers of phases or blocks are used
  /// again.
  void forgetAccesses();
  /// Calls `function` with every allocation.
  template <typename Function>
  void forEach(Function function) {
    for (auto &entry : table)
      function(*entry.second);
  }

private:
  /// An allocation with a byte among these, or null.
  Allocation *overlapping(const char *begin, size_t bytes);

  std::map<uintptr_t, std::unique_ptr<Allocation>> table; ///< by first address
  std::multiset<void *> empty; ///< what was added without a byte
  uint64_t changes = 1;
};

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_MEMORY_H
