//===- LaunchArguments.cpp - values of kernels' arguments -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchArguments.h"
#include "Emitter.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Asked for once: isThere() comes before all launches.
Value LaunchArguments::deviceTable(int64_t table, Type element) {
  Value &known = tables[table];
  if (!known)
    known = host.deviceTable(pattern, table, element);
  return known;
}

Value LaunchArguments::viewRows() {
  if (!plan.samples && !plan.scatters)
    return host.dim(output, 0);
  return view().getByColumns() ? view().getColumns() : view().getRows();
}

Value LaunchArguments::rowTeams() {
  int64_t lanes = kLanes;
  for (const Variant &variant : variantsOf(plan))
    lanes = std::min<int64_t>(lanes, variant.lanes);
  Type i64 = host.b.getI64Type();
  auto wide = [&](Value number) { return host.convert(number, i64); };
  Value log = host.runtime("astfe_rt_row_teams", i64,
                           {wide(viewRows()), wide(host.dim(coordinates, 0)),
                            wide(host.index(lanes)), workerCount});
  return host.convert(log, host.b.getIndexType());
}

Value LaunchArguments::tableSize(int64_t table, unsigned bits) {
  return host.dim(deviceTable(table, host.b.getIntegerType(bits)), 0);
}

/// Those of every kernel that a computation may launch.
SmallVector<Argument> LaunchArguments::ofAllKernels() const {
  SmallVector<Argument> all = mainArguments(plan);
  if (plan.overwrites && !plan.view())
    llvm::append_range(all, startArguments(plan));
  if (plan.partials())
    llvm::append_range(all, combineArguments(plan));
  return all;
}

Value LaunchArguments::isThere() {
  Value result = host.isTrue();
  auto require = [&](Value buffer) {
    result = host.both(result, host.isThere(buffer));
  };
  for (const Argument &argument : ofAllKernels())
    if (int64_t table = tableOf(argument);
        table >= 0 && !tables.contains(table))
      require(deviceTable(table, argument.type));
  if (plan.partials())
    require(partials);
  for (Value buffer : host.copies())
    require(buffer);
  return result;
}

Value LaunchArguments::valueOf(const Argument &argument) {
  if (int64_t table = tableOf(argument); table >= 0)
    return host.pointer(deviceTable(table, argument.type));
  switch (argument.role) {
  case Role::Positions:
    return host.pointer(positions);
  case Role::Coordinates:
    return host.pointer(coordinates);
  case Role::Input:
    return host.pointer(inputs[argument.input]);
  case Role::Output:
    return host.pointer(output);
  case Role::Partials:
    return host.pointer(cleared ? output : partials);
  case Role::Workers:
    return host.convert(workerCount, argument.type);
  case Role::Rows:
    return host.convert(viewRows(), argument.type);
  case Role::RowTeams:
    return host.convert(rowTeams(), argument.type);
  case Role::PieceRow:
    return host.pointer(pieceRows);
  case Role::Least:
    return host.convert(cut.least, argument.type);
  case Role::Piece:
    return host.convert(cut.piece, argument.type);
  case Role::ColumnCount:
    return host.convert(columns, argument.type);
  case Role::Stride:
    return host.convert(host.dim(inputs[argument.input], 1), argument.type);
  case Role::SharedRows:
    return host.convert(tableSize(ASTFE_COMBINE_ROW, 32), argument.type);
  case Role::Marks:
    return host.convert(tableSize(ASTFE_SEGMENT_FIRST, 8), argument.type);
  case Role::Gaps:
    return host.convert(tableSize(ASTFE_GAP_BEGIN, 32), argument.type);
  case Role::Scalar:
    return plan.scalars[argument.input];
  case Role::Count:
    return host.convert(cleared ? cleared : host.dim(partials, 0),
                        argument.type);
  default:
    llvm_unreachable("tables were handled above");
  }
}

} // namespace astfe::gpukernel
