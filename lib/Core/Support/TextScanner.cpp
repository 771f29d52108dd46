//===- TextScanner.cpp - tokens of a text file, with line numbers ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/TextScanner.h"
#include <algorithm>
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
  return fail(expected + " but got " + quotedOrEnd(token()));
}

std::string TextScanner::quotedOrEnd(std::string_view token) const {
  if (!token.empty())
    return quoted(token);
  if (cursor == last)
    return "the end of the file";
  const bool endsLine =
      *cursor != '\r' || cursor + 1 == last || cursor[1] == '\n';
  return endsLine ? "the end of the line"
                  : "a carriage return without a newline";
}

/// The bytes of the character in UTF-8 that the text begins with; 0 where it
/// begins with none, or with one that controls a terminal.
static size_t characterBytes(std::string_view text) {
  auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80)
    return lead >= ' ' && lead != 0x7f;
  if (lead < 0xc0 || lead >= 0xf8)
    return 0;
  const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  unsigned code = lead & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  // What fewer bytes hold is no character of so many; 0x80 to 0x9f control.
  constexpr unsigned kLeast[] = {0xa0, 0x800, 0x10000};
  const bool isSurrogate = code >= 0xd800 && code < 0xe000;
  return code < kLeast[bytes - 2] || code > 0x10ffff || isSurrogate ? 0 : bytes;
}

std::string TextScanner::quoted(std::string_view text) {
  // A broken file can hold a token of any length, and any byte.
  constexpr size_t kShown = 40;
  std::string shown;
  size_t i = 0;
  while (i < std::min(text.size(), kShown)) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(text[i]);
    const size_t bytes = characterBytes(text.substr(i));
    if (bytes > 0)
      shown += text.substr(i, bytes);
    else
      shown += {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
    i += std::max<size_t>(bytes, 1);
  }
  return "'" + shown + (i < text.size() ? "..." : "") + "'";
}

bool TextScanner::failOutside(int64_t value, int64_t extent, const char *what) {
  return fail(std::string("expected ") + what + " in 1.." +
              std::to_string(extent) + " but got " + std::to_string(value));
}

} // namespace astfe::core
