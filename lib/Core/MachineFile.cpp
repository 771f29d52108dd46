//===- MachineFile.cpp - a machine's numbers as JSON, and their cache -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/GraphFile.h"
#include "ASTFE/Core/Machine.h"
#include "JsonField.h"
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace astfe::core {
namespace {

constexpr int64_t kMachineVersion = 2;

template <size_t N>
void readNumbers(const JsonField &field, std::array<double, N> &target) {
  field.expectSize(N);
  for (size_t i = 0; i < N && field.ok(); ++i)
    target[i] = field.item(i).number();
}

Machine readMachine(const JsonField &file) {
  constexpr int64_t kMostBytes = int64_t(1) << 50;
  file.expectMembers({"version", "threads", "cache_bytes", "access_seconds",
                      "stream_bytes_per_second", "row_seconds",
                      "surprise_seconds", "start_seconds", "pack_seconds",
                      "pace_seconds"});
  file.member("version").integer(kMachineVersion, kMachineVersion);
  Machine machine;
  machine.threads = file.member("threads").integer(1, 1 << 20);
  const JsonField caches = file.member("cache_bytes");
  caches.expectSize(machine.cacheBytes.size());
  for (size_t i = 0; i < machine.cacheBytes.size() && caches.ok(); ++i)
    machine.cacheBytes[i] = caches.item(i).integer(1, kMostBytes);
  const JsonField levels = file.member("access_seconds");
  levels.expectSize(Machine::Levels);
  for (size_t i = 0; i < Machine::Levels && levels.ok(); ++i)
    readNumbers(levels.item(i), machine.accessSeconds[i]);
  readNumbers(file.member("stream_bytes_per_second"),
              machine.streamBytesPerSecond);
  readNumbers(file.member("row_seconds"), machine.rowSeconds);
  readNumbers(file.member("surprise_seconds"), machine.surpriseSeconds);
  machine.startSeconds = file.member("start_seconds").number();
  machine.packSeconds = file.member("pack_seconds").number();
  machine.paceSeconds = file.member("pace_seconds").number();
  if (!file.ok())
    return machine;
  if (Status status = machine.check(); !status)
    file.fail(status.message());
  return machine;
}

} // namespace

std::string toJson(const Machine &machine) {
  nlohmann::ordered_json json = {
      {"version", kMachineVersion},
      {"threads", machine.threads},
      {"cache_bytes", machine.cacheBytes},
      {"access_seconds", machine.accessSeconds},
      {"stream_bytes_per_second", machine.streamBytesPerSecond},
      {"row_seconds", machine.rowSeconds},
      {"surprise_seconds", machine.surpriseSeconds},
      {"start_seconds", machine.startSeconds},
      {"pack_seconds", machine.packSeconds},
      {"pace_seconds", machine.paceSeconds},
  };
  return json.dump(2) + "\n";
}

Result<Machine> parseMachine(std::string_view text, const std::string &name) {
  auto json = parseJson(text, name);
  if (!json)
    return json.error();
  std::optional<Error> error;
  Machine machine = readMachine(JsonField(*json, name, error));
  if (error)
    return *error;
  return machine;
}

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
         *version != kMachineVersion;
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
