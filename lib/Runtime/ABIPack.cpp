//===- ABIPack.cpp - packed patterns and their values ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ABIArguments.h"
#include "ASTFE/Core/Kernel/LayoutFile.h"
#include "ASTFE/Core/Pack/Assign.h"
#include "ASTFE/Core/Pack/CutForGPU.h"
#include "ASTFE/Core/Plan/HostStorage.h"
#include "ASTFE/Runtime/BricksHandle.h"
#include "ASTFE/Runtime/Device.h"
#include "ASTFE/Runtime/StageLog.h"
#include "ASTFE/Runtime/Threads.h"

using namespace astfe;
using namespace astfe::rt;

/// What came out of pack.
static void logPack(const core::Packed &packed) {
  StageLog &log = stageLog();
  log.groups = packed.groups;
  log.workers = packed.workers();
  log.spans = packed.spans();
  log.segments = packed.segments();
  log.slots = packed.slots;
  log.imbalance = core::imbalance(packed.workerOffsets());
}

static core::Result<core::Packed>
packMatrix(const core::Result<core::SparseView> &view, const core::Graph &graph,
           std::string_view layoutText, int64_t workers, int64_t tiles) {
  StageTimer timer(stageLog().pack);
  if (!view)
    return view.error();
  auto layout = core::parseLayout(layoutText, "the layout of a pattern");
  if (!layout)
    return layout.error();
  core::PackOptions options;
  options.layout = *layout;
  options.workers = workers ? workers : _mlir_ciface_astfe_rt_workers();
  options.threads = unsigned(threads());
  if (layout->target == core::PackTarget::GPU) {
    core::GPUUse use;
    use.multiprocessors = multiprocessors();
    use.warps = options.workers;
    use.columnTiles = std::max<int64_t>(1, tiles);
    use.workers = workersAreSet() ? options.workers : 0;
    core::cutForGPU(options, use, *view);
  }
  auto packed = core::pack(*view, graph, options);
  if (packed)
    logPack(*packed);
  return packed;
}

#define ASTFE_PACK(P, C)                                                       \
  extern "C" void *_mlir_ciface_astfe_rt_pack_p##P##c##C(                      \
      AstfeMemRef1D *positions, AstfeMemRef1D *coordinates, int64_t rows,      \
      int64_t columns, int64_t format, void *graph, AstfeMemRef1D *layout,     \
      int64_t workers, int64_t tiles) {                                        \
    auto *by = handleAs<GraphHandle>(graph);                                   \
    if (!by)                                                                   \
      return nullptr;                                                          \
    return makeHandle<PatternHandle>([&] {                                     \
      return packMatrix(matrixView(indexArray<int##P##_t>(positions),          \
                                   indexArray<int##C##_t>(coordinates), rows,  \
                                   columns, format),                           \
                        by->value, text(layout), workers, tiles);              \
    });                                                                        \
  }
ASTFE_PACK(32, 32)
ASTFE_PACK(32, 64)
ASTFE_PACK(64, 32)
ASTFE_PACK(64, 64)
#undef ASTFE_PACK

/// No pattern, but its extents.
static core::Packed storedMatrix(const core::SparseView &view) {
  StageLog &log = stageLog();
  log.groups = log.workers = log.spans = log.segments = log.slots = 0;
  log.imbalance = 1;
  core::Packed none;
  none.shape.assign(view.shape.begin(), view.shape.end());
  return none;
}

/// Whether a graph cuts rows as they are: what was given, or chosen, is no
/// other order.
static bool hasPlainRows(const core::Graph &graph) {
  return graph.space.permutations.empty() && graph.space.isByRows();
}

