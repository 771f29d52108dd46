//===- WarpCalls.h - special registers, collectives and barriers ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What NVVM intrinsics become in the code of a whole warp. Shuffles whose lanes
// the code names are moves between the elements of a vector.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_WARPCALLS_H
#define ASTFE_LIB_EMULATOR_WARPCALLS_H

#include "WarpCode.h"

namespace astfe::emu {

class WarpCalls {
public:
  WarpCalls(const WarpContext &context, Rewritten &rewritten)
      : context(context), rewritten(rewritten) {}
  void setRegisters(llvm::Value *ofFirstLane) { registers = ofFirstLane; }
  void makeMemory(llvm::function_ref<llvm::Value *(llvm::Type *)> make);

  /// Whether a call reads what all lanes of a warp have in common.
  static bool isUniformRegister(const llvm::CallInst &call);
  WarpValue uniformRegister(llvm::IRBuilderBase &builder,
                            const llvm::CallInst &call);

  /// Whether make() is for it.
  static bool isMine(const llvm::CallInst &call);
  /// None: it needs fibers.
  std::optional<WarpValue> make(llvm::CallInst &call,
                                llvm::ArrayRef<WarpValue> operands);

private:
  std::optional<WarpValue> laneRegister(const Meaning &meaning,
                                        llvm::Type *type);
  std::optional<WarpValue> knownShuffle(const Meaning &meaning,
                                        llvm::CallInst &call,
                                        llvm::ArrayRef<WarpValue> operands);
  bool pass(llvm::ArrayRef<WarpValue> operands);
  bool storeArguments(llvm::CallInst &call, llvm::ArrayRef<WarpValue> operands);
  std::optional<WarpValue> results(llvm::CallInst &call);
  std::optional<WarpValue> collective(const Meaning &meaning,
                                      llvm::CallInst &call,
                                      llvm::ArrayRef<WarpValue> operands);

  const WarpContext &context;
  Rewritten &rewritten;
  llvm::Value *registers = nullptr, *arguments = nullptr, *found = nullptr;
};

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_WARPCALLS_H
