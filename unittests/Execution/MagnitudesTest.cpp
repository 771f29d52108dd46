//===- MagnitudesTest.cpp - what the interpreter says of errors -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterpreterTest.h"
#include <limits>

using namespace mlir;
using namespace astfe;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_F(InterpreterTest, MinimaForgetWhereTheyBegin) {
  // Of what is far from the least one, the error does not matter: of infinity,
  // of a large start, and of a sum of large terms.
  const char *const body = R"(
    func.func @f(%x: f64, %start: f64, %a: f64, %b: f64) -> (f64, f64) {
      %s = arith.addf %a, %b : f64
      %p = arith.minimumf %start, %x : f64
      %q = arith.minimumf %s, %p : f64
      %r = arith.negf %q : f64
      %t = arith.negf %s : f64
      %u = arith.maximumf %t, %r : f64
      return %q, %u : f64, f64
    })";
  for (double start : {kInfinity, 1e30}) {
    auto far = run(body, {DenseArray{{}, {2}, {}}, DenseArray{{}, {start}, {}},
                          DenseArray{{}, {70}, {}}, DenseArray{{}, {30}, {}}});
    ASSERT_TRUE(succeeded(far));
    for (unsigned i : {0, 1})
      EXPECT_EQ(std::get<DenseArray>(far->results[i]).magnitudes[0], 2);
    // A sum that cancels may be the least one.
    auto near =
        run(body, {DenseArray{{}, {2}, {}}, DenseArray{{}, {start}, {}},
                   DenseArray{{}, {73}, {}}, DenseArray{{}, {-70}, {}}});
    ASSERT_TRUE(succeeded(near));
    for (unsigned i : {0, 1})
      EXPECT_EQ(std::get<DenseArray>(near->results[i]).magnitudes[0], 143);
  }
}

TEST_F(InterpreterTest, AMinimumOfNothingIsInfinite) {
  auto out = run(R"(
    func.func @f(%x: f64) -> (f64, f64) {
      %inf = arith.constant 0x7FF0000000000000 : f64
      %one = arith.constant 1.0 : f64
      %no = arith.constant false
      %m = arith.minimumf %inf, %inf : f64
      %s = arith.select %no, %inf, %x : f64
      return %m, %s : f64, f64
    })",
                 {DenseArray{{}, {3}, {}}});
  ASSERT_TRUE(succeeded(out));
  EXPECT_EQ(std::get<DenseArray>(out->results[0]).values[0], kInfinity);
  EXPECT_EQ(std::get<DenseArray>(out->results[1]).magnitudes[0], 3);
}
