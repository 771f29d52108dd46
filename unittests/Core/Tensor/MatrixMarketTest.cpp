//===- MatrixMarketTest.cpp - the Matrix Market reader --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/MatrixMarket.h"
#include "ASTFE/Core/Tensor/Frostt.h"
#include <cmath>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>

using namespace astfe::core;

namespace {

using Indices = std::vector<int64_t>;

const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";
const std::string kInteger =
    "%%MatrixMarket matrix coordinate integer general\n";
const std::string kPattern =
    "%%MatrixMarket matrix coordinate pattern general\n";
const std::string kSymmetric =
    "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string kSkew =
    "%%MatrixMarket matrix coordinate real skew-symmetric\n";

CooTensor parsed(const std::string &text, const ReadOptions &options = {}) {
  Result<CooTensor> tensor = parseMatrixMarket(text, "A.mtx", options);
  if (tensor)
    return *tensor;
  ADD_FAILURE() << tensor.message();
  return {};
}

/// The error of a text that must not be read.
std::string refused(const std::string &text, const ReadOptions &options = {}) {
  Result<CooTensor> tensor = parseMatrixMarket(text, "A.mtx", options);
  return tensor ? "read" : tensor.message();
}

} // namespace

TEST(MatrixMarket, ReadsEntriesInFileOrder) {
  CooTensor tensor = parsed(kReal + "% a comment\n\n3 4 3\n"
                                    "3 1 7.5\n1 4 -2e-3\n1 2 +5\n");
  EXPECT_EQ(tensor.shape, Indices({3, 4}));
  EXPECT_EQ(tensor.coordinates[0], Indices({2, 0, 0}));
  EXPECT_EQ(tensor.coordinates[1], Indices({0, 3, 1}));
  EXPECT_EQ(tensor.values, std::vector<double>({7.5, -2e-3, 5}));
  EXPECT_EQ(tensor.view().nonzeros(), 3);
}

TEST(MatrixMarket, AcceptsBlanksCrLfAndNoFinalNewline) {
  CooTensor tensor =
      parsed("%%MatrixMarket  MATRIX\tCoordinate Real General \r\n%c\r\n"
             " 2 2  2 \r\n\r\n\t1 1 1\t\r\n2 2 2");
  EXPECT_EQ(tensor.coordinates[1], Indices({0, 1}));
  EXPECT_EQ(tensor.values, std::vector<double>({1, 2}));
}

TEST(MatrixMarket, CommentsAndCapitals) {
  CooTensor tensor = parsed("%%MATRIXMARKET MATRIX COORDINATE REAL GENERAL\n"
                            "% before\n2 2 2 % beside\n% between\n1 1 3\n"
                            "  % between\n2 2 4\n% behind\n");
  EXPECT_EQ(tensor.values, std::vector<double>({3, 4}));
  EXPECT_EQ(refused(kReal + "% a\n2 2 2\n1 1 1\n% b\n1 1 2\n"),
            "A.mtx:6: expected each entry once but got (1, 1) again, first on "
            "line 4");
}

