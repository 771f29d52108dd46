//===- Emitter.cpp - arithmetic and control flow of device code -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace astfe::gpukernel {

Value Emitter::i32(int64_t value) {
  return arith::ConstantIntOp::create(b, value, 32);
}

Value Emitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value Emitter::toIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastUIOp::create(b, b.getIndexType(), value);
}

Value Emitter::toI32(Value value) {
  Type type = b.getI32Type();
  if (value.getType() == type)
    return value;
  if (value.getType().isIndex())
    return arith::IndexCastUIOp::create(b, type, value);
  if (value.getType().getIntOrFloatBitWidth() < 32)
    return arith::ExtUIOp::create(b, type, value);
  return arith::TruncIOp::create(b, type, value);
}

Value Emitter::add(Value a, Value c) { return arith::AddIOp::create(b, a, c); }
Value Emitter::sub(Value a, Value c) { return arith::SubIOp::create(b, a, c); }
Value Emitter::mul(Value a, Value c) { return arith::MulIOp::create(b, a, c); }
Value Emitter::min(Value a, Value c) { return arith::MinSIOp::create(b, a, c); }

Value Emitter::bitAnd(Value a, int64_t mask) {
  return arith::AndIOp::create(b, a, i32(mask));
}

Value Emitter::compare(arith::CmpIPredicate p, Value a, Value c) {
  return arith::CmpIOp::create(b, p, a, c);
}

Value Emitter::select(Value cond, Value a, Value c) {
  return arith::SelectOp::create(b, cond, a, c);
}

Value Emitter::negate(Value cond) {
  return arith::XOrIOp::create(
      b, cond, arith::ConstantOp::create(b, b.getBoolAttr(true)));
}

Value Emitter::load(Value memref, Value at) {
  // Said explicitly: without a data layout LLVM aligns i64 to 4 bytes.
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  unsigned bytes = element.isIndex() ? 4 : element.getIntOrFloatBitWidth() / 8;
  return memref::LoadOp::create(b, memref, ValueRange{toIndex(at)},
                                /*nontemporal=*/false, llvm::MaybeAlign(bytes));
}

Value Emitter::table(Role role, Value at) {
  return load(tables.lookup(role), at);
}

Value Emitter::viewFrom(Value whole, Value first) {
  auto type = cast<MemRefType>(whole.getType());
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, 1);
  Value size = memref::DimOp::create(b, whole, 0);
  return memref::ReinterpretCastOp::create(
      b, MemRefType::get({ShapedType::kDynamic}, type.getElementType(), layout),
      whole, OpFoldResult(first), ArrayRef<OpFoldResult>{size},
      ArrayRef<OpFoldResult>{OpFoldResult(b.getIndexAttr(1))});
}

std::function<Value(Value)> Emitter::tableFrom(Role role, Value first) {
  Value whole = tables.lookup(role);
  if (movesPointers())
    return [this, view = viewFrom(whole, first)](Value at) {
      return load(view, at);
    };
  return [=](Value at) { return load(whole, add(first, toIndex(at))); };
}

Value Emitter::broadcast(Value value, Value fromLane) {
  bool isIndex = value.getType().isIndex();
  if (isIndex)
    value = arith::IndexCastUIOp::create(b, b.getI64Type(), value);
  // Warps exchange 32 bits or more.
  Type type = value.getType();
  const unsigned bits = type.getIntOrFloatBitWidth();
  Type whole = b.getIntegerType(bits);
  if (bits < 32)
    value = toI32(arith::BitcastOp::create(b, whole, value));
  value = gpu::ShuffleOp::create(b, value, fromLane, i32(kLanes),
                                 gpu::ShuffleMode::IDX)
              .getShuffleResult();
  if (bits < 32)
    value = arith::BitcastOp::create(b, type,
                                     arith::TruncIOp::create(b, whole, value));
  return isIndex ? toIndex(value) : value;
}

Value Emitter::uniform(Value value) { return broadcast(value, i32(0)); }

Values Emitter::loop(Value from, Value to, Value step, Values inits,
                     function_ref<Values(Value, Values)> body) {
  auto loop = scf::ForOp::create(b, from, to, step, inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values results = body(loop.getInductionVar(),
                        llvm::to_vector(ValueRange(loop.getRegionIterArgs())));
  if (!inits.empty())
    scf::YieldOp::create(b, results);
  return llvm::to_vector(ValueRange(loop.getResults()));
}

Values Emitter::unrolledLoop(Value from, Value to, Value step, Values inits,
                             function_ref<Values(Value, Values)> body) {
  Values results = loop(from, to, step, std::move(inits), body);
  auto disable = LLVM::LoopUnrollAttr::get(
      b.getContext(), /*disable=*/b.getBoolAttr(true), /*count=*/{},
      /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{},
      /*followupRemainder=*/{}, /*followupAll=*/{});
  LLVM::LoopAnnotationAttr annotation = LLVM::LoopAnnotationAttr::get(
      b.getContext(), /*disableNonforced=*/{}, /*vectorize=*/{},
      /*interleave=*/{}, /*unroll=*/disable, /*unrollAndJam=*/{}, /*licm=*/{},
      /*distribute=*/{}, /*pipeline=*/{}, /*peeled=*/{}, /*unswitch=*/{},
      /*mustProgress=*/{}, /*isVectorized=*/{}, /*startLoc=*/{}, /*endLoc=*/{},
      /*parallelAccesses=*/{});
  // The spelling that the lowering of scf.for copies to the latch.
  results.front().getDefiningOp()->setAttr("loop_annotation", annotation);
  return results;
}

void Emitter::loop(Value from, Value to, Value step,
                   function_ref<void(Value)> body) {
  loop(from, to, step, Values(), [&](Value i, Values) {
    body(i);
    return Values();
  });
}

Value Emitter::ballot(Value holds) {
  return NVVM::VoteSyncOp::create(b, b.getI32Type(), i32(-1), holds,
                                  NVVM::VoteSyncKind::ballot);
}

void Emitter::eachLane(Value bits, function_ref<void(Value)> run) {
  Value number = math::CtPopOp::create(b, bits);
  loop(i32(0), number, i32(1), {bits}, [&](Value, Values left) {
    run(math::CountTrailingZerosOp::create(b, left[0]));
    Value others = sub(left[0], i32(1));
    return Values{arith::AndIOp::create(b, left[0], others)};
  });
}

Values Emitter::either(Value cond, TypeRange types, function_ref<Values()> then,
                       function_ref<Values()> otherwise) {
  auto branch = scf::IfOp::create(b, types, cond, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, then());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, otherwise());
  return llvm::to_vector(ValueRange(branch.getResults()));
}

Values Emitter::branch(Value cond, Values otherwise,
                       function_ref<Values()> then) {
  return either(cond, TypeRange(ValueRange(otherwise)), then,
                [&] { return otherwise; });
}

} // namespace astfe::gpukernel
