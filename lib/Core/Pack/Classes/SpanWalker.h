//===- SpanWalker.h - what kernels read and write of a span ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns of access that a class chooses from; the cost model counts what
// the caches have (Cost/CountWork.cpp). Nonzeros are numbers in sorted order.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_CLASSES_SPANWALKER_H
#define ASTFE_LIB_CORE_PACK_CLASSES_SPANWALKER_H

#include "Pack/PackStages.h"

namespace astfe::core {

class SpanWalker {
public:
  virtual ~SpanWalker() = default;

  /// Row by row: an output once a row, an input once a nonzero.
  virtual void rows(int64_t begin, int64_t end) = 0;
  /// The same where inputs come once a span and stay in the first cache.
  virtual void rowsOfWindow(int64_t begin, int64_t end) = 0;
  /// An output and an input once a nonzero.
  virtual void nonzeros(int64_t begin, int64_t end) = 0;
  /// Several rows at a time: none is begun, none foreseen.
  virtual void interleaved(int64_t begin, int64_t end) = 0;
  /// Four rows at a time use an input once; their columns follow each other
  /// where they are `implicit`.
  virtual void tile(const PlannedSpan &span, bool implicit) = 0;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_CLASSES_SPANWALKER_H
