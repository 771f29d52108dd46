//===- SampledKernels.cpp - s_n = a_n <X_i, Y_j>, compiled and compared ---===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The samples come back through astfe.unpack, in the order of the matrix.
//
//===----------------------------------------------------------------------===//

#include "SampledKernels.h"
#include "ASTFE/Execution/Jit.h"
#include "ASTFE/Runtime/ABI.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <cmath>

using namespace mlir;
using namespace astfe;

static std::string sampledText(const SampledCase &sampled) {
  const std::string element = sampled.isDouble ? "f64" : "f32";
  const bool dense = sampled.inner != 0;
  const std::string inner =
      sampled.staticInner ? std::to_string(sampled.inner) : "?";
  const std::string x =
      "tensor<?x" + (dense ? inner + "x" : "") + element + ">";
  const std::string vector = "tensor<?x" + element + ">",
                    matrix = "tensor<?x?x" + element + ", #S>",
                    buffer = "memref<?x" + element + ">";
  const std::string dims = dense ? "(n, i, j, k)" : "(n, i, j)",
                    k = dense ? ", k" : "";
  const std::string pack =
      sampled.layout == "view"
          ? "%P = astfe.pack %A : " + matrix + " -> !P\n"
          : "%h = astfe.profile of %A order = \"hilbert\" min = 1 : " + matrix +
                " -> !astfe.profile<?x?>\n"
                "%g = astfe.partition %h leaf = 4 : !astfe.profile<?x?> -> "
                "!astfe.graph<?x?>\n%P = astfe.pack %A by %g : " +
                matrix + ", !astfe.graph<?x?> -> !P\n";
  return "#S = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : "
         "compressed), posWidth = 32, crdWidth = 32}>\n"
         "#L = #astfe.layout<" +
         sampled.layout +
         ">\n"
         "!P = !astfe.blocked<?x?, #L>\n"
         "#n = affine_map<" +
         dims + " -> (n)>\n#x = affine_map<" + dims + " -> (i" + k +
         ")>\n#y = affine_map<" + dims + " -> (j" + k + ")>\n" +
         "func.func @f(%A: " + matrix + ", %X: " + x + ", %Y: " + x +
         ", %O: " + vector + ") -> " + vector + " {\n" + pack +
         "%v = astfe.values %A in %P : " + matrix + ", !P -> " + vector + "\n" +
         (sampled.overwrite
              ? "%z = arith.constant 0 : index\n%c = tensor.dim %v, %z : " +
                    vector + "\n%e = tensor.empty(%c) : " + vector + "\n"
              : "%e = bufferization.alloc_tensor() copy(%v) : " + vector +
                    "\n") +
         "%s = astfe.compute over %P : !P maps [#n, #x, #y, #n]\n"
         "ins(%v, %X, %Y : " +
         vector + ", " + x + ", " + x + ") outs(%e : " + vector + ")" +
         (sampled.overwrite ? " overwrite" : "") + " {\n^bb0(%a: " + element +
         ", %p: " + element + ", %q: " + element +
         "):\n"
         "%m = arith.mulf %p, %a : " +
         element + "\n%r = arith.mulf %m, %q : " + element +
         "\nastfe.yield \"addf\" %r : " + element + "\n} -> " + vector +
         "\n%U = astfe.unpack %s in %P like %A : " + vector + ", !P, " +
         matrix + "\n%b = sparse_tensor.values %U : " + matrix + " to " +
         buffer + "\n%t = bufferization.to_tensor %b restrict : " + buffer +
         " to " + vector +
         "\n%o = bufferization.materialize_in_destination %t in %O : (" +
         vector + ", " + vector + ") -> " + vector + "\nreturn %o : " + vector +
         "\n}\n";
}

namespace {
/// Operands of one run, in the element type.
template <typename T>
struct Operands {
  std::vector<T> values, x, y, samples;
  std::vector<int64_t> positions{0}, coordinates;

