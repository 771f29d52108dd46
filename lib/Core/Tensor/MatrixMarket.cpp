//===- MatrixMarket.cpp - strict reader of Matrix Market files ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/MatrixMarket.h"
#include "ASTFE/Core/Support/Element.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "Support/LargestExtent.h"
#include "Tensor/EntryList.h"
#include <limits>

namespace astfe::core {
namespace {

enum class Field : uint8_t { Real, Integer, Pattern, Complex };
enum class Symmetry : uint8_t { General, Symmetric, SkewSymmetric, Hermitian };

std::string lower(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return result;
}

/// The elements that hold complex values, as text.
std::string complexNames() {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < elementNames().size(); ++i)
    if (isComplex(Element(i)))
      names.push_back(elementNames()[i]);
  return NameList(names).text();
}

class MatrixMarketParser {
public:
  MatrixMarketParser(std::string_view text, const std::string &name,
                     const ReadOptions &options)
      : scanner(text, name), options(options) {}

  Result<CooTensor> parse() {
    if (!banner() || !sizeLine())
      return scanner.error();
    TextScanner body = scanner;
    if (!entries() || !settleDuplicates(tensor, options, body, scanner))
      return scanner.error();
    if (symmetry != Symmetry::General)
      mirror();
    return std::move(tensor);
  }

private:
  bool banner();
  bool word(const char *expected);
  bool field();
  bool symmetryWord();
  bool sizeLine();
  bool count(int64_t &value, const char *what);
  bool extent(int64_t &value, const char *what);
  bool entries();
  bool entry();
  bool value(double &result);
  bool wholeNumber(double &result);
  bool imaginaryPart(double &result, bool onDiagonal);
  bool insideTriangle(int64_t row, int64_t column);
  void mirror();

