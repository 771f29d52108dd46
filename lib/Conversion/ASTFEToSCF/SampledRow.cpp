//===- SampledRow.cpp - one element of the output a nonzero ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs that are indexed by n: sampled products, s_n = a_n <X_i, Y_j>, and
// elementwise ones, s_n = a_n r_i c_j.
//
// Lanes run over the dense dimension that is reduced. Several nonzeros go
// together: what their key names is loaded once for all of them, and their
// lanes are added up together. Four vectors a, b, c, d of four lanes take two
// steps of two shuffles a pair, and end as one vector of four sums:
//
//   a0 b0 a1 b1 + a2 b2 a3 b3 = ab   (and cd likewise)
//   ab0 ab1 cd0 cd1 + ab2 ab3 cd2 cd3 = a b c d
//
// Without a dense dimension lanes run over the nonzeros.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "RowEmitters.h"
#include "SampleTargets.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// Bytes that shuffles of two vectors do not cross for free.
static constexpr int64_t kShuffleBytes = 16;

namespace {
/// Lanes of the dense dimension from `at` on; `mask` null: all of them.
struct Step {
  Value at, mask;
};

class SampledRow {
public:
  SampledRow(ComputeBody &body, const RowRun &run, LaneShape shape)
      : body(body), b(body.b), run(run), lanes(shape.lanes),
        reduces(body.plan.reducesLanes()), laneDim(body.plan.laneDim) {
    if (reduces)
      extent = denseColumns(body);
  }
  void emit();

private:
  SmallVector<Value> pointOf(Value n);
  bool isUniform(unsigned input) const;
  SmallVector<Value> loadUniform(const Step &step);
  Value term(ArrayRef<Value> point, const Step &step, ArrayRef<Value> uniform);
  SmallVector<Value> addStep(ArrayRef<SmallVector<Value>> points, Step step,
                             ArrayRef<Value> uniform, ValueRange sums);
  SmallVector<Value> addRest(ArrayRef<SmallVector<Value>> points,
                             SmallVector<Value> sums);
  SmallVector<Value> sumsOf(ArrayRef<SmallVector<Value>> points);
  Value interleave(Value low, Value high, int64_t packed, int64_t width);
  Value fold(SmallVector<Value> sums);
  void emitGroup(Value n, int64_t count);

  ComputeBody &body;
  ImplicitLocOpBuilder &b;
  const RowRun &run;
  const int64_t lanes;
  const bool reduces;
  const unsigned laneDim;
  Value extent; ///< of the reduced dimension
  /// Operands of the key in full vectors of a known, short extent, by vector
  /// and input.
  SmallVector<SmallVector<Value>> kept;
};
} // namespace

SmallVector<Value> SampledRow::pointOf(Value n) {
  SmallVector<Value> point(body.dims());
  point[kNonzeroDim] = n;
  point[run.rowDim] = run.row;
  point[run.columnDim] = run.columns.at(b, n);
  return point;
}

/// The same for all nonzeros of the row, and different from lane to lane.
bool SampledRow::isUniform(unsigned input) const {
  AffineMap map = body.inputMaps[input];
  return map.isFunctionOfDim(laneDim) && !map.isFunctionOfDim(kNonzeroDim) &&
         !map.isFunctionOfDim(run.columnDim);
}

SmallVector<Value> SampledRow::loadUniform(const Step &step) {
  SmallVector<Value> point(body.dims()), vectors(body.inputs.size());
  point[run.rowDim] = run.row;
  point[laneDim] = step.at;
  for (unsigned i = 0; i < vectors.size(); ++i)
    if (isUniform(i))
      vectors[i] = body.loadInputLanes(i, point, lanes, step.mask);
  return vectors;
}

/// What is summed of one nonzero at a step.
Value SampledRow::term(ArrayRef<Value> point, const Step &step,
                       ArrayRef<Value> uniform) {
  SmallVector<Value> at(point);
  at[laneDim] = step.at;
  auto argument = [&](unsigned input) -> Value {
    if (uniform[input])
      return uniform[input];
    if (body.inputMaps[input].isFunctionOfDim(laneDim))
      return body.loadInputLanes(input, at, lanes, step.mask);
    return body.loadInput(input, at);
  };
  Value value = body.toLanes(body.summand(argument), lanes);
  if (!step.mask)
    return value;
  return arith::SelectOp::create(b, step.mask, value, body.identity(0, lanes));
}

SmallVector<Value> SampledRow::addStep(ArrayRef<SmallVector<Value>> points,
                                       Step step, ArrayRef<Value> uniform,
                                       ValueRange sums) {
  SmallVector<Value> result;
  for (auto [point, sum] : llvm::zip(points, sums))
    result.push_back(body.combine(0, sum, term(point, step, uniform)));
  return result;
}

/// The lanes behind the last full vector.
SmallVector<Value> SampledRow::addRest(ArrayRef<SmallVector<Value>> points,
                                       SmallVector<Value> sums) {
  auto known = getConstantIntValue(extent);
  if (known && *known % lanes == 0)
    return sums;
  Value rest = b.createOrFold<arith::RemUIOp>(extent, body.index(lanes));
  Value full = b.createOrFold<arith::SubIOp>(extent, rest);
  auto masked = [&] {
    auto type = VectorType::get({lanes}, b.getI1Type());
    Step step{full, vector::CreateMaskOp::create(b, type, rest)};
    return addStep(points, step, loadUniform(step), sums);
  };
  if (known)
    return masked();
  Value some =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rest, body.index(0));
  auto choice = scf::IfOp::create(
      b, some,
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, masked()); },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, sums); });
  return SmallVector<Value>(choice.getResults());
}

