//===- Emitter.h - device code shared by the emitters ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel runs one worker on one warp. A lane owns `vector` consecutive
// columns of a tile of 32 * vector, or, for one column, some of the nonzeros.
// Loads of columns and values are coalesced: lane l takes nonzero k + l, and
// all lanes then walk the 32 nonzeros together, which the warp keeps in its
// part of shared memory (Stage.cpp): a load of 128 bits hands four of them to
// every lane, where shuffles would take two instructions each. What is kept is
// not the column but the offset of its row of the dense operand, in vectors:
// one multiplication per 32 nonzeros, one wide multiply-add per nonzero and
// lane.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_EMITTER_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_EMITTER_H

#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Arguments.h"
#include "Branch.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace astfe::gpukernel {

using Values = llvm::SmallVector<mlir::Value>;

/// Lanes of a warp; warps of a block; the whole block.
constexpr int64_t kLanes = core::rules::kWarpLanes;
constexpr int64_t kBlockWarps = core::kGPUBlockWarps;
constexpr int64_t kBlockThreads = kLanes * kBlockWarps;
/// Blocks that a multiprocessor holds at the same time: no more than 64
/// registers a thread.
constexpr int64_t kBlocksPerProcessor = core::kGPUResidentWarps / kBlockWarps;

/// One nonzero as a lane sees it.
struct Point {
  mlir::Value row;    ///< index
  mlir::Value offset; ///< i32 in vectors, or the i32 column if wide
  Values scalars;     ///< per input; null unless Operand::perNonzero
};

/// A segment that all lanes work on.
struct Row {
  mlir::Value begin;  ///< i32, or index of a far view: its first slot
  mlir::Value length; ///< i32
  mlir::Value mark;   ///< i32
  mlir::Value row;    ///< index; null unless an operand is indexed by rows
  mlir::Value first;  ///< i1: nothing wrote its row before; null: adds
};

/// A run of segments with one row each. `mark` says where the sum goes: the
/// row, or negative for a shared one (~row, or ~partial of a deterministic
/// layout).
/// Slots count from the first one of the run: in 32 bits, so that an address is
/// one wide multiply-add; in those of index where a view has 64-bit positions.
struct Segments {
  mlir::Value first, last; ///< i32 ordinals, [first, last)
  /// Where a segment ends (i32 or index).
  std::function<mlir::Value(mlir::Value)> end;
  /// First slot (i32 or index) and length (i32) of a segment.
  std::function<std::pair<mlir::Value, mlir::Value>(mlir::Value)> bounds;
  std::function<mlir::Value(mlir::Value)> mark; ///< i32
  std::function<mlir::Value(mlir::Value)> row;  ///< index
  /// i32: 1 if the segment is the first to write its row, so that it stores
  /// where a kernel overwrites; else 0. None where kernels only add.
  std::function<mlir::Value(mlir::Value)> starts;
  mlir::Value slots; ///< i32: slots of the run
  /// The i32 column of a slot of a segment that begins at the other.
  std::function<mlir::Value(mlir::Value, mlir::Value)> column;
  /// What the table of columns has of a slot, and the i32 column that this is;
  /// null where columns are implicit or the slots of rows lie apart.
  std::function<mlir::Value(mlir::Value)> stored, columnOf;
  /// Where segments begin anywhere in the tables: the same with slots that
  /// count from the begin of a segment, which bounds() has; else null.
  std::function<Segments(mlir::Value)> from;
};

/// A nonzero whose element of the output a team makes.
struct Sample {
  mlir::Value slot, column, row;
  mlir::Value valid; ///< i1: it is there
};

