//===- Issues.h - what a GPU issues for an instruction of LLVM ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model counts instructions as ptxas would emit them, of 32 bits each.
// Several of LLVM's become one, and one becomes several:
//
//   %m = fmul contract float %a, %b      FFMA
//   %s = fadd contract float %m, %c      (the same)
//   %t = select i1 %p, float %s, %c      (its predicate)
//   %w = zext i32 %i to i64              IMAD.WIDE.U32
//   %q = getelementptr float, ptr %x, i64 %w
//   %d = udiv i32 %i, %j                 18 instructions
//
// Source: ptxas 13.0 for sm_90 of the kernels of this project, whose machine
// code ncu counted (docs/GPU.md).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_ISSUES_H
#define ASTFE_LIB_EMULATOR_ISSUES_H

namespace llvm {
class Instruction;
} // namespace llvm

namespace astfe::emu {

/// Whether a GPU has an instruction for it: not for names of parts of
/// registers, and widening is a part of computing an address.
bool isWork(const llvm::Instruction &instruction);

/// Instructions of a GPU for one of LLVM, none where it is a part of another.
unsigned issuesOf(const llvm::Instruction &instruction);

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_ISSUES_H