TEST(MatrixMarket, BytesThatAreNoTextAreShown) {
  std::string text = kReal + "1 1 1\n1 1 2#\x1b\n";
  text[text.size() - 3] = '\0';
  EXPECT_EQ(refused(text), "A.mtx:3: expected a value but got '2\\x00\\x1b'");
  // Bytes from 0x80 on are shown where they are characters.
  auto shown = [](const std::string &value) {
    const std::string message = refused(kReal + "1 1 1\n1 1 " + value + "\n");
    return message.substr(message.find(" got ") + 5);
  };
  EXPECT_EQ(shown("\x1f\x8b\xff"), "'\\x1f\\x8b\\xff'");
  EXPECT_EQ(shown("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
            "'\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80'");
  EXPECT_EQ(shown("\xc3"), "'\\xc3'");
  EXPECT_EQ(shown("\xc2\x9b"), "'\\xc2\\x9b'");
  EXPECT_EQ(shown("\xc0\xaf\xed\xa0\x80"), "'\\xc0\\xaf\\xed\\xa0\\x80'");
  EXPECT_EQ(shown(std::string(39, 'x') + "\xc3\xa4"),
            "'" + std::string(39, 'x') + "\xc3\xa4'");
}

TEST(MatrixMarket, PatternValuesAreOne) {
  EXPECT_EQ(parsed(kPattern + "2 2 2\n1 1\n2 1\n").values,
            std::vector<double>({1, 1}));
}

TEST(MatrixMarket, MirrorsSymmetricEntries) {
  CooTensor tensor = parsed(kSymmetric + "3 3 3\n1 1 1\n3 1 2\n3 2 3\n");
  EXPECT_EQ(tensor.coordinates[0], Indices({0, 2, 0, 2, 1}));
  EXPECT_EQ(tensor.coordinates[1], Indices({0, 0, 2, 1, 2}));
  EXPECT_EQ(tensor.values, std::vector<double>({1, 2, 2, 3, 3}));
}

TEST(MatrixMarket, NegatesMirroredSkewEntries) {
  CooTensor tensor = parsed(kSkew + "2 2 1\n2 1 4\n");
  EXPECT_EQ(tensor.coordinates[0], Indices({1, 0}));
  EXPECT_EQ(tensor.values, std::vector<double>({4, -4}));
}

TEST(MatrixMarket, AcceptsNanInfAndSubnormals) {
  CooTensor tensor = parsed(
      kReal + "1 5 5\n1 1 nan\n1 2 inf\n1 3 -Inf\n1 4 4.9e-324\n1 5 1e-400\n");
  EXPECT_TRUE(std::isnan(tensor.values[0]));
  EXPECT_EQ(tensor.values[1], std::numeric_limits<double>::infinity());
  EXPECT_EQ(tensor.values[2], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(tensor.values[3], std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(tensor.values[4], 0.0);
}

TEST(MatrixMarket, EmptyMatrices) {
  EXPECT_EQ(parsed(kReal + "0 0 0\n").nonzeros(), 0);
  EXPECT_EQ(parsed(kReal + "5 0 0").shape, Indices({5, 0}));
  EXPECT_EQ(parsed(kReal + "3000000000 4000000000 1\n3000000000 1 1\n")
                .coordinates[0][0],
            2999999999);
}

TEST(MatrixMarket, RefusesBanners) {
  EXPECT_EQ(refused(""), "A.mtx:1: expected the banner '%%MatrixMarket matrix "
                         "coordinate ...' but got the end of the file");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate\n"),
            "A.mtx:1: expected 'real', 'integer' or 'pattern' but got the end "
            "of the line");
  EXPECT_EQ(refused("%%MatrixMarket matrix\r\n"),
            "A.mtx:1: expected 'coordinate' but got the end of the line");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate real"),
            "A.mtx:1: expected 'general', 'symmetric' or 'skew-symmetric' but "
            "got the end of the file");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate real general\r1 1 0\r"),
            "A.mtx:1: expected the end of the line but got a carriage return "
            "without a newline");
  EXPECT_EQ(refused("3 3 3\n"),
            "A.mtx:1: expected the banner '%%MatrixMarket matrix coordinate "
            "...' but got '3'");
  EXPECT_EQ(refused("%%MatrixMarket vector coordinate real general\n"),
            "A.mtx:1: expected 'matrix' but got 'vector'");
  EXPECT_EQ(refused("%%MatrixMarket matrix array real general\n"),
            "A.mtx:1: expected 'coordinate' but got 'array'");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate complex general\n"),
            "A.mtx:1: expected 'real', 'integer' or 'pattern' but got "
            "'complex', whose values are c64 or c128");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate real hermitian\n"),
            "A.mtx:1: expected 'general', 'symmetric' or 'skew-symmetric' but "
            "got 'hermitian'");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate pattern "
                    "skew-symmetric\n"),
            "A.mtx:1: expected 'general' or 'symmetric' but got "
            "'skew-symmetric'");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate real general x\n"),
            "A.mtx:1: expected the end of the line but got 'x'");
}

