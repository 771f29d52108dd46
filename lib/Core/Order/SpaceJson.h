//===- SpaceJson.h - the fields that graph and profile files share --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_ORDER_SPACEJSON_H
#define ASTFE_LIB_CORE_ORDER_SPACEJSON_H

#include "ASTFE/Core/Order/Space.h"
#include "Support/JsonField.h"

namespace astfe::core {

/// "[1, 2, 3]".
std::string jsonList(ArrayRef<int64_t> values);
/// A string with quotes and escapes.
std::string jsonString(std::string_view text);
/// The value of a prefix's bits, right-aligned: "6" for 0110.
std::string prefixToHex(Prefix prefix);

/// version, shape, order, parts and permutations, each on its line.
std::string spaceToJson(const Space &space);
/// Reads and checks them.
Space readSpace(const JsonField &file);

/// A prefix in a part: how blocks and bins begin.
struct PlacedPrefix {
  uint32_t part = 0;
  Prefix prefix;
};
/// Part, length and prefix: `0, 4, "6"`.
std::string placedToJson(const PlacedPrefix &placed);

/// Calls `read` with each entry of a list of blocks or bins and its prefix, the
/// first three of its six fields, which comes after that of the entry before.
void forEachPlaced(
    const JsonField &list, const Space &space,
    llvm::function_ref<void(const JsonField &entry, const PlacedPrefix &placed)>
        read);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_ORDER_SPACEJSON_H