/// A vector of sums for each point.
SmallVector<Value> SampledRow::sumsOf(ArrayRef<SmallVector<Value>> points) {
  SmallVector<Value> sums;
  for (size_t i = 0; i < points.size(); ++i)
    sums.push_back(body.identity(0, lanes));
  for (auto [v, uniform] : llvm::enumerate(kept))
    sums = addStep(points, {body.index(int64_t(v) * lanes), {}}, uniform, sums);
  if (kept.empty()) {
    Value rest = b.createOrFold<arith::RemUIOp>(extent, body.index(lanes));
    auto loop = scf::ForOp::create(
        b, body.index(0), b.createOrFold<arith::SubIOp>(extent, rest),
        body.index(lanes), sums,
        [&](OpBuilder &, Location, Value k, ValueRange carried) {
          Step step{k, {}};
          scf::YieldOp::create(
              b, addStep(points, step, loadUniform(step), carried));
        });
    sums.assign(loop.result_begin(), loop.result_end());
  }
  return addRest(points, sums);
}

/// Adds up halves of both vectors, in parts of `width` lanes, and leaves them
/// in turn: `packed` lanes of the one, `packed` of the other.
Value SampledRow::interleave(Value low, Value high, int64_t packed,
                             int64_t width) {
  SmallVector<int64_t> first, second;
  const int64_t half = width / 2;
  for (int64_t part = 0; part < lanes; part += width)
    for (int64_t t = 0; t < half; t += packed)
      for (int64_t from : {int64_t(0), lanes})
        for (int64_t i = 0; i < packed; ++i) {
          first.push_back(from + part + t + i);
          second.push_back(from + part + half + t + i);
        }
  return body.combine(0, vector::ShuffleOp::create(b, low, high, first),
                      vector::ShuffleOp::create(b, low, high, second));
}

/// The sum of each vector: lanes of one vector, or a scalar.
Value SampledRow::fold(SmallVector<Value> sums) {
  Type element = cast<VectorType>(sums.front().getType()).getElementType();
  const int64_t width = std::min<int64_t>(
      lanes, kShuffleBytes * 8 / element.getIntOrFloatBitWidth());
  int64_t packed = 1;
  for (; sums.size() > 1 && packed < width; packed *= 2) {
    SmallVector<Value> pairs;
    for (size_t i = 0; i < sums.size(); i += 2)
      pairs.push_back(interleave(sums[i], sums[i + 1], packed, width));
    sums = pairs;
  }
  for (Value &sum : sums)
    sum = foldLanes(body, sum, packed);
  for (; sums.size() > 1; packed *= 2) {
    SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(2 * packed));
    SmallVector<Value> pairs;
    for (size_t i = 0; i < sums.size(); i += 2)
      pairs.push_back(vector::ShuffleOp::create(b, sums[i], sums[i + 1], all));
    sums = pairs;
  }
  if (packed == 1)
    return vector::ExtractOp::create(b, sums.front(), 0);
  return sums.front();
}

/// Nonzeros n to n + count.
void SampledRow::emitGroup(Value n, int64_t count) {
  SmallVector<SmallVector<Value>> points;
  if (reduces)
    fetchAhead(body, run, n, count);
  for (int64_t g = 0; g < count && (reduces || g == 0); ++g)
    points.push_back(pointOf(
        g ? arith::AddIOp::create(b, n, body.index(g)).getResult() : n));
  Value sum = reduces ? fold(sumsOf(points)) : Value();
  auto argument = [&](unsigned input) -> Value {
    if (count == 1)
      return body.loadInput(input, points.front());
    return slotLanes(body, run, input, points.front(), n, count);
  };
  Value value = body.completed(sum, argument);
  if (count > 1)
    value = body.toLanes(value, count);
  if (body.targets)
    return storeAtTargets(body, value, n);
  Value output = body.outputs.front();
  if (!body.op.getOverwrite())
    value = body.updated(0, output, n, value, {});
  body.store(value, output, n, {});
}

void SampledRow::emit() {
  auto known = reduces ? getConstantIntValue(extent) : std::nullopt;
  if (known && *known >= lanes &&
      *known / lanes <= core::rules::kUnrolledVectors)
    for (int64_t v = 0; v < *known / lanes; ++v)
      kept.push_back(loadUniform({body.index(v * lanes), {}}));
  const int64_t count = reduces ? core::rules::kSummedTogether : lanes;
  Value middle = endOfWholes(body, run.begin, run.end, count);
  auto loop = [&](Value begin, Value end, int64_t step) {
    scf::ForOp::create(b, begin, end, body.index(step), ValueRange(),
                       [&](OpBuilder &, Location, Value n, ValueRange) {
                         emitGroup(n, step);
                         scf::YieldOp::create(b);
                       });
  };
  loop(run.begin, middle, count);
  loop(middle, run.end, 1);
}

void host::emitSampledRow(ComputeBody &body, const RowRun &run,
                          LaneShape shape) {
  SampledRow(body, run, shape).emit();
}
