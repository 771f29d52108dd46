//===- HostKernels.cpp - compiled host kernels against brute force --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostKernels.h"
#include "ASTFE/InitAll.h"
#include "ASTFE/Runtime/ABI.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace mlir;
using namespace astfe;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

void TestMatrix::add(int64_t i, int64_t j, double v) {
  row.push_back(i);
  column.push_back(j);
  value.push_back(v);
}

TestMatrix TestMatrix::byColumns() const {
  std::vector<size_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return column[a] < column[b]; });
  TestMatrix result{rows, columns, {}, {}, {}};
  for (size_t n : order)
    result.add(row[n], column[n], value[n]);
  return result;
}

TestMatrix astfe::randomMatrix(int64_t rows, int64_t columns, double density,
                               unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(0, 1), value(-1, 1);
  TestMatrix matrix{rows, columns, {}, {}, {}};
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      if (place(random) < density)
        matrix.add(i, j, value(random));
  return matrix;
}

TestMatrix astfe::oneDenseRow(int64_t rows, int64_t columns, int64_t full) {
  TestMatrix matrix{rows, columns, {}, {}, {}};
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      if (i == full || (i * 7 + j * 3) % 41 == 0)
        matrix.add(i, j, double((i + j) % 9) - 4);
  return matrix;
}

TestMatrix astfe::denseBlocks(int64_t blocks, int64_t side) {
  TestMatrix matrix{blocks * side, blocks * side, {}, {}, {}};
  for (int64_t i = 0; i < matrix.rows; ++i)
    for (int64_t j = i / side * side; j < (i / side + 1) * side; ++j)
      matrix.add(i, j, double((i * 5 + j) % 11) - 5);
  return matrix;
}

TestMatrix astfe::alikeRows(int64_t rows, int64_t columns) {
  TestMatrix matrix{rows, columns, {}, {}, {}};
  for (int64_t i = 0, begin = 0, length = 1; i < rows; ++i) {
    if (i == begin + length) {
      begin = i;
      length = length % 13 + 1;
    }
    for (int64_t j = 0; j < columns; ++j)
      if ((begin * 5 + j * j) % 11 < 4)
        matrix.add(i, j, double((i * 5 + j) % 11) - 5);
  }
  return matrix;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static std::string replaceAll(std::string text, const std::string &from,
                              const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// What makes %P: nothing but pack for a view.
static std::string packText(const KernelCase &kernel) {
  if (kernel.layout == "view")
    return "%P = astfe.pack %A : @A -> !astfe.blocked<?x?, #L>\n";
  return "%h = astfe.profile of %A order = \"" + kernel.order +
         "\" min = 4 : @A -> !astfe.profile<?x?>\n"
         "%g0 = astfe.partition %h leaf = 64 : !astfe.profile<?x?> -> "
         "!astfe.graph<?x?>\n"
         "%g1 = astfe.refine %g0 by %h : !astfe.graph<?x?>, "
         "!astfe.profile<?x?>\n"
         "%g2 = astfe.fuse %g1 by %h : !astfe.graph<?x?>, "
         "!astfe.profile<?x?>\n"
         "%P = astfe.pack %A by %g2 : @A, !astfe.graph<?x?> -> "
         "!astfe.blocked<?x?, #L>\n";
}

static std::string mapsText(const KernelCase &kernel) {
  if (kernel.columnMajor)
    return "#n = affine_map<(n, i, j, k) -> (n)>\n"
           "#jk = affine_map<(n, i, j, k) -> (k, j)>\n"
           "#ik = affine_map<(n, i, j, k) -> (k, i)>\n";
  if (kernel.denseColumns < 0)
    return "#n = affine_map<(n, i, j) -> (n)>\n"
           "#jk = affine_map<(n, i, j) -> (j)>\n"
           "#ik = affine_map<(n, i, j) -> (i)>\n";
  return "#n = affine_map<(n, i, j, k) -> (n)>\n"
         "#jk = affine_map<(n, i, j, k) -> (j, k)>\n"
         "#ik = affine_map<(n, i, j, k) -> (i, k)>\n";
}

/// The computation on tensors, which the function returns.
static const char *const kOnTensors = R"(
         %v = astfe.values %A in %P
           : @A, !astfe.blocked<?x?, #L> -> tensor<?x@T>
         %r = astfe.compute over %P : !astfe.blocked<?x?, #L>
             maps [#n, #jk, #ik]
             ins(%v, %B : tensor<?x@T>, @D) outs(%C : @D)@OVERWRITE {@BODY}@KERNEL -> @D
         return %r : @D
       })";

/// The computation on buffers.
static const char *const kOnBuffers = R"(
         %t = astfe.values %A in %P
           : @A, !astfe.blocked<?x?, #L> -> tensor<?x@T>
         %v = bufferization.to_buffer %t : tensor<?x@T> to memref<?x@T>
         astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #jk, #ik]
             ins(%v, %B : memref<?x@T>, @D) outs(%C : @D)@OVERWRITE {@BODY}@KERNEL
         return
       })";