TEST(MatrixMarket, ReadsComplexValuesOnRequest) {
  ReadOptions options;
  options.complex = true;
  auto read = [&](const std::string &symmetry, const std::string &rest) {
    return parseMatrixMarket("%%MatrixMarket matrix coordinate complex " +
                                 symmetry + "\n" + rest,
                             "A.mtx", options);
  };
  auto general = read("general", "2 2 2\n1 1 1 2\n2 1 -3 4.5\n");
  ASSERT_TRUE(general) << general.message();
  EXPECT_EQ(general->values, std::vector<double>({1, -3}));
  EXPECT_EQ(general->imaginaries, std::vector<double>({2, 4.5}));
  auto imaginaries = [&](const std::string &symmetry) {
    auto tensor = read(symmetry, "2 2 1\n2 1 3 4\n");
    EXPECT_TRUE(tensor) << tensor.message();
    return tensor->imaginaries;
  };
  EXPECT_EQ(imaginaries("symmetric"), std::vector<double>({4, 4}));
  EXPECT_EQ(imaginaries("skew-symmetric"), std::vector<double>({4, -4}));
  EXPECT_EQ(imaginaries("hermitian"), std::vector<double>({4, -4}));
  EXPECT_EQ(read("hermitian", "2 2 1\n2 2 3 4\n").message(),
            "A.mtx:3: expected a real number on the diagonal of a hermitian "
            "matrix but got an imaginary part of '4'");
  EXPECT_EQ(read("general", "2 2 1\n2 2 3\n").message(),
            "A.mtx:3: expected an imaginary part but got the end of the line");
  EXPECT_EQ(parseMatrixMarket("%%MatrixMarket matrix coordinate real general\n"
                              "1 1 1\n1 1 7\n",
                              "A.mtx", options)
                ->imaginaries.size(),
            0u);
  EXPECT_EQ(parseMatrixMarket("%%MatrixMarket matrix coordinate binary general",
                              "A.mtx", options)
                .message(),
            "A.mtx:1: expected 'real', 'integer', 'pattern' or 'complex' but "
            "got 'binary'");
}

TEST(MatrixMarket, IntegersAreExact) {
  const ReadOptions wide{Duplicates::Error, false, 64};
  const std::string entries = "2 2 2\n1 1 9007199254740993\n2 1 "
                              "-9223372036854775808\n";
  for (const std::string &banner : {kInteger, kReal})
    EXPECT_EQ(parsed(banner + entries, wide).integers,
              Indices({9007199254740993, INT64_MIN}));
  EXPECT_EQ(parsed(kReal + "1 1 1\n1 1 +3.2e1\n", wide).integers,
            Indices({32}));
  EXPECT_EQ(parsed(kPattern + "1 1 1\n1 1\n", wide).integers, Indices({1}));
  EXPECT_EQ(parsed(kSkew + "2 2 1\n2 1 9007199254740993\n", wide).integers,
            Indices({9007199254740993, -9007199254740993}));
  // A double holds narrower ones.
  EXPECT_TRUE(parsed(kReal + "1 1 1\n1 1 3\n", {Duplicates::Error, false, 32})
                  .integers.empty());
  EXPECT_TRUE(parsed(kInteger + entries).integers.empty());
}

TEST(MatrixMarket, RefusesWhatIntegersDoNotHold) {
  auto refusedAs = [](unsigned bits, const std::string &value) {
    return refused(kReal + "1 1 1\n%\n1 1 " + value + "\n",
                   {Duplicates::Error, false, bits});
  };
  EXPECT_EQ(refusedAs(64, "9223372036854775808"),
            "A.mtx:4: expected a value that i64 holds but got "
            "'9223372036854775808'");
  // Not exact, as it is read as a double.
  EXPECT_EQ(refusedAs(64, "9007199254740993.0"),
            "A.mtx:4: expected a value that i64 holds but got "
            "'9007199254740993.0'");
  EXPECT_EQ(refusedAs(32, "2.45"),
            "A.mtx:4: expected a value that i32 holds but got '2.45'");
  EXPECT_EQ(refusedAs(8, "128"),
            "A.mtx:4: expected a value that i8 holds but got '128'");
  EXPECT_EQ(refusedAs(8, "nan"),
            "A.mtx:4: expected a value that i8 holds but got 'nan'");
  EXPECT_EQ(refusedAs(8, "x"), "A.mtx:4: expected a value but got 'x'");
  EXPECT_EQ(refusedAs(8, ""),
            "A.mtx:4: expected a value but got the end of the line");
  EXPECT_EQ(refusedAs(1, "2.45"), "read");
  EXPECT_EQ(
      refused(kSkew + "2 2 1\n2 1 -128\n", {Duplicates::Error, false, 8}),
      "A.mtx:3: expected a value whose negative i8 holds, as the matrix is "
      "skew-symmetric, but got -128");
}

