//===- AllocationsTest.cpp - packed code that is called again -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every allocation of the process goes through this file: those of compiled
// code, of the runtime behind it, and of the threads that it wakes. After the
// first call over a pattern there is none.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Handles.h"
#include "HostKernels.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <atomic>

using namespace astfe;

static std::atomic<int64_t> allocations{0};

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = aligned_alloc(alignment, size);
  return *memory ? 0 : 12;
}
}

namespace {
struct Allocations : HostKernelTest {
  Allocations() { astfe_rt_set_threads(3); }
  ~Allocations() override {
    EXPECT_EQ(rt::Handle::live(), 0) << "handles were not released";
    astfe_rt_set_threads(0);
  }

  std::unique_ptr<Jit> compile(const std::string &text,
                               const std::string &pipeline) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    JitOptions options;
    options.pipeline = pipeline;
    auto jit = Jit::compile(*module, options);
    EXPECT_TRUE(jit) << jit.message();
    return jit ? std::move(*jit) : nullptr;
  }
};

/// A matrix, operands of whole numbers, and what C += A B is.
struct Problem {
  TestMatrix matrix;
  int64_t width;
  std::vector<float> values, b, c;
  std::vector<int64_t> ends;

  Problem(TestMatrix of, int64_t width)
      : matrix(std::move(of)), width(width), b(matrix.columns * width),
        c(matrix.rows * width), ends(matrix.rows + 1, 0) {
    for (size_t n = 0; n < matrix.row.size(); ++n) {
      values.push_back(float(int(n % 7) - 3));
      ends[size_t(matrix.row[n]) + 1] = int64_t(n) + 1;
    }
    for (size_t i = 1; i < ends.size(); ++i)
      ends[i] = std::max(ends[i], ends[i - 1]);
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = float(int(i % 5) - 2);
    positions = Indices(ends, 32).narrow;
    coordinates = Indices(matrix.column, 32).narrow;
  }

  /// After `times` products that add to C.
  std::vector<float> expected(int64_t times) const {
    std::vector<float> result(c.size(), 0);
    for (size_t n = 0; n < matrix.row.size(); ++n)
      for (int64_t k = 0; k < width; ++k)
        result[size_t(matrix.row[n] * width + k)] +=
            float(times) * values[n] * b[size_t(matrix.column[n] * width + k)];
    return result;
  }

  std::vector<int32_t> positions, coordinates;
  Descriptor<1> positionsBuffer() { return vectorOf(positions); }
  Descriptor<1> coordinatesBuffer() { return vectorOf(coordinates); }
  Descriptor<1> valuesBuffer() { return vectorOf(values); }
  Descriptor<2> operand() { return blockOf(b, matrix.columns); }
  Descriptor<2> result() { return blockOf(c, matrix.rows); }

private:
  template <typename T>
  static Descriptor<1> vectorOf(std::vector<T> &of) {
    return {of.data(), of.data(), 0, {int64_t(of.size())}, {1}};
  }
  Descriptor<2> blockOf(std::vector<float> &of, int64_t rows) const {
    return {of.data(), of.data(), 0, {rows, width}, {width, 1}};
  }
};
} // namespace

/// Trips that order the values anew each.
static std::string loopText(const std::string &layout, int64_t width) {
  std::string dense = "tensor<?x" + std::to_string(width) + "xf32>";
  return R"(
    #S = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                                  posWidth = 32, crdWidth = 32}>
    #L = #astfe.layout<)" +
         layout + R"(>
    !B = )" +
         dense +
         R"(
    #n = affine_map<(n, i, j, k) -> (n)>
    #jk = affine_map<(n, i, j, k) -> (j, k)>
    #ik = affine_map<(n, i, j, k) -> (i, k)>
    func.func @prepare(%A: tensor<?x?xf32, #S>) -> !astfe.blocked<?x?, #L> {
      %h = astfe.profile of %A order = "rows" min = 4
        : tensor<?x?xf32, #S> -> !astfe.profile<?x?>
      %g = astfe.partition %h leaf = 64
        : !astfe.profile<?x?> -> !astfe.graph<?x?>
      %P = astfe.pack %A by %g
        : tensor<?x?xf32, #S>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #L>
      return %P : !astfe.blocked<?x?, #L>
    }
    func.func @f(%P: !astfe.blocked<?x?, #L>, %A: tensor<?x?xf32, #S>, %B: !B,
                 %C: !B, %trips: index) -> !B {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %t = %c0 to %trips step %c1 iter_args(%c = %C) -> !B {
        %v = astfe.values %A in %P
          : tensor<?x?xf32, #S>, !astfe.blocked<?x?, #L> -> tensor<?xf32>
        %s = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #jk, #ik]
            ins(%v, %B : tensor<?xf32>, !B) outs(%c : !B) {
        ^bb0(%a: f32, %b: f32):
          %p = arith.mulf %a, %b : f32
          astfe.yield "addf" %p : f32
        } -> !B
        scf.yield %s : !B
      }
      return %r : !B
    })";
}

