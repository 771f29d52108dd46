//===- ComputeBody.h - the body of a compute op, for scalars and lanes ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every emitter needs of an astfe.compute: operands loaded at a point of
// the iteration space, the body cloned on scalars or on vectors, contributions
// combined. A *point* is one index per dimension (n, i1..iD, dense...).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_COMPUTEBODY_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_COMPUTEBODY_H

#include "ASTFE/Analysis/ComputePlan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

namespace astfe::host {

/// A run of vectors of equal length; the last may be another one.
struct LaneShape {
  int64_t lanes = 16;     ///< elements of one vector
  int64_t maxVectors = 4; ///< vectors of a full column tile
  int64_t lastLanes = 1;  ///< of the last vector of several, at least
};

/// The dense columns that loops visit: [begin, end) of all. Without a begin:
/// all of them.
struct Strip {
  mlir::Value begin, end;
};

/// Rows of the output that go past the caches (StreamedRows.h).
struct StreamedRows {
  /// i1: all operands outgrow the caches, the output's rows begin lines and end
  /// with them, and rows of the dense operands are near; null: never.
  mlir::Value isOn = {};
  /// A word of the stack, which draining exchanges.
  mlir::Value word = {};

  explicit operator bool() const { return bool(isOn); }
};

/// Where samples of packed nonzeros go (SampleTargets.h); without tables: to
/// their slots.
struct SampleTargets {
  mlir::Value narrow = {}, wide = {};      ///< tables, of which one has entries
  mlir::Value areMoved = {}, areWide = {}; ///< i1: some has; `wide` has

  explicit operator bool() const { return bool(areMoved); }
};

class ComputeBody {
public:
  ComputeBody(mlir::ImplicitLocOpBuilder &builder, ComputeOp op,
              const ComputePlan &plan, mlir::ArrayRef<mlir::Value> inputs,
              mlir::ArrayRef<mlir::Value> outputs, bool contract);

  mlir::ImplicitLocOpBuilder &b;
  ComputeOp op;
  const ComputePlan &plan;
  /// Buffers, of elements as they are stored (StoredElements.h), turned so that
  /// lanes run along the last dimension; an input that
  /// is the same at all points may be a scalar.
  mlir::SmallVector<mlir::Value> inputs, outputs;
  mlir::SmallVector<mlir::AffineMap> inputMaps, outputMaps;
  Strip strip;
  /// i1: rows of the dense operands are fetched ahead; null: never.
  mlir::Value isFar;
  StreamedRows streamed;
  SampleTargets targets;
  /// Lanes that lie anywhere are one instruction (Pipelines/HostTraits.h).
  bool fastGathers = false;
  /// Rows of operands that are far are walked in strips (likewise).
  bool farStrips = false;
  /// Vectors of 512 bits are the processor's (likewise).
  bool wideMasks = false;
  /// Sixteen vector registers, of 256 bits or less, and a second cache that
  /// goes with them.
  bool fewRegisters = false;
  /// What the output of a reduction held before is not read.
  bool overwrites;
  /// Nothing runs in parallel.
  bool serial = false;
  /// Nonzeros of a row from which on it is taken in vectors, of which the last
  /// need not be whole; null: a constant, and it is.
  mlir::Value leastInVectors;

  /// Each nonzero has an element of the output.
  bool samples() const {
    return plan.outputs.front().protocol == Protocol::Once;
  }
  unsigned dims() { return op.getIterationRank(); }
  mlir::Type elementType(mlir::Value buffer) const {
    return mlir::getElementTypeOrSelf(buffer);
  }
  mlir::Value index(int64_t value) const;
  /// What the body computes with for elements of this type.
  mlir::Type computedType(mlir::Type element) const;
  /// The type of an output's sums.
  mlir::Type sumType(unsigned output);
  /// The output has halves, and each sum that is stored into it is rounded: of
  /// what is added or multiplied, not of maxima.
  bool roundsSums(unsigned output = 0);
  /// Elements of a buffer that keeps an output's sums: as they are computed
  /// where the output's are narrower, else as it holds them.
  mlir::Type keptType(unsigned output = 0);
  /// Bits of a lane of sums.
  int64_t laneBits();