class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location loc, const KernelPlan &plan,
          Variant variant)
      : b(loc, builder), plan(plan), variant(variant) {}

  mlir::ImplicitLocOpBuilder b;
  const KernelPlan &plan;
  Variant variant;

  mlir::Value lane;        ///< i32
  mlir::Value team;        ///< i32: of the warp's; the lane for one column
  mlir::Value warp;        ///< i32: of the block, the same in all lanes
  mlir::Value columnCount; ///< i32; null for one column
  mlir::Value column;      ///< index: first column of this lane (clamped)
  mlir::Value active;      ///< i1: this lane has columns; null: always
  llvm::DenseMap<Role, mlir::Value> tables; ///< 1-D views
  Values wholeInputs;                       ///< 1-D views, by input
  Values inputs; ///< the same, dense ones from `column` on
  llvm::DenseMap<size_t, mlir::Value> strides; ///< i32: a cell's, by input
  mlir::Value slotBase; ///< index: what slots count from; null: `inputs` do
  Values scalars;       ///< what the body reads from outside
  mlir::Value runBase;  ///< index: the first slot of the run
  mlir::Value output, partials;
  /// i32: of a view's rows, those with so many nonzeros are cut: others walk
  /// their pieces, and who walks rows skips them. Null: none are.
  mlir::Value least;
  mlir::Value marks; ///< i32: 0 if all segments are first; null: kernels add

  // Arithmetic on i32 and index, and structured control flow.
  mlir::Value i32(int64_t value);
  mlir::Value index(int64_t value);
  mlir::Value toIndex(mlir::Value value); ///< of a non-negative integer
  mlir::Value toI32(mlir::Value value);   ///< of an index or integer
  mlir::Value add(mlir::Value a, mlir::Value c);
  mlir::Value sub(mlir::Value a, mlir::Value c);
  mlir::Value mul(mlir::Value a, mlir::Value c);
  mlir::Value min(mlir::Value a, mlir::Value c);
  mlir::Value bitAnd(mlir::Value a, int64_t mask);
  mlir::Value compare(mlir::arith::CmpIPredicate p, mlir::Value a,
                      mlir::Value c);
  mlir::Value select(mlir::Value cond, mlir::Value a, mlir::Value c);
  mlir::Value negate(mlir::Value cond);
  /// A view of a whole one that begins at an element.
  mlir::Value viewFrom(mlir::Value whole, mlir::Value first);
  mlir::Value load(mlir::Value memref, mlir::Value at);
  mlir::Value table(Role role, mlir::Value at);
  /// Reads a table by numbers that count from its element `first`. Of teams,
  /// whose lanes load nonzeros for themselves, the pointer is moved, so that an
  /// access takes one wide multiply-add; else only `first` stays in registers,
  /// which are short.
  std::function<mlir::Value(mlir::Value)> tableFrom(Role role,
                                                    mlir::Value first);
  mlir::Value broadcast(mlir::Value value, mlir::Value fromLane);
  /// A value that all lanes have, said so that ptxas knows: only a shuffle from
  /// a fixed lane tells it. Branches on it need no convergence barrier, and it
  /// may lie in a uniform register.
  mlir::Value uniform(mlir::Value value);
  Values loop(mlir::Value from, mlir::Value to, mlir::Value step, Values inits,
              llvm::function_ref<Values(mlir::Value, Values)> body);
  /// The same for an inner loop that is unrolled here already: neither LLVM nor
  /// ptxas unrolls it further, which would spill.
  Values unrolledLoop(mlir::Value from, mlir::Value to, mlir::Value step,
                      Values inits,
                      llvm::function_ref<Values(mlir::Value, Values)> body);
  void loop(mlir::Value from, mlir::Value to, mlir::Value step,
            llvm::function_ref<void(mlir::Value)> body);
  /// i32: a bit for each lane of the warp, of which `holds` (i1).
  mlir::Value ballot(mlir::Value holds);
  /// Calls `run` with the lanes (i32) whose bits are set, one after the other,
  /// in the whole warp.
  void eachLane(mlir::Value bits, llvm::function_ref<void(mlir::Value)> run);
  Values branch(mlir::Value cond, Values otherwise,
                llvm::function_ref<Values()> then);
  Values either(mlir::Value cond, mlir::TypeRange types,
                llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);
  void branch(mlir::Value cond, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr) {
    gpukernel::branch(b, cond, then, otherwise);
  }

  // Lanes that share a row's columns.
  /// Whether a warp has several teams.
  bool hasTeams() const { return variant.hasTeams(); }
  /// Whether lanes of a team load a nonzero each, for all of it: of rows that
  /// are whole and written, of elements of 32 bits or less. (Others spill with
  /// it, and so do packed rows.)
  bool teamsStage() const {
    return hasTeams() && core::stagesGPUTeam(variant.lanes) &&
           plan.elementBytes() <= 4 && plan.walksRows() && plan.overwrites &&
           !plan.complex && !variant.wide && !least;
  }
  /// Nonzeros of a team whose loads are in flight together: complex numbers of
  /// f64 take four registers each.
  int64_t teamInFlight() const;
  int64_t teams() const { return kLanes / int64_t(variant.lanes); }

  /// Pointers begin where a run does (tableFrom).
  bool movesPointers() const { return plan.oneColumn || hasTeams(); }

  // Nonzeros (Point.cpp).
  unsigned vector() const { return variant.vector; }
  /// Slots count from `base` from now on.
  void beginRun(mlir::Value base);
  /// A number of slots in the type of `slot`.
  mlir::Value likeSlot(mlir::Value slot, mlir::Value count);
  /// An element of an operand that is indexed by no columns, or its part.
  mlir::Value loadScalar(size_t input, mlir::Value at);
  /// Where a dense matrix has the element of a nonzero.
  mlir::Value cellAt(size_t input, mlir::Value column, mlir::Value row);
  /// The point of the nonzero in `slot`, loaded by this lane for itself.
  Point load(mlir::Value slot, mlir::Value column, mlir::Value row);
  /// What Point::offset differs by from one column of the pattern to the next.
  mlir::Value rowStep();
  /// A point of which only the column is known.
  Point place(mlir::Value column);
  /// The point that `fromLane` holds, with this lane's columns.
  Point broadcast(const Point &point, mlir::Value fromLane);
  Point broadcastScalars(const Point &point, mlir::Value fromLane);
  /// Adds the contributions of `points` to the accumulators; all loads first.
  /// Those may be of several rows: that of a point is its place in a list that
  /// begins again behind the last row.
  Values accumulate(llvm::ArrayRef<Point> points, Values accumulators);
  /// The same of those that are there (i1 each), which are of one row.
  Values accumulateWhere(llvm::ArrayRef<Point> points,
                         llvm::ArrayRef<mlir::Value> inside, Values sums);
  Values identities();
  /// What 2^log teams (i32) have summed up, of which this one is `distance`
  /// lanes from the next whose sum it has not.
  Values sumOfTeams(mlir::Value log, int64_t distance, Values sums);
  mlir::Value combine(mlir::Value a, mlir::Value c);
  mlir::Value multiply(llvm::ArrayRef<mlir::Value> factors);
  /// An element of the output, or of its type, to sum up.
  mlir::Value toSum(mlir::Value element);
  /// Stores a sum as the buffer has it.
  void store(mlir::Value sum, mlir::Value buffer, mlir::Value at);
  /// A lane's columns, from a place in a buffer on: one vector.
  mlir::Value loadColumns(mlir::Value buffer, mlir::Value at);
  /// The same as sums.
  Values loadSums(mlir::Value buffer, mlir::Value at);
  /// Stores sums as the buffer has them.
  void storeSums(const Values &sums, mlir::Value buffer, mlir::Value at);
  /// What the body makes of one element of each operand.
  Values contribute(const Values &operands, unsigned element);

  // Nonzeros that the whole warp reads (Stage.cpp).
  /// Makes the shared buffer; once, at the start of a kernel that stages.
  void makeStage();
  /// Keeps what every lane holds of its nonzero.
  void stage(const Point &own);
  /// Nonzeros from, from + 1, ... of those kept; `from` is a multiple of
  /// `number`, a power of two.
  llvm::SmallVector<Point> staged(mlir::Value from, int64_t number,
                                  mlir::Value row);

  // Rows of the output (Flush.cpp).
  // `first` is an i1, or null where kernels add: nothing wrote the row before,
  // so that it is not read.
  /// Whether the segment is the first to write its row, for each lane.
  mlir::Value isFirst(const Segments &segments, mlir::Value segment);
  /// What the accumulators of a row begin with: the row, read before the work
  /// on it so that nothing waits for it, or identities for a shared one.
  Values open(mlir::Value mark, mlir::Value first);
  /// Writes accumulators that began as open(mark, first).
  void close(mlir::Value mark, mlir::Value first, const Values &accumulators);
  /// The same of a row that takes long. Where kernels overwrite, it is read
  /// behind the work: few rows are, and to keep their addresses meanwhile takes
  /// registers that are short.
  Values openLong(const Row &row);
  void closeLong(const Row &row, const Values &accumulators);
  /// Combines accumulators into the row that `mark` names.
  void flush(mlir::Value mark, mlir::Value first, const Values &accumulators);
  /// The same by atomics: other lanes of the warp may hold the same row, so
  /// that a plain update will not do.
  void flushTogether(mlir::Value mark, mlir::Value first,
                     const Values &accumulators);
  /// ~mark for a shared row, else mark; index.
  mlir::Value unmark(mlir::Value mark);

  // The classes of a packed pattern, one file each.
