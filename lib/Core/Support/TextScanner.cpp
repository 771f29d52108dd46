//===- TextScanner.cpp - tokens of a text file, with line numbers ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/TextScanner.h"
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace astfe::core {

void TextScanner::nextLine() {
  const void *newline =
      cursor == last ? nullptr : std::memchr(cursor, '\n', last - cursor);
  if (!newline) {
    cursor = last;
    return;
  }
  cursor = static_cast<const char *>(newline) + 1;
  ++lineNumber;
}

std::string_view TextScanner::token() {
  if (atLineEnd())
    return {};
  const char *start = cursor;
  while (!endsToken(cursor))
    ++cursor;
  return {start, size_t(cursor - start)};
}

std::string_view TextScanner::restOfLine() {
  const char *start = cursor;
  while (cursor != last && *cursor != '\n')
    ++cursor;
  std::string_view rest(start, size_t(cursor - start));
  if (!rest.empty() && rest.back() == '\r')
    rest.remove_suffix(1);
  return rest;
}

/// from_chars takes no plus sign; files do.
inline const char *TextScanner::afterPlus(const char *start) const {
  return *start == '+' && start + 1 != last && start[1] != '-' ? start + 1
                                                               : start;
}

bool TextScanner::integer(int64_t &value, const char *what) {
  if (atLineEnd())
    return failToken(cursor, std::string("expected ") + what);
  const char *start = cursor;
  const char *digits = afterPlus(start);
  auto [end, code] = std::from_chars(digits, last, value);
  if (code == std::errc::result_out_of_range && endsToken(end))
    return failToken(start,
                     std::string("expected ") + what + " that fits in 64 bits");
  if (code != std::errc() || !endsToken(end))
    return failToken(start, std::string("expected ") + what);
  cursor = end;
  return true;
}

bool TextScanner::index(int64_t &value, int64_t extent, const char *what) {
  if (!integer(value, what))
    return false;
  if (value < 1 || value > extent)
    return failOutside(value, extent, what);
  --value;
  return true;
}

bool TextScanner::real(double &value, const char *what) {
  if (atLineEnd())
    return failToken(cursor, std::string("expected ") + what);
  const char *start = cursor;
  const char *digits = afterPlus(start);
  auto [end, code] = std::from_chars(digits, last, value);
  if (code == std::errc::result_out_of_range && endsToken(end)) {
    cursor = end;
    return outOfRangeReal(start, value, what);
  }
  if (code != std::errc() || !endsToken(end))
    return failToken(start, std::string("expected ") + what);
  cursor = end;
  return true;
}

/// Whether an integer fits so many bits, two at least.
static bool fits(int64_t value, unsigned bits) {
  const unsigned unused = 64 - bits;
  return int64_t(uint64_t(value) << unused) >> unused == value;
}

bool TextScanner::wholeNumber(int64_t &value, unsigned bits) {
  if (atLineEnd())
    return failToken(cursor, "expected a value");
  // Whatever is not zero is true, however it is written.
  if (bits == 1) {
    double number = 0;
    const bool isNumber = real(number, "a value");
    value = number != 0;
    return isNumber;
  }
  const char *start = cursor;
  const char *digits = afterPlus(start);
  auto [end, code] = std::from_chars(digits, last, value);
  if (code == std::errc() && endsToken(end) && fits(value, bits)) {
    cursor = end;
    return true;
  }
  const std::string expected =
      "expected a value that i" + std::to_string(bits) + " holds";
  if (endsToken(end))
    return failToken(start, expected);
  double number = 0;
  if (!real(number, "a value"))
    return false;
  // Written so that NaN is refused.
  const bool isExact =
      std::fabs(number) < 0x1p53 && number == std::trunc(number);
  if (!isExact || !fits(int64_t(number), bits))
    return failToken(start, expected);
  value = int64_t(number);
  return true;
}

/// from_chars refuses what rounds to zero as well as what rounds to infinity;
/// only the latter is wrong.
bool TextScanner::outOfRangeReal(const char *start, double &value,
                                 const char *what) {
  std::string text(start, size_t(cursor - start));
  value = std::strtod(text.c_str(), nullptr);
  if (std::isfinite(value))
    return true;
  return failToken(start, std::string("expected ") + what +
                              " within the range of a double");
}

bool TextScanner::lineEnd() {
  if (!atLineEnd())
    return failToken(cursor, "expected the end of the line");
  nextLine();
  return true;
}

bool TextScanner::failAt(int64_t line, const std::string &message) {
  failure.message = name + ":" + std::to_string(line) + ": " + message;
  return false;
}

bool TextScanner::failToken(const char *start, const std::string &expected) {
  cursor = start;
  std::string_view got = token();
  return fail(expected + " but got " +
              (!got.empty()     ? quoted(got)
               : cursor == last ? "the end of the file"
                                : "the end of the line"));
}

std::string TextScanner::quoted(std::string_view text) {
  // A broken file can hold a token of any length, and any byte.
  constexpr size_t kShown = 40;
  std::string shown;
  for (char c : text.substr(0, kShown)) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte != 0x7f)
      shown += c;
    else
      shown += {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
  }
  return "'" + shown + (text.size() > kShown ? "..." : "") + "'";
}

bool TextScanner::failOutside(int64_t value, int64_t extent, const char *what) {
  return fail(std::string("expected ") + what + " in 1.." +
              std::to_string(extent) + " but got " + std::to_string(value));
}

} // namespace astfe::core
