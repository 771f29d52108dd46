//===- NamedInputs.cpp - NAME=VALUE options for a function's arguments ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NamedInputs.h"
#include "llvm/ADT/StringRef.h"

using llvm::StringRef;

namespace astfe::run {
namespace {

struct Option {
  std::string name, value; ///< the name is empty where none is given
};

/// Paths may have a '=' behind a '/'.
Option split(StringRef text) {
  const size_t at = text.find_first_of("=/");
  if (at == StringRef::npos || text[at] == '/')
    return {"", text.str()};
  return {text.take_front(at).str(), text.drop_front(at + 1).str()};
}

/// "A", "A or B", "A, B or C".
std::string listed(const std::vector<NamedArgument> &arguments) {
  std::vector<std::string> names;
  for (const NamedArgument &argument : arguments)
    if (argument.takes)
      names.push_back(argument.name);
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

/// Gives `option` to the argument that it names.
core::Status assign(const std::vector<NamedArgument> &arguments,
                    const Option &option, const std::string &flag,
                    const std::string &kind, std::vector<std::string> &values) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].takes || arguments[i].name != option.name)
      continue;
    if (!values[i].empty())
      return core::Error{flag + ": expected '" + option.name +
                         "' once but got " + values[i] + " and " +
                         option.value};
    if (option.value.empty())
      return core::Error{flag + ": expected " + option.name +
                         "=VALUE but got nothing behind the '='"};
    values[i] = option.value;
    return core::Success();
  }
  const std::string names = listed(arguments);
  return core::Error{flag + ": expected the name of a " + kind + " argument (" +
                     (names.empty() ? "there is none" : names) + ") but got '" +
                     option.name + "'"};
}

} // namespace

core::Result<std::vector<std::string>>
assignMatrices(const std::vector<NamedArgument> &arguments,
               const std::vector<std::string> &options) {
  std::vector<std::string> files(arguments.size());
  std::string unnamed;
  for (const std::string &text : options) {
    Option option = split(text);
    if (option.name.empty() && option.value != text)
      return core::Error{"--matrix: expected FILE or NAME=FILE but got '" +
                         text + "'"};
    if (!option.name.empty()) {
      if (auto status = assign(arguments, option, "--matrix", "sparse", files);
          !status)
        return status.error();
      continue;
    }
    if (!unnamed.empty())
      return core::Error{
          "--matrix: expected NAME=FILE for all but one but got " + unnamed +
          " and " + option.value};
    unnamed = option.value;
  }
  bool used = unnamed.empty();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].takes || !files[i].empty())
      continue;
    if (unnamed.empty())
      return core::Error{"expected --matrix FILE or --matrix " +
                         arguments[i].name + "=FILE for argument " +
                         arguments[i].name};
    files[i] = unnamed;
    used = true;
  }
  if (!used)
    return core::Error{"--matrix: expected a sparse argument without a file "
                       "for " +
                       unnamed + " but got none"};
  return files;
}

core::Result<std::vector<std::string>>
assignScalars(const std::vector<NamedArgument> &arguments,
              const std::vector<std::string> &options) {
  std::vector<std::string> values(arguments.size());
  for (const std::string &text : options) {
    Option option = split(text);
    if (option.name.empty())
      return core::Error{"--scalar: expected NAME=VALUE but got '" + text +
                         "'"};
    if (auto status = assign(arguments, option, "--scalar", "scalar", values);
        !status)
      return status.error();
  }
  return values;
}

core::Result<std::string> fileOf(const std::string &name,
                                 const std::string &flag,
                                 const std::string &text) {
  Option option = split(text);
  if (option.value.empty())
    return core::Error{flag + ": expected a file but got '" + text + "'"};
  if (option.value != text && option.name != name)
    return core::Error{flag + ": expected FILE or " + name + "=FILE but got '" +
                       text + "'"};
  return option.value;
}

} // namespace astfe::run
