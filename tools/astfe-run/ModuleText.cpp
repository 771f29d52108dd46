//===- ModuleText.cpp - the program that is run, as MLIR ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleText.h"
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
      problem.rows * settings.columns * (settings.isDouble ? 8 : 4);
  const std::string zero = "  %zero = arith.constant 0.0 : " + element + "\n";
  if (bytes < kManyBytes)
    return zero + "  linalg.fill ins(%zero : " + element +
           ") outs(%M : " + buffer + ")\n";
  const bool vector = settings.kernel == Kernel::SpMV;
  std::string text = zero +
                     "  %c0 = arith.constant 0 : index\n"
                     "  %c1 = arith.constant 1 : index\n"
                     "  %rows = arith.constant " +
                     std::to_string(problem.rows) +
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

} // namespace

std::string moduleText(const Settings &settings, const Problem &problem,
                       Extents extents, Start start) {
  const std::string element = settings.isDouble ? "f64" : "f32";
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
  const std::string b = "tensor" + dense(problem.columns),
                    c = "tensor" + dense(problem.rows),
                    buffer = "memref" + dense(problem.rows);
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
  out << "  %0 = linalg." << (vector ? "matvec" : "matmul")
      << " ins(%A, %B : " << sparse << ", " << b << ")\n      outs(%C : " << c
      << ") -> " << c << "\n  return %0 : " << c << "\n}\n";
  return text;
}

} // namespace astfe::run
