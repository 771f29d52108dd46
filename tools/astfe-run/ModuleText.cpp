//===- ModuleText.cpp - the program that is run, as MLIR ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleText.h"
#include "ASTFE/Compiler/BodyText.h"
#include "llvm/Support/raw_ostream.h"

namespace astfe::run {

static std::string region(const std::string &op, const std::string &type) {
  return " {\n      ^bb0(%u: " + type + ", %v: " + type +
         "):\n        %t = " + op + " %u, %v : " + type +
         "\n        sparse_tensor.yield %t : " + type + "\n      }\n";
}

/// The body of a semiring whose zero is not 0, so that `sparse_tensor` has to
/// leave out what is not stored.
static std::string storedBodyText(const core::Arithmetic &arithmetic,
                                  const std::vector<std::string> &factors,
                                  const std::string &sum) {
  const std::string type = compiler::typeText(arithmetic.element);
  const compiler::SemiringOps ops = compiler::opsOf(arithmetic);
  std::string text, product = factors.front();
  for (size_t i = 1; i < factors.size(); ++i) {
    const std::string next = "%product" + std::to_string(i);
    text += "    " + next + " = sparse_tensor.binary " + product + ", " +
            factors[i] + " : " + type + ", " + type + " to " + type +
            "\n      overlap =" + region(ops.times, type) +
            "      left = {}\n      right = {}\n";
    product = next;
  }
  return text + "    %identity = " + ops.identity + " : " + type +
         "\n    %next = sparse_tensor.reduce " + product + ", " + sum +
         ", %identity : " + type + region(ops.plus, type) +
         "    linalg.yield %next : " + type + "\n";
}

std::string bodyText(const core::Arithmetic &arithmetic,
                     const std::vector<std::string> &factors,
                     const std::string &sum) {
  if (arithmetic.semiring != core::Semiring::PlusTimes)
    return storedBodyText(arithmetic, factors, sum);
  const std::string type = compiler::typeText(arithmetic.result());
  const compiler::ProductText product =
      compiler::productText(arithmetic, factors, "    ");
  return product.lines + "    %next = " + compiler::opsOf(arithmetic).plus +
         " " + sum + ", " + product.result + " : " + type +
         "\n    linalg.yield %next : " + type + "\n";
}

namespace {

/// Bytes of C from which on all threads fill it: for fewer, waking them again
/// takes longer than one of them.
constexpr int64_t kManyBytes = int64_t(1) << 18;

/// The identity of the sum in the buffer %M, which is C.
std::string fillText(const Settings &settings, const Problem &problem,
                     const std::string &element, const std::string &buffer,
                     bool byThreads) {
  const int64_t bytes = problem.resultRows() * settings.columns *
                        core::elementBytes(settings.arithmetic.result());
  const std::string zero =
      "  %zero = " + compiler::opsOf(settings.arithmetic).identity + " : " +
      element + "\n";
  if (!byThreads || bytes < kManyBytes)
    return zero + "  linalg.fill ins(%zero : " + element +
           ") outs(%M : " + buffer + ")\n";
  const bool vector = settings.kernel == Kernel::SpMV;
  std::string text = zero +
                     "  %c0 = arith.constant 0 : index\n"
                     "  %c1 = arith.constant 1 : index\n"
                     "  %rows = arith.constant " +
                     std::to_string(problem.resultRows()) +
                     " : index\n  %columns = arith.constant " +
                     std::to_string(settings.columns) +
                     " : index\n"
                     "  scf.parallel (%i) = (%c0) to (%rows) step (%c1) {\n";
  const std::string store = std::string("memref.store %zero, %M[%i") +
                            (vector ? "" : ", %j") + "] : " + buffer + "\n";
  if (vector)
    text += "    " + store;
  else
    text += "    scf.for %j = %c0 to %columns step %c1 {\n      " + store +
            "    }\n";
  return text + "  }\n";
}

/// S = A .* (X Y^T) with a sparse result, whose values end in %C. A has the
/// elements of S, which the pattern of an operand has to have to be that of the
/// result. Upstream's result is freed, which it would have to be by its caller.
std::string samplesText(const Settings &settings, const Problem &problem,
                        Extents extents, Start start) {
  const core::Arithmetic &arithmetic = settings.arithmetic;
  const std::string element = compiler::typeText(arithmetic.element),
                    sum = compiler::typeText(arithmetic.result());
  const compiler::ProductText product =
      compiler::productText(arithmetic, {"%x", "%y"}, "    ");
  const compiler::SemiringOps ops = compiler::opsOf(arithmetic);
  auto extent = [&](int64_t size) {
    return extents == Extents::Any ? "?" : std::to_string(size);
  };
  auto dense = [&](int64_t rows) {
    return "tensor<" + extent(rows) + "x" + std::to_string(settings.columns) +
           "x" + element + ">";
  };
  const std::string sparse = "tensor<" + extent(problem.rows) + "x" +
                             extent(problem.columns) + "x" + sum + ", #CSR>";
  const std::string x = dense(problem.rows), y = dense(problem.columns),
                    c = "tensor<?x" + sum + ">",
                    buffer = "memref<?x" + sum + ">";
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "#CSR = #sparse_tensor.encoding<{\n"
         "  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, "
         "crdWidth = 32\n}>\n"
         "func.func @product(%A: "
      << sparse << ", %X: " << x << ", %Y: " << y
      << ",\n                   %C: " << c
      << " {bufferization.writable = true})\n    -> " << c
      << "\n    attributes {llvm.emit_c_interface} {\n";
  std::string sizes;
  if (extents == Extents::Any) {
    out << "  %c0 = arith.constant 0 : index\n"
           "  %c1 = arith.constant 1 : index\n"
           "  %rows = tensor.dim %A, %c0 : "
        << sparse << "\n  %columns = tensor.dim %A, %c1 : " << sparse << "\n";
    sizes = "%rows, %columns";
  }
  out << "  %E = tensor.empty(" << sizes << ") : " << sparse
      << "\n  %S = linalg.generic {indexing_maps = [\n"
         "        affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, "
         "k)>,\n        affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) "
         "-> (i, j)>],\n      iterator_types = [\"parallel\", \"parallel\", "
         "\"reduction\"]}\n      ins(%A, %X, %Y : "
      << sparse << ", " << x << ", " << y << ") outs(%E : " << sparse
      << ") {\n  ^bb0(%a: " << sum << ", %x: " << element << ", %y: " << element
      << ", %s: " << sum << "):\n"
      << product.lines << "    %q = " << ops.times << " %a, " << product.result
      << " : " << sum << "\n    %t = " << ops.plus << " %s, %q : " << sum
      << "\n    linalg.yield %t : " << sum << "\n  } -> " << sparse
      << "\n  %m = sparse_tensor.values %S : " << sparse << " to " << buffer
      << "\n  %v = bufferization.to_tensor %m restrict : " << buffer << " to "
      << c << "\n  %r = bufferization.materialize_in_destination %v in %C : ("
      << c << ", " << c << ") -> " << c << "\n";
  if (start == Start::Filled || start == Start::FilledByThreads)
    out << "  bufferization.dealloc_tensor %S : " << sparse << "\n";
  out << "  return %r : " << c << "\n}\n";
  return text;
}

/// `  %0 = linalg.generic` of a product that no named op is.
class GenericText {
public:
  GenericText(const Settings &settings, const Problem &problem)
      : arithmetic(settings.arithmetic),
        element(compiler::typeText(arithmetic.element)),
        result(compiler::typeText(arithmetic.result())),
        isVector(settings.kernel == Kernel::SpMV),
        isTransposed(problem.transposed) {}

