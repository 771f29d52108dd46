//===- KernelFile.h - kernels as files ------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as PTX plus JSON (entry name, argument order, column tile, block
// size, grid rule), for a launcher without a compiler. O(bytes).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_KERNEL_KERNELFILE_H
#define ASTFE_CORE_KERNEL_KERNELFILE_H

#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Core/Support/Element.h"

namespace astfe::core {

/// A kernel that a product needs beside the one that computes: "start" runs
/// before it, "fill" too, "combine" after it (docs/Runtime.md).
struct CompanionKernel {
  std::string entry;
  std::vector<std::string> arguments;
  int64_t blockThreads = 128;
};

/// Another way to compute the same, in the same file of PTX, with the same
/// arguments and companions.
struct KernelVariant {
  std::string entry;
  int64_t columnTile = 0; ///< 0: one column
  /// Offsets into dense operands have 64 bits; else 32, in vectors.
  bool wide = false;
  /// Consecutive columns of a lane; 0: the tile's 32nd part, or all of a tile
  /// that is narrower than a warp.
  int64_t vector = 0;
};

/// What a launcher must know of a kernel.
struct KernelFile {
  std::string entry;                  ///< name of the .entry
  std::string chip;                   ///< sm_80, sm_90
  std::vector<std::string> arguments; ///< roles, in order; see docs/Runtime.md
  int64_t columnTile = 0;             ///< 0: one column
  int64_t blockThreads = 128;
  int64_t workersPerBlock = 4;
  bool wide = false;                       ///< as that of a variant
  int64_t vector = 0;                      ///< likewise
  std::vector<KernelVariant> others;       ///< for what this one does not fit
  std::vector<CompanionKernel> companions; ///< in the same file of PTX
  Element element = Element::F32;          ///< F32 or F64
  std::string combiner = "addf";           ///< of an element's contributions
  Layout layout;
  std::string ptx; ///< file name, relative to the JSON
};
/// The companion of that name, or null.
const CompanionKernel *findCompanion(const KernelFile &kernel,
                                     std::string_view entry);
/// Whether the kernels write all of their output; else they add to it.
bool overwritesOutput(const KernelFile &kernel);
std::string toJson(const KernelFile &kernel);
/// `name` stands for the file in errors.
Result<KernelFile> parseKernelFile(const std::string &text,
                                   const std::string &name);
Result<KernelFile> readKernelFile(const std::string &path);

} // namespace astfe::core

#endif // ASTFE_CORE_KERNEL_KERNELFILE_H
