//===- Report.h - what a run prints ---------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_REPORT_H
#define ASTFE_TOOLS_RUN_REPORT_H

#include "Program.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace astfe::run {

/// Of times that are no times of a device.
constexpr const char *kWithCopies =
    "  by the host's clock: each run copies its operands to the device and "
    "back\n";

/// Everything that --json prints; what does not apply is left out (or null).
struct Report {
  std::string kernel, device, order, reorder, storage, type, semiring;
  int64_t threads = 0;
  int64_t rows = 0, cols = 0, nnz = 0, columns = 0;
  /// Of a tensor, whose rows and columns are those of its first two modes.
  std::vector<int64_t> extents;
  int64_t mode = 0;
  /// What a tensor is for the product, if that does not walk bricks.
  std::optional<std::array<int64_t, 2>> matrix;
  int64_t slices = 0; ///< in which the product goes, if there is no copy
  std::optional<int64_t> inner; ///< columns of X and Y, of samples
  struct Heads {
    int64_t heads = 1, dim = 0;
    std::string mask;
    bool backward = false;
  };
  std::optional<Heads> attention; ///< whose columns are heads x dim
  bool accumulate = false;        ///< C += A B, not C = A B
  bool transpose = false;         ///< A^T B
  /// The graph, where the storage is packed.
  struct Blocks {
    int64_t initial = 0, refined = 0, fused = 0;
  };
  std::optional<Blocks> blocks;
  int64_t groups = 0, workers = 0;
  std::optional<double> imbalance;    ///< of a packed matrix
  std::optional<unsigned> columnBits; ///< of a stored column of one
  bool isViewAfterAll = false;        ///< by the rules, on a host
  int64_t trafficBytes = 0;
  Compilation compilation;
  struct Seconds {
    double read = 0, order = 0, profile = 0, partition = 0, pack = 0;
    double runMedian = 0, runMin = 0;
    std::optional<double> upstreamMedian;
    std::optional<double> unfusedMedian;
    double upstreamCompile = 0;
    /// Runs of a device copy operands there and back, by the host's clock.
    bool withCopies = false;
    /// Order, profile, partition and pack, in vain where that is a view after
    /// all: once for each pattern.
    double preparation() const { return order + profile + partition + pack; }
  } seconds;
  /// Of one run on the emulator.
  struct Launches {
    int64_t launches = 0;
    int64_t sectors = 0;    ///< transactions: 32 bytes of global memory
    int64_t storeBytes = 0; ///< to it
  };
  struct LaunchComparison {
    Launches fused, unfused;
  };
  std::optional<LaunchComparison> launches;
  /// Elements of upstream's result, and how many of them have more terms, or
  /// larger ones, than their type adds up to something that can be checked.
  struct Uncompared {
    int64_t elements = 0, of = 0;
  };
  std::optional<Uncompared> upstreamUncompared; ///< not of attention
  std::optional<double> maxRelativeError;
  std::optional<bool> passed;

  /// Runs after which `seconds` of set-up have been paid back by runs that are
  /// faster than upstream's; nothing where they are not.
  std::optional<double> breakEven(double setUp) const;
  /// Nothing came from the cache of kernels.
  bool wasCompiled() const {
    return compilation.origin == product::CodeOrigin::Compiled;
  }
  bool isOfTensor() const { return !extents.empty(); }
  void printJson(llvm::raw_ostream &out) const;
  void printText(llvm::raw_ostream &out) const;
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_REPORT_H
