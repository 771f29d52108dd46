//===- Zoo.h - what the product puts out, as texts and digests ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A change of structure must leave packed tables, the host's LLVM IR and the
// GPU's PTX as they are, byte by byte. Each case of the zoo makes one such
// output as text; digests.txt has a line with its hash:
//
//   host f32 columns=32 row_segments,scattered run      0123456789abcdef
//   gpu f64 columns=1 row_segments,scattered ptx        ...
//   tables host columns=32 bits=16 row_windows,...      ...
//
// No text depends on the CPU, on the number of threads or on time.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_ZOO_ZOO_H
#define ASTFE_UNITTESTS_ZOO_ZOO_H

#include "ASTFE/Core/Support/Status.h"
#include <functional>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
}

namespace astfe::zoo {

/// One part of what a case puts out.
struct Output {
  std::string name, text;
};

/// A case; `make` may be called from any thread, with a context of its own.
struct Case {
  std::string name;
  std::function<core::Result<std::vector<Output>>(mlir::MLIRContext &)> make;
};

/// The LLVM IR of host kernels, views and packed, in two parts: what prepares
/// a pattern, and what runs it.
std::vector<Case> hostCases();
/// The PTX of GPU kernels, and the host code that prepares and launches.
std::vector<Case> gpuCases();
/// All tables of packed matrices in which each class occurs, and what the cost
/// model counts on them.
std::vector<Case> tableCases();

} // namespace astfe::zoo

#endif // ASTFE_UNITTESTS_ZOO_ZOO_H