TEST(MatrixMarket, SumsOfIntegersHaveToFit) {
  auto sums = [](unsigned bits) {
    return ReadOptions{Duplicates::Sum, false, bits};
  };
  auto twice = [](const std::string &first, const std::string &second) {
    return kInteger + "2 2 3\n1 1 " + first + "\n1 2 5\n1 1 " + second + "\n";
  };
  EXPECT_EQ(parsed(twice("9007199254740992", "1"), sums(64)).integers,
            Indices({9007199254740993, 5}));
  EXPECT_EQ(
      parsed(twice("9223372036854775807", "-9223372036854775807"), sums(64))
          .integers,
      Indices({0, 5}));
  EXPECT_EQ(
      refused(twice("9223372036854775807", "1"), sums(64)),
      "A.mtx:3: expected entries of the same indices whose sum i64 holds");
  EXPECT_EQ(refused(twice("-100", "-29"), sums(8)),
            "A.mtx:3: expected entries of the same indices whose sum i8 holds");
  EXPECT_EQ(parsed(twice("-100", "-28"), sums(8)).values,
            std::vector<double>({-128, 5}));
}

TEST(MatrixMarket, SumsComplexDuplicates) {
  ReadOptions options;
  options.complex = true;
  options.duplicates = Duplicates::Sum;
  auto tensor = parseMatrixMarket("%%MatrixMarket matrix coordinate complex "
                                  "general\n2 2 3\n1 1 1 2\n2 1 5 6\n1 1 3 4\n",
                                  "A.mtx", options);
  ASSERT_TRUE(tensor) << tensor.message();
  EXPECT_EQ(tensor->values, std::vector<double>({4, 5}));
  EXPECT_EQ(tensor->imaginaries, std::vector<double>({6, 6}));
}

TEST(MatrixMarket, RefusesSizeLines) {
  EXPECT_EQ(refused(kReal), "A.mtx:2: expected a number of rows but got the "
                            "end of the file");
  EXPECT_EQ(refused(kReal + "3 3\n"), "A.mtx:2: expected a number of entries "
                                      "but got the end of the line");
  EXPECT_EQ(refused(kReal + "3 -3 1\n"),
            "A.mtx:2: expected a number of columns of at least 0 but got -3");
  EXPECT_EQ(refused(kReal + "4611686018427387905 3 1\n"),
            "A.mtx:2: expected a number of rows of at most 2^62 but got "
            "4611686018427387905");
  EXPECT_EQ(refused(kReal + "3 3 1 1\n"),
            "A.mtx:2: expected the end of the line but got '1'");
  EXPECT_EQ(refused(kReal + "99999999999999999999 3 1\n"),
            "A.mtx:2: expected a number of rows that fits in 64 bits but got "
            "'99999999999999999999'");
  EXPECT_EQ(refused(kSymmetric + "3 4 0\n"),
            "A.mtx:2: expected a square matrix, as it is symmetric, but got "
            "3 x 4");
}

TEST(MatrixMarket, RefusesIndices) {
  EXPECT_EQ(refused(kReal + "3 3 1\n0 1 1\n"),
            "A.mtx:3: expected a row in 1..3 but got 0");
  EXPECT_EQ(refused(kReal + "3 3 1\n1 4 1\n"),
            "A.mtx:3: expected a column in 1..3 but got 4");
  EXPECT_EQ(refused(kReal + "3 3 1\n1.5 1 1\n"),
            "A.mtx:3: expected a row but got '1.5'");
  EXPECT_EQ(refused(kReal + "3 3 1\n1 99999999999999999999 1\n"),
            "A.mtx:3: expected a column that fits in 64 bits but got "
            "'99999999999999999999'");
  EXPECT_EQ(refused(kReal + "0 3 1\n1 1 1\n"),
            "A.mtx:3: expected a row in 1..0 but got 1");
}

TEST(MatrixMarket, RefusesValues) {
  EXPECT_EQ(refused(kReal + "3 3 1\n1 1 x\n"),
            "A.mtx:3: expected a value but got 'x'");
  EXPECT_EQ(refused(kReal + "3 3 1\n1 1 1e999\n"),
            "A.mtx:3: expected a value within the range of a double but got "
            "'1e999'");
  EXPECT_EQ(refused(kReal + "3 3 1\n1 1\n"),
            "A.mtx:3: expected a value but got the end of the line");
  EXPECT_EQ(refused(kInteger + "3 3 1\n1 1 1.5\n"),
            "A.mtx:3: expected an integer but got '1.5'");
  EXPECT_EQ(refused(kInteger + "3 3 1\n1 1 9223372036854775808\n"),
            "A.mtx:3: expected an integer that fits in 64 bits but got "
            "'9223372036854775808'");
  EXPECT_EQ(refused(kPattern + "3 3 1\n1 1 1\n"),
            "A.mtx:3: expected the end of the line but got '1'");
  EXPECT_EQ(refused(kReal + "3 3 1\n1 1 +-1\n"),
            "A.mtx:3: expected a value but got '+-1'");
}

