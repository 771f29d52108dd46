//===- Cases.cpp - host programs that were compiled ahead -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Runtime/ABI.h"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <nlohmann/json.hpp>

namespace astfe::gpucheck {

static core::Result<Case> parseCase(const nlohmann::json &json) {
  Case result;
  result.name = json.at("name").get<std::string>();
  result.library = json.at("library").get<std::string>();
  result.ptx = json.value("ptx", "");
  if (!result.ptx.empty()) {
    for (const auto &item : json.at("kernels").items())
      result.kernels.push_back(item.key());
    if (result.kernels.empty())
      return core::Error{result.name + ": expected kernels in '" + result.ptx +
                         "' but got none"};
  }
  result.isDouble = json.at("type") == "f64";
  result.isVector = json.at("vector").get<bool>();
  result.columns = json.value("columns", int64_t(0));
  result.overwrite = json.at("overwrite").get<bool>();
  result.hostOperands = json.at("host_operands").get<bool>();
  core::Layout &layout = result.layout;
  if (json.at("storage") == "view") {
    layout.storage = core::Storage::View;
    result.longRows = json.value("long_rows", false);
    return result;
  }
  layout.target = core::PackTarget::GPU;
  layout.columnTile = result.isVector ? 0 : core::kWidestTile;
  layout.columnBits = json.at("column_bits").get<uint8_t>();
  layout.deterministic = json.at("deterministic").get<bool>();
  layout.classes = {};
  for (const auto &name : json.at("classes"))
    for (core::SegmentClass kind : core::ClassSet::all().list())
      if (core::className(kind) == name.get<std::string>())
        layout.classes = layout.classes.with(kind);
  if (core::Status status = layout.check(); !status)
    return core::Error{result.name + ": " + status.message()};
  return result;
}

/// What `read` makes of the folder's cases.json.
template <typename Read>
static auto readManifest(const std::string &folder, Read read)
    -> decltype(read(nlohmann::json())) {
  const std::string file = folder + "/cases.json";
  auto text = core::readFile(file);
  if (!text)
    return text.error();
  try {
    return read(nlohmann::json::parse(*text));
  } catch (const nlohmann::json::exception &error) {
    return core::Error{file + ": " + error.what()};
  }
}

core::Result<std::vector<Case>> readCases(const std::string &folder,
                                          Computation computation) {
  using Cases = std::vector<Case>;
  const char *wanted =
      computation == Computation::Product ? "product" : "attention";
  return readManifest(folder,
                      [&](const nlohmann::json &list) -> core::Result<Cases> {
                        Cases cases;
                        for (const auto &json : list.at("cases")) {
                          if (json.value("computation", "product") != wanted)
                            continue;
                          auto parsed = parseCase(json);
                          if (!parsed)
                            return parsed.error();
                          cases.push_back(std::move(*parsed));
                        }
                        return cases;
                      });
}

/// 90 of sm_90.
static int numberOf(const std::string &chip) {
  return std::atoi(chip.c_str() + std::min<size_t>(chip.size(), 3));
}

core::Result<std::string> whyNotFor(const std::string &folder,
                                    const std::string &chip) {
  return readManifest(
      folder, [&](const nlohmann::json &list) -> core::Result<std::string> {
        const auto made = list.at("chip").get<std::string>();
        const bool isMachineCode = list.at("format") == "binary";
        const int of = numberOf(made), device = numberOf(chip);
        if (of <= device && (!isMachineCode || of / 10 == device / 10))
          return std::string();
        return "expected a device that takes " +
               std::string(isMachineCode ? "machine code" : "PTX") + " of " +
               made + " but got one of " + chip;
      });
}

core::Result<LoadedCase> LoadedCase::load(const std::string &folder,
                                          const Case &which) {
  // Its constructors load the kernels.
  astfe_rt_clear_error();
  const std::string file = folder + "/" + which.library;
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return core::Error{dlerror()};
  const std::string symbol = "_mlir_ciface_" + which.name;
  LoadedCase loaded(which, library, dlsym(library, symbol.c_str()));
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  if (!loaded.address)
    return core::Error{"expected '" + symbol + "' in '" + file +
                       "' but got a library without it"};
  return loaded;
}

LoadedCase::LoadedCase(LoadedCase &&other) noexcept
    : which(other.which), library(std::exchange(other.library, nullptr)),
      address(other.address) {}

LoadedCase::~LoadedCase() {
  if (library)
    dlclose(library);
}

} // namespace astfe::gpucheck