  /// The operand's indices at a point, by one of the maps above.
  mlir::SmallVector<mlir::Value> indices(mlir::AffineMap map,
                                         mlir::ArrayRef<mlir::Value> point);
  mlir::Value loadInput(unsigned input, mlir::ArrayRef<mlir::Value> point);
  /// The same at the point of each lane, side by side.
  mlir::Value gatherInput(
      unsigned input, int64_t lanes,
      mlir::function_ref<mlir::SmallVector<mlir::Value>(int64_t)> pointOf);
  /// Lanes of the input that lie anywhere in it are one instruction: there are
  /// gathers, its elements fill 32 or 64 bits and lie side by side.
  bool gathers(unsigned input) const;
  /// The input at these columns of it, each counted from `base` (null: 0);
  /// under a mask, if that is not null. Those of 32 bits are below 2^31, of
  /// fewer bits unsigned.
  mlir::Value gatherColumns(unsigned input, mlir::Value columns,
                            mlir::Value base, mlir::Value mask);
  /// Sums of an output that are kept in a buffer, along its last dimension or
  /// (without lanes) one; `mask` may be null.
  mlir::Value loadSums(unsigned output, mlir::Value buffer, mlir::ValueRange at,
                       int64_t lanes, mlir::Value mask);
  /// Elements along the last dimension of a buffer, as stored; `mask` may be
  /// null.
  mlir::Value loadLanes(mlir::VectorType type, mlir::Value buffer,
                        mlir::ValueRange at, mlir::Value mask);
  /// Lanes run along the input's last dimension; `mask` may be null.
  mlir::Value loadInputLanes(unsigned input, mlir::ArrayRef<mlir::Value> point,
                             int64_t lanes, mlir::Value mask);

  /// The body on these arguments, scalars or vectors of one length: the
  /// contributions, vectors where an argument they depend on is one.
  mlir::SmallVector<mlir::Value>
  contributions(mlir::ArrayRef<mlir::Value> arguments);
  /// What is summed over the plan's reduced dimensions: its terms, or all of
  /// the contribution. Asks for the inputs that it needs, scalars or vectors.
  mlir::Value summand(mlir::function_ref<mlir::Value(unsigned)> argument);
  /// The contribution made of such a sum; all of it where `sum` is null.
  mlir::Value completed(mlir::Value sum,
                        mlir::function_ref<mlir::Value(unsigned)> argument);
  /// What is read of an output that `value` is stored into: a half is rounded.
  mlir::Value asRead(unsigned output, mlir::Value value);
  /// A scalar in every lane; a vector as it is.
  mlir::Value toLanes(mlir::Value value, int64_t lanes);
  /// sum (combiner of the output) value; a scalar is broadcast to lanes.
  mlir::Value combine(unsigned output, mlir::Value sum, mlir::Value value);
  /// Lets an op be contracted with others, where the option says so.
  void mayContract(mlir::Operation *made);
  /// The combiner's neutral element, or what the output begins with in its
  /// place; `lanes` 0 for a scalar.
  mlir::Value identity(unsigned output, int64_t lanes);
  /// A contribution that is combined with no identity before it is stored.
  mlir::Value begun(unsigned output, mlir::Value contribution);

  /// buffer[at...] (combiner of the output) value, on lanes along the last
  /// dimension where the value is a vector; `mask` may be null.
  mlir::Value updated(unsigned output, mlir::Value buffer, mlir::ValueRange at,
                      mlir::Value value, mlir::Value mask);
  /// buffer[at...] = value, likewise.
  void store(mlir::Value value, mlir::Value buffer, mlir::ValueRange at,
             mlir::Value mask);
  /// The same past the caches, for lanes that begin at a multiple of their
  /// length.
  void storePastCaches(mlir::Value value, mlir::Value buffer,
                       mlir::ValueRange at);
  /// buffer[at...] (combiner)= value, of all lanes.
  void update(unsigned output, mlir::Value buffer, mlir::ValueRange at,
              mlir::Value value);

private:
  void turnToLanes(mlir::Value &buffer, mlir::AffineMap &map);
  /// The values `wanted` of the body, and no others.
  mlir::SmallVector<mlir::Value>
  evaluate(mlir::ArrayRef<mlir::Value> wanted,
           mlir::function_ref<mlir::Value(unsigned)> argument);
  mlir::Value multiply(mlir::Value a, mlir::Value c);
  /// An element of an input, as stored.
  mlir::Value loadStored(unsigned input, mlir::ArrayRef<mlir::Value> point);
  /// Stored elements of an input, scalar or lanes, to compute with.
  mlir::Value opened(unsigned input, mlir::Value stored);
  void cloneOnLanes(mlir::Operation &inner, mlir::IRMapping &mapping);

  bool contract;
};

/// The computation on these buffers, which these maps index, beside `op`.
ComputeOp remade(mlir::ImplicitLocOpBuilder &b, ComputeOp op,
                 mlir::ArrayRef<mlir::Value> inputs,
                 mlir::ArrayRef<mlir::Value> outputs,
                 mlir::ArrayRef<mlir::AffineMap> maps);
/// The floats of complex numbers; else the type itself.
mlir::Type partType(mlir::Type element);
/// An i1 turned round.
mlir::Value notOf(mlir::ImplicitLocOpBuilder &b, mlir::Value condition);
/// Loads an integer or index element and makes an index of it; integers are
/// not negative.
mlir::Value loadIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                      mlir::Value at);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_COMPUTEBODY_H
