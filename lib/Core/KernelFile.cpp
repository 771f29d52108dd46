//===- KernelFile.cpp - what a launcher must know of a kernel -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/GraphFile.h"
#include "ASTFE/Core/PackedFile.h"
#include <nlohmann/json.hpp>

namespace astfe::core {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kKernelVersion = 1;

/// Reads fields of one object; the first error stays.
class Fields {
public:
  Fields(const Json &object, const std::string &where)
      : object(object), where(where) {
    if (!object.is_object())
      fail("expected an object");
  }

  const Json *find(const char *key) {
    if (failure)
      return nullptr;
    auto found = object.find(key);
    if (found != object.end())
      return &*found;
    fail(std::string("expected a field '") + key + "'");
    return nullptr;
  }
  void read(const char *key, std::string &value) {
    const Json *field = find(key);
    if (field && field->is_string())
      value = field->get<std::string>();
    else if (field)
      failType(key, "a string", *field);
  }
  void read(const char *key, bool &value) {
    const Json *field = find(key);
    if (field && field->is_boolean())
      value = field->get<bool>();
    else if (field)
      failType(key, "true or false", *field);
  }
  void read(const char *key, int64_t &value, int64_t least, int64_t most) {
    const Json *field = find(key);
    if (!field)
      return;
    if (field->is_number_integer())
      value = field->get<int64_t>();
    if (!field->is_number_integer() || value < least || value > most)
      failType(key,
               "an integer in " + std::to_string(least) + ".." +
                   std::to_string(most),
               *field);
  }
  void read(const char *key, std::vector<std::string> &values) {
    const Json *field = find(key);
    if (!field)
      return;
    bool strings = field->is_array();
    for (size_t i = 0; strings && i < field->size(); ++i)
      strings = (*field)[i].is_string();
    if (strings)
      values = field->get<std::vector<std::string>>();
    else
      failType(key, "a list of strings", *field);
  }

  void failType(const char *key, const std::string &expected, const Json &got) {
    fail(std::string("expected '") + key + "' to be " + expected + " but got " +
         got.dump());
  }
  void fail(const std::string &message) {
    if (!failure)
      failure = Error{where + ": " + message};
  }
  const std::optional<Error> &error() const { return failure; }

private:
  const Json &object;
  const std::string &where;
  std::optional<Error> failure;
};

void readLayout(Fields &fields, Layout &layout) {
  std::string storage;
  std::vector<std::string> classes;
  int64_t bits = 32;
  fields.read("storage", storage);
  fields.read("column_bits", bits, 8, 32);
  fields.read("classes", classes);
  fields.read("deterministic", layout.deterministic);
  fields.read("assume_finite", layout.assumeFinite);
  if (fields.error())
    return;
  if (storage != "packed" && storage != "view")
    fields.fail("expected 'storage' to be packed or view but got " + storage);
  layout.storage = storage == "view" ? Storage::View : Storage::Packed;
  layout.columnBits = uint8_t(bits);
  layout.classes = {};
  for (const std::string &name : classes) {
    std::optional<SegmentClass> kind = parseClass(name);
    if (!kind)
      return fields.fail("expected a class of segments but got '" + name + "'");
    layout.classes = layout.classes.with(*kind);
  }
  if (Status status = layout.check(); !status)
    fields.fail(status.message());
}

Result<KernelFile> parseKernel(const Json &json, const std::string &path) {
  constexpr int64_t kMost = int64_t(1) << 20;
  KernelFile kernel;
  int64_t version = 0;
  Fields fields(json, path);
  fields.read("version", version, kKernelVersion, kKernelVersion);
  fields.read("entry", kernel.entry);
  fields.read("chip", kernel.chip);
  fields.read("arguments", kernel.arguments);
  fields.read("column_tile", kernel.columnTile, 0, kMost);
  fields.read("block_threads", kernel.blockThreads, 1, 1024);
  fields.read("workers_per_block", kernel.workersPerBlock, 1, 1024);
  fields.read("double", kernel.isDouble);
  fields.read("ptx", kernel.ptx);
  const Json *layout = fields.find("layout");
  if (!layout)
    return *fields.error();
  Fields layoutFields(*layout, path);
  readLayout(layoutFields, kernel.layout);
  if (layoutFields.error())
    return *layoutFields.error();
  return kernel;
}

} // namespace

std::string toJson(const KernelFile &kernel) {
  const Layout &layout = kernel.layout;
  Json classes = Json::array();
  for (unsigned i = 0; i < kSegmentClasses; ++i)
    if (layout.classes.contains(SegmentClass(i)))
      classes.push_back(className(SegmentClass(i)));
  Json json = {
      {"version", kKernelVersion},
      {"entry", kernel.entry},
      {"chip", kernel.chip},
      {"arguments", kernel.arguments},
      {"column_tile", kernel.columnTile},
      {"block_threads", kernel.blockThreads},
      {"workers_per_block", kernel.workersPerBlock},
      {"double", kernel.isDouble},
      {"layout",
       {{"storage", layout.storage == Storage::View ? "view" : "packed"},
        {"column_bits", layout.columnBits},
        {"classes", classes},
        {"deterministic", layout.deterministic},
        {"assume_finite", layout.assumeFinite}}},
      {"ptx", kernel.ptx}};
  // Names may come from anywhere; what is not UTF-8 must not throw.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<KernelFile> readKernelFile(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.error();
  Json json = Json::parse(*text, nullptr, false);
  if (json.is_discarded())
    return Error{path + ": expected JSON but the text is malformed"};
  return parseKernel(json, path);
}

} // namespace astfe::core
