//===- Table.h - arrays with an entry for each nonzero --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Table is a std::vector with two differences, which matter where there is
// an entry for each nonzero and all of them are written soon:
//
//   - Entries that nobody gave a value are not cleared: Table<int32_t> t(n) has
//     n entries that are to be written before they are read. Whoever writes
//     them first, in parallel too, is the first to touch the memory.
//   - It asks for large pages where it is large (LargePages.h).
//
// Example: Table<int32_t> t(3); has three entries of any value;
// Table<int32_t> u(3, 0) and Table<int32_t> v{0, 0, 0} have three zeros.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_TABLE_H
#define ASTFE_CORE_SUPPORT_TABLE_H

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace astfe::core {

/// Memory for a table, from operator new.
void *allocateTable(size_t bytes);

template <typename T>
struct TableAllocator {
  static_assert(std::is_trivial_v<T>, "entries are left uninitialised");
  using value_type = T;

  TableAllocator() = default;
  template <typename U>
  TableAllocator(const TableAllocator<U> &) {}

  T *allocate(size_t size) {
    if (size > size_t(-1) / 2 / sizeof(T))
      throw std::bad_array_new_length();
    return static_cast<T *>(allocateTable(size * sizeof(T)));
  }
  void deallocate(T *entries, size_t) noexcept { ::operator delete(entries); }
  void construct(T *entry) { ::new (static_cast<void *>(entry)) T; }
  template <typename... Args>
  void construct(T *entry, Args &&...args) {
    ::new (static_cast<void *>(entry)) T(std::forward<Args>(args)...);
  }

  template <typename U>
  bool operator==(const TableAllocator<U> &) const {
    return true;
  }
  template <typename U>
  bool operator!=(const TableAllocator<U> &) const {
    return false;
  }
};

template <typename T>
using Table = std::vector<T, TableAllocator<T>>;

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_TABLE_H
