//===- ABIArguments.h - memrefs as Core sees them -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_RUNTIME_ABIARGUMENTS_H
#define ASTFE_LIB_RUNTIME_ABIARGUMENTS_H

#include "ASTFE/Core/Profile/Profile.h"
#include "ASTFE/Core/Reorder/Arrange.h"
#include "ASTFE/Core/Support/LargePages.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "ASTFE/Core/Tensor/SparseView.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Handles.h"
#include "ASTFE/Runtime/LastError.h"

#include <string_view>

namespace astfe::rt {

/// The elements of a memref, which lie side by side.
template <typename T>
T *elements(const AstfeMemRef1D *memref) {
  return static_cast<T *>(memref->aligned) + memref->offset;
}

/// The same of what is about to be filled: asks for large pages where it is
/// large, which has an effect on what is not touched yet.
template <typename T>
T *largeElements(const AstfeMemRef1D *memref) {
  T *first = elements<T>(memref);
  core::adviseLargePages(first, size_t(memref->size) * sizeof(T));
  return first;
}

template <typename T>
core::IndexArray indexArray(const AstfeMemRef1D *memref) {
  return {elements<const T>(memref), memref->size};
}

/// CSR or CSC over the caller's buffers, whose integers are P and C; fails on
/// any other format and on sizes below 0.
core::Result<core::SparseView> matrixView(core::IndexArray positions,
                                          core::IndexArray coordinates,
                                          int64_t rows, int64_t columns,
                                          int64_t format);

/// The tensor that a list of levels and the extents describe. What they say of
/// each other is checked by whoever reads it.
core::Result<core::SparseView> tensorView(const AstfeMemRef1D *levels,
                                          const AstfeMemRef1D *extents);

/// An arrangement as the ABI passes it.
core::Result<core::Arrangement> arrangementOf(int64_t order, int64_t panel,
                                              int64_t reorder, int64_t hubs);

/// The profile of a view in an arrangement, the first of which that fails; its
/// time begins a new log of stages.
core::Result<core::Profile>
countArranged(const core::Result<core::SparseView> &view,
              const core::Result<core::Arrangement> &arrangement, int64_t min);

/// So many elements from `data` on.
inline AstfeMemRef1D memrefOf(void *data, int64_t count) {
  return {data, data, 0, count, 1};
}

/// The value of a result, or 0 with the error set.
template <typename T>
T valueOr0(const core::Result<T> &result) {
  if (result)
    return *result;
  setLastError(result.message());
  return T();
}

/// Characters of a memref<?xi8>.
inline std::string_view text(const AstfeMemRef1D *memref) {
  return {elements<const char>(memref), size_t(memref->size)};
}

/// A new handle of a Core value, or null with the error set. Core's own
/// failures and lack of memory end here: nothing is thrown into generated code.
template <typename HandleT, typename Compute>
void *makeHandle(Compute compute) {
  auto handle =
      core::withinMemory({"out of memory"}, [&]() -> core::Result<void *> {
        auto result = compute();
        if (!result)
          return result.error();
        return new HandleT(std::move(*result));
      });
  if (handle)
    return *handle;
  setLastError(handle.message());
  return nullptr;
}

} // namespace astfe::rt

#endif // ASTFE_LIB_RUNTIME_ABIARGUMENTS_H
