//===- IntegerFunctions.cpp - what ops on integers compute ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFunctions.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace astfe;

#define FN(expression)                                                         \
  +[]([[maybe_unused]] int64_t a, [[maybe_unused]] int64_t b,                  \
      [[maybe_unused]] int64_t c,                                              \
      [[maybe_unused]] unsigned bits) -> int64_t { return expression; }

unsigned astfe::integerBits(Type type) {
  if (type.isIndex())
    return 64;
  return isa<IntegerType>(type) ? type.getIntOrFloatBitWidth() : 0;
}

int64_t astfe::wrapped(int64_t number, unsigned bits) {
  if (bits == 0 || bits >= 64)
    return number;
  if (bits == 1)
    return number & 1;
  return int64_t(uint64_t(number) << (64 - bits)) >> (64 - bits);
}

/// Without the bits that extend the sign.
static uint64_t plain(int64_t number, unsigned bits) {
  return bits >= 64 ? uint64_t(number)
                    : uint64_t(number) & ((uint64_t(1) << bits) - 1);
}

/// Of truth values the bit is the sign.
static int64_t extended(int64_t number, unsigned bits) {
  return bits == 1 ? -(number & 1) : number;
}

static int64_t quotient(int64_t a, int64_t b) {
  if (b == -1)
    return int64_t(0 - uint64_t(a));
  return b ? a / b : 0;
}

static int64_t remainder(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}

static int64_t floorQuotient(int64_t a, int64_t b) {
  return quotient(a, b) - (remainder(a, b) != 0 && (a < 0) != (b < 0));
}

static int64_t ceilQuotient(int64_t a, int64_t b) {
  return quotient(a, b) + (remainder(a, b) != 0 && (a < 0) == (b < 0));
}

static uint64_t dividedBy(uint64_t a, uint64_t b) { return b ? a / b : 0; }

static uint64_t ceilDividedBy(uint64_t a, uint64_t b) {
  return b ? a / b + (a % b != 0) : 0;
}

static const llvm::StringMap<IntegerFunction> &functions() {
  static const llvm::StringMap<IntegerFunction> table = {
      {"addi", FN(int64_t(uint64_t(a) + uint64_t(b)))},
      {"subi", FN(int64_t(uint64_t(a) - uint64_t(b)))},
      {"muli", FN(int64_t(uint64_t(a) * uint64_t(b)))},
      {"divsi", FN(quotient(a, b))},
      {"floordivsi", FN(floorQuotient(a, b))},
      {"ceildivsi", FN(ceilQuotient(a, b))},
      {"ceildivui", FN(int64_t(ceilDividedBy(plain(a, bits), plain(b, bits))))},
      {"remsi", FN(remainder(a, b))},
      {"divui", FN(int64_t(dividedBy(plain(a, bits), plain(b, bits))))},
      {"remui", FN(b ? int64_t(plain(a, bits) % plain(b, bits)) : int64_t(0))},
      {"andi", FN(a & b)},
      {"ori", FN(a | b)},
      {"xori", FN(a ^ b)},
      {"shli", FN(plain(b, bits) < bits ? int64_t(uint64_t(a) << b) : 0)},
      {"shrsi", FN(plain(b, bits) < bits ? a >> b : 0)},
      {"shrui", FN(plain(b, bits) < bits ? int64_t(plain(a, bits) >> b) : 0)},
      {"maxsi", FN(extended(a, bits) > extended(b, bits) ? a : b)},
      {"minsi", FN(extended(a, bits) < extended(b, bits) ? a : b)},
      {"maxui", FN(plain(a, bits) > plain(b, bits) ? a : b)},
      {"minui", FN(plain(a, bits) < plain(b, bits) ? a : b)},
      {"select", FN(a ? b : c)},
      {"extsi", FN(extended(a, bits))},
      {"extui", FN(int64_t(plain(a, bits)))},
      {"trunci", FN(a)},
      {"index_cast", FN(extended(a, bits))},
      {"index_castui", FN(int64_t(plain(a, bits)))},
      {"sitofp", FN(extended(a, bits))},
      {"uitofp", FN(int64_t(plain(a, bits)))},
  };
  return table;
}

static IntegerFunction compare(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return FN(a == b);
  case P::ne:
    return FN(a != b);
  case P::slt:
    return FN(extended(a, bits) < extended(b, bits));
  case P::sle:
    return FN(extended(a, bits) <= extended(b, bits));
  case P::sgt:
    return FN(extended(a, bits) > extended(b, bits));
  case P::sge:
    return FN(extended(a, bits) >= extended(b, bits));
  case P::ult:
    return FN(plain(a, bits) < plain(b, bits));
  case P::ule:
    return FN(plain(a, bits) <= plain(b, bits));
  case P::ugt:
    return FN(plain(a, bits) > plain(b, bits));
  case P::uge:
    return FN(plain(a, bits) >= plain(b, bits));
  }
  llvm_unreachable("a comparison that arith does not have");
}

static ScalarFunction make(IntegerFunction function, unsigned operandBits,
                           unsigned resultBits) {
  ScalarFunction result;
  result.integers = function;
  result.operandBits = operandBits;
  result.resultBits = resultBits;
  return result;
}

std::optional<ScalarFunction> astfe::integerFunction(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return std::nullopt;
  const unsigned operandBits = integerBits(op->getOperands().back().getType());
  if (operandBits == 0)
    return std::nullopt;
  const unsigned resultBits = integerBits(op->getResult(0).getType());
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return make(compare(comparison.getPredicate()), operandBits, resultBits);
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("arith."))
    return std::nullopt;
  auto found = functions().find(name);
  if (found == functions().end())
    return std::nullopt;
  return make(found->second, operandBits, resultBits);
}

std::optional<ScalarFunction> astfe::integerCombiner(StringRef name,
                                                     unsigned bits) {
  // Choices are named without the i of their ops.
  const bool isChoice = name.starts_with("max") || name.starts_with("min");
  auto found = functions().find((name + (isChoice ? "i" : "")).str());
  if (found == functions().end())
    return std::nullopt;
  return make(found->second, bits, bits);
}
