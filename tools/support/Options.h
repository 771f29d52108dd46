//===- Options.h - command lines of the tools without LLVM ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small, strict parser: `--name=value` or `--name value`, flags without a
// value, each option at most once, nothing positional. Whatever is unknown,
// missing or out of range is an error. help() lists what was declared, so the
// declarations are the manual.
//
// Worked example:
//   Options options("tool", "does a thing to a matrix");
//   options.text("matrix", "FILE", "read from FILE", matrix, Needed::Yes);
//   options.integer("workers", "N", "cut into N runs", workers, 1, 1 << 20);
//   Result<bool> run = options.parse(argc, argv); // false: print help()
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_SUPPORT_OPTIONS_H
#define ASTFE_TOOLS_SUPPORT_OPTIONS_H

#include "ASTFE/Core/Support/Status.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace astfe::tools {

/// Of those that are OneOf, one is needed.
enum class Needed : uint8_t { No, OneOf, Yes };

class Options {
public:
  Options(std::string tool, std::string purpose)
      : tool(std::move(tool)), purpose(std::move(purpose)) {}

  void text(std::string name, std::string value, std::string help,
            std::string &target, Needed needed = Needed::No);
  void integer(std::string name, std::string value, std::string help,
               int64_t &target, int64_t least, int64_t most);
  /// `word` (such as "auto") or an integer; the word stands for nothing.
  void integerOr(std::string name, std::string word, std::string help,
                 std::optional<int64_t> &target, int64_t least, int64_t most);
  /// `word` or a number strictly between two others.
  void numberOr(std::string name, std::string word, std::string help,
                std::optional<double> &target, double above, double below);
  /// One of `words`, given as its number in the list.
  void choice(std::string name, std::vector<std::string> words,
              std::string help, size_t &target);
  void flag(std::string name, std::string help, bool &target);

  const std::string &name() const { return tool; } ///< of the tool
  /// True to go on, false where --help was given. Targets keep their values
  /// where an option is absent.
  core::Result<bool> parse(int argc, const char *const *argv);
  std::string help() const;

private:
  struct Option {
    std::string name, value, help; ///< a flag has no value
    Needed needed = Needed::No;
    bool seen = false;
    std::function<core::Status(std::string_view)> take;
  };

  void add(Option option) { list.push_back(std::move(option)); }
  Option *find(std::string_view name);
  core::Status checkNeeded() const;
  core::Status parseOne(int argc, const char *const *argv, int &i);

  std::string tool, purpose;
  std::vector<Option> list;
};

} // namespace astfe::tools

#endif // ASTFE_TOOLS_SUPPORT_OPTIONS_H
