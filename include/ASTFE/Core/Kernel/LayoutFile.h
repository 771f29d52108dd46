//===- LayoutFile.h - layouts as JSON -------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text by which the runtime gets a layout, and which kernel files hold:
//
//   {"storage": "packed", "target": "gpu", "column_bits": 16,
//    "classes": ["row_segments", "scattered"], "deterministic": false,
//    "assume_finite": false, "window": 96, "dense_bytes": 0,
//    "column_tile": 64}
//
// All fields are there, whatever their values. O(classes).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_KERNEL_LAYOUTFILE_H
#define ASTFE_CORE_KERNEL_LAYOUTFILE_H

#include "ASTFE/Core/Kernel/Kernel.h"

namespace astfe::core {

std::string toJson(const Layout &layout);
/// Fails, with the field, on a text that is no layout or one that check()
/// refuses. `source` is what errors begin with.
Result<Layout> parseLayout(std::string_view text, const std::string &source);

} // namespace astfe::core

#endif // ASTFE_CORE_KERNEL_LAYOUTFILE_H
