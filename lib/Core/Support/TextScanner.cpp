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

bool TextScanner::integer(int64_t &value, const char *what) {
  if (atLineEnd())
    return failToken(cursor, std::string("expected ") + what);
  const char *start = cursor;
  // from_chars takes no plus sign; files do.
  const char *digits =
      *start == '+' && start + 1 != last && start[1] != '-' ? start + 1 : start;
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
  const char *digits =
      *start == '+' && start + 1 != last && start[1] != '-' ? start + 1 : start;
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
  // A broken file can hold a token of any length.
  constexpr size_t kShown = 40;
  std::string shown(got.substr(0, kShown));
  if (got.size() > kShown)
    shown += "...";
  return fail(expected + " but got " +
              (got.empty() ? (cursor == last ? "the end of the file"
                                             : "the end of the line")
                           : "'" + shown + "'"));
}

bool TextScanner::failOutside(int64_t value, int64_t extent, const char *what) {
  return fail(std::string("expected ") + what + " in 1.." +
              std::to_string(extent) + " but got " + std::to_string(value));
}

} // namespace astfe::core
