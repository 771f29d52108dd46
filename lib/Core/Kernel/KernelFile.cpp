//===- KernelFile.cpp - what a launcher must know of a kernel -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/KernelFile.h"
#include "ASTFE/Core/Support/FileText.h"
#include "Kernel/LayoutJson.h"
#include "Support/JsonField.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace astfe::core {
namespace {

constexpr int64_t kKernelVersion = 4;
constexpr int64_t kMostThreads = 1024;

std::vector<std::string> readRoles(const JsonField &arguments) {
  std::vector<std::string> roles;
  for (size_t i = 0, count = arguments.size(); i < count; ++i)
    roles.push_back(arguments.item(i).string());
  return roles;
}

CompanionKernel readCompanion(const JsonField &file) {
  file.expectMembers({"entry", "arguments", "block_threads"});
  return {file.member("entry").string(), readRoles(file.member("arguments")),
          file.member("block_threads").integer(1, kMostThreads)};
}

constexpr int64_t kWidestSavedTile = int64_t(1) << 20;

bool readWide(const JsonField &file) {
  const std::optional<JsonField> wide = file.optionalMember("wide");
  return wide && wide->boolean();
}

int64_t readVector(const JsonField &file) {
  const std::optional<JsonField> vector = file.optionalMember("vector");
  return vector ? vector->integer(0, kWidestSavedTile) : 0;
}

KernelVariant readVariant(const JsonField &file) {
  file.expectMembers({"entry", "column_tile", "wide", "vector"});
  return {file.member("entry").string(),
          file.member("column_tile").integer(0, kWidestSavedTile),
          readWide(file), readVector(file)};
}

Element readElement(const JsonField &field) {
  const std::string name = field.string();
  const std::optional<Element> element = parseElement(name);
  if (element && isOnGPU(*element))
    return *element;
  field.failExpected(gpuElementNames().text());
  return Element::F32;
}

KernelFile readKernel(const JsonField &file) {
  file.expectMembers({"version", "entry", "chip", "arguments", "column_tile",
                      "wide", "vector", "others", "block_threads",
                      "workers_per_block", "companions", "element", "combiner",
                      "layout", "ptx"});
  KernelFile kernel;
  file.member("version").integer(kKernelVersion, kKernelVersion);
  kernel.entry = file.member("entry").string();
  kernel.chip = file.member("chip").string();
  kernel.arguments = readRoles(file.member("arguments"));
  kernel.columnTile = file.member("column_tile").integer(0, kWidestSavedTile);
  kernel.wide = readWide(file);
  kernel.vector = readVector(file);
  if (std::optional<JsonField> others = file.optionalMember("others"))
    for (size_t i = 0, count = others->size(); i < count; ++i)
      kernel.others.push_back(readVariant(others->item(i)));
  kernel.blockThreads = file.member("block_threads").integer(1, kMostThreads);
  kernel.workersPerBlock =
      file.member("workers_per_block").integer(1, kMostThreads);
  JsonField companions = file.member("companions");
  for (size_t i = 0, count = companions.size(); i < count; ++i)
    kernel.companions.push_back(readCompanion(companions.item(i)));
  kernel.element = readElement(file.member("element"));
  if (std::optional<JsonField> combiner = file.optionalMember("combiner"))
    kernel.combiner = combiner->string();
  kernel.layout = readLayout(file.member("layout"));
  kernel.ptx = file.member("ptx").string();
  return kernel;
}

} // namespace

const CompanionKernel *findCompanion(const KernelFile &kernel,
                                     std::string_view entry) {
  for (const CompanionKernel &companion : kernel.companions)
    if (companion.entry == entry)
      return &companion;
  return nullptr;
}

bool overwritesOutput(const KernelFile &kernel) {
  // Only these ask which segment of a row is the first.
  return std::find(kernel.arguments.begin(), kernel.arguments.end(), "marks") !=
         kernel.arguments.end();
}

std::string toJson(const KernelFile &kernel) {
  using Json = nlohmann::ordered_json;
  Json companions = Json::array();
  for (const CompanionKernel &companion : kernel.companions)
    companions.push_back({{"entry", companion.entry},
                          {"arguments", companion.arguments},
                          {"block_threads", companion.blockThreads}});
  Json others = Json::array();
  for (const KernelVariant &other : kernel.others)
    others.push_back({{"entry", other.entry},
                      {"column_tile", other.columnTile},
                      {"wide", other.wide},
                      {"vector", other.vector}});
  Json json = {{"version", kKernelVersion},
               {"entry", kernel.entry},
               {"chip", kernel.chip},
               {"arguments", kernel.arguments},
               {"column_tile", kernel.columnTile},
               {"wide", kernel.wide},
               {"vector", kernel.vector},
               {"others", others},
               {"block_threads", kernel.blockThreads},
               {"workers_per_block", kernel.workersPerBlock},
               {"companions", companions},
               {"element", elementName(kernel.element)},
               {"combiner", kernel.combiner},
               {"layout", layoutJson(kernel.layout)},
               {"ptx", kernel.ptx}};
  // Names may come from anywhere; what is not UTF-8 must not throw.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<KernelFile> parseKernelFile(const std::string &text,
                                   const std::string &name) {
  return readJson(text, name, readKernel);
}

Result<KernelFile> readKernelFile(const std::string &path) {
  return readJsonFile(path, readKernel);
}

} // namespace astfe::core
