//===- KnownNumberings.h - the last numberings of a process ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// order=auto renumbers a matrix to see what that gains, and the program that is
// compiled for its choice asks for the same numbering again when it prepares.
// The last few are kept, by the fingerprint of the pattern, so that they are
// made once. What they are does not depend on who asks: a numbering depends on
// nothing but the pattern.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_REORDER_KNOWNNUMBERINGS_H
#define ASTFE_LIB_CORE_REORDER_KNOWNNUMBERINGS_H

#include "ASTFE/Core/Reorder/Arrange.h"
#include <memory>

namespace astfe::core {

/// renumber(), or what it returned for the same pattern before. May be called
/// by several threads at once.
Result<std::shared_ptr<const Numbering>>
knownNumbering(const SparseView &view, ReorderKind kind, int64_t hubs);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_REORDER_KNOWNNUMBERINGS_H
