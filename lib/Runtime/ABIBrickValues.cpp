//===- ABIBrickValues.cpp - values of bricks ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ABIArguments.h"
#include "ASTFE/Core/Bricks/PackBricks.h"
#include "ASTFE/Runtime/BricksHandle.h"
#include "ASTFE/Runtime/StageLog.h"
#include "ASTFE/Runtime/Threads.h"
#include <algorithm>

using namespace astfe;
using namespace astfe::rt;

extern "C" void _mlir_ciface_astfe_rt_brick_slice_values(
    AstfeMemRef1D *result, void *slice, int64_t key, int64_t address,
    int64_t bytes, int64_t offset, int64_t stride) {
  *result = memrefOf(nullptr, 0);
  auto *handle = handleAs<BricksHandle>(slice);
  if (!handle)
    return;
  const core::ValueLayout layout{bytes, offset, stride};
  if (void *values = valueOr0(handle->valuesOfSlice(
          key, layout, reinterpret_cast<void *>(address))))
    *result =
        memrefOf(values, int64_t(layout.bytesOf(handle->fixed().nonzeros)));
}

/// Whether values and slots are as many as the nonzeros. A vector of values may
/// be longer: callers reserve.
static bool areAsMany(int64_t nonzeros, int64_t values, int64_t slots) {
  if (values >= nonzeros && slots == nonzeros)
    return true;
  setLastError("expected " + std::to_string(nonzeros) +
               " values and as many slots but got " + std::to_string(values) +
               " and " + std::to_string(slots));
  return false;
}

/// Calls move(the bricks that are arranged by the key), or keep() where they go
/// slice by slice, if values and slots are as many as their nonzeros.
template <typename Move, typename Keep>
static void moveValues(void *bricks, int64_t key, int64_t values, int64_t slots,
                       Move move, Keep keep) {
  auto *handle = handleAs<BricksHandle>(bricks);
  if (!handle)
    return;
  auto sliced = handle->isSliced(key);
  if (!sliced)
    return setLastError(sliced.message());
  if (!areAsMany(handle->fixed().nonzeros, values, slots))
    return;
  if (*sliced)
    keep();
  else
    move(**handle->walkedBy(key));
}

#define ASTFE_BRICK_VALUES(SUFFIX, T)                                          \
  extern "C" void _mlir_ciface_astfe_rt_brick_values_##SUFFIX(                 \
      void *bricks, int64_t key, AstfeMemRef1D *source,                        \
      AstfeMemRef1D *result) {                                                 \
    moveValues(                                                                \
        bricks, key, source->size, result->size,                               \
        [&](const core::Bricks &packed) {                                      \
          StageTimer timer(stageLog().values);                                 \
          core::packValues(packed, unsigned(key), elements<const T>(source),   \
                           largeElements<T>(result), unsigned(threads()));     \
        },                                                                     \
        [&] {                                                                  \
          StageTimer timer(stageLog().values);                                 \
          std::copy_n(elements<const T>(source), result->size,                 \
                      largeElements<T>(result));                               \
        });                                                                    \
  }                                                                            \
  extern "C" void _mlir_ciface_astfe_rt_brick_unpack_##SUFFIX(                 \
      void *bricks, int64_t key, AstfeMemRef1D *source,                        \
      AstfeMemRef1D *result) {                                                 \
    moveValues(                                                                \
        bricks, key, result->size, source->size,                               \
        [&](const core::Bricks &packed) {                                      \
          core::unpackValues(packed, unsigned(key), elements<const T>(source), \
                             elements<T>(result), unsigned(threads()));        \
        },                                                                     \
        [&] {                                                                  \
          std::copy_n(elements<const T>(source), source->size,                 \
                      largeElements<T>(result));                               \
        });                                                                    \
  }
#define ASTFE_CARRIER(name, Type) ASTFE_BRICK_VALUES(name, Type)
#include "Carriers.def"
#undef ASTFE_BRICK_VALUES
