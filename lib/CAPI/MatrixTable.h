//===- MatrixTable.h - the matrices that callers hold ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A caller's AstfeMatrix * is a number, which is never given twice, not an
// address: one that was destroyed is found to be so, and a product that runs
// while another thread destroys its matrix holds what it needs.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CAPI_MATRIXTABLE_H
#define ASTFE_LIB_CAPI_MATRIXTABLE_H

#include "ASTFE-c/Matrix.h"
#include "ASTFE/Product/PackedMatrix.h"
#include <unordered_map>

namespace astfe::capi {

/// Thread-safe.
class MatrixTable {
public:
  AstfeMatrix *add(std::shared_ptr<product::PackedMatrix> matrix);
  /// Null where there is none.
  std::shared_ptr<product::PackedMatrix> find(const AstfeMatrix *name) const;
  void remove(const AstfeMatrix *name);

private:
  mutable std::shared_mutex mutex;
  uintptr_t last = 0;
  std::unordered_map<uintptr_t, std::shared_ptr<product::PackedMatrix>> byName;
};

} // namespace astfe::capi

#endif // ASTFE_LIB_CAPI_MATRIXTABLE_H
