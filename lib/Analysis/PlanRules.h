//===- PlanRules.h - the rules of each target -------------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target gets the plan with operands, outputs and factoring read, and decides
// about walk and lanes, or says why it has no code.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_ANALYSIS_PLANRULES_H
#define ASTFE_LIB_ANALYSIS_PLANRULES_H

#include "ASTFE/Analysis/ComputePlan.h"

namespace astfe {

bool planForHost(const ComputeQuestion &question, ComputePlan &plan,
                 PlanRefusal &refusal);
bool planForGPU(const ComputeQuestion &question, ComputePlan &plan,
                PlanRefusal &refusal);

/// Packed patterns of other ranks than two, whose key is brickKey.
bool planBricks(const ComputeQuestion &question, ComputePlan &plan,
                PlanRefusal &refusal);
/// The first mode (1..D) that indexes the first output.
std::optional<unsigned> brickKey(const ComputeQuestion &question);

/// f16 or bf16.
bool isHalf(mlir::Type element);

/// Half floats are computed with in f32.
bool widensHalves(const ComputeQuestion &question);

/// The body runs on vectors as it is, also in lanes under a mask, where nothing
/// may trap.
bool runsInLanes(const ComputeQuestion &question);
/// Elements that the hardware has vectors of, indexed by one of `laneDims` at
/// most. They may lie apart.
bool lanesFit(const PlanOperand &operand, llvm::ArrayRef<unsigned> laneDims);

/// The only output is indexed by mode `key` and, if the space has one dense
/// dimension, by that.
bool isRowOf(const ComputeQuestion &question, const ComputePlan &plan,
             unsigned key);

/// The text of an attribute or a type, as diagnostics print it.
template <typename T>
std::string textOf(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

} // namespace astfe

#endif // ASTFE_LIB_ANALYSIS_PLANRULES_H
