//===- CompressedMatrix.cpp - CSR and CSC tensors and their buffers -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace astfe;

/// 0 stands for index, which is 64 bits wide on every host.
static unsigned indexWidth(unsigned width) { return width ? width : 64; }

FailureOr<CompressedMatrix> CompressedMatrix::get(Operation *op, Type type) {
  sparse_tensor::SparseTensorEncodingAttr encoding =
      sparse_tensor::getSparseTensorEncoding(type);
  auto fail = [&](const Twine &got) {
    return op->emitOpError("expected a CSR or CSC matrix but got ") << got;
  };
  if (!encoding)
    return fail("a dense tensor");
  if (encoding.getLvlRank() != 2 || encoding.getDimRank() != 2)
    return fail("rank " + Twine(encoding.getDimRank()));
  if (encoding.isSlice() || !encoding.isPermutation() ||
      !encoding.isDenseLvl(0) || !encoding.isCompressedLvl(1))
    return op->emitOpError("expected a CSR or CSC matrix but got ") << encoding;
  CompressedMatrix matrix;
  matrix.byColumns = !encoding.isIdentity();
  matrix.positionWidth = indexWidth(encoding.getPosWidth());
  matrix.coordinateWidth = indexWidth(encoding.getCrdWidth());
  for (unsigned width : {matrix.positionWidth, matrix.coordinateWidth})
    if (width != 32 && width != 64)
      return op->emitOpError("expected positions and coordinates of 32 or 64 "
                             "bits but got ")
             << width;
  return matrix;
}

CompressedBuffers astfe::getCompressedBuffers(ImplicitLocOpBuilder &b,
                                              Value tensor) {
  return {sparse_tensor::ToPositionsOp::create(b, tensor, 1),
          sparse_tensor::ToCoordinatesOp::create(b, tensor, 1)};
}

Value astfe::getExtent(ImplicitLocOpBuilder &b, Value tensor, int64_t mode) {
  return b.createOrFold<tensor::DimOp>(tensor, mode);
}
