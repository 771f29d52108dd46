//===- Chip.cpp - the GPUs that kernels can be compiled for ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Chip.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>

namespace astfe::core {

static constexpr Chip kChips[] = {
    {"sm_70", 60},   {"sm_72", 61},   {"sm_75", 63},   {"sm_80", 70},
    {"sm_86", 71},   {"sm_87", 74},   {"sm_88", 90},   {"sm_89", 78},
    {"sm_90", 78},   {"sm_90a", 80},  {"sm_100", 86},  {"sm_100a", 86},
    {"sm_100f", 88}, {"sm_101", 86},  {"sm_101a", 86}, {"sm_101f", 88},
    {"sm_103", 88},  {"sm_103a", 88}, {"sm_103f", 88}, {"sm_110", 90},
    {"sm_110a", 90}, {"sm_110f", 90}, {"sm_120", 87},  {"sm_120a", 87},
    {"sm_120f", 88}, {"sm_121", 88},  {"sm_121a", 88}, {"sm_121f", 88}};

/// LLVM's, in ascending order.
static constexpr unsigned kVersions[] = {60, 61, 62, 63, 64, 65, 70, 71, 72,
                                         73, 74, 75, 76, 77, 78, 80, 81, 82,
                                         83, 84, 85, 86, 87, 88, 90};

/// "a, b or c".
static std::string listed(const std::vector<std::string> &names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

static std::string featureOf(unsigned version) {
  return "+ptx" + std::to_string(version);
}

const Chip *findChip(std::string_view name) {
  const Chip *found = llvm::find_if(
      kChips, [&](const Chip &chip) { return chip.name == name; });
  return found == std::end(kChips) ? nullptr : found;
}

std::string chipNames() {
  std::vector<std::string> names;
  for (const Chip &chip : kChips)
    names.emplace_back(chip.name);
  return listed(names);
}

Result<std::string> ptxFeatures(const Chip &chip, std::string_view features) {
  if (features.empty())
    return featureOf(chip.ptx);
  std::vector<std::string> fit;
  for (unsigned version : kVersions)
    if (version >= chip.ptx)
      fit.push_back(featureOf(version));
  if (llvm::is_contained(fit, features))
    return std::string(features);
  return Error{"expected features of " + std::string(chip.name) + " to be " +
               listed(fit) + " but got '" + std::string(features) + "'"};
}

} // namespace astfe::core
