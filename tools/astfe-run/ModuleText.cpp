//===- ModuleText.cpp - the program that is run, as MLIR ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleText.h"
#include "llvm/Support/raw_ostream.h"

namespace astfe::run {

std::string moduleText(const Settings &settings, const Problem &problem,
                       Extents extents) {
  const std::string element = settings.isDouble ? "f64" : "f32";
  const bool vector = settings.kernel == Kernel::SpMV;
  auto extent = [&](int64_t size) {
    return extents == Extents::Any ? "?" : std::to_string(size);
  };
  auto dense = [&](int64_t rows) {
    std::string type = "tensor<" + extent(rows) + "x";
    if (!vector)
      type += std::to_string(settings.columns) + "x";
    return type + element + ">";
  };
  const std::string sparse = "tensor<" + extent(problem.rows) + "x" +
                             extent(problem.columns) + "x" + element +
                             ", #CSR>";
  const std::string b = dense(problem.columns), c = dense(problem.rows);
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "#CSR = #sparse_tensor.encoding<{\n"
         "  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, "
         "crdWidth = 32\n}>\n"
         "func.func @product(%A: "
      << sparse << ",\n                   %B: " << b
      << ",\n                   %C: " << c
      << " {bufferization.writable = true})\n    -> " << c
      << "\n    attributes {llvm.emit_c_interface} {\n  %0 = linalg."
      << (vector ? "matvec" : "matmul") << " ins(%A, %B : " << sparse << ", "
      << b << ")\n      outs(%C : " << c << ") -> " << c
      << "\n  return %0 : " << c << "\n}\n";
  return text;
}

} // namespace astfe::run
