//===- HostBuilder.cpp - host code around launches ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostBuilder.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "Emitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace astfe::gpukernel {

Value HostBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value HostBuilder::dim(Value buffer, int64_t at) {
  return b.createOrFold<memref::DimOp>(buffer, at);
}

Value HostBuilder::convert(Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (!value.getType().isIndex() && !type.isIndex())
    return arith::TruncIOp::create(b, type, value);
  return arith::IndexCastOp::create(b, type, value);
}

Value HostBuilder::toIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastUIOp::create(b, b.getIndexType(), value);
}

Value HostBuilder::ceilDiv(Value value, int64_t by) {
  Value rounded = arith::AddIOp::create(b, value, index(by - 1));
  return arith::DivUIOp::create(b, rounded, index(by));
}

Value HostBuilder::min(Value value, int64_t bound) {
  return arith::MinUIOp::create(b, value, index(bound));
}

Value HostBuilder::isTrue() { return arith::ConstantIntOp::create(b, 1, 1); }

Value HostBuilder::both(Value a, Value c) {
  return arith::AndIOp::create(b, a, c);
}

Value HostBuilder::equal(Value a, Value c) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, a, c);
}

Value HostBuilder::greater(Value a, Value c) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, a, c);
}

Value HostBuilder::runtime(StringRef name, Type result, ValueRange arguments) {
  return callRuntime(b, name, result, arguments).getResult(0);
}

Value HostBuilder::deviceTable(Value pattern, int64_t table, Type element) {
  std::string name = "astfe_rt_device_table_i" +
                     std::to_string(element.getIntOrFloatBitWidth());
  Value number = arith::ConstantIntOp::create(b, table, 64);
  return runtime(name, MemRefType::get({ShapedType::kDynamic}, element),
                 {pattern, number});
}

void HostBuilder::launch(gpu::GPUModuleOp module, StringRef kernel,
                         const gpu::KernelDim3 &grid, ValueRange operands) {
  Value one = index(1);
  auto symbol =
      SymbolRefAttr::get(module.getSymNameAttr(),
                         {FlatSymbolRefAttr::get(b.getContext(), kernel)});
  gpu::LaunchFuncOp::create(b, symbol, grid,
                            gpu::KernelDim3{index(kBlockThreads), one, one},
                            Value(), operands);
}

void HostBuilder::reportExtents() {
  Value text = constantText(b, "astfe_extents_differ",
                            "expected operands of a computation whose extents "
                            "agree with each other and with the pattern, below "
                            "2^31");
  callRuntime(b, "astfe_rt_report", TypeRange(), text);
}

void HostBuilder::reportStrides() {
  Value text = constantText(b, "astfe_strides_do_not_suit",
                            "expected strides of operands from 0, of outputs "
                            "from the length of a row, below 2^31");
  callRuntime(b, "astfe_rt_report", TypeRange(), text);
}

Value HostBuilder::pointer(Value buffer) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  return memref::ReinterpretCastOp::create(
      b, MemRefType::get({}, element), buffer, OpFoldResult(b.getIndexAttr(0)),
      ArrayRef<OpFoldResult>{}, ArrayRef<OpFoldResult>{});
}

Value HostBuilder::newStream() {
  auto token = gpu::AsyncTokenType::get(b.getContext());
  return gpu::WaitOp::create(b, token, ValueRange{}).getAsyncToken();
}

void HostBuilder::wait(Value stream) {
  gpu::WaitOp::create(b, Type(), ValueRange{stream});
}

/// Memory that the pattern lends, as a buffer of that type and shape.
Value HostBuilder::lend(MemRefType type, ValueRange sizes) {
  int64_t known = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent))
      known *= extent;
  Value bytes = index(known);
  for (Value size : sizes)
    bytes = arith::MulIOp::create(b, bytes, size);
  return memref::ViewOp::create(b, type, lendDeviceBytes(b, lender, bytes),
                                index(0), sizes);
}

Value HostBuilder::borrow(Value elements, Type element) {
  return lend(MemRefType::get({ShapedType::kDynamic}, element), elements);
}

void HostBuilder::giveBack(Value buffer) {
  takeDeviceBytesBack(b, lender, buffer);
}

Value HostBuilder::allocate(MemRefType type, ValueRange sizes) {
  Value stream = newStream();
  auto alloc = gpu::AllocOp::create(b, type, stream.getType(),
                                    ValueRange{stream}, sizes, ValueRange{},
                                    /*hostShared=*/UnitAttr());
  wait(alloc.getAsyncToken());
  return alloc.getMemref();
}

void HostBuilder::deallocate(Value buffer) {
  Value stream = newStream();
  wait(gpu::DeallocOp::create(b, stream.getType(), ValueRange{stream}, buffer)
           .getAsyncToken());
}

Value HostBuilder::isThere(Value buffer) {
  return greater(memref::ExtractAlignedPointerAsIndexOp::create(b, buffer),
                 index(0));
}

void HostBuilder::copyIn(ArrayRef<Value *> buffers) {
  Value stream = newStream();
  Type token = stream.getType();
  for (Value *buffer : buffers) {
    auto type = cast<MemRefType>(buffer->getType());
    SmallVector<Value> sizes;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        sizes.push_back(dim(*buffer, i));
    Value device;
    if (lender) {
      device = lend(type, sizes);
    } else {
      auto alloc =
          gpu::AllocOp::create(b, type, token, ValueRange{stream}, sizes,
                               ValueRange{}, /*hostShared=*/UnitAttr());
      device = alloc.getMemref();
      stream = alloc.getAsyncToken();
    }
    stream =
        gpu::MemcpyOp::create(b, token, ValueRange{stream}, device, *buffer)
            .getAsyncToken();
    *buffer = device;
    staged.push_back(device);
  }
  wait(stream);
}

void HostBuilder::copyOut(ArrayRef<std::pair<Value, Value>> results) {
  Value stream = newStream();
  Type token = stream.getType();
  for (auto [device, host] : results)
    stream = gpu::MemcpyOp::create(b, token, ValueRange{stream}, host, device)
                 .getAsyncToken();
  if (!lender)
    for (Value buffer : staged)
      stream = gpu::DeallocOp::create(b, token, ValueRange{stream}, buffer)
                   .getAsyncToken();
  wait(stream);
  if (lender)
    for (Value buffer : staged)
      giveBack(buffer);
  staged.clear();
}

Value HostBuilder::addressOf(Value buffer) {
  Value begin = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getLayout().isIdentity())
    return begin;
  Value offset =
      memref::ExtractStridedMetadataOp::create(b, buffer).getOffset();
  return arith::AddIOp::create(
      b, begin,
      arith::MulIOp::create(b, offset,
                            index(bytesInMemory(type.getElementType()))));
}

Value HostBuilder::aligned(ValueRange buffers, int64_t bytes) {
  Value bits = index(0);
  for (Value buffer : buffers)
    bits = arith::OrIOp::create(b, bits, addressOf(buffer));
  Value rest = arith::AndIOp::create(b, bits, index(bytes - 1));
  return equal(rest, index(0));
}

} // namespace astfe::gpukernel
