//===- FrosttTest.cpp - the FROSTT reader ---------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/Frostt.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace astfe::core;

namespace {

using Indices = std::vector<int64_t>;
const std::string kExtended = "# extended FROSTT format\n";

CooTensor parsed(const std::string &text, const ReadOptions &options = {}) {
  Result<CooTensor> tensor = parseFrostt(text, "A.tns", options);
  if (tensor)
    return *tensor;
  ADD_FAILURE() << tensor.message();
  return {};
}

std::string refused(const std::string &text) {
  Result<CooTensor> tensor = parseFrostt(text, "A.tns");
  return tensor ? "read" : tensor.message();
}

} // namespace

TEST(Frostt, ShapeIsTheLargestIndex) {
  CooTensor tensor =
      parsed("# a comment\n\n1 5 2 1.5\n3 1 1 -2 # why\n2 2 9 nan\r\n");
  EXPECT_EQ(tensor.shape, Indices({3, 5, 9}));
  EXPECT_EQ(tensor.coordinates[0], Indices({0, 2, 1}));
  EXPECT_EQ(tensor.coordinates[2], Indices({1, 0, 8}));
  EXPECT_EQ(tensor.values[1], -2);
  EXPECT_TRUE(std::isnan(tensor.values[2]));
}

TEST(Frostt, ExtendedFormHasAHeader) {
  CooTensor tensor =
      parsed(kExtended + "# more\n3 2\n4 5 6\n1 5 2 1.5\n4 1 6 2\n");
  EXPECT_EQ(tensor.shape, Indices({4, 5, 6}));
  EXPECT_EQ(tensor.coordinates[1], Indices({4, 0}));
  EXPECT_EQ(parsed(kExtended + "2 0\n4 5\n").nonzeros(), 0);
}

TEST(Frostt, RanksFromOneToEight) {
  EXPECT_EQ(parsed("7 1.5\n").shape, Indices({7}));
  EXPECT_EQ(parsed("1 2 3 4 5 6 7 8 1.5\n").shape.size(), 8u);
  EXPECT_EQ(refused("1 2 3 4 5 6 7 8 9 1.5\n"),
            "A.tns:1: expected 1 to 8 indices per entry but got 9");
  EXPECT_EQ(refused("1\n"),
            "A.tns:1: expected 1 to 8 indices per entry but got 0");
}

TEST(Frostt, IntegersAreExact) {
  const ReadOptions wide{Duplicates::Error, false, 64};
  EXPECT_EQ(parsed("1 1 1 9007199254740993\n2 1 1 3.0\n", wide).integers,
            std::vector<int64_t>({9007199254740993, 3}));
  Result<CooTensor> wrong =
      parseFrostt("1 1 1 # one\n1 2 1e300\n", "T.tns", wide);
  EXPECT_EQ(wrong.message(),
            "T.tns:2: expected a value that i64 holds but got '1e300'");
}

TEST(Frostt, RefusesEntries) {
  EXPECT_EQ(refused("# nothing\n"),
            "A.tns:2: expected an entry but got the end of the file");
  EXPECT_EQ(refused("1 1 1\n0 1 1\n"),
            "A.tns:2: expected an index in 1..4611686018427387904 but got 0");
  EXPECT_EQ(refused("1 1 1\n1 1\n"),
            "A.tns:2: expected a value but got the end of the line");
  EXPECT_EQ(refused("1 1 1\n1 1 1 1\n"),
            "A.tns:2: expected the end of the line but got '1'");
  EXPECT_EQ(refused("1 1 1\n1 x 1\n"),
            "A.tns:2: expected an index but got 'x'");
  EXPECT_EQ(refused("1 1 1\n1 99999999999999999999 1\n"),
            "A.tns:2: expected an index that fits in 64 bits but got "
            "'99999999999999999999'");
}

TEST(Frostt, RefusesHeaders) {
  EXPECT_EQ(refused(kExtended),
            "A.tns:2: expected a rank but got the end of the file");
  EXPECT_EQ(refused(kExtended + "9 1\n"),
            "A.tns:2: expected 1 to 8 indices per entry but got 9");
  EXPECT_EQ(refused(kExtended + "2 -1\n"),
            "A.tns:2: expected a number of nonzeros of at least 0 but got -1");
  EXPECT_EQ(refused(kExtended + "2 1\n3\n"),
            "A.tns:3: expected an extent but got the end of the line");
  EXPECT_EQ(refused(kExtended + "2 1\n3 -3\n"),
            "A.tns:3: expected an extent in 0..2^62 but got -3");
  EXPECT_EQ(refused(kExtended + "2 1\n3 3\n4 1 1\n"),
            "A.tns:4: expected an index in 1..3 but got 4");
}

TEST(Frostt, RefusesExtentsBeyondThoseOfOrders) {
  EXPECT_EQ(parsed("4611686018427387904 1\n").shape[0], int64_t(1) << 62);
  EXPECT_EQ(refused("1 1\n4611686018427387905 1\n"),
            "A.tns:2: expected an index in 1..4611686018427387904 but got "
            "4611686018427387905");
  EXPECT_EQ(refused(kExtended + "2 1\n3 4611686018427387905\n1 1 1\n"),
            "A.tns:3: expected an extent in 0..2^62 but got "
            "4611686018427387905");
}

TEST(Frostt, RefusesWrongCounts) {
  EXPECT_EQ(refused(kExtended + "2 2\n3 3\n1 1 1\n"),
            "A.tns:5: expected 2 nonzeros but got 1");
  EXPECT_EQ(refused(kExtended + "2 1\n3 3\n1 1 1\n2 2 2\n"),
            "A.tns:5: expected the end of the file after 1 nonzeros but got "
            "'2 2 2'");
  EXPECT_EQ(refused(kExtended + "2 9223372036854775807\n3 3\n1 1 1\n"),
            "A.tns:5: expected 9223372036854775807 nonzeros but got 1");
}

TEST(Frostt, DuplicatesNameBothLines) {
  EXPECT_EQ(refused("1 1 2 1\n# between\n2 1 1 1\n1 1 2 1\n"),
            "A.tns:4: expected each entry once but got (1, 1, 2) again, first "
            "on line 1");
  CooTensor sum = parsed("1 1 2 1\n2 1 1 1\n1 1 2 1\n", {Duplicates::Sum});
  EXPECT_EQ(sum.values, std::vector<double>({2, 1}));
}

TEST(Frostt, MissingFiles) {
  EXPECT_EQ(readTensor("/nonexistent/A.tns").message(),
            "/nonexistent/A.tns: cannot open: No such file or directory");
}
