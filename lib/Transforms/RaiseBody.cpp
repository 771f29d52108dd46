//===- RaiseBody.cpp - the body of a raised computation -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseBody.h"
#include "ASTFE/Analysis/NeutralZeros.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "BodyCombiner.h"
#include "RaiseStart.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace astfe {

using Kind = arith::AtomicRMWKind;

//===----------------------------------------------------------------------===//
// The combiner
//===----------------------------------------------------------------------===//

/// The combiner that an op of two values is.
static std::optional<Kind> kindOf(Operation *op) {
  return TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<arith::AddFOp, complex::AddOp>([](auto) { return Kind::addf; })
      .Case([](arith::AddIOp) { return Kind::addi; })
      .Case([](arith::MulFOp) { return Kind::mulf; })
      .Case([](arith::MulIOp) { return Kind::muli; })
      .Case([](arith::MaximumFOp) { return Kind::maximumf; })
      .Case([](arith::MinimumFOp) { return Kind::minimumf; })
      .Case([](arith::MaxNumFOp) { return Kind::maxnumf; })
      .Case([](arith::MinNumFOp) { return Kind::minnumf; })
      .Case([](arith::MaxSIOp) { return Kind::maxs; })
      .Case([](arith::MinSIOp) { return Kind::mins; })
      .Case([](arith::MaxUIOp) { return Kind::maxu; })
      .Case([](arith::MinUIOp) { return Kind::minu; })
      .Case([](arith::AndIOp) { return Kind::andi; })
      .Case([](arith::OrIOp) { return Kind::ori; })
      .Case([](arith::XOrIOp) { return Kind::xori; })
      .Default(std::nullopt);
}

/// The combiner of a reduction's region: one op on both of its arguments.
static std::optional<Kind> kindOf(sparse_tensor::ReduceOp op) {
  Block &block = op.getRegion().front();
  Operation *combiner = block.getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || combiner->getBlock() != &block ||
      combiner->getNumOperands() != 2)
    return std::nullopt;
  Value a = combiner->getOperand(0), c = combiner->getOperand(1);
  if (a == c || a.getParentBlock() != &block || !isa<BlockArgument>(a) ||
      c.getParentBlock() != &block || !isa<BlockArgument>(c))
    return std::nullopt;
  return kindOf(combiner);
}

namespace {
/// How a body ends: `out = out (combiner) contribution`, or, without an op,
/// `out = contribution`.
struct Ending {
  Operation *op = nullptr;
  Kind combiner = Kind::addf;
  Value contribution;
  bool isReduction = false; ///< by sparse_tensor.reduce
  bool isNegated = false;   ///< the contribution is taken away from the output
};
} // namespace

static Value negated(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType();
  if (isa<ComplexType>(type))
    return complex::NegOp::create(b, loc, value);
  if (isa<FloatType>(type))
    return arith::NegFOp::create(b, loc, value);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return arith::SubIOp::create(b, loc, zero, value);
}

/// The combiner that adds up elements of a type.
static Kind sumOf(Type element) {
  return isa<FloatType, ComplexType>(element) ? Kind::addf : Kind::addi;
}

