//===- Pieces.h - slots or nonzeros in parallel pieces ----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_PIECES_H
#define ASTFE_LIB_CORE_PACK_PIECES_H

#include "ASTFE/Core/Support/Parallel.h"
#include <algorithm>

namespace astfe::core {

/// Calls body(begin, end) for fixed pieces of 0..count, in parallel.
template <typename Body>
void forPieces(int64_t count, unsigned threads, Body body) {
  constexpr int64_t kPiece = int64_t(1) << 16;
  parallelFor((count + kPiece - 1) / kPiece, threads, [&](int64_t piece) {
    body(piece * kPiece, std::min(count, (piece + 1) * kPiece));
  });
}

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_PIECES_H
