//===- RowPieces.h - rows of a view that are cut ----------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nonzeros of a view are cut at multiples of a number. Of rows that are
// long, which have several times as many, two can lie in a piece: one that
// holds its first nonzero, and one that begins later and holds its last one.
// What is reduced of the former in piece k is row 2 k of the partial results,
// of the latter row 2 k + 1, so that nobody needs a list of rows:
//
//   pieces of 4, long rows r and s    0123 4567 89ab cdef
//                                     .rrr rrrr rrss ssss
//   rows of partial results             1    2   4  5  6
//
// A next launch combines the partial results of a row in the order of the
// pieces. That is done for the piece in which the row begins, of which there is
// one at most.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_ROWPIECES_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_ROWPIECES_H

#include "Kernels.h"

namespace astfe::gpukernel {

class RowPieces {
public:
  using Value = mlir::Value;

  /// Of so many rows (i32), with i32 nonzeros in a piece and in the shortest of
  /// rows that are long.
  RowPieces(Emitter &e, Value rows, Value size, Value least);

  /// Turns to a piece, by its number (i32).
  void open(Value number);
  /// i32, the same in all lanes: the rows of its first and its last nonzero.
  Value head() { return rowOf(begin); }
  Value tail() { return rowOf(e.sub(end, e.index(1))); }
  /// i1: a row with these nonzeros is cut.
  Value isLong(Value begin, Value end);
  /// i32: the row of partial results of the part of a row that begins at a
  /// nonzero in a piece that begins at the other; index.
  Value partialRow(Value number, Value begin, Value pieceBegin);
  /// The same of the part that begins at the nonzero, in whatever piece.
  Value partialRow(Value begin);
  /// i32: that of a later piece.
  Value laterRow(Value number) { return e.mul(number, e.i32(2)); }
  /// i32: pieces from `number` on that have nonzeros of a row that ends so.
  Value piecesTo(Value number, Value rowEnd);

  Value begin, end; ///< index: the nonzeros of the piece
  Value some;       ///< i1: there are any
  Value count;      ///< index: nonzeros of the view

private:
  Value rowOf(Value nonzero);

  Emitter &e;
  RowShares shares;
  Value size, least; ///< index
};

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_ROWPIECES_H