static std::optional<Ending> findEnding(linalg::LinalgOp op, bool sparseOutput,
                                        std::string &whyNot) {
  auto refuse = [&](StringRef why) {
    whyNot = why.str();
    return std::nullopt;
  };
  Block *body = op.getBlock();
  Value yielded = body->getTerminator()->getOperand(0);
  Value out = body->getArguments().back();
  if (sparseOutput && out.use_empty() && op.getNumReductionLoops() == 0)
    return Ending{nullptr, sumOf(yielded.getType()), yielded};
  Operation *last = yielded.getDefiningOp();
  if (!last || last->getBlock() != body)
    return refuse("the body does not combine with the output");
  auto reduce = dyn_cast<sparse_tensor::ReduceOp>(last);
  const bool isNegated = isDifference(last) && last->getOperand(0) == out;
  std::optional<Kind> kind = reduce ? kindOf(reduce) : kindOf(last);
  if (isNegated)
    kind = sumOf(out.getType());
  if (!kind)
    return refuse("the body does not combine by one op, such as addf or "
                  "minimumf, with the output");
  Value first = last->getOperand(0), second = last->getOperand(1);
  if (first != out && second != out)
    return refuse("the body does not add to the output");
  if (!out.hasOneUse() || !last->hasOneUse())
    return refuse("the body reads the output twice");
  return Ending{last, *kind, first == out ? second : first, bool(reduce),
                isNegated};
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

/// `outer` for use in a body: a constant is copied, so that the body reads
/// nothing from outside, which kernels of a GPU cannot.
static Value toBody(OpBuilder &builder, Value outer) {
  Operation *op = outer.getDefiningOp();
  if (!op || !op->hasTrait<OpTrait::ConstantLike>())
    return outer;
  return builder.clone(*op)->getResult(0);
}

namespace {
/// Copies a body up to its ending. Values are known to exist *with* the entry
/// where they are nothing without it, in the sense of sparse_tensor's ops.
class BodyCopy {
public:
  BodyCopy(linalg::LinalgOp op, ArrayRef<unsigned> sparseInputs,
           const Ending &ending);

  /// The contribution in the copy, or null and the reason.
  Value run(std::string &whyNot);
  std::unique_ptr<Region> region = std::make_unique<Region>();
  /// What stands for the entries of the sparse inputs.
  SmallVector<BlockArgument> entries;
  /// The contribution is nothing without the entry: as upstream iterates over a
  /// product, and as sparse_tensor's ops say.
  bool existsWith() const { return withEntry.contains(ending.contribution); }
  bool isSaid() const { return said.contains(ending.contribution); }

private:
  void addArguments(unsigned sparseInput);
  StringRef copy(Operation &inner);
  StringRef copyRegion(Operation &inner, Region &from);
  StringRef copyBinary(sparse_tensor::BinaryOp inner);
  StringRef copyUnary(sparse_tensor::UnaryOp inner);
  StringRef copySelect(sparse_tensor::SelectOp inner);
  Value both(Value a, Value c);
  bool keepsSelected(Operation &inner) const;
  bool isSelected(Value value) const { return conditions.contains(value); }
  void note(Operation &inner);

  linalg::LinalgOp op;
  const Ending &ending;
  OpBuilder b;
  IRMapping mapping;
  /// Values of the original that exist with the entry, and those of them that
  /// an op of sparse_tensor made so.
  llvm::DenseSet<Value> withEntry, said;
  /// Of values that exist with entries that are selected, whether this one is,
  /// in the copy.
  llvm::DenseMap<Value, Value> conditions;
};
} // namespace

BodyCopy::BodyCopy(linalg::LinalgOp op, ArrayRef<unsigned> sparseInputs,
                   const Ending &ending)
    : op(op), ending(ending), b(op->getContext()) {
  b.createBlock(region.get());
  addArguments(sparseInputs.front());
  for (unsigned input : sparseInputs) {
    BlockArgument entry = op.getBlock()->getArgument(input);
    withEntry.insert(entry);
    entries.push_back(cast<BlockArgument>(mapping.lookup(entry)));
  }
}

/// Scalar operands have no map: the body reads them from outside.
void BodyCopy::addArguments(unsigned sparseInput) {
  Block *source = op.getBlock();
  Block *target = &region->front();
  auto add = [&](unsigned input) {
    BlockArgument old = source->getArgument(input);
    mapping.map(old, target->addArgument(old.getType(), old.getLoc()));
  };
  add(sparseInput);
  for (OpOperand *operand : op.getDpsInputOperands()) {
    const unsigned input = operand->getOperandNumber();
    if (op.isScalar(operand))
      mapping.map(source->getArgument(input), toBody(b, operand->get()));
    else if (input != sparseInput)
      add(input);
  }
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value outer : captured)
    mapping.map(outer, toBody(b, outer));
}

/// The ops of a region of `inner`, whose arguments are its operands, and whose
/// result is its own.
StringRef BodyCopy::copyRegion(Operation &inner, Region &from) {
  if (from.empty())
    return "a region of the body is empty where both operands exist";
  Block &block = from.front();
  for (auto [argument, operand] :
       llvm::zip(block.getArguments(), inner.getOperands()))
    mapping.map(argument, mapping.lookupOrDefault(operand));
  for (Operation &nested : block.without_terminator())
    b.clone(nested, mapping);
  mapping.map(inner.getResult(0),
              mapping.lookupOrDefault(block.getTerminator()->getOperand(0)));
  return {};
}

StringRef BodyCopy::copyBinary(sparse_tensor::BinaryOp inner) {
  const bool x = withEntry.contains(inner.getX()),
             y = withEntry.contains(inner.getY());
  // What happens where the entry is not there.
  if ((x && !y &&
       (!inner.getRightRegion().empty() || inner.getRightIdentity())) ||
      (y && !x && (!inner.getLeftRegion().empty() || inner.getLeftIdentity())))
    return "the body says what entries that are not stored contribute";
  if (x || y) {
    withEntry.insert(inner.getResult());
    said.insert(inner.getResult());
  }
  return copyRegion(*inner, inner.getOverlapRegion());
}

StringRef BodyCopy::copyUnary(sparse_tensor::UnaryOp inner) {
  if (withEntry.contains(inner.getX())) {
    if (!inner.getAbsentRegion().empty())
      return "the body says what entries that are not stored contribute";
    withEntry.insert(inner.getResult());
    said.insert(inner.getResult());
  }
  return copyRegion(*inner, inner.getPresentRegion());
}

