//===- JsonField.cpp - reading JSON with errors that name the field -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/JsonField.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

using namespace astfe::core;
using Json = nlohmann::json;

std::string JsonField::place() const {
  if (!parent)
    return "";
  std::string text = parent->place();
  if (!key)
    return text + "[" + std::to_string(index) + "]";
  return text + (text.empty() ? "" : ".") + key;
}

void JsonField::fail(const std::string &message) const {
  if (*error)
    return;
  std::string where = place();
  *error = Error{*name + ": " + (where.empty() ? "" : where + ": ") + message};
}

/// A value for an error: whole if short, else what kind of value it is. Nothing
/// nested is printed, so that depth costs no stack.
static std::string describe(const Json &value) {
  constexpr size_t kLongest = 60, kMost = 16;
  bool plain = !value.is_structured();
  if (value.is_array() && value.size() <= kMost)
    plain = std::none_of(value.begin(), value.end(),
                         [](const Json &item) { return item.is_structured(); });
  if (!plain)
    return std::string("an ") + value.type_name();
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > kLongest ? text.substr(0, kLongest) + "..." : text;
}

void JsonField::failExpected(const std::string &expected) const {
  if (value && !*error)
    fail("expected " + expected + " but got " + describe(*value));
}

std::optional<JsonField> JsonField::optionalMember(const char *key) const {
  if (!value)
    return std::nullopt;
  if (!value->is_object()) {
    failExpected("an object");
    return std::nullopt;
  }
  auto found = value->find(key);
  if (found == value->end())
    return std::nullopt;
  return JsonField(*this, &*found, key, 0);
}

JsonField JsonField::member(const char *key) const {
  if (std::optional<JsonField> found = optionalMember(key))
    return *found;
  JsonField missing(*this, nullptr, key, 0);
  missing.fail("expected this field but there is none");
  return missing;
}

JsonField JsonField::item(size_t index) const {
  bool there = value && value->is_array() && index < value->size();
  return JsonField(*this, there ? &(*value)[index] : nullptr, nullptr, index);
}

size_t JsonField::size() const {
  if (value && value->is_array())
    return value->size();
  failExpected("an array");
  return 0;
}

bool JsonField::isNull() const { return value && value->is_null(); }

bool JsonField::isString() const { return value && value->is_string(); }

int64_t JsonField::integer(int64_t least, int64_t most) const {
  int64_t result = least;
  bool fits = value && value->is_number_integer();
  if (fits && value->is_number_unsigned())
    fits = value->get<uint64_t>() <= uint64_t(INT64_MAX);
  if (fits)
    result = value->get<int64_t>();
  if (fits && least <= result && result <= most)
    return result;
  failExpected(most == INT64_MAX ? "an integer from " + std::to_string(least)
                                 : "an integer in " + std::to_string(least) +
                                       ".." + std::to_string(most));
  return least;
}

bool JsonField::boolean() const {
  if (value && value->is_boolean())
    return value->get<bool>();
  failExpected("true or false");
  return false;
}

double JsonField::number() const {
  if (value && value->is_number())
    return value->get<double>();
  failExpected("a number");
  return 0;
}

std::string JsonField::string() const {
  if (isString())
    return value->get<std::string>();
  failExpected("a string");
  return "";
}

std::vector<int64_t> JsonField::integers(int64_t least, int64_t most) const {
  std::vector<int64_t> result(size());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = item(i).integer(least, most);
  return result;
}

uint64_t JsonField::hexadecimal() const {
  uint64_t result = 0;
  std::string digits = isString() ? value->get<std::string>() : "";
  bool good = !digits.empty() && digits.size() <= 16;
  for (char digit : digits) {
    good &= std::isxdigit(static_cast<unsigned char>(digit)) != 0;
    int low = digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
    result = result << 4 | (uint64_t(low) & 15);
  }
  if (good)
    return result;
  failExpected("a string of 1 to 16 hexadecimal digits");
  return 0;
}

void JsonField::expectSize(size_t count) const {
  size_t got = size();
  if (got != count)
    fail("expected " + std::to_string(count) + " entries but got " +
         std::to_string(got));
}

void JsonField::expectMembers(llvm::ArrayRef<std::string_view> known) const {
  if (!value || !value->is_object())
    return failExpected("an object");
  for (const auto &entry : value->items())
    if (std::find(known.begin(), known.end(), entry.key()) == known.end())
      fail("expected no field '" + entry.key() + "'");
}

namespace {

/// Which keys the objects that are open hold. The library keeps the last of
/// equal keys in silence.
class RepeatedKeys {
public:
  void see(Json::parse_event_t event, const Json &value) {
    if (event == Json::parse_event_t::object_start)
      open.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      open.pop_back();
    else if (event == Json::parse_event_t::key)
      seeKey(value.get_ref<const std::string &>());
  }

  std::optional<std::string> first; ///< the first key that came twice

private:
  void seeKey(const std::string &key) {
    if (!open.back().insert(key).second && !first)
      first = key;
  }

  std::vector<std::set<std::string>> open;
};

} // namespace

Result<Json> astfe::core::parseJson(std::string_view text,
                                    const std::string &name) {
  try {
    RepeatedKeys repeated;
    Json json = Json::parse(text.begin(), text.end(),
                            [&](int, Json::parse_event_t event, Json &value) {
                              repeated.see(event, value);
                              return true;
                            });
    if (repeated.first)
      return Error{name + ": expected field '" + *repeated.first +
                   "' once in its object but got it again"};
    return json;
  } catch (const Json::exception &exception) {
    // "[json.exception.parse_error.101] parse error at line 1, ..."
    std::string what = exception.what();
    size_t start = what.find("] ");
    return Error{name + ": expected JSON but got a " +
                 (start == std::string::npos ? what : what.substr(start + 2))};
  }
}

std::optional<Error>
astfe::core::readWhole(std::string_view text, const std::string &name,
                       llvm::function_ref<void(const JsonField &)> read) {
  Result<Json> json = parseJson(text, name);
  if (!json)
    return json.error();
  std::optional<Error> error;
  read(JsonField(*json, name, error));
  return error;
}