static core::Result<core::Packed>
packUnlessStored(const core::Result<core::SparseView> &view,
                 const core::Graph &graph, std::string_view layout,
                 int64_t workers, int64_t tiles,
                 const core::HostProducts &products) {
  if (products.columns < 0 || products.elementBytes < 1 ||
      products.elementBytes > core::rules::kLineBytes)
    return core::Error{"expected 0 columns or more, of elements of 1 to " +
                       std::to_string(core::rules::kLineBytes) +
                       " bytes, but got " + std::to_string(products.columns) +
                       " and " + std::to_string(products.elementBytes)};
  const bool mayBeStored = view && hasPlainRows(graph) &&
                           view->format == core::SparseFormat::Csr;
  if (mayBeStored && core::isTinyProduct(*view, products)) {
    // What pack says of a matrix that is none is said of one that is not
    // packed.
    if (auto status = view->check(); !status)
      return status.error();
    return storedMatrix(*view);
  }
  auto packed = packMatrix(view, graph, layout, workers, tiles);
  if (packed && mayBeStored &&
      core::takesHostView(*view, core::Arrangement(), *packed, products))
    return storedMatrix(*view);
  return packed;
}

#define ASTFE_PACK_UNLESS_STORED(P, C)                                         \
  extern "C" void *_mlir_ciface_astfe_rt_pack_unless_stored_p##P##c##C(        \
      AstfeMemRef1D *positions, AstfeMemRef1D *coordinates, int64_t rows,      \
      int64_t columns, int64_t format, void *graph, AstfeMemRef1D *layout,     \
      int64_t workers, int64_t tiles, int64_t denseColumns,                    \
      int64_t elementBytes) {                                                  \
    auto *by = handleAs<GraphHandle>(graph);                                   \
    if (!by)                                                                   \
      return nullptr;                                                          \
    return makeHandle<PatternHandle>([&] {                                     \
      return packUnlessStored(matrixView(indexArray<int##P##_t>(positions),    \
                                         indexArray<int##C##_t>(coordinates),  \
                                         rows, columns, format),               \
                              by->value, text(layout), workers, tiles,         \
                              {denseColumns, elementBytes});                   \
    });                                                                        \
  }
ASTFE_PACK_UNLESS_STORED(32, 32)
ASTFE_PACK_UNLESS_STORED(32, 64)
ASTFE_PACK_UNLESS_STORED(64, 32)
ASTFE_PACK_UNLESS_STORED(64, 64)
#undef ASTFE_PACK_UNLESS_STORED

extern "C" int64_t _mlir_ciface_astfe_rt_is_stored(void *pattern) {
  auto *packed = handleAs<PatternHandle>(pattern);
  return packed && packed->isStored();
}

extern "C" void *
_mlir_ciface_astfe_rt_pack_matrix(AstfeMemRef1D *levels, AstfeMemRef1D *extents,
                                  void *graph, AstfeMemRef1D *layout,
                                  int64_t workers, int64_t tiles) {
  auto *by = handleAs<GraphHandle>(graph);
  if (!by)
    return nullptr;
  return makeHandle<PatternHandle>([&] {
    return packMatrix(tensorView(levels, extents), by->value, text(layout),
                      workers, tiles);
  });
}

//===----------------------------------------------------------------------===//
// Sizes and values
//===----------------------------------------------------------------------===//

/// The bricks that a handle stands for; null where it is something else.
static const core::Bricks *asBricks(void *handle) {
  if (!handle || static_cast<Handle *>(handle)->kind() != HandleKind::Bricks)
    return nullptr;
  return &handleAs<BricksHandle>(handle)->fixed();
}

extern "C" int64_t _mlir_ciface_astfe_rt_slots(void *pattern) {
  if (const core::Bricks *bricks = asBricks(pattern))
    return bricks->nonzeros;
  auto *packed = handleAs<PatternHandle>(pattern);
  return packed ? packed->value.slots : 0;
}

extern "C" int64_t _mlir_ciface_astfe_rt_nonzeros(void *pattern) {
  if (const core::Bricks *bricks = asBricks(pattern))
    return bricks->nonzeros;
  auto *packed = handleAs<PatternHandle>(pattern);
  return packed ? packed->value.nonzeros : 0;
}

extern "C" int64_t _mlir_ciface_astfe_rt_in_order(void *pattern, int64_t key) {
  if (asBricks(pattern)) {
    auto sliced = handleAs<BricksHandle>(pattern)->isSliced(key);
    if (!sliced)
      setLastError(sliced.message());
    return sliced && *sliced;
  }
  auto *packed = handleAs<PatternHandle>(pattern);
  return !packed || packed->value.isInOrder();
}

