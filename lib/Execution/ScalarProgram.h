//===- ScalarProgram.h - the body of an op, ready to evaluate -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of scalar ops becomes a list of instructions over numbered slots, so
// that evaluating it once per nonzero looks nothing up.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EXECUTION_SCALARPROGRAM_H
#define ASTFE_LIB_EXECUTION_SCALARPROGRAM_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Block.h"
#include <optional>
#include <vector>

namespace astfe {

/// A number and the sum of the |terms| that it was added up from.
struct Number {
  double value = 0;
  double magnitude = 0;
  /// Of an integer that an op computed: all of its bits, sign-extended.
  int64_t integer = 0;
  bool isExact = false;
  double imaginary = 0;

  /// The number as an integer; truth values are 0 and 1.
  int64_t whole() const;
};

/// How a result's magnitude follows from the operands'.
enum class MagnitudeRule : uint8_t {
  Sum,
  Product,
  MultiplyAdd,
  Quotient,
  Larger,  ///< of those that are finite
  Nearest, ///< of those that may be the result, the larger
  Result
};

/// What integers become, given the bits of the operands.
using IntegerFunction = int64_t (*)(int64_t a, int64_t b, int64_t c,
                                    unsigned bits);

/// What numbers become, with the magnitude.
using NumberFunction = Number (*)(Number a, Number b, Number c);

struct ScalarFunction {
  double (*apply)(double a, double b, double c) = nullptr;
  MagnitudeRule rule = MagnitudeRule::Result;
  /// Instead of `apply`, where operands are integers: exact, and wraps.
  IntegerFunction integers = nullptr;
  unsigned operandBits = 0, resultBits = 0; ///< 0 for a float result
  /// Instead of both, of complex numbers and of floats' bits.
  NumberFunction numbers = nullptr;

  Number operator()(Number a, Number b, Number c = {}) const;
};

/// What a scalar op computes; none where the op is not known.
std::optional<ScalarFunction> scalarFunction(mlir::Operation *op);

/// How a contribution is combined into an output of such elements; none for
/// `assign`.
std::optional<ScalarFunction> combiner(mlir::arith::AtomicRMWKind kind,
                                       mlir::Type element);

class ScalarProgram {
public:
  /// The ops of `block` up to its terminator. `outside` gives the value of
  /// what is defined elsewhere. Emits an error at an op that is not known.
  static mlir::FailureOr<ScalarProgram>
  compile(mlir::Block &block,
          llvm::function_ref<std::optional<Number>(mlir::Value)> outside);

  /// Slots of the block's arguments, to be set before run().
  Number &argument(unsigned i) { return slots[i]; }
  /// The iteration index that `linalg.index` reads.
  std::vector<int64_t> index;
  /// False where an op of sparse_tensor selected something else: then nothing
  /// is yielded.
  bool run();
  /// Operand `i` of the terminator.
  Number yielded(unsigned i) const { return slots[yieldedSlots[i]]; }

private:
  struct Instruction {
    ScalarFunction function;
    unsigned operands[3];
    unsigned result;
    /// A dimension of `index` to read instead; -1 for none.
    int dimension;
    /// Ends the program where its operand is 0.
    bool isSelection = false;
  };
  std::vector<Number> slots;
  std::vector<Instruction> instructions;
  std::vector<unsigned> yieldedSlots;

  friend struct ProgramBuilder;
};

} // namespace astfe

#endif // ASTFE_LIB_EXECUTION_SCALARPROGRAM_H
