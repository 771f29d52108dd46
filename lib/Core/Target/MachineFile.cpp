//===- MachineFile.cpp - a machine's numbers as JSON ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Machine.h"
#include "Support/JsonField.h"
#include <nlohmann/json.hpp>

namespace astfe::core {
namespace {

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
  file.member("version").integer(Machine::Version, Machine::Version);
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
      {"version", Machine::Version},
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
  return readJson(text, name, readMachine);
}

} // namespace astfe::core
