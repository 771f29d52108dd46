//===- PackedFile.h - packed patterns and kernels as files ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A packed tensor (tables and values) as one binary file, versioned and
// checksummed, and a kernel as PTX plus JSON (entry name, argument order, column
// tile, block size, grid rule), for a launcher without a compiler.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PACKEDFILE_H
#define ASTFE_CORE_PACKEDFILE_H

#include "ASTFE/Core/Packed.h"

namespace astfe::core {

/// A pattern and its values in slot order (one of the two vectors is used).
struct PackedTensor {
  Packed pattern;
  bool isDouble = false;
  std::vector<float> values32;
  std::vector<double> values64;
};

Status writePacked(const std::string &path, const PackedTensor &tensor);
/// Proves the file whole (magic, version, sizes, checksum, Packed::check).
Result<PackedTensor> readPacked(const std::string &path);

/// What a launcher must know of a kernel.
struct KernelFile {
  std::string entry;                  ///< name of the .entry
  std::string chip;                   ///< sm_80, sm_90
  std::vector<std::string> arguments; ///< roles, in order; see docs/Runtime.md
  int64_t columnTile = 0;             ///< 0: one column
  int64_t blockThreads = 128;
  int64_t workersPerBlock = 4;
  bool isDouble = false;
  Layout layout;
  std::string ptx;                    ///< file name, relative to the JSON
};
std::string toJson(const KernelFile &kernel);
Result<KernelFile> readKernelFile(const std::string &path);

} // namespace astfe::core

#endif // ASTFE_CORE_PACKEDFILE_H
