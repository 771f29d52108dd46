//===- PackedFile.h - packed patterns as files ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A packed tensor (tables and values) as one binary file, versioned and
// checksummed, for a launcher without a compiler. O(bytes).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PACK_PACKEDFILE_H
#define ASTFE_CORE_PACK_PACKEDFILE_H

#include "ASTFE/Core/Pack/Packed.h"
#include "ASTFE/Core/Support/Element.h"

namespace astfe::core {

/// A pattern and its values in slot order (one of the two vectors is used).
struct PackedTensor {
  Packed pattern;
  Element element = Element::F32; ///< F32 or F64
  std::vector<float> values32;
  std::vector<double> values64;
};

Status writePacked(const std::string &path, const PackedTensor &tensor);
/// Proves the file whole (magic, version, sizes, checksum, Packed::check).
Result<PackedTensor> readPacked(const std::string &path);

} // namespace astfe::core

#endif // ASTFE_CORE_PACK_PACKEDFILE_H