static const char *const kBody = R"(
         ^bb0(%a: @T, %b: @T):
           %p = arith.@PRODUCT %a, %b : @T
           astfe.yield "@KIND" %p : @T
         )";

/// The type of the dense operands.
static std::string denseType(const KernelCase &kernel) {
  const std::string columns =
      kernel.staticColumns ? std::to_string(kernel.denseColumns) : "?";
  std::string shape = kernel.denseColumns < 0 ? "?x@T"
                      : kernel.columnMajor    ? columns + "x?x@T"
                                              : "?x" + columns + "x@T";
  if (kernel.padding == 0)
    return "tensor<" + shape + ">";
  if (kernel.denseColumns < 0)
    return "memref<" + shape + ", strided<[?], offset: ?>>";
  std::string inner = kernel.apart == 1 ? "1" : "?";
  if (kernel.apart == 2)
    inner = "2";
  return "memref<" + shape + ", strided<[?, " + inner + "], offset: ?>>";
}

static std::string kernelText(const KernelCase &kernel) {
  if (kernel.columnTile == 0)
    return "";
  return " kernel <[row_segments, scattered], "
         "column_tile = " +
         std::to_string(kernel.columnTile) + ">";
}

std::string astfe::moduleText(const KernelCase &kernel) {
  std::string text =
      "#S = #sparse_tensor.encoding<{map = (i, j) -> (@LEVELS), posWidth = " +
      std::to_string(kernel.posWidth) +
      ", crdWidth = " + std::to_string(kernel.crdWidth) +
      "}>\n#L = #astfe.layout<" + kernel.layout + ">\n" + mapsText(kernel) +
      "func.func @f(%A: @A, %B: @D, %C: @D)" +
      (kernel.padding ? "" : " -> @D") + " {\n" + packText(kernel) +
      (kernel.padding ? kOnBuffers : kOnTensors);
  text = replaceAll(text, "@BODY", kBody);
  text = replaceAll(text, "@OVERWRITE", kernel.overwrite ? " overwrite" : "");
  text = replaceAll(text, "@KERNEL", kernelText(kernel));
  text = replaceAll(text, "@LEVELS",
                    kernel.byColumns ? "j : dense, i : compressed"
                                     : "i : dense, j : compressed");
  text = replaceAll(text, "@A", "tensor<?x?x@T, #S>");
  text = replaceAll(text, "@D", denseType(kernel));
  text = replaceAll(text, "@KIND", kernel.combiner);
  text = replaceAll(text, "@PRODUCT", kernel.product);
  const char *element = kernel.isDouble ? "f64" : "f32";
  return replaceAll(text, "@T", kernel.isHalf ? "bf16" : element);
}

std::string astfe::hostPipeline(const KernelCase &kernel) {
  if (!kernel.pipeline.empty())
    return kernel.pipeline;
  return "convert-astfe-to-scf" +
         (kernel.passOptions.empty() ? "" : "{" + kernel.passOptions + "}") +
         ",convert-scf-to-openmp,astfe-inline-alloca-scopes,"
         "astfe-expose-buffers,"
         "sparsifier{enable-runtime-library=false},"
         "reconcile-unrealized-casts";
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
/// A bf16.
struct Half {
  uint16_t bits;

  Half() = default;
  Half(double value) {
    llvm::APFloat rounded(value);
    bool isInexact;
    rounded.convert(llvm::APFloat::BFloat(), llvm::APFloat::rmNearestTiesToEven,
                    &isInexact);
    bits = uint16_t(rounded.bitcastToAPInt().getZExtValue());
  }
  operator double() const {
    return llvm::APFloat(llvm::APFloat::BFloat(), llvm::APInt(16, bits))
        .convertToDouble();
  }
};

/// Elements as the case has them: with others before them, between their rows
/// and between each other, or column by column.
template <typename T>
struct Dense {
  int64_t columns, stride, apart, offset;
  std::vector<T> data;
  std::vector<bool> padding;
  Descriptor<1> vector;
  Descriptor<2> matrix;

  Dense(const KernelCase &kernel, int64_t rows, int64_t columns, unsigned seed)
      : columns(columns), stride(columns * kernel.apart + kernel.padding),
        apart(kernel.apart), offset(kernel.padding) {
    if (kernel.columnMajor) {
      stride = 1;
      apart = rows;
    }
    data.resize(size_t(offset + std::max(rows * stride, columns * apart)));
    padding.resize(data.size(), true);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        padding[at(row, column)] = false;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(-1, 1);
    for (T &element : data)
      element = T(value(random));
    vector = {data.data(), data.data(), offset, {rows * columns}, {stride}};
    matrix = {
        data.data(), data.data(), offset, {rows, columns}, {stride, apart}};
    if (kernel.columnMajor)
      matrix = {
          data.data(), data.data(), offset, {columns, rows}, {apart, stride}};
  }
  size_t at(int64_t row, int64_t column) const {
    return size_t(offset + row * stride + column * apart);
  }
  bool isPadding(size_t at) const { return padding[at]; }
  void *descriptor(bool isVector) {
    return isVector ? static_cast<void *>(&vector)
                    : static_cast<void *>(&matrix);
  }
};
} // namespace

