//===- Extents.cpp - do the operands of a computation fit together --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extents.h"
#include "ASTFE/Conversion/ReportExtents.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

Value host::extentsFit(ComputeBody &body, const PatternExtents &pattern) {
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<Value> lengths(body.dims());
  llvm::copy(pattern.modes, lengths.begin() + 1);
  Value fits = arith::ConstantOp::create(b, b.getBoolAttr(true));
  auto require = [&](arith::CmpIPredicate predicate, Value a, Value c) {
    Value holds = arith::CmpIOp::create(b, predicate, a, c);
    fits = b.createOrFold<arith::AndIOp>(fits, holds);
  };
  auto visit = [&](AffineMap map, Value buffer) {
    // What a chain hands on is of its own making.
    if (!buffer || !isa<MemRefType>(buffer.getType()))
      return;
    for (unsigned r = 0; r < map.getNumResults(); ++r) {
      unsigned dim = map.getDimPosition(r);
      Value size = b.createOrFold<memref::DimOp>(buffer, body.index(r));
      Value &length = lengths[dim];
      if (dim == kNonzeroDim)
        require(arith::CmpIPredicate::uge, size, pattern.entries);
      else if (length)
        require(arith::CmpIPredicate::eq, size, length);
      else
        length = size;
    }
  };
  for (auto [map, buffer] : llvm::zip(body.inputMaps, body.inputs))
    visit(map, buffer);
  for (auto [map, buffer] : llvm::zip(body.outputMaps, body.outputs))
    visit(map, buffer);
  return fits;
}

scf::IfOp host::openIfFits(ComputeBody &body, Value fits) {
  ImplicitLocOpBuilder &b = body.b;
  auto guard = scf::IfOp::create(b, fits, /*withElse=*/true);
  b.setInsertionPoint(guard.elseYield());
  reportExtents(b);
  b.setInsertionPoint(guard.thenYield());
  return guard;
}