  std::string text(const std::string &sparse, const std::string &b,
                   const std::string &c) const {
    return "  %0 = linalg.generic {indexing_maps = [\n        " + map("i, k") +
           ", " + map(isTransposed ? "i" : "k", true) + ",\n        " +
           map(isTransposed ? "k" : "i", true) +
           "],\n      iterator_types = [\"parallel\", \"reduction\"" +
           (isVector ? "" : ", \"parallel\"") +
           "]}\n      ins(%A, %B : " + sparse + ", " + b + ") outs(%C : " + c +
           ") {\n  ^bb0(%a: " + element + ", %b: " + element +
           ", %c: " + result + "):\n" +
           bodyText(arithmetic, {"%a", "%b"}, "%c") + "  } -> " + c + "\n";
  }

private:
  std::string map(const std::string &dims, bool isDense = false) const {
    return std::string("affine_map<(") + (isTransposed ? "k, i" : "i, k") +
           (isVector ? ")" : ", j)") + " -> (" + dims +
           (isDense && !isVector ? ", j)>" : ")>");
  }

  const core::Arithmetic arithmetic;
  const std::string element, result;
  const bool isVector, isTransposed;
};

} // namespace

std::string moduleText(const Settings &settings, const Problem &problem,
                       Extents extents, Start start) {
  if (settings.kernel == Kernel::SDDMM)
    return samplesText(settings, problem, extents, start);
  const std::string element = compiler::typeText(settings.arithmetic.element),
                    sum = compiler::typeText(settings.arithmetic.result());
  const bool vector = settings.kernel == Kernel::SpMV;
  const bool isPlain =
      settings.arithmetic.semiring == core::Semiring::PlusTimes;
  const bool isFilled =
      start == Start::Filled || start == Start::FilledByThreads;
  auto extent = [&](int64_t size) {
    return extents == Extents::Any ? "?" : std::to_string(size);
  };
  auto dense = [&](int64_t rows, const std::string &type) {
    std::string text = "<" + extent(rows) + "x";
    if (!vector)
      text += std::to_string(settings.columns) + "x";
    return text + type + ">";
  };
  const std::string sparse = "tensor<" + extent(problem.rows) + "x" +
                             extent(problem.columns) + "x" + element +
                             ", #CSR>";
  const std::string b = "tensor" + dense(problem.depth(), element),
                    c = "tensor" + dense(problem.resultRows(), sum),
                    buffer = "memref" + dense(problem.resultRows(), sum);
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "#CSR = #sparse_tensor.encoding<{\n"
         "  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, "
         "crdWidth = 32\n}>\n"
         "func.func @product(%A: "
      << sparse << ",\n                   %B: " << b
      << ",\n                   ";
  if (isFilled)
    out << "%M: " << buffer;
  else
    out << "%C: " << c << " {bufferization.writable = true"
        << (start == Start::Undefined ? ", astfe.undefined}" : "}");
  out << ")\n    -> " << c << "\n    attributes {llvm.emit_c_interface} {\n";
  if (isFilled)
    out << fillText(settings, problem, sum, buffer,
                    start == Start::FilledByThreads)
        << "  %C = bufferization.to_tensor %M restrict writable : " << buffer
        << " to " << c << "\n";
  if (problem.transposed || !isPlain)
    out << GenericText(settings, problem).text(sparse, b, c);
  else
    out << "  %0 = linalg." << (vector ? "matvec" : "matmul")
        << " ins(%A, %B : " << sparse << ", " << b << ")\n      outs(%C : " << c
        << ") -> " << c << "\n";
  out << "  return %0 : " << c << "\n}\n";
  return text;
}

} // namespace astfe::run
