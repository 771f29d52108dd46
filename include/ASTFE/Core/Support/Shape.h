//===- Shape.h - extents as text ------------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "4096x?", as MLIR prints shapes: extents below 0 are not known (MLIR's
// ShapedType::kDynamic among them). Every message that names a shape uses it.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_SHAPE_H
#define ASTFE_CORE_SUPPORT_SHAPE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>

namespace astfe::core {

inline std::string shapeText(llvm::ArrayRef<int64_t> shape,
                             const char *between = "x") {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : between) +
            (extent < 0 ? "?" : std::to_string(extent));
  return text;
}

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_SHAPE_H