/// What changes nothing when it is combined.
static Value identityOf(OpBuilder &b, Location loc, Kind combiner, Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  if (!complex)
    return arith::getIdentityValue(combiner, type, b, loc);
  Attribute zero = b.getZeroAttr(complex.getElementType());
  return complex::ConstantOp::create(b, loc, complex,
                                     b.getArrayAttr({zero, zero}));
}

static constexpr StringLiteral kSelects =
    "the body selects entries, and does not only multiply by them";

/// Both conditions, either of which may be null.
Value BodyCopy::both(Value a, Value c) {
  if (!a || !c || a == c)
    return a ? a : c;
  return arith::AndIOp::create(b, op.getLoc(), a, c);
}

/// What is not selected contributes what the combiner ignores, which is chosen
/// where all is computed that exists with the entry.
StringRef BodyCopy::copySelect(sparse_tensor::SelectOp inner) {
  const bool isLast = inner.getResult() == ending.contribution;
  const bool exists = withEntry.contains(inner.getX());
  if (!ending.op || (!isLast && !exists))
    return kSelects;
  if (StringRef why = copyRegion(*inner, inner.getRegion()); !why.empty())
    return why;
  Value isKept = mapping.lookup(inner.getResult());
  mapping.map(inner.getResult(), mapping.lookupOrDefault(inner.getX()));
  conditions[inner.getResult()] = both(conditions.lookup(inner.getX()), isKept);
  if (exists) {
    withEntry.insert(inner.getResult());
    said.insert(inner.getResult());
  }
  return {};
}

/// The op reads nothing that is selected, or its result exists with that.
bool BodyCopy::keepsSelected(Operation &inner) const {
  auto readsSelected = [&](Operation *reader) {
    return llvm::any_of(reader->getOperands(),
                        [&](Value v) { return isSelected(v); });
  };
  auto isRead = [&](Operation *nested) {
    return nested != &inner && readsSelected(nested) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
  };
  // What decides is not there either where it is not selected.
  if (inner.walk(isRead).wasInterrupted())
    return false;
  if (!readsSelected(&inner) || isa<sparse_tensor::SelectOp>(inner))
    return true;
  if (inner.getNumRegions() != 0)
    return false;
  return isa<arith::MulFOp, arith::MulIOp, complex::MulOp>(inner) ||
         inner.getNumOperands() == 1;
}

/// As upstream's sparsifier: a product exists where all factors do, and other
/// ops where an operand does.
void BodyCopy::note(Operation &inner) {
  auto exists = [&](Value operand) { return withEntry.contains(operand); };
  bool with =
      inner.getNumOperands() && llvm::all_of(inner.getOperands(), exists);
  if (isa<arith::MulFOp, arith::MulIOp, arith::AndIOp, complex::MulOp>(inner))
    with = llvm::any_of(inner.getOperands(), exists);
  else if (isa<arith::DivFOp>(inner))
    with = exists(inner.getOperand(0));
  if (!with)
    return;
  withEntry.insert_range(inner.getResults());
  Value condition;
  for (Value operand : inner.getOperands())
    condition = both(condition, conditions.lookup(operand));
  if (condition)
    for (Value result : inner.getResults())
      conditions[result] = condition;
  if (llvm::any_of(inner.getOperands(),
                   [&](Value operand) { return said.contains(operand); }))
    said.insert_range(inner.getResults());
}

/// Empty where the op was copied.
StringRef BodyCopy::copy(Operation &inner) {
  if (isa<linalg::IndexOp>(inner))
    return "the body reads loop indices";
  if (!keepsSelected(inner))
    return kSelects;
  if (auto binary = dyn_cast<sparse_tensor::BinaryOp>(inner))
    return copyBinary(binary);
  if (auto unary = dyn_cast<sparse_tensor::UnaryOp>(inner))
    return copyUnary(unary);
  if (auto select = dyn_cast<sparse_tensor::SelectOp>(inner))
    return copySelect(select);
  if (isa<sparse_tensor::SparseTensorDialect>(inner.getDialect()))
    return "the body has an op of sparse_tensor that is not known";
  note(inner);
  if (llvm::any_of(inner.getOperands(),
                   [&](Value v) { return isSelected(v); }) &&
      !llvm::all_of(inner.getResults(), [&](Value v) { return isSelected(v); }))
    return kSelects;
  b.clone(inner, mapping);
  return {};
}

Value BodyCopy::run(std::string &whyNot) {
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (&inner == ending.op)
      continue;
    if (StringRef why = copy(inner); !why.empty()) {
      whyNot = why.str();
      return {};
    }
  }
  Value contribution = mapping.lookupOrDefault(ending.contribution);
  if (Value isKept = conditions.lookup(ending.contribution)) {
    Value none =
        identityOf(b, op.getLoc(), ending.combiner, contribution.getType());
    contribution =
        arith::SelectOp::create(b, op.getLoc(), isKept, contribution, none);
  }
  // Nothing computes with the identity that sparse_tensor.reduce names, which
  // checkReduction() looks at.
  for (Operation &inner :
       llvm::make_early_inc_range(llvm::reverse(region->front())))
    if (&inner != contribution.getDefiningOp() && isOpTriviallyDead(&inner))
      inner.erase();
  return contribution;
}

