//===- ChainPrograms.h - compiled chains, each when it is first asked for -===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains are compiled outside of locks, once: the first thread that asks
// compiles, others that ask for the same chain wait. A failure is tried anew.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_CHAINPROGRAMS_H
#define ASTFE_PRODUCT_CHAINPROGRAMS_H

#include "ASTFE/Product/CompilerLibrary.h"
#include "ASTFE/Product/PackedCall.h"
#include <functional>
#include <map>
#include <mutex>

namespace astfe::product {

/// What modules of chains begin with: #CSR (indices of 32 bits), #view, and
/// maps of (nonzero, row, column) #n #i #j, with a dense dimension #nx #ix #jx,
/// and of dense vectors #k.
std::string chainPreamble();
/// "!astfe.blocked<?x?, #view>".
extern const char *const kChainPattern;

/// What a chain is compiled for.
struct ChainTarget {
  std::string chip;      ///< the GPU, like sm_90; empty: the host
  bool longRows = false; ///< some rows are too long for a warp of it
};

/// Compiles the text of a module with one function, which has a C interface.
/// On a GPU all operands are in its memory.
using CompileChain = std::function<core::Result<std::shared_ptr<const Program>>(
    const std::string &text, const ChainTarget &target)>;

class ChainPrograms {
public:
  explicit ChainPrograms(CompileChain compile) : compile(std::move(compile)) {}

  /// Compiles what `text` makes, whose function is @symbol, for `target`,
  /// unless that was done for `key`: neither is asked for then.
  core::Status prepare(const std::string &key, std::string_view symbol,
                       const std::function<core::Result<ChainTarget>()> &target,
                       const std::function<std::string()> &text);
  /// Calls what was prepared. Fails with the runtime's error.
  core::Status call(const std::string &key, PackedCall &arguments) const;

private:
  struct Compiled {
    std::mutex compiling;
    std::shared_ptr<const Program> program;
    void (*entry)(void **) = nullptr;
  };
  std::shared_ptr<Compiled> find(const std::string &key) const;

  const CompileChain compile;
  mutable std::mutex mutex;
  mutable std::map<std::string, std::shared_ptr<Compiled>> byKey;
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_CHAINPROGRAMS_H