extern "C" int64_t _mlir_ciface_astfe_rt_pattern_workers(void *pattern) {
  auto *packed = handleAs<PatternHandle>(pattern);
  return packed && !packed->isStored() ? packed->value.workers() : 0;
}

extern "C" int64_t _mlir_ciface_astfe_rt_partial_rows(void *pattern) {
  auto *packed = handleAs<PatternHandle>(pattern);
  return packed ? packed->value.partialRows() : 0;
}

extern "C" int64_t _mlir_ciface_astfe_rt_tiles_together(void *pattern) {
  auto *packed = handleAs<PatternHandle>(pattern);
  return packed ? packed->value.tilesTogether : 0;
}

extern "C" int64_t _mlir_ciface_astfe_rt_strip_bytes(void *pattern) {
  auto *packed = handleAs<PatternHandle>(pattern);
  return packed ? packed->value.stripBytes : 0;
}

extern "C" int64_t _mlir_ciface_astfe_rt_extent(void *pattern, int64_t mode) {
  const core::Bricks *bricks = asBricks(pattern);
  auto *packed = bricks ? nullptr : handleAs<PatternHandle>(pattern);
  if (!bricks && !packed)
    return 0;
  const auto &shape = bricks ? bricks->shape : packed->value.shape;
  if (mode >= 0 && mode < int64_t(shape.size()))
    return shape[size_t(mode)];
  setLastError("expected a mode from 0 to " + std::to_string(shape.size() - 1) +
               " but got " + std::to_string(mode));
  return 0;
}

extern "C" int64_t _mlir_ciface_astfe_rt_fits(void *pattern, int64_t columnBits,
                                              int64_t classes) {
  auto *packed = handleAs<PatternHandle>(pattern);
  if (!packed)
    return 0;
  if (packed->isStored()) {
    setLastError("expected a packed pattern but got that of a matrix which is "
                 "read where it is stored");
    return 0;
  }
  const core::ClassSet compiled{uint32_t(classes)};
  const int64_t bits = packed->value.layout.columnBits;
  if (bits == columnBits && compiled.contains(packed->classes))
    return 1;
  setLastError("expected a pattern with columns of " +
               std::to_string(columnBits) + " bits and the classes " +
               core::classNames(compiled) + ", which the kernel has, but got " +
               std::to_string(bits) + " bits and " +
               core::classNames(packed->classes));
  return 0;
}

/// The pattern, if the sizes of values (by nonzero) and slots fit it. A vector
/// of values may be longer than the nonzeros: callers reserve.
static const core::Packed *fitting(void *pattern, int64_t values,
                                   int64_t slots) {
  auto *handle = handleAs<PatternHandle>(pattern);
  if (!handle)
    return nullptr;
  const core::Packed &packed = handle->value;
  if (values >= packed.nonzeros && slots == packed.slots)
    return &packed;
  setLastError("expected " + std::to_string(packed.nonzeros) + " values and " +
               std::to_string(packed.slots) + " slots but got " +
               std::to_string(values) + " and " + std::to_string(slots));
  return nullptr;
}

#define ASTFE_VALUES(SUFFIX, T)                                                \
  extern "C" void _mlir_ciface_astfe_rt_values_##SUFFIX(                       \
      void *pattern, AstfeMemRef1D *source, AstfeMemRef1D *result) {           \
    if (const core::Packed *packed =                                           \
            fitting(pattern, source->size, result->size)) {                    \
      StageTimer timer(stageLog().values);                                     \
      core::packValues(*packed, elements<const T>(source),                     \
                       largeElements<T>(result), unsigned(threads()));         \
    }                                                                          \
  }                                                                            \
  extern "C" void _mlir_ciface_astfe_rt_unpack_##SUFFIX(                       \
      void *pattern, AstfeMemRef1D *source, AstfeMemRef1D *result) {           \
    if (const core::Packed *packed =                                           \
            fitting(pattern, result->size, source->size))                      \
      core::unpackValues(*packed, elements<const T>(source),                   \
                         elements<T>(result), unsigned(threads()));            \
  }
#define ASTFE_CARRIER(name, Type) ASTFE_VALUES(name, Type)
#include "Carriers.def"
#undef ASTFE_VALUES
