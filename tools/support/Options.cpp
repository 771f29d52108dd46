//===- Options.cpp - command lines of the tools without LLVM --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include <algorithm>
#include <charconv>
#include <cstdlib>

using namespace astfe;
using namespace astfe::tools;
using core::Error;
using core::Status;
using core::Success;

static std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

/// A number without trailing zeros.
static std::string shown(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  return text.back() == '.' ? text + "0" : text;
}

static core::Result<int64_t> toInteger(std::string_view text,
                                       const std::string &expected,
                                       int64_t least, int64_t most) {
  int64_t number = 0;
  const char *last = text.data() + text.size();
  auto [end, code] = std::from_chars(text.data(), last, number);
  if (code != std::errc() || end != last || number < least || number > most)
    return Error{"expected " + expected + " in " + std::to_string(least) +
                 ".." + std::to_string(most) + " but got " + quoted(text)};
  return number;
}

void Options::text(std::string name, std::string value, std::string help,
                   std::string &target, Needed needed) {
  add({std::move(name), std::move(value), std::move(help), needed, false,
       [&target](std::string_view text) -> Status {
         if (text.empty())
           return Error{"expected a value but got none"};
         target = text;
         return Success{};
       }});
}

void Options::integer(std::string name, std::string value, std::string help,
                      int64_t &target, int64_t least, int64_t most) {
  help += " (default " + std::to_string(target) + ")";
  add({std::move(name), std::move(value), std::move(help), Needed::No, false,
       [&target, least, most](std::string_view text) -> Status {
         core::Result<int64_t> number =
             toInteger(text, "an integer", least, most);
         if (!number)
           return number.error();
         target = *number;
         return Success{};
       }});
}

void Options::integerOr(std::string name, std::string word, std::string help,
                        std::optional<int64_t> &target, int64_t least,
                        int64_t most) {
  add({std::move(name), word + "|N", std::move(help), Needed::No, false,
       [&target, word, least, most](std::string_view text) -> Status {
         target.reset();
         if (text == word)
           return Success{};
         core::Result<int64_t> number =
             toInteger(text, quoted(word) + " or an integer", least, most);
         if (!number)
           return number.error();
         target = *number;
         return Success{};
       }});
}

void Options::numberOr(std::string name, std::string word, std::string help,
                       std::optional<double> &target, double above,
                       double below) {
  add({std::move(name), word + "|X", std::move(help), Needed::No, false,
       [&target, word, above, below](std::string_view text) -> Status {
         target.reset();
         if (text == word)
           return Success{};
         double number = 0;
         const char *last = text.data() + text.size();
         auto [end, code] = std::from_chars(text.data(), last, number);
         // Written so that NaN is refused.
         bool inside = number > above && number < below;
         if (code != std::errc() || end != last || !inside)
           return Error{"expected " + quoted(word) + " or a number between " +
                        shown(above) + " and " + shown(below) + " but got " +
                        quoted(text)};
         target = number;
         return Success{};
       }});
}

void Options::choice(std::string name, std::vector<std::string> words,
                     std::string help, size_t &target) {
  std::string all;
  for (const std::string &word : words)
    all += (all.empty() ? "" : "|") + word;
  help += " (default " + words[target] + ")";
  add({std::move(name), all, std::move(help), Needed::No, false,
       [&target, all, words](std::string_view text) -> Status {
         auto found = std::find(words.begin(), words.end(), text);
         if (found == words.end())
           return Error{"expected " + all + " but got " + quoted(text)};
         target = size_t(found - words.begin());
         return Success{};
       }});
}

void Options::flag(std::string name, std::string help, bool &target) {
  add({std::move(name), "", std::move(help), Needed::No, false,
       [&target](std::string_view) -> Status {
         target = true;
         return Success{};
       }});
}

Options::Option *Options::find(std::string_view name) {
  for (Option &option : list)
    if (option.name == name)
      return &option;
  return nullptr;
}

Status Options::parseOne(int argc, const char *const *argv, int &i) {
  std::string_view argument = argv[i];
  if (argument.substr(0, 2) != "--")
    return Error{"expected an option but got " + quoted(argument) +
                 "; see --help"};
  size_t equals = argument.find('=');
  bool attached = equals != std::string_view::npos;
  std::string_view name = argument.substr(2, attached ? equals - 2 : equals);
  Option *option = find(name);
  if (!option)
    return Error{"unknown option " + quoted(argument.substr(0, equals)) +
                 "; see --help"};
  if (option->seen)
    return Error{"expected --" + option->name + " once but got it again"};
  option->seen = true;
  std::string_view value;
  if (option->value.empty()) {
    if (attached)
      return Error{"--" + option->name + ": expected no value but got " +
                   quoted(argument.substr(equals + 1))};
  } else if (attached) {
    value = argument.substr(equals + 1);
  } else if (i + 1 < argc) {
    value = argv[++i];
  } else {
    return Error{"--" + option->name + ": expected a value but got none"};
  }
  Status status = option->take(value);
  if (!status)
    return Error{"--" + option->name + ": " + status.message()};
  return Success{};
}

core::Result<bool> Options::parse(int argc, const char *const *argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--help")
      return false;
    if (Status status = parseOne(argc, argv, i); !status)
      return status.error();
  }
  if (Status status = checkNeeded(); !status)
    return status.error();
  return true;
}

Status Options::checkNeeded() const {
  std::string names;
  int seen = 0, known = 0;
  for (const Option &option : list) {
    if (option.needed == Needed::Yes && !option.seen)
      return Error{"expected --" + option.name + "; see --help"};
    if (option.needed != Needed::OneOf)
      continue;
    names += (names.empty() ? "--" : " or --") + option.name;
    seen += option.seen;
    ++known;
  }
  if (known > 0 && seen != 1)
    return Error{"expected " + names +
                 (seen > 1 ? ", not both" : "; see --help")};
  return Success{};
}

std::string Options::help() const {
  constexpr size_t kColumn = 26;
  std::string text = tool + ": " + purpose + "\n\nusage: " + tool;
  std::string oneOf;
  for (const Option &option : list)
    if (option.needed == Needed::Yes)
      text += " --" + option.name + "=" + option.value;
    else if (option.needed == Needed::OneOf)
      oneOf +=
          (oneOf.empty() ? " --" : "|--") + option.name + "=" + option.value;
  text += oneOf + " [options]\n\noptions:\n";
  for (const Option &option : list) {
    std::string left = "  --" + option.name;
    if (!option.value.empty())
      left += "=" + option.value;
    left += left.size() + 2 > kColumn ? "\n" + std::string(kColumn, ' ')
                                      : std::string(kColumn - left.size(), ' ');
    text += left + option.help + "\n";
  }
  text += "  --help" + std::string(kColumn - 8, ' ') + "show this\n";
  return text;
}