#define ASTFE_CLASS(Name, name, Rest)
#define ASTFE_GPU_CLASS(Name, name, Rest)                                      \
  void emit##Name(const Segments &segments, mlir::Value span);
#include "ASTFE/Core/Kernel/Classes.def"
  /// Outputs with an element for each nonzero, of any class or a view
  /// (Samples.cpp); `scattered`: each has a row of its own.
  void emitSamples(const Segments &segments, bool scattered);
  /// Rows with explicit columns, also those of views.
  void emitRows(const Segments &segments);
  /// A row by the whole warp, each lane with columns of its own.
  void emitWarpRow(const Segments &segments, const Row &row);
  /// The rows that a warp takes at a time, from `group` on, where 2^log teams
  /// share each.
  void emitRowGroup(const Segments &segments, mlir::Value group,
                    mlir::Value log);
  /// The sums of a part of a view's row by the whole warp.
  Values pieceSum(const Segments &segments, const Row &row);
  /// Stores sums as row `row` of a buffer, where this lane is active.
  void putWhereActive(mlir::Value memref, mlir::Value row, const Values &sums);
  /// Rows of a view whose nonzeros are added to rows of the output, each to one
  /// of its own (Scattered.cpp).
  void emitScatters(const Segments &segments);
  /// All lanes see what the others wrote.
  void synchronizeWarp();

