//===- RowTotalsTest.cpp - columns that are summed into rows --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y_i = the sum, or the maximum, of a_ij B_jk over j and k, for numbers of
// columns with every kind of last vector, rows that workers share, and none.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Handles.h"
#include "HostKernels.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace astfe;

namespace {
struct TotalCase {
  int64_t columns;
  bool isStatic, packed, overwrite, isMaximum;
};

std::string textOf(const TotalCase &total, const TestMatrix &matrix) {
  const std::string rows = std::to_string(matrix.rows);
  const std::string shape = rows + "x" + std::to_string(matrix.columns);
  const std::string b = "tensor<" + std::to_string(matrix.columns) + "x" +
                        (total.isStatic ? std::to_string(total.columns) : "?") +
                        "xf64>";
  const std::string a = "tensor<" + shape + "xf64, #S>";
  const std::string y = "tensor<" + rows + "xf64>";
  const std::string blocked = "!astfe.blocked<" + shape + ", #L>";
  const std::string pack =
      total.packed
          ? "%h = astfe.profile of %A order = \"rows\" min = 1 : " + a +
                " -> !astfe.profile<" + shape + ">\n" +
                "%g = astfe.partition %h leaf = 8 : !astfe.profile<" + shape +
                "> -> !astfe.graph<" + shape + ">\n" +
                "%P = astfe.pack %A by %g : " + a + ", !astfe.graph<" + shape +
                "> -> " + blocked + "\n"
          : "%P = astfe.pack %A : " + a + " -> " + blocked + "\n";
  return std::string(R"(
    #S = #sparse_tensor.encoding<{map = (i, j) -> (i : dense,
      j : compressed), posWidth = 32, crdWidth = 32}>
    #L = #astfe.layout<)") +
         (total.packed
              ? "packed, columns = 32, classes = [row_segments, scattered]"
              : "view") +
         R"(>
    #n = affine_map<(n, i, j, k) -> (n)>
    #i = affine_map<(n, i, j, k) -> (i)>
    #jk = affine_map<(n, i, j, k) -> (j, k)>
    func.func @f(%A: )" +
         a + ", %B: " + b + ", %Y: " + y + ") -> " + y + " {\n" + pack +
         "%v = astfe.values %A in %P : " + a + ", " + blocked +
         " -> tensor<?xf64>\n" + "%r = astfe.compute over %P : " + blocked +
         " maps [#n, #jk, #i] ins(%v, %B : tensor<?xf64>, " + b +
         ") outs(%Y : " + y + ")" + (total.overwrite ? " overwrite" : "") +
         R"( {
      ^bb0(%x: f64, %z: f64):
        %p = arith.mulf %x, %z : f64
        astfe.yield ")" +
         (total.isMaximum ? "maximumf" : "addf") + R"(" %p : f64
      } -> )" +
         y + "\n return %r : " + y + "\n}\n";
}

/// Rows of no, one and some nonzeros, and one that is most of the matrix.
TestMatrix someRows() {
  TestMatrix matrix = oneDenseRow(9, 40, 4);
  TestMatrix made;
  made.rows = matrix.rows;
  made.columns = matrix.columns;
  for (size_t n = 0; n < matrix.row.size(); ++n) {
    const int64_t row = matrix.row[n];
    const bool isFirst = n == 0 || matrix.row[n - 1] != row;
    if (row != 2 && (row % 3 != 0 || isFirst))
      made.add(row, matrix.column[n], matrix.value[n]);
  }
  return made;
}

struct RowTotals : HostKernelTest {
  RowTotals() { astfe_rt_set_workers(3); }
  ~RowTotals() override {
    EXPECT_EQ(rt::Handle::live(), 0);
    astfe_rt_set_workers(0);
  }

  void expectTotals(const TotalCase &total, const TestMatrix &matrix) {
    const CompiledText compiled = compileText(context, textOf(total, matrix));
    ASSERT_TRUE(compiled.entry);
    std::vector<int64_t> begins(size_t(matrix.rows + 1));
    for (int64_t row : matrix.row)
      ++begins[size_t(row + 1)];
    for (size_t row = 0; row < size_t(matrix.rows); ++row)
      begins[row + 1] += begins[row];
    Indices positions(begins, 32), coordinates(matrix.column, 32);
    std::vector<double> value = matrix.value;
    std::vector<double> b(size_t(matrix.columns * total.columns));
    for (size_t at = 0; at < b.size(); ++at)
      b[at] = std::sin(double(at)) - 2; // Of one sign: no zero is the largest.
    const double none =
        total.isMaximum ? -std::numeric_limits<double>::infinity() : 0;
    std::vector<double> y(size_t(matrix.rows), total.overwrite ? NAN : -500);
    std::vector<double> wanted(y.size(), total.overwrite ? none : -500);
    for (size_t n = 0; n < value.size(); ++n)
      for (int64_t k = 0; k < total.columns; ++k) {
        const double term =
            value[n] * b[size_t(matrix.column[n] * total.columns + k)];
        double &sum = wanted[size_t(matrix.row[n])];
        sum = total.isMaximum ? std::max(sum, term) : sum + term;
      }
    const auto size = int64_t(value.size());
    Descriptor<1> values{value.data(), value.data(), 0, {size}, {1}};
    Descriptor<2> dense{b.data(),
                        b.data(),
                        0,
                        {matrix.columns, total.columns},
                        {total.columns, 1}};
    Descriptor<1> output{y.data(), y.data(), 0, {matrix.rows}, {1}};
    int64_t result[8];
    using Entry = void (*)(void *, void *, void *, void *, int64_t, int64_t,
                           void *, void *);
    astfe_rt_clear_error();
    reinterpret_cast<Entry>(compiled.entry)(
        result, &positions.memref, &coordinates.memref, &values, matrix.rows,
        matrix.columns, &dense, &output);
    ASSERT_EQ(astfe_rt_last_error(), nullptr);
    for (size_t row = 0; row < y.size(); ++row)
      EXPECT_TRUE(y[row] == wanted[row] ||
                  std::abs(y[row] - wanted[row]) < 1e-9)
          << "row " << row << ": expected " << wanted[row] << " but got "
          << y[row];
  }
};
} // namespace

TEST_F(RowTotals, OfEveryKindOfLastVector) {
  const TestMatrix matrix = someRows();
  // None, a lane, under a mask, overlapping, whole, several tiles.
  for (int64_t columns : {0, 1, 3, 8, 13, 20, 71})
    for (bool isStatic : {false, true})
      for (bool packed : {false, true})
        for (bool overwrite : {false, true}) {
          SCOPED_TRACE(std::to_string(columns) + " columns, static " +
                       std::to_string(isStatic) + ", packed " +
                       std::to_string(packed) + ", overwrite " +
                       std::to_string(overwrite));
          const bool isMaximum = columns != 0 && isStatic == packed;
          if (columns != 0 || !isStatic)
            expectTotals({columns, isStatic, packed, overwrite, isMaximum},
                         matrix);
        }
}
