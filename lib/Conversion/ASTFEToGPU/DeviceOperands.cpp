//===- DeviceOperands.cpp - operands that are on the device ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceOperands.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "Branch.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace astfe::gpukernel {

namespace {
/// A buffer as it came from outside.
struct Named {
  std::string name;
  Value address, bytes; ///< i64
  int64_t alignment;
};
} // namespace

/// What the caller gave: kernels read complex numbers as floats.
static Value originOf(Value buffer) {
  if (auto cast = buffer.getDefiningOp<memref::ReinterpretCastOp>())
    return originOf(cast.getSource());
  if (auto cast = buffer.getDefiningOp<UnrealizedConversionCastOp>())
    if (cast.getInputs().size() == 1 &&
        isa<MemRefType>(cast.getInputs().front().getType()))
      return originOf(cast.getInputs().front());
  return buffer;
}

/// Index: elements from the first to behind the last.
static Value spanOf(HostBuilder &host, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Value elements = host.index(1);
  for (int64_t r = 0; r < type.getRank(); ++r)
    elements = arith::MulIOp::create(host.b, elements, host.dim(buffer, r));
  if (type.getLayout().isIdentity())
    return elements;
  // The last one is at the sum of (extent - 1) times stride; there is none of
  // no elements.
  Value none = host.index(0), one = host.index(1), last = none;
  auto strides =
      memref::ExtractStridedMetadataOp::create(host.b, buffer).getStrides();
  for (int64_t r = 0; r < type.getRank(); ++r) {
    Value steps = arith::SubIOp::create(host.b, host.dim(buffer, r), one);
    last = arith::AddIOp::create(
        host.b, last, arith::MulIOp::create(host.b, steps, strides[size_t(r)]));
  }
  return arith::SelectOp::create(host.b, host.equal(elements, none), none,
                                 arith::AddIOp::create(host.b, last, one));
}

static Named describe(HostBuilder &host, std::string name, Value buffer) {
  Value origin = originOf(buffer);
  auto type = cast<MemRefType>(origin.getType());
  const int64_t alignment = bytesInMemory(type.getElementType());
  Value bytes = arith::MulIOp::create(host.b, host.index(alignment),
                                      spanOf(host, origin));
  Type i64 = host.b.getI64Type();
  return {std::move(name), host.convert(host.addressOf(origin), i64),
          host.convert(bytes, i64), alignment};
}

/// "input 2", or the plain name where there is one.
static void describeAll(HostBuilder &host, const char *name, ValueRange buffers,
                        SmallVectorImpl<Named> &into) {
  SmallVector<Value> origins;
  for (Value buffer : buffers) {
    Value origin = originOf(buffer);
    // Both parts of a complex number are one buffer.
    const bool isSecondPart =
        origin != buffer && !origins.empty() && origins.back() == origin;
    if (isa<MemRefType>(origin.getType()) && !isSecondPart)
      origins.push_back(origin);
  }
  for (auto [i, origin] : llvm::enumerate(origins))
    into.push_back(describe(
        host, origins.size() == 1 ? name : name + (" " + std::to_string(i + 1)),
        origin));
}

void whereReachable(HostBuilder &host, const DeviceOperands &operands,
                    llvm::function_ref<void()> compute) {
  ImplicitLocOpBuilder &b = host.b;
  SmallVector<Named> inputs, outputs;
  describeAll(host, "input", operands.inputs, inputs);
  describeAll(host, "output", operands.outputs, outputs);
  if (operands.positions)
    inputs.push_back(describe(host, "positions", operands.positions));
  if (operands.coordinates)
    inputs.push_back(describe(host, "coordinates", operands.coordinates));

  Value one = arith::ConstantIntOp::create(b, 1, 64), all = one;
  auto text = [&](const Named &operand) {
    std::string symbol = "astfe_operand_" + operand.name;
    std::replace(symbol.begin(), symbol.end(), ' ', '_');
    return constantText(b, symbol, operand.name);
  };
  auto ask = [&](StringRef function, ValueRange arguments) {
    all = arith::AndIOp::create(
        b, all, host.runtime(function, b.getI64Type(), arguments));
  };
  for (const SmallVector<Named> *list : {&inputs, &outputs})
    for (const Named &operand : *list)
      ask("astfe_rt_reachable",
          {text(operand), operand.address, operand.bytes,
           arith::ConstantIntOp::create(b, operand.alignment, 64)});
  for (const Named &output : outputs)
    for (const Named &input : inputs)
      ask("astfe_rt_apart", {text(input), input.address, input.bytes,
                             output.address, output.bytes});
  branch(b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, all, one),
         compute);
}

} // namespace astfe::gpukernel
