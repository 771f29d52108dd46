//===- JsonField.h - reading JSON with errors that name the field ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A field knows where it is, so that a wrong one can say so:
// "g.json: blocks[3][2]: expected ...". The place is spelt out only then. The
// first error stays and every later read is harmless, so readers need not stop
// at each field.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_SUPPORT_JSONFIELD_H
#define ASTFE_LIB_CORE_SUPPORT_JSONFIELD_H

#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Core/Support/Status.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace astfe::core {

class JsonField {
public:
  /// The whole text of file `name`.
  JsonField(const nlohmann::json &value, const std::string &name,
            std::optional<Error> &error)
      : value(&value), name(&name), error(&error) {}

  JsonField member(const char *key) const;
  /// The member, or none where the object has none.
  std::optional<JsonField> optionalMember(const char *key) const;
  JsonField item(size_t index) const;

  /// The items of an array; 0 (and an error) for anything else.
  size_t size() const;
  bool isNull() const;
  bool isString() const;
  int64_t integer(int64_t least, int64_t most) const;
  bool boolean() const;
  double number() const;
  std::string string() const;
  std::vector<int64_t> integers(int64_t least, int64_t most) const;
  /// A string of 1 to 16 hexadecimal digits.
  uint64_t hexadecimal() const;
  void expectSize(size_t count) const;
  void expectMembers(llvm::ArrayRef<std::string_view> known) const;

  void fail(const std::string &message) const;
  /// "expected X but got" and the value.
  void failExpected(const std::string &expected) const;
  bool ok() const { return !*error; }

private:
  JsonField(const JsonField &parent, const nlohmann::json *value,
            const char *key, size_t index)
      : value(value), name(parent.name), error(parent.error), parent(&parent),
        key(key), index(index) {}
  std::string place() const;

  const nlohmann::json *value; ///< null once something is missing
  const std::string *name;
  std::optional<Error> *error;
  const JsonField *parent = nullptr;
  const char *key = nullptr;
  size_t index = 0;
};

/// Parses `text`; the error names the line and column. Nothing escapes but the
/// result: the library's exceptions end here.
Result<nlohmann::json> parseJson(std::string_view text,
                                 const std::string &name);

/// Calls `read` with the field that is the whole text; the first error.
std::optional<Error>
readWhole(std::string_view text, const std::string &name,
          llvm::function_ref<void(const JsonField &)> read);

/// What `read` makes of that field, or the first error.
template <typename Read>
auto readJson(std::string_view text, const std::string &name, Read read)
    -> Result<decltype(read(std::declval<JsonField>()))> {
  std::optional<decltype(read(std::declval<JsonField>()))> value;
  auto error = readWhole(text, name,
                         [&](const JsonField &field) { value = read(field); });
  if (error)
    return *error;
  return std::move(*value);
}

/// The same of a file.
template <typename Read>
auto readJsonFile(const std::string &path, Read read)
    -> Result<decltype(read(std::declval<JsonField>()))> {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.error();
  return readJson(*text, path, read);
}

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_SUPPORT_JSONFIELD_H
