//===- LargeArray.h - arrays on large pages -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has an entry for each nonzero is on large pages (LargePages.h).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_SUPPORT_LARGEARRAY_H
#define ASTFE_LIB_CORE_SUPPORT_LARGEARRAY_H

#include "ASTFE/Core/Support/LargePages.h"
#include "ASTFE/Core/Support/Table.h"
#include <cstdlib>
#include <memory>

namespace astfe::core {

/// `array` becomes empty, with room for `size` entries; what it has is kept if
/// that suffices.
template <typename T>
void reserveLarge(std::vector<T> &array, size_t size) {
  array.clear();
  if (array.capacity() >= size)
    return;
  array = std::vector<T>();
  array.reserve(size);
  adviseLargePages(array.data(), size * sizeof(T));
}

/// `array` becomes `size` zeros.
template <typename T>
void makeLarge(std::vector<T> &array, size_t size) {
  array = std::vector<T>();
  reserveLarge(array, size);
  array.resize(size);
}

/// `size` entries that nobody has set yet.
template <typename T>
class Scratch {
public:
  explicit Scratch(size_t size) : entries(size) {}
  Scratch(Scratch &&) = default;
  Scratch &operator=(Scratch &&) = default;
  T *data() { return entries.data(); }
  const T *data() const { return entries.data(); }
  size_t size() const { return entries.size(); }
  T &operator[](size_t i) { return entries[i]; }
  const T &operator[](size_t i) const { return entries[i]; }
  /// Gives the memory back.
  void release() { Table<T>().swap(entries); }

private:
  Table<T> entries;
};

/// `size` entries that are zero. Those that nobody touches cost nothing where
/// the system hands out pages when they are touched.
template <typename T>
class Zeros {
  static_assert(std::is_trivial_v<T>, "zero bytes are an entry");

public:
  Zeros() = default;
  explicit Zeros(size_t size)
      : entries(static_cast<T *>(std::calloc(size, sizeof(T)))) {
    if (!entries && size > 0)
      throw std::bad_alloc();
  }
  T &operator[](size_t i) { return entries.get()[i]; }
  const T &operator[](size_t i) const { return entries.get()[i]; }

private:
  struct Free {
    void operator()(T *data) const { std::free(data); }
  };
  std::unique_ptr<T, Free> entries;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_SUPPORT_LARGEARRAY_H