  Operands(const TestMatrix &matrix, int64_t inner) {
    for (int64_t i = 0; i < matrix.rows; ++i)
      positions.push_back(positions.back() +
                          std::count(matrix.row.begin(), matrix.row.end(), i));
    coordinates = matrix.column;
    values.assign(matrix.value.begin(), matrix.value.end());
    samples.assign(values.size(), T(NAN));
    fill(x, matrix.rows * std::max<int64_t>(inner, 1), 1);
    fill(y, matrix.columns * std::max<int64_t>(inner, 1), 2);
  }
  static void fill(std::vector<T> &data, int64_t size, uint32_t seed) {
    for (int64_t i = 0; i < size; ++i)
      data.push_back(T((seed = seed * 1664525u + 1013904223u) >> 8) * 0x1p-23f -
                     1);
  }
};
} // namespace

template <typename T>
static Descriptor<1> vectorOf(std::vector<T> &data) {
  return {data.data(), data.data(), 0, {int64_t(data.size())}, {1}};
}

template <typename T>
static void runCase(void *entry, const SampledCase &sampled,
                    const TestMatrix &matrix) {
  Operands<T> o(matrix, sampled.inner);
  Indices positions(o.positions, 32), coordinates(o.coordinates, 32);
  Descriptor<1> values = vectorOf(o.values), samples = vectorOf(o.samples),
                result{}, row = vectorOf(o.x), column = vectorOf(o.y);
  const int64_t inner = sampled.inner;
  Descriptor<2> x{o.x.data(), o.x.data(), 0, {matrix.rows, inner}, {inner, 1}},
      y{o.y.data(), o.y.data(), 0, {matrix.columns, inner}, {inner, 1}};
  astfe_rt_clear_error();
  reinterpret_cast<void (*)(void *, void *, void *, void *, int64_t, int64_t,
                            void *, void *, void *)>(entry)(
      &result, &positions.memref, &coordinates.memref, &values, matrix.rows,
      matrix.columns, inner ? (void *)&x : &row, inner ? (void *)&y : &column,
      &samples);
  ASSERT_EQ(astfe_rt_last_error(), nullptr);
  const double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  for (size_t n = 0; n < o.values.size(); ++n) {
    double sum = sampled.overwrite ? 0 : double(o.values[n]);
    double magnitude = std::fabs(sum);
    for (int64_t k = 0; k < std::max<int64_t>(inner, 1); ++k) {
      const int64_t width = std::max<int64_t>(inner, 1);
      const double term = double(o.values[n]) *
                          double(o.x[size_t(matrix.row[n] * width + k)]) *
                          double(o.y[size_t(matrix.column[n] * width + k)]);
      sum += term;
      magnitude += std::fabs(term);
    }
    EXPECT_NEAR(double(o.samples[n]), sum, double(inner + 3) * unit * magnitude)
        << "sample " << n << " of " << o.values.size();
  }
}

void astfe::expectRightSamples(MLIRContext &context, const SampledCase &sampled,
                               const std::vector<TestMatrix> &matrices) {
  SCOPED_TRACE(sampled.layout + ", inner " + std::to_string(sampled.inner) +
               (sampled.isDouble ? ", f64" : ", f32") +
               (sampled.overwrite ? "" : ", added"));
  auto module = parseSourceString<ModuleOp>(sampledText(sampled), &context);
  ASSERT_TRUE(module);
  JitOptions options;
  options.pipeline =
      sampled.pipeline.empty() ? hostPipeline(KernelCase()) : sampled.pipeline;
  auto jit = Jit::compile(*module, options);
  ASSERT_TRUE(jit) << jit.message();
  auto entry = (*jit)->lookup("_mlir_ciface_f");
  ASSERT_TRUE(entry) << entry.message();
  for (const TestMatrix &matrix : matrices) {
    SCOPED_TRACE(std::to_string(matrix.rows) + " x " +
                 std::to_string(matrix.columns));
    if (sampled.isDouble)
      runCase<double>(*entry, sampled, matrix);
    else
      runCase<float>(*entry, sampled, matrix);
  }
}
