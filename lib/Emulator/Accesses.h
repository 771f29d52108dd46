//===- Accesses.h - what the code of a segment touches --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the loads, stores and atomics of a segment, and makes the site of each.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_ACCESSES_H
#define ASTFE_LIB_EMULATOR_ACCESSES_H

#include "Rewrite.h"

#include "llvm/ADT/SmallVector.h"

namespace astfe::emu {

/// One access of an instruction (a copy has two).
struct Access {
  llvm::Instruction *instruction;
  llvm::Value *pointer;
  llvm::Value *size; ///< i64
  AccessKind kind;
  llvm::Align align;
  const char *verb;
  llvm::Value *object = nullptr; ///< that the pointer was computed from
  Site *site = nullptr;

  /// Whether a segment reserves an entry of the log for it: not for copies,
  /// whose sizes are not known before.
  bool isLogged() const;
  /// Bytes of one that is logged.
  uint64_t bytes() const;
  /// The object is a pointer of its own that may name an allocation.
  bool hasBase() const;
  /// All threads of a launch have the same object.
  bool isBaseFixed() const;
};

class AccessCollector {
public:
  AccessCollector(llvm::Function &function, const SharedLayout &shared,
                  Rewritten &rewritten)
      : function(function), shared(shared), rewritten(rewritten) {}

  /// In the order of the instructions, without those of local memory.
  llvm::SmallVector<Access> collect(llvm::ArrayRef<llvm::Instruction *> body);

private:
  void collect(llvm::Instruction &instruction);
  void add(llvm::Instruction &instruction, llvm::Value *pointer,
           llvm::Type *type, AccessKind kind, llvm::Align align,
           const char *verb);
  std::string describe(const Access &access) const;
  Site &makeSite(const Access &access);

  llvm::Function &function;
  const SharedLayout &shared;
  Rewritten &rewritten;
  llvm::SmallVector<Access> found;
};

/// Whether an access needs the emulator: it is misaligned, or not in the window
/// of its site. Addresses are numbers, or vectors of them. A null base is
/// fixed.
llvm::Value *outsideWindow(llvm::IRBuilderBase &builder, llvm::Value *windows,
                           const Site &site, llvm::Value *address,
                           llvm::Value *base, uint64_t size);

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_ACCESSES_H
