//===- StoredValuesTest.cpp - values that a program reads and writes ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterpreterTest.h"

using namespace mlir;
using namespace astfe;

namespace {
/// [[4, 0, 2], [0, 7, 0]], in an order that no format has.
SparseArray matrix() { return {{2, 3}, {{0, 1, 0}, {2, 1, 0}}, {2, 7, 4}, {}}; }

struct StoredValuesTest : InterpreterTest {
  /// Runs `body`, where #T is a matrix in `levels`.
  FailureOr<Interpretation> runStored(StringRef levels, StringRef body) {
    std::string text = body.str();
    const std::string name = "#T";
    const std::string type =
        ("#sparse_tensor.encoding<{map = (i, j) -> (" + levels + ")}>").str();
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
      text.replace(at, name.size(), type);
    return run(text, {matrix()});
  }
};
} // namespace

TEST_F(StoredValuesTest, AreInTheOrderOfTheLevels) {
  const char *const body = R"(
    func.func @f(%A: tensor<2x3xf64, #T>) -> f64 {
      %c1 = arith.constant 1 : index
      %v = sparse_tensor.values %A : tensor<2x3xf64, #T> to memref<?xf64>
      %r = memref.load %v[%c1] : memref<?xf64>
      return %r : f64
    })";
  auto second = [&](StringRef levels) {
    auto out = runStored(levels, body);
    return succeeded(out) ? std::get<DenseArray>(out->results[0]).values[0]
                          : -1;
  };
  EXPECT_EQ(second("i : dense, j : compressed"), 2);
  EXPECT_EQ(second("i : compressed(nonunique), j : singleton"), 2);
  EXPECT_EQ(second("j : dense, i : compressed"), 7);
}

TEST_F(StoredValuesTest, AreThoseOfTheTensorUnderAllNames) {
  // Written by a function that gets the buffer, and by one that gets the
  // tensor; a copy in another format keeps what it was made of.
  const char *const body = R"(
    func.func @f(%A: tensor<2x3xf64, #T>) -> tensor<2x3xf64, #CSR> {
      %c0 = arith.constant 0 : index
      %h = arith.constant 100.0 : f64
      %before = sparse_tensor.convert %A
        : tensor<2x3xf64, #T> to tensor<2x3xf64, #CSR>
      %v = sparse_tensor.values %A : tensor<2x3xf64, #T> to memref<?xf64>
      memref.store %h, %v[%c0] : memref<?xf64>
      call @twice(%v) : (memref<?xf64>) -> ()
      call @first(%A) : (tensor<2x3xf64, #T>) -> ()
      return %before : tensor<2x3xf64, #CSR>
    }
    func.func private @twice(%v: memref<?xf64>) {
      linalg.generic {indexing_maps = [affine_map<(n) -> (n)>],
                      iterator_types = ["parallel"]} outs(%v : memref<?xf64>) {
      ^bb0(%a: f64):
        %s = arith.addf %a, %a : f64
        linalg.yield %s : f64
      }
      return
    }
    func.func private @first(%A: tensor<2x3xf64, #T>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = sparse_tensor.values %A : tensor<2x3xf64, #T> to memref<?xf64>
      %a = memref.load %v[%c0] : memref<?xf64>
      memref.store %a, %v[%c1] : memref<?xf64>
      return
    })";
  for (StringRef levels : {"i : dense, j : compressed",
                           "i : compressed(nonunique), j : singleton"}) {
    auto out = runStored(levels, body);
    ASSERT_TRUE(succeeded(out)) << levels.str();
    EXPECT_EQ(std::get<SparseArray>(out->arguments[0]).values,
              (std::vector<double>{200, 14, 200}));
    EXPECT_EQ(std::get<SparseArray>(out->results[0]).values,
              (std::vector<double>{2, 7, 4}));
  }
}

TEST_F(StoredValuesTest, AreNotKnownWhereMoreIsStored) {
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    text = diagnostic.str();
    return success();
  });
  auto out = runStored("i : compressed, j : dense", R"(
    func.func @f(%A: tensor<2x3xf64, #T>) -> f64 {
      %c0 = arith.constant 0 : index
      %v = sparse_tensor.values %A : tensor<2x3xf64, #T> to memref<?xf64>
      %r = memref.load %v[%c0] : memref<?xf64>
      return %r : f64
    })");
  EXPECT_TRUE(failed(out));
  EXPECT_EQ(text, "'sparse_tensor.values' op expected a tensor of which all 6 "
                  "stored values are known but got 3");
}

