//===- Frostt.cpp - reader of FROSTT tensor files -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/Frostt.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "Support/LargestExtent.h"
#include "Tensor/EntryList.h"
#include <algorithm>
#include <limits>

namespace astfe::core {
namespace {

constexpr std::string_view kExtended = "# extended FROSTT format";

class FrosttParser {
public:
  FrosttParser(std::string_view text, const std::string &name,
               const ReadOptions &options)
      : scanner(text, name, '#'), options(options),
        extended(text.substr(0, kExtended.size()) == kExtended) {}

  Result<CooTensor> parse() {
    if (!(extended ? header() : countModes()))
      return scanner.error();
    TextScanner body = scanner;
    if (!entries() || !settleDuplicates(tensor, options, body, scanner))
      return scanner.error();
    return std::move(tensor);
  }

private:
  bool rank(int64_t modes);
  bool header();
  bool extents();
  bool countModes();
  bool entries();
  bool entry();
  bool value(double &result);

  TextScanner scanner;
  const ReadOptions &options;
  bool extended;
  int64_t declared = std::numeric_limits<int64_t>::max();
  CooTensor tensor;
};

bool FrosttParser::rank(int64_t modes) {
  if (modes < 1 || modes > int64_t(kMaxRank))
    return scanner.fail("expected 1 to " + std::to_string(kMaxRank) +
                        " indices per entry but got " + std::to_string(modes));
  tensor.shape.assign(size_t(modes), 0);
  tensor.coordinates.resize(size_t(modes));
  return true;
}

/// `rank nonzeros` and a line of extents.
bool FrosttParser::header() {
  int64_t modes = 0;
  scanner.nextFilledLine();
  if (!scanner.integer(modes, "a rank") || !rank(modes) ||
      !scanner.integer(declared, "a number of nonzeros"))
    return false;
  if (declared < 0)
    return scanner.fail("expected a number of nonzeros of at least 0 but got " +
                        std::to_string(declared));
  if (!scanner.lineEnd())
    return false;
  scanner.nextFilledLine();
  return extents();
}

bool FrosttParser::extents() {
  for (int64_t &extent : tensor.shape) {
    if (!scanner.integer(extent, "an extent"))
      return false;
    if (extent < 0 || extent > kLargestExtent)
      return scanner.fail("expected an extent in 0..2^62 but got " +
                          std::to_string(extent));
  }
  return scanner.lineEnd();
}

/// Without a header the first entry tells the rank.
bool FrosttParser::countModes() {
  if (!scanner.nextFilledLine())
    return scanner.fail("expected an entry but got the end of the file");
  TextScanner ahead = scanner;
  int64_t tokens = 0;
  while (!ahead.token().empty())
    ++tokens;
  return rank(tokens - 1);
}

bool FrosttParser::entries() {
  reserveEntries(tensor, declared, scanner);
  int64_t count = 0;
  for (; scanner.nextFilledLine(); ++count) {
    if (count == declared)
      return scanner.fail("expected the end of the file after " +
                          std::to_string(declared) + " nonzeros but got " +
                          TextScanner::quoted(scanner.restOfLine()));
    if (!entry())
      return false;
  }
  if (extended && count != declared)
    return scanner.fail("expected " + std::to_string(declared) +
                        " nonzeros but got " + std::to_string(count));
  return true;
}

bool FrosttParser::entry() {
  for (size_t k = 0; k < tensor.shape.size(); ++k) {
    int64_t index = 0;
    int64_t extent = extended ? tensor.shape[k] : kLargestExtent;
    if (!scanner.index(index, extent, "an index"))
      return false;
    if (!extended)
      tensor.shape[k] = std::max(tensor.shape[k], index + 1);
    tensor.coordinates[k].push_back(index);
  }
  double number = 0;
  if (!value(number) || !scanner.lineEnd())
    return false;
  tensor.values.push_back(number);
  return true;
}

bool FrosttParser::value(double &result) {
  if (!options.integerBits)
    return scanner.real(result, "a value");
  int64_t number = 0;
  if (!scanner.wholeNumber(number, options.integerBits))
    return false;
  result = double(number);
  if (options.integerBits == 64)
    tensor.integers.push_back(number);
  return true;
}

} // namespace

Result<CooTensor> parseFrostt(std::string_view text, const std::string &name,
                              const ReadOptions &options) {
  return withinMemory({name + ": out of memory reading the entries"}, [&] {
    return FrosttParser(text, name, options).parse();
  });
}

Result<CooTensor> readFrostt(const std::string &path,
                             const ReadOptions &options) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.error();
  return parseFrostt(*text, path, options);
}

static bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

Result<CooTensor> readTensor(const std::string &path,
                             const ReadOptions &options) {
  if (endsWith(path, ".mtx"))
    return readMatrixMarket(path, options);
  if (endsWith(path, ".tns"))
    return readFrostt(path, options);
  return Error{path + ": expected a file name that ends in .mtx or .tns"};
}

} // namespace astfe::core
