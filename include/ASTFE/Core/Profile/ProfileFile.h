//===- ProfileFile.h - profiles as JSON -----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The profile file: version, shape, order, parts [{origin, extents, order}],
// permutations (per mode: null or an array), kernel, target, fingerprint (16
// hex digits or null), bins as [part, length, "prefix in hex", nonzeros, cycles
// or null, bytes or null]. Hex prefixes are right-aligned values ("6" of length
// 4 is 0110). `order` is that of the last part; parts of order panels also
// carry `panel_log2`. Errors name the file and the field: "p.json: bins[3][1]:
// expected ...". O(bytes).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PROFILE_PROFILEFILE_H
#define ASTFE_CORE_PROFILE_PROFILEFILE_H

#include "ASTFE/Core/Profile/Profile.h"

namespace astfe::core {

std::string toJson(const Profile &profile);
/// `name` stands for the file in errors.
Result<Profile> parseProfile(std::string_view text, const std::string &name);
Result<Profile> readProfile(const std::string &path);

} // namespace astfe::core

#endif // ASTFE_CORE_PROFILE_PROFILEFILE_H