TEST_F(StoredValuesTest, AreVisitedOneByOne) {
  auto out = runStored("i : dense, j : compressed", R"(
    func.func @f(%A: tensor<2x3xf64, #T>) -> (f64, index) {
      %zero = arith.constant 0.0 : f64
      %c0 = arith.constant 0 : index
      %r:2 = sparse_tensor.foreach in %A init(%zero, %c0)
        : tensor<2x3xf64, #T>, f64, index -> f64, index do {
      ^bb0(%i: index, %j: index, %v: f64, %sum: f64, %places: index):
        %s = arith.addf %sum, %v : f64
        %p = arith.addi %places, %j : index
        sparse_tensor.yield %s, %p : f64, index
      }
      return %r#0, %r#1 : f64, index
    })");
  ASSERT_TRUE(succeeded(out));
  EXPECT_EQ(std::get<DenseArray>(out->results[0]).values[0], 13);
  EXPECT_EQ(std::get<DenseArray>(out->results[1]).values[0], 3);
}

TEST_F(InterpreterTest, ShapesChangeAroundTheSameElements) {
  const DenseArray matrix{{2, 3}, {1, 2, 3, 4, 5, 6}, {}};
  auto out = run(R"(
    func.func @f(%x: tensor<2x3xf64>, %n: index)
        -> (tensor<6xf64>, tensor<?x1x3xf64>, tensor<3x5xf64>) {
      %a = tensor.collapse_shape %x [[0, 1]]
        : tensor<2x3xf64> into tensor<6xf64>
      %d = tensor.cast %x : tensor<2x3xf64> to tensor<?x3xf64>
      %b = tensor.expand_shape %d [[0, 1], [2]] output_shape [%n, 1, 3]
        : tensor<?x3xf64> into tensor<?x1x3xf64>
      %c = tensor.pad %x low[1, 0] high[0, 2] {
      ^bb0(%i: index, %j: index):
        %s = arith.addi %i, %j : index
        %w = arith.index_cast %s : index to i64
        %v = arith.sitofp %w : i64 to f64
        tensor.yield %v : f64
      } : tensor<2x3xf64> to tensor<3x5xf64>
      return %a, %b, %c
        : tensor<6xf64>, tensor<?x1x3xf64>, tensor<3x5xf64>
    })",
                 {matrix, DenseArray{{}, {2}, {}}});
  ASSERT_TRUE(succeeded(out));
  const auto &flat = std::get<DenseArray>(out->results[0]);
  EXPECT_EQ(flat.values, matrix.values);
  EXPECT_EQ(flat.shape, std::vector<int64_t>{6});
  EXPECT_EQ(std::get<DenseArray>(out->results[1]).shape,
            (std::vector<int64_t>{2, 1, 3}));
  EXPECT_EQ(std::get<DenseArray>(out->results[2]).values,
            (std::vector<double>{0, 1, 2, 3, 4, 1, 2, 3, 4, 5, 4, 5, 6, 5, 6}));
}

TEST_F(StoredValuesTest, AreThoseOfAllPartsInARow) {
  auto out = runStored("i : dense, j : compressed", R"(
    func.func @f(%A: tensor<2x3xf64, #T>) -> tensor<2x6xf64, #CSR> {
      %r = sparse_tensor.concatenate %A, %A {dimension = 1 : index}
        : tensor<2x3xf64, #T>, tensor<2x3xf64, #T> to tensor<2x6xf64, #CSR>
      return %r : tensor<2x6xf64, #CSR>
    })");
  ASSERT_TRUE(succeeded(out));
  const auto &row = std::get<SparseArray>(out->results[0]);
  EXPECT_EQ(row.shape, (std::vector<int64_t>{2, 6}));
  EXPECT_EQ(row.coordinates[1], (std::vector<int64_t>{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(row.values, (std::vector<double>{2, 7, 4, 2, 7, 4}));
}
