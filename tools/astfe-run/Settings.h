//===- Settings.h - what the command line asks for ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_SETTINGS_H
#define ASTFE_TOOLS_RUN_SETTINGS_H

#include "ASTFE/Core/Kernel/Arithmetic.h"
#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Core/Order/Order.h"
#include "ASTFE/Core/Plan/Choose.h"
#include "ASTFE/Core/Reorder/Reorder.h"
#include "ASTFE/Core/Tensor/CooTensor.h"
#include "ASTFE/Product/AttentionText.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace astfe::run {

enum class Kernel { SpMV, SpMM, SDDMM, Attention, File, MTTKRP, TTV, TTM };
/// Products of tensors of any rank.
inline bool isOfTensors(Kernel kernel) { return kernel >= Kernel::MTTKRP; }
enum class Device { Auto, Host, Emulator, Cuda };

struct Settings {
  Kernel kernel = Kernel::SpMM;
  std::string file;   ///< of Kernel::File
  std::string matrix; ///< of the built-in products of matrices
  /// Of Kernel::File: [NAME=]FILE of any rank, and NAME=VALUE.
  std::vector<std::string> matrices, scalars;
  std::string tensor;
  int64_t mode = 0; ///< of a tensor
  /// Of B, or of X and Y, or of a tensor's factors.
  int64_t columns = 128;
  /// Of attention.
  int64_t heads = 1, dim = 64;
  product::Mask mask = product::Mask::Pattern;
  bool backward = false;
  Device device = Device::Auto;
  bool check = false;
  bool json = false;
  /// None is auto: the least predicted time.
  std::optional<core::OrderKind> order;
  /// None is auto too. What is compiled without a choice made is not reordered.
  std::optional<core::ReorderKind> reorder;
  int64_t hubs = core::kAutoHubs; ///< as core::findHubs takes it
  /// What auto looks at pays for itself in so many runs.
  int64_t expectedRuns = core::kExpectedRuns;
  core::Storage storage = core::Storage::Packed;
  bool choosesStorage = false; ///< by the rules of Core/Plan
  int64_t leaf = 0;            ///< 0: auto
  int64_t min = 256;
  std::optional<double> threshold; ///< none: auto
  core::Arithmetic arithmetic;
  int64_t threads = 0; ///< 0: the machine's
  int64_t memory = 0;  ///< of a tensor's tables, in bytes; 0: all
  int64_t repeat = 7;
  uint64_t seed = 1;
  bool compareUpstream = false;
  bool compareUnfused = false; ///< attention as separate kernels
  bool fuse = true;            ///< chains are one kernel
  std::string model; ///< of a GPU whose time the emulator predicts, or none
  bool accumulate = false; ///< C += A B, not C = A B
  bool transpose = false;  ///< A^T in the place of A, from A's arrays
  std::string dumpIr;
  std::string emitPtx;
  std::string emitPacked;
  std::string chip = "sm_90";
  bool choosesChip = false; ///< the chip that a CUDA device is
  std::string cpu = "native", features;
  unsigned optLevel = 3;   ///< LLVM's, of a file's host code
  std::string kernelCache; ///< as CacheSettings::from takes it
  int64_t kernelCacheBytes = int64_t(256) << 20;
  core::Duplicates duplicates = core::Duplicates::Error;

  /// Order, reordering and hubs as they were chosen.
  void setArrangement(const core::Arrangement &chosen) {
    order = chosen.order;
    reorder = chosen.reorder;
    hubs = chosen.hubs;
  }
};

/// Parses the command line; prints what is wrong and exits with 1, or prints
/// help and exits with 0, as llvm::cl does.
Settings parseCommandLine(int argc, char **argv);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_SETTINGS_H
