//===- TouchedRows.h - rows that threads touch, each once ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads, nonzeros (0,1) (0,2) | (0,2) (1,2): rows of B and C together are
// 2 + 2, those of each thread added up 3 + 3, and row 0 of C is shared by two.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_COST_TOUCHEDROWS_H
#define ASTFE_LIB_CORE_COST_TOUCHEDROWS_H

#include "ASTFE/Core/Cost/Cost.h"

namespace astfe::core {

/// Distinct rows of B and C, and those of C that several threads write.
class TouchedRows {
public:
  TouchedRows(int64_t rows, int64_t columns)
      : writer(size_t(rows), -1), reader(size_t(columns), -1) {}

  void read(int64_t column, int32_t thread) { note(reader, column, thread); }
  void write(int64_t row, int32_t thread) {
    const int32_t last = note(writer, row, thread);
    work.shared += last >= 0 && last != thread ? 2 : 0;
  }

  /// Only what is counted here.
  Work work;

private:
  int32_t note(std::vector<int32_t> &last, int64_t index, int32_t thread) {
    int32_t &mine = last[size_t(index)];
    const int32_t before = mine;
    work.rows += before < 0;
    work.threadRows += before != thread;
    mine = thread;
    return before;
  }

  std::vector<int32_t> writer, reader;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_COST_TOUCHEDROWS_H
