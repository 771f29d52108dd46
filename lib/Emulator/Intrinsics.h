//===- Intrinsics.h - what NVVM intrinsics mean here ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table from names to meanings. An intrinsic is a register to read, an LLVM
// intrinsic of the same meaning, nothing, or a function of the emulator. Adding
// one is a line here and, for the last kind, a function in Intrinsics*.cpp.
//
// Functions get their arguments in memory, 16 bytes each, and write the result
// as LLVM lays it out: that avoids the differences between LLVM's and C's way
// to return structures. An i1 is a byte of 0 or 1.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_INTRINSICS_H
#define ASTFE_LIB_EMULATOR_INTRINSICS_H

#include "Launch.h"

namespace astfe::emu {

/// Of a thread on a fiber of its own.
using Handler = void (*)(Thread &thread, const Site &site,
                         const char *arguments, char *result);

struct Meaning {
  /// Call: a function of the emulator; Collective and Barrier are calls, too,
  /// that a warp which runs as one can make.
  enum Kind { Register, Nothing, Same, Call, Collective, Barrier } kind;
  size_t offset = 0;          ///< Register: in struct Registers
  const char *same = nullptr; ///< Same: name of the LLVM intrinsic
  Handler handler = nullptr;  ///< calls
  Compute compute = nullptr;  ///< Collective; null: it only orders
  /// Collective: the argument that is the mask, or all lanes take part.
  int maskIndex = -1;
  bool isAligned = false, isCounted = false, arriveOnly = false; ///< Barrier

  bool isCall() const { return handler; }
};

/// The meaning of an intrinsic by its full name
/// ("llvm.nvvm.shfl.sync.idx.i32"), or null for one that the emulator does not
/// know.
const Meaning *findMeaning(const std::string &name);

/// Reads argument `index` of a call.
template <typename T>
T argument(const char *arguments, unsigned index) {
  return *reinterpret_cast<const T *>(arguments + 16 * index);
}

/// The computations of warp collectives (IntrinsicsWarp.cpp): shuffles by mode,
/// votes, reductions, matches.
std::string shuffleDown(Lanes lanes);
std::string shuffleUp(Lanes lanes);
std::string shuffleXor(Lanes lanes);
std::string shuffleIndex(Lanes lanes);
std::string voteAll(Lanes lanes);
std::string voteAny(Lanes lanes);
std::string voteUniform(Lanes lanes);
std::string voteBallot(Lanes lanes);
std::string reduceAdd(Lanes lanes);
std::string reduceMin(Lanes lanes);
std::string reduceMax(Lanes lanes);
std::string reduceUnsignedMin(Lanes lanes);
std::string reduceUnsignedMax(Lanes lanes);
std::string reduceAnd(Lanes lanes);
std::string reduceOr(Lanes lanes);
std::string reduceXor(Lanes lanes);
std::string matchAny32(Lanes lanes);
std::string matchAny64(Lanes lanes);

/// cp.async, ldmatrix and mma.sync, by name without "llvm.nvvm."
/// (IntrinsicsTensor.cpp).
const std::vector<std::pair<std::string, Meaning>> &tensorMeanings();

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_INTRINSICS_H