private:
  void emitColumnTile(const Segments &segments);
  void emitTeams(const Segments &segments);
  mlir::Value isRun(mlir::Value length);
  mlir::Value allTeams();
  Values teamRowSum(const Segments &segments, const Row &row,
                    mlir::Value within, mlir::Value log, Values sums);
  Values groupSum(const Segments &segments, const Row &row, mlir::Value within,
                  mlir::Value log, mlir::Value rounds, mlir::Value isLong,
                  const Values &sums);
  void emitTeamRow(const Segments &segments, const Row &row, mlir::Value within,
                   mlir::Value log);
  void emitLongRows(const Segments &segments, const Row &mine,
                    mlir::Value lanes);
  Values sampleSums(llvm::ArrayRef<Point> points, mlir::Value within);
  void emitSamplesOf(llvm::ArrayRef<Sample> samples);
  /// The contribution of a point: what its sum over the dense dimension makes,
  /// or, where that is null, the body on scalars.
  /// `part` is that of a complex number.
  mlir::Value complete(const Point &point, unsigned part, mlir::Value sum);
  Values operands(const Point &point);
  /// A sum as an element of `type`: rounded, or cut off.
  mlir::Value toStored(mlir::Value sum, mlir::Type type);
  mlir::Value widened(mlir::Value value);
  /// The values `wanted` of the body.
  Values evaluate(llvm::ArrayRef<mlir::Value> wanted, const Values &operands,
                  unsigned element);
  mlir::Value evaluatePart(const Values &operands, unsigned element);
  /// Of a lane's columns in memory.
  llvm::MaybeAlign alignment(mlir::VectorType type) const;
  Values oneOf(int64_t least, int64_t most, int64_t step, mlir::Value number,
               mlir::TypeRange types, llvm::function_ref<Values(int64_t)> make);
  Values stagedSum(mlir::Value count, mlir::Value row, Values sums);
  Values rowSum(const Segments &segments, const Row &row, Values sums);
  bool readsAhead(const Segments &segments) const;
  Values ask(const Segments &segments, mlir::Value from);
  Point asked(const Segments &segments, llvm::ArrayRef<mlir::Value> read);
  Values rowSumAhead(const Segments &segments, const Row &row, Values &read,
                     Values sums);
  Values teamRound(const Segments &segments, const Row &row, mlir::Value slot,
                   mlir::Value width, int64_t number, Values sums);
  Values shortTeamSum(const Segments &segments, const Row &row,
                      mlir::Value within, mlir::Value width, int64_t number,
                      const Values &sums);
  Values teamSum(const Segments &segments, const Row &row, mlir::Value within,
                 mlir::Value width, Values sums);
  Values stagedTeamSum(const Segments &segments, const Row &row,
                       mlir::Value within, mlir::Value width, Values sums);
  void eachRow(const Segments &segments, Values inits,
               llvm::function_ref<Values(const Row &, Values)> run);
  void eachRow(const Segments &segments,
               llvm::function_ref<void(const Row &)> run);
  mlir::Value rowOffset(mlir::Value row);
  Values fetch(mlir::Value memref, mlir::Value row);
  void put(mlir::Value memref, mlir::Value row, const Values &values);
  /// Plain combination into row `row` of a buffer; where `first`, a store.
  void write(mlir::Value memref, mlir::Value row, mlir::Value first,
             const Values &accumulators);
  void flushShared(mlir::Value mark, mlir::Value first,
                   const Values &accumulators);
  void finish(mlir::Value mark, mlir::Value first, const Values &accumulators,
              llvm::function_ref<void()> own);
  void finishTogether(mlir::Value mark, const Values &accumulators,
                      llvm::function_ref<void()> own);
  bool spreads() const;
  Values exchange(Values accumulators);
  void updateSpread(mlir::Value row, mlir::Value where,
                    const Values &accumulators);
  void whereActive(llvm::function_ref<void()> write);

  /// Rows of one nonzero are written where it is: what lanes would exchange for
  /// atomics makes the loop longer, by the model for nothing.
  bool isScattering = false;
  mlir::Value stagedOffsets; ///< shared arrays, 32 elements for each warp
  Values stagedScalars;      ///< per input; null unless Operand::perNonzero
  void updateAtomically(mlir::Value row, const Values &accumulators);
};

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_EMITTER_H
