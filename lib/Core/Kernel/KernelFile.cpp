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
#include <nlohmann/json.hpp>

namespace astfe::core {
namespace {

constexpr int64_t kKernelVersion = 2;

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
  Json json = {{"version", kKernelVersion},
               {"entry", kernel.entry},
               {"chip", kernel.chip},
               {"arguments", kernel.arguments},
               {"column_tile", kernel.columnTile},
               {"block_threads", kernel.blockThreads},
               {"workers_per_block", kernel.workersPerBlock},
               {"double", kernel.isDouble},
               {"layout", layoutJson(kernel.layout)},
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
