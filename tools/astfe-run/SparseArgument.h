//===- SparseArgument.h - a file's tensor, stored as a type says ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any rank, and any format whose levels are the dimensions in some order, or
// blocks of them:
// docs/Pipelines.md says which buffers an entry takes for it.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_SPARSEARGUMENT_H
#define ASTFE_TOOLS_RUN_SPARSEARGUMENT_H

#include "ASTFE/Core/Tensor/LevelStorage.h"
#include "ASTFE/Execution/Interpreter.h"
#include "PackedCall.h"
#include "Problem.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace astfe::run {

/// Empty if an entry can take a tensor of this type; else what is expected.
std::string checkSparseType(mlir::RankedTensorType type);

class SparseArgument {
public:
  /// `type` has passed checkSparseType; `file` is the name in errors.
  static core::Result<SparseArgument> make(const core::CooTensor &tensor,
                                           mlir::RankedTensorType type,
                                           const std::string &file);
  void pass(PackedCall &call);
  /// For functions that may write the values: reset() brings them back.
  void keepValues();
  void reset();
  const std::vector<int64_t> &shape() const { return array.shape; }
  int64_t nonzeros() const { return number; }
  /// The same nonzeros, in the element type's precision, and the zeros that are
  /// stored beside them.
  const SparseArray &interpreted() const { return array; }
  /// Which nonzero each stored value is; -1 is a zero of a block.
  const std::vector<int64_t> &storedNonzeros() const { return stored; }

private:
  struct Field {
    std::vector<char, AlignedAllocator<char>> bytes;
    int64_t count = 0;
  };
  core::Status addFields(const core::LevelStorage &storage,
                         mlir::RankedTensorType type);
  core::Status addIndices(const std::vector<int64_t> &entries, unsigned width);
  void addValues(const core::LevelStorage &storage, mlir::Type element);

  std::vector<Field> fields; ///< values are the last one
  std::optional<Field> kept; ///< values as they are at first
  SparseArray array;
  int64_t number = 0; ///< of the file's nonzeros
  std::vector<int64_t> stored;
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_SPARSEARGUMENT_H
