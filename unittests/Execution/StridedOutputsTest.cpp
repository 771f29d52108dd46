//===- StridedOutputsTest.cpp - packed kernels into parts of buffers ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output is a part of a larger buffer, and some of its rows are shared by
// workers: whole rows of another stride beside it.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "HostKernels.h"

using namespace astfe;

namespace {
constexpr int64_t kRows = 40, kColumns = 300, kWidth = 4;
constexpr int64_t kStride = 16, kOffset = 4;

struct StridedOutputs : HostKernelTest {
  StridedOutputs() { astfe_rt_set_threads(7); }
  ~StridedOutputs() override { astfe_rt_set_threads(0); }

  /// C += A B where C has the type `output`.
  void run(const std::string &output);
};
} // namespace

static std::string textOf(const std::string &output) {
  return R"(
    #S = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                                  posWidth = 32, crdWidth = 32}>
    #L = #astfe.layout<packed, columns = 32,
                       classes = [row_segments, scattered]>
    #n = affine_map<(n, i, j, k) -> (n)>
    #jk = affine_map<(n, i, j, k) -> (j, k)>
    #ik = affine_map<(n, i, j, k) -> (i, k)>
    func.func @f(%A: tensor<?x?xf32, #S>, %B: memref<?x4xf32>, %C: )" +
         output + R"() {
      %h = astfe.profile of %A order = "rows" min = 4
        : tensor<?x?xf32, #S> -> !astfe.profile<?x?>
      %g = astfe.partition %h leaf = 64
        : !astfe.profile<?x?> -> !astfe.graph<?x?>
      %P = astfe.pack %A by %g
        : tensor<?x?xf32, #S>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #L>
      %t = astfe.values %A in %P
        : tensor<?x?xf32, #S>, !astfe.blocked<?x?, #L> -> tensor<?xf32>
      %v = bufferization.to_buffer %t : tensor<?xf32> to memref<?xf32>
      astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #jk, #ik]
          ins(%v, %B : memref<?xf32>, memref<?x4xf32>) outs(%C : )" +
         output + R"() {
      ^bb0(%a: f32, %b: f32):
        %p = arith.mulf %a, %b : f32
        astfe.yield "addf" %p : f32
      }
      return
    })";
}

void StridedOutputs::run(const std::string &output) {
  SCOPED_TRACE(output);
  const CompiledText compiled = compileText(context, textOf(output));
  ASSERT_TRUE(compiled.entry);

  // Multiples of 1/8 with few bits: sums are exact in any order.
  TestMatrix matrix = oneDenseRow(kRows, kColumns, 17);
  std::vector<int64_t> ends(kRows + 1, 0);
  std::vector<float> values, b(size_t(kColumns * kWidth));
  for (size_t n = 0; n < matrix.row.size(); ++n) {
    values.push_back(float(int(n % 15) - 7) / 8);
    ends[size_t(matrix.row[n]) + 1] = int64_t(n) + 1;
  }
  for (size_t i = 1; i < ends.size(); ++i)
    ends[i] = std::max(ends[i], ends[i - 1]);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = float(int(i % 9) - 4);
  std::vector<float> c(size_t(kOffset + kRows * kStride), 0.5), expected = c;
  for (size_t n = 0; n < matrix.row.size(); ++n)
    for (int64_t k = 0; k < kWidth; ++k)
      expected[size_t(kOffset + matrix.row[n] * kStride + k)] +=
          values[n] * b[size_t(matrix.column[n] * kWidth + k)];

  Indices positions(ends, 32), coordinates(matrix.column, 32);
  Descriptor<1> stored{
      values.data(), values.data(), 0, {int64_t(values.size())}, {1}};
  Descriptor<2> operand{b.data(), b.data(), 0, {kColumns, kWidth}, {kWidth, 1}};
  Descriptor<2> result{
      c.data(), c.data(), kOffset, {kRows, kWidth}, {kStride, 1}};
  using Entry =
      void (*)(void *, void *, void *, int64_t, int64_t, void *, void *);
  astfe_rt_clear_error();
  reinterpret_cast<Entry>(compiled.entry)(&positions.memref,
                                          &coordinates.memref, &stored, kRows,
                                          kColumns, &operand, &result);
  ASSERT_EQ(astfe_rt_last_error(), nullptr) << astfe_rt_last_error();
  EXPECT_EQ(c, expected);
}

TEST_F(StridedOutputs, AreWrittenWhereTheyAre) {
  run("memref<40x4xf32, strided<[16, 1], offset: 4>>");
  run("memref<40x4xf32, strided<[?, 1], offset: ?>>");
  run("memref<?x4xf32, strided<[?, 1], offset: ?>>");
  run("memref<?x?xf32, strided<[?, 1], offset: ?>>");
}
