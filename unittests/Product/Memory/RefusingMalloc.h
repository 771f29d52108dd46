//===- RefusingMalloc.h - a process whose memory is short -------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_PRODUCT_MEMORY_REFUSINGMALLOC_H
#define ASTFE_UNITTESTS_PRODUCT_MEMORY_REFUSINGMALLOC_H

#include <cstddef>
#include <cstdint>

namespace astfe::product {

/// While it lives, no allocation of this process gets more than so many bytes.
class MostBytes {
public:
  explicit MostBytes(size_t bytes);
  ~MostBytes();
  MostBytes(const MostBytes &) = delete;

  /// Allocations that were refused.
  int64_t refused() const;
};

/// While it lives, this process gets no memory that it maps itself, which is
/// where code goes.
class NoPages {
public:
  NoPages();
  ~NoPages();
  NoPages(const NoPages &) = delete;

  int64_t refused() const;
};

} // namespace astfe::product

#endif // ASTFE_UNITTESTS_PRODUCT_MEMORY_REFUSINGMALLOC_H
