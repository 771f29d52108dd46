//===- LaunchExtents.cpp - whether operands fit together ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchExtents.h"

using namespace mlir;

namespace astfe::gpukernel {

Value extentsFit(HostBuilder &host, const KernelPlan &plan,
                 const LaunchOperands &given) {
  auto [pattern, inputs, output, columns] = given;
  Value rows, depth, entries, result = host.isTrue();
  if (plan.view()) {
    auto view = plan.op->getOperand(0).getDefiningOp<ViewOp>();
    rows = view.getRows();
    depth = view.getColumns();
    if (plan.byColumns)
      std::swap(rows, depth);
  } else {
    auto ask = [&](StringRef name, ValueRange arguments) {
      return host.convert(host.runtime(name, host.b.getI64Type(), arguments),
                          host.b.getIndexType());
    };
    auto mode = [&](int64_t number) -> Value {
      return arith::ConstantIntOp::create(host.b, number, 64);
    };
    rows = ask("astfe_rt_extent", {pattern, mode(0)});
    depth = ask("astfe_rt_extent", {pattern, mode(1)});
    entries = ask("astfe_rt_slots", {pattern});
  }
  auto require = [&](Value size, Value expected) {
    result = host.both(result, host.equal(size, expected));
  };
  auto isSmall = [&](Value size) {
    result = host.both(result,
                       arith::CmpIOp::create(host.b, arith::CmpIPredicate::ule,
                                             size, host.index(INT32_MAX)));
  };
  for (Value extent : {rows, depth})
    isSmall(extent);
  if (columns)
    isSmall(columns);
  auto holdsEntries = [&](Value buffer) {
    if (entries)
      result = host.both(
          result, arith::CmpIOp::create(host.b, arith::CmpIPredicate::uge,
                                        host.dim(buffer, 0), entries));
  };
  if (plan.samples)
    holdsEntries(output);
  else
    require(host.dim(output, 0), rows);
  for (auto [operand, buffer] : llvm::zip_equal(plan.inputs, inputs)) {
    if (operand.values)
      holdsEntries(buffer);
    if (operand.cell)
      require(host.dim(buffer, 1), operand.lead == Lead::Row ? depth : rows);
    if (operand.lead != Lead::None)
      require(host.dim(buffer, 0), operand.lead == Lead::Row ? rows : depth);
    if (operand.dense)
      require(host.dim(buffer, operand.lead == Lead::None ? 0 : 1), columns);
  }
  return result;
}

} // namespace astfe::gpukernel