TEST_F(Allocations, TripsBorrowValuesPartialRowsAndWindows) {
  for (const char *layout :
       {"packed, columns = 32, classes = [row_segments, scattered]",
        "packed, columns = 16, classes = [row_segments, scattered, "
        "row_windows]",
        "packed, columns = 16, classes = [row_segments, scattered, "
        "dense_tile, row_tiles]"}) {
    SCOPED_TRACE(layout);
    const int64_t width = 300;
    auto jit = compile(loopText(layout, width), "astfe-to-cpu");
    ASSERT_TRUE(jit);
    auto prepare = jit->lookup("_mlir_ciface_prepare");
    auto entry = jit->lookup("_mlir_ciface_f");
    ASSERT_TRUE(prepare && entry);
    for (TestMatrix matrix :
         {oneDenseRow(40, 900, 17), randomMatrix(300, 420, 0.3, 5)}) {
      Problem problem(matrix, width);
      Descriptor<1> positions = problem.positionsBuffer(),
                    coordinates = problem.coordinatesBuffer(),
                    values = problem.valuesBuffer();
      using Prepare = void *(*)(void *, void *, void *, int64_t, int64_t);
      void *pattern = reinterpret_cast<Prepare>(*prepare)(
          &positions, &coordinates, &values, matrix.rows, matrix.columns);
      ASSERT_NE(pattern, nullptr) << astfe_rt_last_error();
      int64_t products = 0;
      for (int64_t trips : {1, 1, 5}) {
        Descriptor<2> b = problem.operand(), c = problem.result(), result;
        using Entry = void (*)(void *, void *, void *, void *, void *, int64_t,
                               int64_t, void *, void *, int64_t);
        const int64_t before = allocations;
        reinterpret_cast<Entry> (*entry)(&result, pattern, &positions,
                                         &coordinates, &values, matrix.rows,
                                         matrix.columns, &b, &c, trips);
        const int64_t made = allocations - before;
        EXPECT_EQ(astfe_rt_last_error(), nullptr) << astfe_rt_last_error();
        EXPECT_EQ(result.aligned, problem.c.data());
        EXPECT_EQ(made == 0, products > 0) << made << " allocations";
        EXPECT_EQ(problem.c, problem.expected(products += trips));
      }
      _mlir_ciface_astfe_rt_release(pattern);
    }
  }
}

static const char *const kMatmul = R"(
  #S = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                                posWidth = 32, crdWidth = 32}>
  func.func @f(%A: tensor<?x?xf32, #S>, %B: tensor<?x?xf32>,
               %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %r = linalg.matmul ins(%A, %B : tensor<?x?xf32, #S>, tensor<?x?xf32>)
                       outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %r : tensor<?x?xf32>
  })";

TEST_F(Allocations, RunsOnAPreparedPatternHaveNone) {
  auto jit = compile(kMatmul, "astfe-to-cpu{storage=packed split-inspector}");
  ASSERT_TRUE(jit);
  auto prepare = jit->lookup("_mlir_ciface_f_prepare");
  auto run = jit->lookup("_mlir_ciface_f_run");
  ASSERT_TRUE(prepare && run);
  Problem problem(oneDenseRow(40, 900, 17), 20);
  Descriptor<1> positions = problem.positionsBuffer(),
                coordinates = problem.coordinatesBuffer(),
                values = problem.valuesBuffer();
  using Prepare = void *(*)(void *, void *, void *, int64_t, int64_t);
  void *pattern = reinterpret_cast<Prepare>(*prepare)(
      &positions, &coordinates, &values, problem.matrix.rows,
      problem.matrix.columns);
  ASSERT_NE(pattern, nullptr) << astfe_rt_last_error();
  using Run = void (*)(void *, void *, void *, void *, void *, int64_t, int64_t,
                       void *, void *);
  for (int64_t times = 1; times <= 4; ++times) {
    Descriptor<2> b = problem.operand(), c = problem.result(), result;
    int64_t before = allocations;
    reinterpret_cast<Run> (*run)(&result, pattern, &positions, &coordinates,
                                 &values, problem.matrix.rows,
                                 problem.matrix.columns, &b, &c);
    int64_t made = allocations - before;
    if (times > 1)
      EXPECT_EQ(made, 0) << "call " << times;
    EXPECT_EQ(problem.c, problem.expected(times));
  }
  _mlir_ciface_astfe_rt_release(pattern);
}