//===----------------------------------------------------------------------===//
// The answer
//===----------------------------------------------------------------------===//

/// Equal numbers, whatever the sign of a zero.
static bool isSame(TypedAttr a, TypedAttr b) {
  auto x = dyn_cast<FloatAttr>(a), y = dyn_cast_if_present<FloatAttr>(b);
  return a == b || (x && y && x.getType() == y.getType() &&
                    x.getValue().compare(y.getValue()) == APFloat::cmpEqual);
}

/// Whether the combiner ignores the value, infinities of its element type aside
/// for the largest and the lowest number.
static bool isNeutral(Kind combiner, TypedAttr value) {
  Type type = value.getType();
  if (auto number = dyn_cast<complex::NumberAttr>(value))
    return combiner == Kind::addf && number.getReal().isZero() &&
           number.getImag().isZero();
  SmallVector<Kind> kinds{combiner};
  // These ignore NaN, and infinities as their siblings do.
  if (combiner == Kind::maxnumf)
    kinds.push_back(Kind::maximumf);
  if (combiner == Kind::minnumf)
    kinds.push_back(Kind::minimumf);
  OpBuilder b(type.getContext());
  return llvm::any_of(kinds, [&](Kind kind) {
    return llvm::any_of(ArrayRef{false, true}, [&](bool finiteOnly) {
      return isSame(value, arith::getIdentityValueAttr(
                               kind, type, b, b.getUnknownLoc(), finiteOnly));
    });
  });
}

/// Why sums that begin from the output's value may be others than those of
/// upstream, which begins from what sparse_tensor.reduce names and, where it
/// keeps a sum in a register, does not look at the output.
static std::string checkReduction(linalg::LinalgOp op, const Ending &ending) {
  auto reduce = cast<sparse_tensor::ReduceOp>(ending.op);
  // Sums of halves in a loop around are in f32.
  Value from = reduce.getIdentity();
  if (auto wide = from.getDefiningOp<arith::ExtFOp>())
    from = wide.getIn();
  TypedAttr named = constantOf(from);
  if (!named)
    return "what sparse_tensor.reduce begins from is no constant";
  TypedAttr start = constantStart(op.getDpsInits().front());
  if (isNeutral(ending.combiner, named) || (start && isSame(named, start)))
    return "";
  return ("sparse_tensor.reduce begins from a value that " +
          stringifyAtomicRMWKind(ending.combiner) +
          " does not ignore, and the output is not filled with it")
      .str();
}

/// Why entries that are not stored may change something.
static std::string checkAbsent(linalg::LinalgOp op, const Ending &ending,
                               const BodyCopy &copy, Value contribution) {
  if (ending.isReduction && !copy.existsWith())
    return "what is reduced is not provably nothing where nothing is stored";
  if (ending.isReduction)
    return checkReduction(op, ending);
  if (copy.isSaid())
    return "";
  TypedAttr zero = valueAtZero(contribution, copy.entries);
  if (isIgnored(ending.combiner, zero, constantStart(op.getDpsInits().front())))
    return "";
  if (ending.combiner == Kind::addf || ending.combiner == Kind::addi)
    return "the contribution is not provably zero where nothing is stored";
  return ("the contribution is not provably one that " +
          stringifyAtomicRMWKind(ending.combiner) +
          " ignores where nothing is stored")
      .str();
}

std::optional<RaisedBody> raiseBody(linalg::LinalgOp op,
                                    ArrayRef<unsigned> sparseInputs,
                                    bool sparseOutput, std::string &whyNot) {
  std::optional<Ending> ending = findEnding(op, sparseOutput, whyNot);
  if (!ending)
    return std::nullopt;
  BodyCopy copy(op, sparseInputs, *ending);
  Value contribution = copy.run(whyNot);
  if (!contribution)
    return std::nullopt;
  whyNot = checkAbsent(op, *ending, copy, contribution);
  if (!whyNot.empty())
    return std::nullopt;
  OpBuilder b(op->getContext());
  b.setInsertionPointToEnd(&copy.region->front());
  if (ending->isNegated)
    contribution = negated(b, op.getLoc(), contribution);
  auto kind = arith::AtomicRMWKindAttr::get(b.getContext(), ending->combiner);
  YieldOp::create(b, op.getLoc(), b.getArrayAttr(kind), contribution);
  return RaisedBody{std::move(copy.region), ending->combiner};
}

} // namespace astfe
