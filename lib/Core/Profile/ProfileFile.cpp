//===- ProfileFile.cpp - profiles as JSON ---------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Profile/ProfileFile.h"
#include "ASTFE/Core/Support/FileText.h"
#include "Order/SpaceJson.h"
#include <nlohmann/json.hpp>

using namespace astfe::core;
using Json = nlohmann::json;

/// A count, or null where unknown.
static std::string countToJson(ArrayRef<int64_t> counts, size_t i) {
  if (counts.empty() || counts[i] < 0)
    return "null";
  return std::to_string(counts[i]);
}

std::string astfe::core::toJson(const Profile &profile) {
  std::string text = "{\n" + spaceToJson(profile.space);
  text += "  \"kernel\": " + jsonString(profile.kernel) +
          ",\n  \"target\": " + jsonString(profile.target) +
          ",\n  \"fingerprint\": ";
  // As a string: JSON's numbers are doubles to many readers.
  text += profile.fingerprint == 0
              ? "null"
              : "\"" + prefixToHex({profile.fingerprint, 64}) + "\"";
  text += ",\n  \"bins\": [";
  for (size_t i = 0; i < profile.size(); ++i) {
    text += i ? ",\n    [" : "\n    [";
    text += placedToJson({profile.part[i], profile.bin(i)}) + ", " +
            std::to_string(profile.nonzeros[i]) + ", " +
            countToJson(profile.cycles, i) + ", " +
            countToJson(profile.bytes, i) + "]";
  }
  return text + (profile.size() ? "\n  ]\n}\n" : "]\n}\n");
}

/// -1 for null; `total` keeps sums within 63 bits.
static int64_t readCount(const JsonField &field, int64_t &total) {
  if (field.isNull())
    return -1;
  int64_t count = field.integer(0, INT64_MAX);
  if (__builtin_add_overflow(total, count, &total))
    field.fail("expected a total of less than 2^63 up to here");
  return count;
}

/// A column that is null throughout was not measured.
static void clearIfUnknown(std::vector<int64_t> &counts) {
  if (std::all_of(counts.begin(), counts.end(),
                  [](int64_t count) { return count < 0; }))
    counts.clear();
}

static void readBins(const JsonField &field, Profile &profile) {
  int64_t nonzeros = 0, cycles = 0, bytes = 0;
  auto readBin = [&](const JsonField &entry, const PlacedPrefix &placed) {
    profile.part.push_back(placed.part);
    profile.length.push_back(placed.prefix.length);
    profile.prefix.push_back(placed.prefix.bits);
    JsonField stored = entry.item(3);
    profile.nonzeros.push_back(stored.integer(1, INT64_MAX));
    readCount(stored, nonzeros);
    profile.cycles.push_back(readCount(entry.item(4), cycles));
    profile.bytes.push_back(readCount(entry.item(5), bytes));
  };
  forEachPlaced(field, profile.space, readBin);
  clearIfUnknown(profile.cycles);
  clearIfUnknown(profile.bytes);
}

static Profile profileOf(const JsonField &file) {
  file.expectMembers({"version", "shape", "order", "parts", "permutations",
                      "kernel", "target", "fingerprint", "bins"});
  Profile profile;
  profile.space = readSpace(file);
  profile.kernel = file.member("kernel").string();
  profile.target = file.member("target").string();
  JsonField fingerprint = file.member("fingerprint");
  if (!fingerprint.isNull())
    profile.fingerprint = fingerprint.hexadecimal();
  if (file.ok())
    readBins(file.member("bins"), profile);
  return profile;
}

Result<Profile> astfe::core::parseProfile(std::string_view text,
                                          const std::string &name) {
  return readJson(text, name, profileOf);
}

Result<Profile> astfe::core::readProfile(const std::string &path) {
  return readJsonFile(path, profileOf);
}
