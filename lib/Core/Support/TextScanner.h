//===- TextScanner.h - tokens of a text file, with line numbers -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loop of the readers: one pass, no copy, no allocation unless
// something is wrong. A failing call leaves its text in error(), with file and
// line. Lines end with "\n" or "\r\n"; blanks are spaces and tabs.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_SUPPORT_TEXTSCANNER_H
#define ASTFE_LIB_CORE_SUPPORT_TEXTSCANNER_H

#include "ASTFE/Core/Support/Status.h"
#include <cstdint>
#include <string>
#include <string_view>

namespace astfe::core {

class TextScanner {
public:
  /// Both arguments must outlive the scanner. `comment` starts a comment that
  /// runs to the end of its line; 0 is none.
  TextScanner(std::string_view text, const std::string &name, char comment = 0)
      : cursor(text.data()), last(text.data() + text.size()), name(name),
        comment(comment) {}

  bool atEnd() const { return cursor == last; }
  int64_t line() const { return lineNumber; }
  int64_t remaining() const { return last - cursor; }

  /// True if nothing but blanks (and a comment) is left of this line.
  bool atLineEnd() {
    skipBlanks();
    return cursor == last || *cursor == '\n' || *cursor == comment ||
           (*cursor == '\r' && (cursor + 1 == last || cursor[1] == '\n'));
  }
  /// Moves to the start of the next line, wherever in this one it stands.
  void nextLine();
  /// Moves to the next line that holds something; false at the end of the text.
  bool nextFilledLine() {
    while (cursor != last && atLineEnd())
      nextLine();
    return cursor != last;
  }
  /// The next character; only where atEnd() is false.
  char peek() const { return *cursor; }
  /// The next token of this line; empty at its end.
  std::string_view token();
  /// The rest of this line, without its end.
  std::string_view restOfLine();

  /// A decimal integer of 64 bits that is a whole token.
  bool integer(int64_t &value, const char *what);
  /// An integer in 1..extent, turned into a 0-based index.
  bool index(int64_t &value, int64_t extent, const char *what);
  /// A real number, "nan" and "inf" included.
  bool real(double &value, const char *what);
  /// A number, however it is written, that is an integer of so many bits.
  /// From 2^53 on only those without a point and an exponent are exact, and
  /// taken.
  bool wholeNumber(int64_t &value, unsigned bits);
  /// From here on this starts a comment that runs to the end of its line.
  void setComment(char start) { comment = start; }
  /// What an error shows of a text: its begin, in quotes, as characters that
  /// move no cursor.
  static std::string quoted(std::string_view text);
  /// The same of what token() has just returned, or what ended the line.
  std::string quotedOrEnd(std::string_view token) const;
  /// Proves that the line ends here.
  bool lineEnd();

  /// Sets the error "name:line: message"; returns false.
  bool fail(const std::string &message) { return failAt(lineNumber, message); }
  bool failAt(int64_t line, const std::string &message);
  const Error &error() const { return failure; }

private:
  void skipBlanks() {
    while (cursor != last && (*cursor == ' ' || *cursor == '\t'))
      ++cursor;
  }
  bool endsToken(const char *p) const {
    return p == last || *p == ' ' || *p == '\t' || *p == '\n' || *p == '\r';
  }
  const char *afterPlus(const char *start) const;
  bool failToken(const char *start, const std::string &expected);
  bool failOutside(int64_t value, int64_t extent, const char *what);
  bool outOfRangeReal(const char *start, double &value, const char *what);

  const char *cursor, *last;
  const std::string &name;
  char comment;
  int64_t lineNumber = 1;
  Error failure;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_SUPPORT_TEXTSCANNER_H
