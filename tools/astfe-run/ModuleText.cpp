//===- ModuleText.cpp - the program that is run, as MLIR ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleText.h"
#include "ASTFE/Core/Support/Element.h"
#include "llvm/Support/raw_ostream.h"

namespace astfe::run {

namespace {

/// Bytes of C from which on all threads fill it: for fewer, waking them again
/// takes longer than one of them.
constexpr int64_t kManyBytes = int64_t(1) << 18;

/// Zeros in the buffer %M, which is C.
std::string fillText(const Settings &settings, const Problem &problem,
                     const std::string &element, const std::string &buffer) {
  const int64_t bytes =
      problem.resultRows() * settings.columns * (settings.isDouble ? 8 : 4);
  const std::string zero = "  %zero = arith.constant 0.0 : " + element + "\n";
  if (bytes < kManyBytes)
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

/// S = A .* (X Y^T) with a sparse result, whose values end in %C. Upstream's
/// result is freed, which it would have to be by its caller.
std::string samplesText(const Settings &settings, const Problem &problem,
                        Extents extents, Start start) {
  const std::string element(
      core::elementName(core::realElement(settings.isDouble)));
  auto extent = [&](int64_t size) {
    return extents == Extents::Any ? "?" : std::to_string(size);
  };
  auto dense = [&](int64_t rows) {
    return "tensor<" + extent(rows) + "x" + std::to_string(settings.columns) +
           "x" + element + ">";
  };
  const std::string sparse = "tensor<" + extent(problem.rows) + "x" +
                             extent(problem.columns) + "x" + element +
                             ", #CSR>";
  const std::string x = dense(problem.rows), y = dense(problem.columns),
                    c = "tensor<?x" + element + ">",
                    buffer = "memref<?x" + element + ">";
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
      << ") {\n  ^bb0(%a: " << element << ", %x: " << element
      << ", %y: " << element << ", %s: " << element
      << "):\n    %p = arith.mulf %x, %y : " << element
      << "\n    %q = arith.mulf %a, %p : " << element
      << "\n    %t = arith.addf %s, %q : " << element
      << "\n    linalg.yield %t : " << element << "\n  } -> " << sparse
      << "\n  %m = sparse_tensor.values %S : " << sparse << " to " << buffer
      << "\n  %v = bufferization.to_tensor %m restrict : " << buffer << " to "
      << c << "\n  %r = bufferization.materialize_in_destination %v in %C : ("
      << c << ", " << c << ") -> " << c << "\n";
  if (start == Start::Filled)
    out << "  bufferization.dealloc_tensor %S : " << sparse << "\n";
  out << "  return %r : " << c << "\n}\n";
  return text;
}

} // namespace

std::string moduleText(const Settings &settings, const Problem &problem,
                       Extents extents, Start start) {
  if (settings.kernel == Kernel::SDDMM)
    return samplesText(settings, problem, extents, start);
  const std::string element(
      core::elementName(core::realElement(settings.isDouble)));
  const bool vector = settings.kernel == Kernel::SpMV;
  auto extent = [&](int64_t size) {
    return extents == Extents::Any ? "?" : std::to_string(size);
  };
  auto dense = [&](int64_t rows) {
    std::string type = "<" + extent(rows) + "x";
    if (!vector)
      type += std::to_string(settings.columns) + "x";
    return type + element + ">";
  };
  const std::string sparse = "tensor<" + extent(problem.rows) + "x" +
                             extent(problem.columns) + "x" + element +
                             ", #CSR>";
  const std::string b = "tensor" + dense(problem.depth()),
                    c = "tensor" + dense(problem.resultRows()),
                    buffer = "memref" + dense(problem.resultRows());
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "#CSR = #sparse_tensor.encoding<{\n"
         "  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, "
         "crdWidth = 32\n}>\n"
         "func.func @product(%A: "
      << sparse << ",\n                   %B: " << b
      << ",\n                   ";
  if (start == Start::Filled)
    out << "%M: " << buffer;
  else
    out << "%C: " << c << " {bufferization.writable = true"
        << (start == Start::Undefined ? ", astfe.undefined}" : "}");
  out << ")\n    -> " << c << "\n    attributes {llvm.emit_c_interface} {\n";
  if (start == Start::Filled)
    out << fillText(settings, problem, element, buffer)
        << "  %C = bufferization.to_tensor %M restrict writable : " << buffer
        << " to " << c << "\n";
  if (problem.transposed) {
    out << "  %0 = linalg.generic {indexing_maps = [\n"
           "        affine_map<(j, i, k) -> (i, j)>, affine_map<(j, i, k) -> "
           "(i, k)>,\n        affine_map<(j, i, k) -> (j, k)>],\n"
           "      iterator_types = [\"parallel\", \"reduction\", "
           "\"parallel\"]}\n      ins(%A, %B : "
        << sparse << ", " << b << ") outs(%C : " << c
        << ") {\n  ^bb0(%a: " << element << ", %b: " << element
        << ", %c: " << element << "):\n    %p = arith.mulf %a, %b : " << element
        << "\n    %s = arith.addf %c, %p : " << element
        << "\n    linalg.yield %s : " << element << "\n  } -> " << c
        << "\n  return %0 : " << c << "\n}\n";
    return text;
  }
  out << "  %0 = linalg." << (vector ? "matvec" : "matmul")
      << " ins(%A, %B : " << sparse << ", " << b << ")\n      outs(%C : " << c
      << ") -> " << c << "\n  return %0 : " << c << "\n}\n";
  return text;
}

} // namespace astfe::run