/// Positions of a dense level of `extent` over sorted indices.
static std::vector<int64_t> positionsOf(const std::vector<int64_t> &sorted,
                                        int64_t extent) {
  std::vector<int64_t> positions(extent + 1, 0);
  for (int64_t i : sorted)
    ++positions[i + 1];
  std::partial_sum(positions.begin(), positions.end(), positions.begin());
  return positions;
}

namespace {
/// The value that an element should have and the sum of |terms|.
struct Expected {
  double value, magnitude;
};
} // namespace

static double combine(const KernelCase &kernel, double a, double b) {
  if (kernel.combiner == "maximumf")
    return std::max(a, b);
  return a + b;
}

/// All of the output's buffer.
template <typename T>
static std::vector<Expected> bruteForce(const KernelCase &kernel,
                                        const TestMatrix &matrix,
                                        const Dense<T> &b, const Dense<T> &c) {
  std::vector<Expected> result;
  double none = kernel.combiner == "maximumf"
                    ? -std::numeric_limits<double>::infinity()
                    : 0;
  for (T start : c.data)
    result.push_back(kernel.overwrite
                         ? Expected{none, 0}
                         : Expected{double(start), std::abs(double(start))});
  for (size_t n = 0; n < matrix.row.size(); ++n)
    for (int64_t k = 0; k < c.columns; ++k) {
      double x = double(T(matrix.value[n]));
      double y = double(b.data[b.at(matrix.column[n], k)]);
      double term = kernel.product == "addf" ? x + y : x * y;
      Expected &sum = result[c.at(matrix.row[n], k)];
      sum.value = combine(kernel, sum.value, term);
      sum.magnitude += std::abs(term);
    }
  return result;
}

/// Columns of the dense operands: 1 for vectors.
static int64_t widthOf(const KernelCase &kernel) {
  return std::max<int64_t>(kernel.denseColumns, kernel.denseColumns < 0);
}

/// Calls the compiled function; `matrix` is in the order of the format.
template <typename T>
static Descriptor<2> call(void *entry, const KernelCase &kernel,
                          const TestMatrix &matrix, Dense<T> &b, Dense<T> &c) {
  const auto &major = kernel.byColumns ? matrix.column : matrix.row;
  const auto &minor = kernel.byColumns ? matrix.row : matrix.column;
  Indices positions(
      positionsOf(major, kernel.byColumns ? matrix.columns : matrix.rows),
      kernel.posWidth);
  Indices coordinates(minor, kernel.crdWidth);
  std::vector<T> values(matrix.value.begin(), matrix.value.end());
  Descriptor<1> valueMemref{
      values.data(), values.data(), 0, {int64_t(values.size())}, {1}};
  bool vector = kernel.denseColumns < 0;
  void *in = b.descriptor(vector), *out = c.descriptor(vector);
  astfe_rt_clear_error();
  if (kernel.padding) {
    using Entry =
        void (*)(void *, void *, void *, int64_t, int64_t, void *, void *);
    reinterpret_cast<Entry>(entry)(&positions.memref, &coordinates.memref,
                                   &valueMemref, matrix.rows, matrix.columns,
                                   in, out);
    return c.matrix;
  }
  Descriptor<2> result;
  using Entry = void (*)(void *, void *, void *, void *, int64_t, int64_t,
                         void *, void *);
  reinterpret_cast<Entry>(entry)(&result, &positions.memref,
                                 &coordinates.memref, &valueMemref, matrix.rows,
                                 matrix.columns, in, out);
  return result;
}

