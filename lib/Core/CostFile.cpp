//===- CostFile.cpp - a machine's numbers as JSON, and their cache --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Cost.h"
#include "ASTFE/Core/GraphFile.h"
#include "JsonField.h"
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace astfe::core {
namespace {

constexpr int64_t kMachineVersion = 1;

template <size_t N>
void readNumbers(const JsonField &field, std::array<double, N> &target) {
  field.expectSize(N);
  for (size_t i = 0; i < N && field.ok(); ++i)
    target[i] = field.item(i).number();
}

Machine readMachine(const JsonField &file) {
  constexpr int64_t kMostBytes = int64_t(1) << 50;
  file.expectMembers({"version", "threads", "cache_bytes", "access_seconds",
                      "stream_bytes_per_second", "segment_seconds",
                      "start_seconds", "pack_seconds"});
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
  machine.segmentSeconds = file.member("segment_seconds").number();
  machine.startSeconds = file.member("start_seconds").number();
  machine.packSeconds = file.member("pack_seconds").number();
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
      {"segment_seconds", machine.segmentSeconds},
      {"start_seconds", machine.startSeconds},
      {"pack_seconds", machine.packSeconds},
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

Result<Machine> cachedMachine(unsigned threads) {
  const std::string path = machineCachePath(threads);
  std::error_code ignored;
  if (!path.empty() && std::filesystem::exists(path, ignored)) {
    auto text = readFile(path);
    if (!text)
      return text.error();
    return parseMachine(*text, path);
  }
  const Machine machine = measureMachine(threads);
  if (path.empty())
    return machine;
  // A cache that cannot be written costs a second next time, nothing more.
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(),
                                      ignored);
  (void)writeFile(path, toJson(machine));
  return machine;
}

} // namespace astfe::core
