//===- LaunchArguments.h - values of kernels' arguments ---------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All kernels of a compute take what they need from the same things: the
// operands, the tables of the pattern, sums that are not in the output, a few
// numbers. Launch.cpp fills these in before the launches that read them; here
// is what each argument of a kernel (Arguments.h) is made of them, and whether
// the device has memory for all of it.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_LAUNCHARGUMENTS_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_LAUNCHARGUMENTS_H

#include "Arguments.h"
#include "RowLengths.h"

namespace astfe::gpukernel {

/// What kernels are given.
class LaunchArguments {
public:
  using Value = mlir::Value;

  LaunchArguments(HostBuilder &host, const KernelPlan &plan)
      : host(host), plan(plan) {}

  Value pattern; ///< !llvm.ptr; null for a view
  llvm::SmallVector<Value> inputs;
  Value output;
  Value workerCount; ///< i64
  Value columns;     ///< index; null for one column
  Value partials;    ///< sums that are not in the output
  Value cleared;     ///< index: elements of the output, while it is filled
  Value positions, coordinates; ///< of a view
  // Of a view's rows that are cut.
  RowCut cut;
  Value pieceRows;

  ViewOp view() const { return plan.op->getOperand(0).getDefiningOp<ViewOp>(); }
  /// The rows of a view, as it is stored; index.
  Value viewRows();
  /// log2 of the teams that share a row (core::teamsOfRow); index. Of the
  /// coordinates there may be more than nonzeros, which makes rows seem longer.
  Value rowTeams();
  /// The entries of a table, whose elements have so many bits; index.
  Value tableSize(int64_t table, unsigned bits);
  /// i1: all that was allocated for kernels is there. What is not has left its
  /// error. Before all launches.
  Value isThere();
  /// Device pointer, table or scalar for one argument of a kernel.
  Value valueOf(const Argument &argument);

private:
  Value deviceTable(int64_t table, mlir::Type element);
  llvm::SmallVector<Argument> ofAllKernels() const;

  HostBuilder &host;
  const KernelPlan &plan;
  /// Memrefs of tables in device memory, by their numbers.
  llvm::DenseMap<int64_t, Value> tables;
};

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_LAUNCHARGUMENTS_H
