//===- LargePages.h - memory on large pages ---------------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first touch of a page of 4 KiB costs about as much as reading it several
// times over (1 to 2 microseconds in a virtual machine: up to 0.5 ns a byte,
// more than a radix pass). So arrays of one entry per nonzero ask for large
// pages, where the system has them, before they are touched; elsewhere nothing
// changes. From 4 MiB on: a system keeps small pages at hand, but a large one
// may have to be had from the host of a virtual machine first, which takes
// milliseconds.
//
// Kernels that stream such arrays gain, too: the processor fetches ahead up to
// the end of a page.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_LARGEPAGES_H
#define ASTFE_CORE_SUPPORT_LARGEPAGES_H

#include <cstddef>

namespace astfe::core {

/// Asks for large pages under the part of [data, data + bytes) that is not
/// touched yet. Does nothing where that is small, or where the system knows no
/// such request.
void adviseLargePages(void *data, size_t bytes);

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_LARGEPAGES_H
