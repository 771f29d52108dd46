//===- CachedMachine.cpp - measured numbers are kept in a file ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/MeasureMachine.h"
#include "ASTFE/Core/Support/FileText.h"
#include "Support/JsonField.h"
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace astfe::core {

std::string machineCachePath(unsigned threads) {
  const char *cache = std::getenv("XDG_CACHE_HOME");
  const char *home = std::getenv("HOME");
  std::string folder;
  if (cache && *cache)
    folder = cache;
  else if (home && *home)
    folder = std::string(home) + "/.cache";
  else
    return {};
  return folder + "/astfe/machine-" + std::to_string(threads) + ".json";
}

/// Whether a file was written before the system started: on another machine, or
/// one that was moved.
static bool isOlderThanStart(const std::filesystem::path &path) {
  std::error_code failed;
  const auto written = std::filesystem::last_write_time(path, failed);
  timespec up{};
  if (failed || clock_gettime(CLOCK_BOOTTIME, &up) != 0)
    return false;
  const auto age = std::filesystem::file_time_type::clock::now() - written;
  return age > std::chrono::seconds(up.tv_sec);
}

/// Whether it was written by another version of this library.
static bool isOfAnotherVersion(std::string_view text, const std::string &name) {
  auto json = parseJson(text, name);
  if (!json || !json->is_object())
    return false;
  auto version = json->find("version");
  return version != json->end() && version->is_number_integer() &&
         *version != Machine::Version;
}

/// Whether the processor still runs as it did when the numbers were measured.
static bool hasPaceOf(const Machine &machine, unsigned threads) {
  constexpr double Tolerance = 0.1;
  if (machine.paceSeconds == 0)
    return true;
  const double ratio = measurePace(threads) / machine.paceSeconds;
  return std::abs(ratio - 1) <= Tolerance;
}

/// The numbers of the file, where they still hold.
static Result<std::optional<Machine>> readCached(const std::string &path,
                                                 unsigned threads) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored) ||
      isOlderThanStart(path))
    return std::optional<Machine>();
  auto text = readFile(path);
  if (!text)
    return text.error();
  if (isOfAnotherVersion(*text, path))
    return std::optional<Machine>();
  auto machine = parseMachine(*text, path);
  if (!machine)
    return machine.error();
  return hasPaceOf(*machine, threads) ? std::optional<Machine>(*machine)
                                      : std::nullopt;
}

Result<Machine> cachedMachine(unsigned threads) {
  const std::string path = machineCachePath(threads);
  auto cached = readCached(path, threads);
  if (!cached)
    return cached.error();
  if (*cached)
    return **cached;
  const Machine machine = measureMachine(threads);
  if (path.empty())
    return machine;
  // A cache that cannot be written costs a second next time, nothing more.
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(),
                                      ignored);
  (void)writeFile(path, toJson(machine));
  return machine;
}

} // namespace astfe::core
