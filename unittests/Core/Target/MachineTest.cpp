//===- MachineTest.cpp - the numbers of a target --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/MeasureMachine.h"
#include "ASTFE/Core/Support/FileText.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>

using namespace astfe::core;

namespace {

Machine example() {
  Machine machine;
  machine.threads = 1;
  machine.packSeconds = 50e-9;
  return machine;
}

TEST(Machine, machinesRoundTripThroughJson) {
  Machine machine = example();
  machine.accessSeconds[2][1] = 1.0 / 3e9;
  auto again = parseMachine(toJson(machine), "m.json");
  ASSERT_TRUE(bool(again)) << again.message();
  EXPECT_TRUE(*again == machine);
}

std::string replaced(std::string text, const std::string &what,
                     const std::string &with) {
  return text.replace(text.find(what), what.size(), with);
}

TEST(Machine, wrongMachinesAreErrorsThatNameTheField) {
  const std::string text = toJson(example());
  auto message = [](const std::string &wrong) {
    auto machine = parseMachine(wrong, "m.json");
    return machine ? "parsed" : machine.message();
  };
  EXPECT_EQ(message(replaced(text, "\"threads\": 1", "\"threads\": 0")),
            "m.json: threads: expected an integer in 1..1048576 but got 0");
  EXPECT_EQ(message(replaced(text, "32768", "33554433")),
            "m.json: expected caches of ascending sizes from 1 but got "
            "33554433, 1048576, 16777216, 33554432");
  EXPECT_EQ(message(replaced(text, "\"pack_seconds\": 5e-08",
                             "\"pack_seconds\": -1")),
            "m.json: expected positive times but got -1");
  EXPECT_EQ(
      message(replaced(text, "\"pace_seconds\": 0.0", "\"pace_seconds\": -1")),
      "m.json: expected a pace from 0 but got -1");
  EXPECT_NE(message("{").find("m.json"), std::string::npos);
}

/// Sets a variable of the environment while it lives.
class Environment {
public:
  Environment(const char *name, const std::string &value) : name(name) {
    if (const char *old = std::getenv(name))
      before = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { before ? setenv(name, before->c_str(), 1) : unsetenv(name); }

private:
  const char *name;
  std::optional<std::string> before;
};

TEST(Machine, cachedNumbersAreReadNotMeasured) {
  const std::string folder = testing::TempDir() + "astfe-cost-test";
  std::filesystem::remove_all(folder);
  Environment environment("XDG_CACHE_HOME", folder);
  ASSERT_EQ(machineCachePath(3), folder + "/astfe/machine-3.json");
  std::filesystem::create_directories(folder + "/astfe");
  ASSERT_TRUE(bool(writeFile(machineCachePath(3), toJson(example()))));
  auto machine = cachedMachine(3);
  ASSERT_TRUE(bool(machine)) << machine.message();
  EXPECT_TRUE(*machine == example());
  ASSERT_TRUE(bool(writeFile(machineCachePath(3), "{")));
  EXPECT_FALSE(bool(cachedMachine(3)));
  std::filesystem::remove_all(folder);
}

TEST(Machine, whatIsReadToMeasureAscends) {
  Machine machine;
  for (int64_t last : {int64_t(1) << 20, int64_t(32) << 20, int64_t(480) << 20,
                       int64_t(1) << 40})
    for (int64_t threads : {1, 2, 64}) {
      machine.cacheBytes.back() = last;
      machine.threads = threads;
      const auto bytes = measuredBytes(machine);
      EXPECT_TRUE(std::is_sorted(bytes.begin(), bytes.end()))
          << last << " bytes, " << threads << " threads";
      EXPECT_LE(bytes.back(), 256 << 20);
    }
}

TEST(Machine, numbersThatNoLongerHoldAreMeasuredAgain) {
  const std::string folder = testing::TempDir() + "astfe-machine-again";
  std::filesystem::remove_all(folder);
  Environment environment("XDG_CACHE_HOME", folder);
  std::filesystem::create_directories(folder + "/astfe");
  const std::string path = machineCachePath(1);
  // No processor takes a second for a multiply-add.
  Machine slow = example();
  slow.paceSeconds = 1;
  ASSERT_TRUE(bool(writeFile(path, toJson(slow))));
  auto machine = cachedMachine(1);
  ASSERT_TRUE(bool(machine)) << machine.message();
  EXPECT_LT(machine->paceSeconds, 1);
  // Numbers of another version, and from before the system's start.
  ASSERT_TRUE(bool(writeFile(path, "{\"version\": 1}")));
  EXPECT_TRUE(bool(cachedMachine(1)));
  ASSERT_TRUE(bool(writeFile(path, toJson(example()))));
  std::filesystem::last_write_time(
      path, std::filesystem::file_time_type::clock::now() -
                std::chrono::hours(24 * 365 * 20));
  machine = cachedMachine(1);
  ASSERT_TRUE(bool(machine)) << machine.message();
  EXPECT_FALSE(*machine == example());
  std::filesystem::remove_all(folder);
}

TEST(Machine, measuredNumbersAreSoundAndKept) {
  const std::string folder = testing::TempDir() + "astfe-cost-measure";
  std::filesystem::remove_all(folder);
  Environment environment("XDG_CACHE_HOME", folder);
  auto machine = cachedMachine(1);
  ASSERT_TRUE(bool(machine)) << machine.message();
  EXPECT_TRUE(bool(machine->check()));
  EXPECT_EQ(machine->threads, 1);
  auto again = cachedMachine(1);
  ASSERT_TRUE(bool(again)) << again.message();
  // At another pace it is measured again.
  if (again->paceSeconds == machine->paceSeconds) {
    EXPECT_TRUE(*again == *machine);
  }
  std::filesystem::remove_all(folder);
}

/// Levels, and rows of one float and of many, cost what they should on a GPU:
/// rows of B from memory are what reuse is for, and lengths of rows are not.
TEST(Machine, AGPUsRowsCostWhatTheyMove) {
  const Machine gpu = gpuMachine();
  EXPECT_TRUE(bool(gpu.check()));
  EXPECT_FALSE(gpu == Machine());
  for (unsigned level = 1; level < Machine::Levels; ++level)
    for (int64_t bytes : Machine::Widths) {
      EXPECT_GE(gpu.access(level, bytes), gpu.access(level - 1, bytes));
      // A block that runs at the same time as all others has its share.
      EXPECT_NEAR(gpu.access(level, 512) / gpu.access(level, 64), 8, 0.5);
    }
  EXPECT_LT(gpu.access(1, 512), gpu.access(Machine::Levels - 1, 512));
  for (double seconds : gpu.surpriseSeconds)
    EXPECT_LT(seconds, 1e-20);
}

} // namespace