  TextScanner scanner;
  const ReadOptions &options;
  Field fieldKind = Field::Real;
  Symmetry symmetry = Symmetry::General;
  int64_t declared = 0;
  CooTensor tensor;
};

bool MatrixMarketParser::word(const char *expected) {
  std::string got = lower(scanner.token());
  return got == expected ||
         scanner.fail(std::string("expected '") + expected + "' but got " +
                      scanner.quotedOrEnd(got));
}

bool MatrixMarketParser::banner() {
  std::string_view magic = scanner.token();
  if (lower(magic) != "%%matrixmarket")
    return scanner.fail("expected the banner '%%MatrixMarket matrix coordinate "
                        "...' but got " +
                        scanner.quotedOrEnd(magic));
  return word("matrix") && word("coordinate") && field() && symmetryWord() &&
         scanner.lineEnd();
}

bool MatrixMarketParser::field() {
  std::string got = lower(scanner.token());
  if (got == "real")
    fieldKind = Field::Real;
  else if (got == "integer")
    fieldKind = Field::Integer;
  else if (got == "pattern")
    fieldKind = Field::Pattern;
  else if (got == "complex" && options.complex)
    fieldKind = Field::Complex;
  else
    return scanner.fail(
        std::string("expected 'real', 'integer'") +
        (options.complex ? ", 'pattern' or 'complex'" : " or 'pattern'") +
        " but got " + scanner.quotedOrEnd(got) +
        (got == "complex" ? ", whose values are " + complexNames() : ""));
  return true;
}

bool MatrixMarketParser::symmetryWord() {
  std::string got = lower(scanner.token());
  if (got == "general")
    symmetry = Symmetry::General;
  else if (got == "symmetric")
    symmetry = Symmetry::Symmetric;
  else if (got == "skew-symmetric" && fieldKind != Field::Pattern)
    symmetry = Symmetry::SkewSymmetric;
  else if (got == "hermitian" && fieldKind == Field::Complex)
    symmetry = Symmetry::Hermitian;
  else
    return scanner.fail(std::string("expected 'general'") +
                        (fieldKind == Field::Pattern ? " or 'symmetric'"
                         : fieldKind == Field::Complex
                             ? ", 'symmetric', 'skew-symmetric' or 'hermitian'"
                             : ", 'symmetric' or 'skew-symmetric'") +
                        " but got " + scanner.quotedOrEnd(got));
  return true;
}

bool MatrixMarketParser::count(int64_t &value, const char *what) {
  return scanner.integer(value, what) &&
         (value >= 0 ||
          scanner.fail(std::string("expected ") + what +
                       " of at least 0 but got " + std::to_string(value)));
}

bool MatrixMarketParser::extent(int64_t &value, const char *what) {
  return count(value, what) &&
         (value <= kLargestExtent ||
          scanner.fail(std::string("expected ") + what +
                       " of at most 2^62 but got " + std::to_string(value)));
}

bool MatrixMarketParser::sizeLine() {
  scanner.setComment('%');
  scanner.nextFilledLine();
  tensor.shape.resize(2);
  tensor.coordinates.resize(2);
  int64_t &rows = tensor.shape[0], &columns = tensor.shape[1];
  if (!extent(rows, "a number of rows") ||
      !extent(columns, "a number of columns") ||
      !count(declared, "a number of entries"))
    return false;
  if (symmetry != Symmetry::General && rows != columns)
    return scanner.fail(
        "expected a square matrix, as it is symmetric, but got " +
        std::to_string(rows) + " x " + std::to_string(columns));
  return scanner.lineEnd();
}

bool MatrixMarketParser::entries() {
  reserveEntries(tensor, declared, scanner);
  for (int64_t i = 0; i < declared; ++i) {
    if (!scanner.nextFilledLine())
      return scanner.fail("expected " + std::to_string(declared) +
                          " entries but got " + std::to_string(i));
    if (!entry())
      return false;
  }
  if (scanner.nextFilledLine())
    return scanner.fail("expected the end of the file after " +
                        std::to_string(declared) + " entries but got " +
                        TextScanner::quoted(scanner.restOfLine()));
  return true;
}

bool MatrixMarketParser::entry() {
  int64_t row = 0, column = 0;
  double number = 1, imaginary = 0;
  if (!scanner.index(row, tensor.shape[0], "a row") ||
      !scanner.index(column, tensor.shape[1], "a column") ||
      !insideTriangle(row, column) || !value(number) ||
      !imaginaryPart(imaginary, row == column) || !scanner.lineEnd())
    return false;
  if (fieldKind == Field::Complex)
    tensor.imaginaries.push_back(imaginary);
  tensor.coordinates[0].push_back(row);
  tensor.coordinates[1].push_back(column);
  tensor.values.push_back(number);
  return true;
}

bool MatrixMarketParser::value(double &result) {
  if (options.integerBits)
    return wholeNumber(result);
  if (fieldKind == Field::Real || fieldKind == Field::Complex)
    return scanner.real(result, "a value");
  int64_t number = 1;
  if (fieldKind == Field::Integer && !scanner.integer(number, "an integer"))
    return false;
  result = double(number);
  return true;
}

/// The image of a skew-symmetric entry has to fit, too.
bool MatrixMarketParser::wholeNumber(double &result) {
  const unsigned bits = options.integerBits;
  int64_t number = 1;
  if (fieldKind != Field::Pattern && !scanner.wholeNumber(number, bits))
    return false;
  if (symmetry == Symmetry::SkewSymmetric && bits > 1 &&
      number == std::numeric_limits<int64_t>::min() >> (64 - bits))
    return scanner.fail("expected a value whose negative i" +
                        std::to_string(bits) +
                        " holds, as the matrix is "
                        "skew-symmetric, but got " +
                        std::to_string(number));
  result = double(number);
  if (bits == 64)
    tensor.integers.push_back(number);
  return true;
}

bool MatrixMarketParser::imaginaryPart(double &result, bool onDiagonal) {
  if (fieldKind != Field::Complex)
    return true;
  if (symmetry != Symmetry::Hermitian || !onDiagonal)
    return scanner.real(result, "an imaginary part");
  TextScanner before = scanner;
  return scanner.real(result, "an imaginary part") &&
         (result == 0 ||
          scanner.fail("expected a real number on the diagonal of a hermitian "
                       "matrix but got an imaginary part of " +
                       TextScanner::quoted(before.token())));
}

/// Symmetric files hold the lower triangle only, skew-symmetric ones without
/// the diagonal.
bool MatrixMarketParser::insideTriangle(int64_t row, int64_t column) {
  int64_t least = symmetry == Symmetry::SkewSymmetric ? 1 : 0;
  if (symmetry == Symmetry::General || row - column >= least)
    return true;
  return scanner.fail(
      std::string(least ? "expected an entry below the diagonal of a "
                          "skew-symmetric matrix"
                        : "expected an entry on or below the diagonal of a "
                          "symmetric or hermitian matrix") +
      " but got (" + std::to_string(row + 1) + ", " +
      std::to_string(column + 1) + ")");
}

/// Each entry off the diagonal is followed by its image, which of a hermitian
/// matrix is conjugate.
void MatrixMarketParser::mirror() {
  CooTensor full;
  full.shape = tensor.shape;
  full.coordinates.resize(2);
  const double sign = symmetry == Symmetry::SkewSymmetric ? -1 : 1;
  const double imaginarySign = symmetry == Symmetry::Symmetric ? 1 : -1;
  auto add = [&](int64_t row, int64_t column, double value) {
    full.coordinates[0].push_back(row);
    full.coordinates[1].push_back(column);
    full.values.push_back(value);
  };
  for (size_t i = 0; i < tensor.values.size(); ++i) {
    int64_t row = tensor.coordinates[0][i], column = tensor.coordinates[1][i];
    add(row, column, tensor.values[i]);
    if (row != column)
      add(column, row, sign * tensor.values[i]);
    if (!tensor.integers.empty()) {
      full.integers.push_back(tensor.integers[i]);
      if (row != column)
        full.integers.push_back(int64_t(sign) * tensor.integers[i]);
    }
    if (tensor.imaginaries.empty())
      continue;
    full.imaginaries.push_back(tensor.imaginaries[i]);
    if (row != column)
      full.imaginaries.push_back(imaginarySign * tensor.imaginaries[i]);
  }
  tensor = std::move(full);
}

} // namespace

Result<CooTensor> parseMatrixMarket(std::string_view text,
                                    const std::string &name,
                                    const ReadOptions &options) {
  return withinMemory({name + ": out of memory reading the entries"}, [&] {
    return MatrixMarketParser(text, name, options).parse();
  });
}

Result<CooTensor> readMatrixMarket(const std::string &path,
                                   const ReadOptions &options) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.error();
  return parseMatrixMarket(*text, path, options);
}

} // namespace astfe::core
