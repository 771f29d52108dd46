//===- ScatterShares.h - how sums by coordinates are shared out -*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nonzeros of a view that add to the rows of C that their coordinates name are
// shared out in one of two ways (ASTFEToSCF/ViewPieces.cpp, ViewParts.cpp,
// which decide by the same rule when they run):
//
//   pieces  of A's rows, each with sums of its own for all of C, which are
//           combined at the end
//   parts   of C's rows, each of which looks into every row of A
//
// P pieces take w / P + c P, where w is the work of all nonzeros and c what
// clears and combines one row of sums for each of C: least where P is the root
// of w / c. So there are P pieces where each has P nonzeros for every row of C,
// and kRunNonzeros, whose sums take half of the near part of L3 all together:
// those beyond it take longer, in memory that is new to the process each time.
// Of a vector, which has no parts, two pieces may take more. Pieces are taken
// where A's rows take longer to look into (kSearchBytes each) than C has bytes,
// or where there is one part: each part updates kPartBytes for every row of A
// and kWokenBytes in all.
//
// Neither depends on the number of threads, so that the sums do not.
//
// Worked example: A of 200,000 x 30,000 with 600,000 nonzeros, 20 for each row
// of C. With 16 columns of f32 C has 1.9 MB, and four pieces of 7.7 MB need 16
// nonzeros. With 64 columns C has 7.7 MB, two pieces would take 15, and there
// are three parts of 256 bytes for each row of A. O(1).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PLAN_SCATTERSHARES_H
#define ASTFE_CORE_PLAN_SCATTERSHARES_H

#include <cstdint>

namespace astfe::core {

/// Sums into rows that coordinates name.
struct ScatteredSums {
  int64_t rows = 0;     ///< of C
  int64_t walked = 0;   ///< rows of A
  int64_t nonzeros = 0; ///< of A
  int64_t columns = 1;  ///< of C; one is a vector
  int64_t elementBytes = 4;
};

struct ScatterShares {
  bool arePieces = false;
  /// Pieces, or parts at most: there are no more of these than threads.
  int64_t count = 1;
};

ScatterShares shareScattered(const ScatteredSums &sums);

} // namespace astfe::core

#endif // ASTFE_CORE_PLAN_SCATTERSHARES_H
