//===- Stage.cpp - nonzeros that a warp reads together --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp keeps 32 nonzeros in shared memory: their offsets, then the scalars of
// each operand. No other warp touches them, so that only the warp's lanes wait
// for each other. A load of 128 bits reads four elements (two of f64), the same
// address in all lanes: one transaction. All lie in one buffer, so that one
// register addresses them.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "Kernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Bytes of the widest load.
static constexpr int64_t kWidest = core::rules::kWidestLoad;

Value sharedBytes(Emitter &e, int64_t size) {
  auto function = cast<gpu::GPUFuncOp>(e.b.getInsertionBlock()->getParentOp());
  auto space = gpu::AddressSpaceAttr::get(e.b.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({size}, e.b.getI8Type(),
                              MemRefLayoutAttrInterface(), space);
  unsigned number = function.getNumWorkgroupAttributions();
  Value bytes = function.addWorkgroupAttribution(type, e.b.getLoc());
  function.setWorkgroupAttributionAttr(number, "llvm.align",
                                       e.b.getI64IntegerAttr(kWidest));
  return bytes;
}

void Emitter::makeStage() {
  int64_t each = 4; // the offset
  for (const Operand &input : plan.inputs)
    each += input.perNonzero() ? input.bytes() : 0;
  Value bytes = sharedBytes(*this, each * kBlockThreads);
  int64_t first = 0;
  auto array = [&](Type type) -> Value {
    auto view =
        MemRefType::get({kBlockThreads}, type, MemRefLayoutAttrInterface(),
                        cast<MemRefType>(bytes.getType()).getMemorySpace());
    Value result =
        memref::ViewOp::create(b, view, bytes, index(first), ValueRange());
    first += kBlockThreads * type.getIntOrFloatBitWidth() / 8;
    return result;
  };
  stagedOffsets = array(b.getI32Type());
  for (const Operand &input : plan.inputs)
    stagedScalars.push_back(input.perNonzero() ? array(input.element)
                                               : Value());
}

void Emitter::stage(const Point &own) {
  Value at = toIndex(add(mul(warp, i32(kLanes)), lane));
  auto keep = [&](Value value, Value array) {
    memref::StoreOp::create(b, value, array, ValueRange{at});
  };
  synchronizeWarp();
  if (own.offset)
    keep(own.offset, stagedOffsets);
  for (auto [scalar, array] : llvm::zip_equal(own.scalars, stagedScalars))
    if (scalar)
      keep(scalar, array);
  synchronizeWarp();
}

/// Elements at, at + 1, ... of a shared array.
static Values readArray(Emitter &e, Value array, Value at, int64_t number) {
  Type element = cast<MemRefType>(array.getType()).getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t width = std::min(number, kWidest / bytes);
  Values result;
  for (int64_t i = 0; i < number; i += width) {
    Value vector = vector::LoadOp::create(
        e.b, VectorType::get(width, element), array,
        ValueRange{e.add(at, e.index(i))}, /*nontemporal=*/false,
        llvm::MaybeAlign(uint64_t(width * bytes)));
    for (int64_t u = 0; u < width; ++u)
      result.push_back(vector::ExtractOp::create(e.b, vector, u));
  }
  return result;
}

SmallVector<Point> Emitter::staged(Value from, int64_t number, Value row) {
  Value at = add(toIndex(mul(warp, i32(kLanes))), toIndex(from));
  SmallVector<Point> points(number);
  for (auto [u, offset] :
       llvm::enumerate(readArray(*this, stagedOffsets, at, number))) {
    points[u].row = row;
    points[u].offset = offset;
    points[u].scalars.resize(plan.inputs.size());
  }
  for (auto [input, array] : llvm::enumerate(stagedScalars))
    if (array)
      for (auto [u, scalar] :
           llvm::enumerate(readArray(*this, array, at, number)))
        points[u].scalars[input] = scalar;
  return points;
}

} // namespace astfe::gpukernel
