//===- ComplexPlan.h - complex computations as real ones --------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A computation over complex elements runs as one over floats for each part of
// its output, whose inputs are the parts of the operands. Parts lie two apart
// in the same memory, and maps are the same, so that keys, walk, lanes and
// protocols are those of a real computation:
//
//   c += a b     re c += re a re b - im a im b
//                im c += re a im b + im a re b
//
// Where a row of N complex numbers is one of 2 N floats, a kernel has both
// parts at once: a GPU's lane has pairs, and a host's lanes are pairs.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_ANALYSIS_COMPLEXPLAN_H
#define ASTFE_ANALYSIS_COMPLEXPLAN_H

#include "ASTFE/Analysis/ComputePlan.h"

namespace astfe {

/// Whether something that the computation reads, makes or writes is a complex
/// number.
bool isComplex(const ComputeQuestion &question);

/// The computation has a body of parts; else the reason.
bool checkParts(const ComputeQuestion &question, PlanRefusal &refusal);

/// A kernel of a GPU has code for it, whose body has parts; else the reason.
bool checkPairs(const ComputeQuestion &question, PlanRefusal &refusal);

/// A host's lanes along a dense dimension are the parts of complex numbers side
/// by side: all operands along it are of one such type, whose numbers may lie
/// apart, and are added, subtracted, multiplied, negated, conjugated or
/// selected only. `plan` is that of one part.
bool hasPairs(const ComputeQuestion &question, const ComputePlan &plan);

/// A computation with vectors of complex numbers as one with dense columns, of
/// which there is one, so that its lanes have a pair. The operands that have
/// the column have it last. Nothing where it has no vectors, or not such.
std::optional<ComputeQuestion> withColumn(const ComputeQuestion &question);

/// What the computation of one part asks. Of the body it has the ops on real
/// numbers only: those on complex ones become products and sums.
ComputeQuestion questionOfPart(const ComputeQuestion &question);

} // namespace astfe

#endif // ASTFE_ANALYSIS_COMPLEXPLAN_H
