//===- KernelFile.cpp - what a launcher must know of a kernel -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/KernelFile.h"
#include "ASTFE/Core/Support/FileText.h"
#include "Support/JsonField.h"
#include <nlohmann/json.hpp>

namespace astfe::core {
namespace {

constexpr int64_t kKernelVersion = 1;

Layout readLayout(const JsonField &file) {
  Layout layout;
  file.expectMembers(
      {"storage", "column_bits", "classes", "deterministic", "assume_finite"});
  JsonField storage = file.member("storage");
  std::string word = storage.string();
  if (word != "packed" && word != "view")
    storage.failExpected("\"packed\" or \"view\"");
  layout.storage = word == "view" ? Storage::View : Storage::Packed;
  layout.columnBits = uint8_t(file.member("column_bits").integer(8, 32));
  layout.deterministic = file.member("deterministic").boolean();
  layout.assumeFinite = file.member("assume_finite").boolean();
  layout.classes = {};
  JsonField classes = file.member("classes");
  for (size_t i = 0, count = classes.size(); i < count; ++i) {
    JsonField item = classes.item(i);
    if (std::optional<SegmentClass> kind = parseClass(item.string()))
      layout.classes = layout.classes.with(*kind);
    else
      item.failExpected("a class of segments");
  }
  if (Status status = layout.check(); !status)
    file.fail(status.message());
  return layout;
}

KernelFile readKernel(const JsonField &file) {
  constexpr int64_t kMostThreads = 1024, kWidestTile = int64_t(1) << 20;
  file.expectMembers({"version", "entry", "chip", "arguments", "column_tile",
                      "block_threads", "workers_per_block", "double", "layout",
                      "ptx"});
  KernelFile kernel;
  file.member("version").integer(kKernelVersion, kKernelVersion);
  kernel.entry = file.member("entry").string();
  kernel.chip = file.member("chip").string();
  JsonField arguments = file.member("arguments");
  for (size_t i = 0, count = arguments.size(); i < count; ++i)
    kernel.arguments.push_back(arguments.item(i).string());
  kernel.columnTile = file.member("column_tile").integer(0, kWidestTile);
  kernel.blockThreads = file.member("block_threads").integer(1, kMostThreads);
  kernel.workersPerBlock =
      file.member("workers_per_block").integer(1, kMostThreads);
  kernel.isDouble = file.member("double").boolean();
  kernel.layout = readLayout(file.member("layout"));
  kernel.ptx = file.member("ptx").string();
  return kernel;
}

} // namespace

std::string toJson(const KernelFile &kernel) {
  using Json = nlohmann::ordered_json;
  const Layout &layout = kernel.layout;
  Json classes = Json::array();
  for (SegmentClass kind : layout.classes.list())
    classes.push_back(className(kind));
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
  Result<nlohmann::json> json = parseJson(*text, path);
  if (!json)
    return json.error();
  std::optional<Error> error;
  KernelFile kernel = readKernel(JsonField(*json, path, error));
  if (error)
    return *error;
  return kernel;
}

} // namespace astfe::core
