//===- HostStorage.h - a view or a pattern, on a host -----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule by which a matrix is taken as it is stored, or packed, for products
// on a host: one for astfe-run, C, Python, modules and the benchmarks. Packed
// storage gains by what it finds: rows that share columns, nonzeros of rows
// side by side for one column, rows sorted by length, runs of empty rows, long
// rows cut between threads. It pays for that with tables that a call asks for,
// and with a load and a choice at the end of each row. So a view is taken where
// a product takes little longer than the call, and where pack found rows only
// (of one nonzero, too). Short rows are as fast where they are left where they
// were, and rows of C of more than a vector are not sorted in vain.
//
// Worked example: 100 rows of 5 nonzeros, times one column. 500 multiply-adds
// and 100 rows are tiny: a view (0.4 us, packed 0.8). 30,000 rows of 3 nonzeros
// times 16 columns of f32, a vector: 3 vectors of multiply-adds a row are few,
// so that the row's end counts. It is packed, and where all that this finds is
// rows in their order, it is a view after all. With 128 columns, 24 vectors a
// row, it stays packed. 100 nonzeros of A^T, 50 x 50, times one column, are a
// view, too (0.2 us, packed 0.4), times 512 columns of f32, 3200 vectors, they
// are not; nor are they of 50 x 1000, all of whose columns would be walked.
//
// Sums that read no dense operand by columns, of rows say, gain by rows that
// are sorted by length where these are short: a long one streams its values as
// fast where they are stored.
//
// A matrix by columns, A^T of one by rows, is another matter: as it is stored
// each nonzero adds to the row of C that it names, and packed each takes a row
// of B. Where C is small and B comes from memory, C stays in the caches and B
// is read once, in order. So its own time is predicted as well (Cost.h: rows of
// C are found as rows of B are, and written each time; ScatterShares.h: how many
// threads have work), and it is taken where that is less by as much as an order
// has to be better. What is in the caches is packed: how long that takes is
// predicted less well, and differs by machine.
//
// Worked example: A of 400,000 x 4000 with 2 nonzeros a row, and 64 columns of
// f32. C has 1 MB, and B has 102 MB, of which packed rows of A^T take 800,000
// times 256 bytes from anywhere: 9.2 ms predicted, of a view 5.1 ms (measured:
// 8.5 and 6.3). Of a band, packed rows of A^T read B once, too, and write C less
// often than a view does.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PLAN_HOSTSTORAGE_H
#define ASTFE_CORE_PLAN_HOSTSTORAGE_H

#include "ASTFE/Core/Pack/Packed.h"
#include "ASTFE/Core/Reorder/Arrange.h"
#include "ASTFE/Core/Support/Element.h"
#include "ASTFE/Core/Tensor/SparseView.h"

namespace astfe::core {

/// Products on a host, as far as the storage of the matrix depends on them.
struct HostProducts {
  int64_t columns = 1;      ///< of the dense operand; each part of complex
                            ///< numbers is one; 0: nothing is read by columns
  int64_t elementBytes = 4; ///< of the result, or of a part of it

  /// Of results of an element. The parts of complex numbers run as columns.
  static HostProducts of(Element element, int64_t columns);

  /// Of a row of the result, of a cache line each.
  int64_t vectors() const;
};

/// Whether a view, by rows or by columns, is as fast as anything, so that
/// packing is in vain. O(1).
bool isTinyProduct(const SparseView &view, const HostProducts &products);

/// Whether a matrix that is arranged and packed so is taken as it is stored.
/// O(rows + segments).
bool takesHostView(const SparseView &view, const Arrangement &arrangement,
                   const Packed &packed, const HostProducts &products);

/// Whether a matrix by columns is taken as it is stored, on so many threads,
/// where the product over it as it is packed is predicted to take
/// `packedSeconds` on those of a machine in general. Modules do not ask.
/// Coordinates must be in range (check()). O(nonzeros + rows + columns).
bool takesScatteredView(const SparseView &view, const HostProducts &products,
                        int64_t threads, double packedSeconds);

} // namespace astfe::core

#endif // ASTFE_CORE_PLAN_HOSTSTORAGE_H
