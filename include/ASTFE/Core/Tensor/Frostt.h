//===- Frostt.h - reader of FROSTT tensor files ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads .tns: one line per nonzero, D 1-based indices and a value, `#` starts a
// comment; the shape is the largest index of each mode. It also reads
// upstream's extended form, whose first line is `# extended FROSTT format`,
// then `rank nonzeros` and the extents. Errors as in MatrixMarket.h.
// Source: http://frostt.io; MLIR's SparseTensor file reader for the extension.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_TENSOR_FROSTT_H
#define ASTFE_CORE_TENSOR_FROSTT_H

#include "ASTFE/Core/Tensor/MatrixMarket.h"

namespace astfe::core {

Result<CooTensor> readFrostt(const std::string &path,
                             const ReadOptions &options = {});
Result<CooTensor> parseFrostt(std::string_view text, const std::string &name,
                              const ReadOptions &options = {});

/// By the file's name: .mtx or .tns.
Result<CooTensor> readTensor(const std::string &path,
                             const ReadOptions &options = {});

} // namespace astfe::core

#endif // ASTFE_CORE_TENSOR_FROSTT_H