template <typename T>
static void run(void *entry, const KernelCase &kernel,
                const TestMatrix &original) {
  const double kNaN = std::numeric_limits<double>::quiet_NaN();
  TestMatrix matrix = kernel.byColumns ? original.byColumns() : original;
  int64_t width = widthOf(kernel);
  Dense<T> b(kernel, matrix.columns, width, 1),
      c(kernel, matrix.rows, width, 2);
  for (size_t at = 0; at < b.data.size(); ++at)
    if (b.isPadding(at))
      b.data[at] = T(kNaN);
  // What no nonzero asks for is in no sum.
  std::vector<bool> isNamed(size_t(matrix.columns), false);
  for (int64_t column : matrix.column)
    isNamed[size_t(column)] = true;
  for (int64_t row = 0; row < matrix.columns; ++row)
    for (int64_t k = 0; !isNamed[size_t(row)] && k < width; ++k)
      b.data[b.at(row, k)] = T(kNaN);
  for (size_t at = 0; kernel.overwrite && at < c.data.size(); ++at)
    if (!c.isPadding(at))
      c.data[at] = T(kNaN);
  std::vector<Expected> expected = bruteForce(kernel, matrix, b, c);
  std::vector<T> before = c.data;
  Descriptor<2> result = call<T>(entry, kernel, matrix, b, c);
  ASSERT_EQ(astfe_rt_last_error(), nullptr) << astfe_rt_last_error();
  ASSERT_EQ(result.aligned, c.data.data()) << "not in place";
  const double tolerance = sizeof(T) == 8 ? 1e-13 : 1e-5;
  const double rounding = kernel.isHalf ? std::ldexp(1, -8) : 0;
  for (size_t at = 0; at < expected.size(); ++at)
    if (c.isPadding(at))
      ASSERT_EQ(c.data[at], before[at]) << "element " << at << " of no row";
    else if (double(c.data[at]) != expected[at].value)
      ASSERT_NEAR(double(c.data[at]), expected[at].value,
                  tolerance * expected[at].magnitude +
                      rounding * std::abs(expected[at].value))
          << "element " << at << " of the buffer";
}

std::string astfe::errorOf(void *entry, const KernelCase &kernel,
                           const TestMatrix &matrix, int64_t missingRows,
                           int64_t missingColumns) {
  int64_t width = widthOf(kernel);
  Dense<float> b(kernel, matrix.columns - missingRows, width - missingColumns,
                 1),
      c(kernel, matrix.rows, width, 2);
  call<float>(entry, kernel, matrix, b, c);
  const char *text = astfe_rt_last_error();
  return text ? text : "";
}

std::vector<float> astfe::resultOf(void *entry, const KernelCase &kernel,
                                   const TestMatrix &matrix) {
  int64_t width = widthOf(kernel);
  Dense<float> b(kernel, matrix.columns, width, 1),
      c(kernel, matrix.rows, width, 2);
  call<float>(entry, kernel, matrix, b, c);
  EXPECT_EQ(astfe_rt_last_error(), nullptr) << astfe_rt_last_error();
  return c.data;
}

CompiledText astfe::compileText(MLIRContext &context, const std::string &text,
                                const KernelCase &kernel) {
  CompiledText compiled;
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  if (!module)
    return compiled;
  JitOptions options;
  options.pipeline = hostPipeline(kernel);
  auto jit = Jit::compile(*module, options);
  EXPECT_TRUE(jit) << jit.message();
  if (!jit)
    return compiled;
  compiled.jit = std::move(*jit);
  auto entry = compiled.jit->lookup("_mlir_ciface_f");
  EXPECT_TRUE(entry) << entry.message();
  if (entry)
    compiled.entry = *entry;
  return compiled;
}

void astfe::expectRight(MLIRContext &context, const KernelCase &kernel,
                        const std::vector<TestMatrix> &matrices) {
  std::string text = moduleText(kernel);
  SCOPED_TRACE(text);
  const CompiledText compiled = compileText(context, text, kernel);
  ASSERT_TRUE(compiled.entry);
  for (const TestMatrix &matrix : matrices) {
    SCOPED_TRACE(std::to_string(matrix.rows) + "x" +
                 std::to_string(matrix.columns) + " with " +
                 std::to_string(matrix.row.size()) + " nonzeros");
    if (kernel.isHalf)
      run<Half>(compiled.entry, kernel, matrix);
    else if (kernel.isDouble)
      run<double>(compiled.entry, kernel, matrix);
    else
      run<float>(compiled.entry, kernel, matrix);
  }
}

void astfe::expectRight(MLIRContext &context, const KernelCase &kernel,
                        const TestMatrix &matrix) {
  expectRight(context, kernel, std::vector<TestMatrix>{matrix});
}

void astfe::expectRightBothWays(MLIRContext &context, KernelCase kernel,
                                const std::vector<TestMatrix> &matrices) {
  for (bool overwrite : {false, true}) {
    kernel.overwrite = overwrite;
    expectRight(context, kernel, matrices);
  }
}

HostKernelTest::HostKernelTest() {
  static const bool registered = [] {
    mlir::registerAllPasses();
    astfe::registerAllPasses();
    astfe::registerAllPipelines();
    return true;
  }();
  (void)registered;
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  context.appendDialectRegistry(registry);
}