TEST(MatrixMarket, RefusesTooFewAndTooManyEntries) {
  EXPECT_EQ(refused(kReal + "3 3 2\n1 1 1\n"),
            "A.mtx:4: expected 2 entries but got 1");
  EXPECT_EQ(refused(kReal + "3 3 2\n1 1 1\n2 2"),
            "A.mtx:4: expected a value but got the end of the file");
  EXPECT_EQ(refused(kReal + "3 3 1\n1 1 1\n2 2 2\n"),
            "A.mtx:4: expected the end of the file after 1 entries but got "
            "'2 2 2'");
}

TEST(MatrixMarket, ADeclaredCountReservesNoMemory) {
  EXPECT_EQ(refused(kReal + "3 3 9223372036854775807\n1 1 1\n"),
            "A.mtx:4: expected 9223372036854775807 entries but got 1");
}

TEST(MatrixMarket, RefusesTheWrongTriangle) {
  EXPECT_EQ(refused(kSymmetric + "3 3 1\n1 2 1\n"),
            "A.mtx:3: expected an entry on or below the diagonal of a "
            "symmetric or hermitian matrix but got (1, 2)");
  EXPECT_EQ(refused(kSkew + "3 3 1\n2 2 1\n"),
            "A.mtx:3: expected an entry below the diagonal of a "
            "skew-symmetric matrix but got (2, 2)");
}

TEST(MatrixMarket, DuplicatesNameBothLines) {
  EXPECT_EQ(refused(kReal + "3 3 4\n\n3 3 1\n2 1 1\n\n1 1 1\n2 1 1\n"),
            "A.mtx:8: expected each entry once but got (2, 1) again, first on "
            "line 5");
  // Of several, the one that is found first when reading the file.
  EXPECT_EQ(refused(kReal + "3 3 4\n1 1 1\n3 3 1\n3 3 1\n1 1 1\n"),
            "A.mtx:5: expected each entry once but got (3, 3) again, first on "
            "line 4");
  EXPECT_EQ(refused(kReal + "3 3 4\n3 3 1\n1 1 1\n1 1 1\n3 3 1\n"),
            "A.mtx:5: expected each entry once but got (1, 1) again, first on "
            "line 4");
}

TEST(MatrixMarket, SumsDuplicatesOnRequest) {
  ReadOptions sum{Duplicates::Sum};
  CooTensor tensor =
      parsed(kReal + "3 3 5\n3 3 1\n2 1 2\n1 1 4\n2 1 8\n2 1 16\n", sum);
  EXPECT_EQ(tensor.coordinates[0], Indices({2, 1, 0}));
  EXPECT_EQ(tensor.coordinates[1], Indices({2, 0, 0}));
  EXPECT_EQ(tensor.values, std::vector<double>({1, 26, 4}));
  CooTensor mirrored = parsed(kSymmetric + "2 2 2\n2 1 1\n2 1 2\n", sum);
  EXPECT_EQ(mirrored.values, std::vector<double>({3, 3}));
}

TEST(MatrixMarket, FilesThatCannotBeRead) {
  EXPECT_EQ(readMatrixMarket("/nonexistent/A.mtx").message(),
            "/nonexistent/A.mtx: cannot open: No such file or directory");
  std::string folder = ::testing::TempDir();
  EXPECT_EQ(readMatrixMarket(folder).message(),
            folder + ": cannot read: Is a directory");
}

TEST(MatrixMarket, ReadsByName) {
  std::string path = ::testing::TempDir() + "astfe-reads-by-name.mtx";
  std::ofstream(path) << kReal << "1 1 1\n1 1 3\n";
  Result<CooTensor> tensor = readTensor(path);
  std::remove(path.c_str());
  ASSERT_TRUE(tensor) << tensor.message();
  EXPECT_EQ(tensor->values, std::vector<double>({3}));
  EXPECT_EQ(readTensor("A.csv").message(),
            "A.csv: expected a file name that ends in .mtx or .tns");
}
