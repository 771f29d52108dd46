//===- NameList.h - the names of an enumeration -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in the order of their values; messages and options ask the list.
//
//   constexpr std::string_view kNames[] = {"none", "labels", "rcm", "twins"};
//   NameList(kNames).text()        "none, labels, rcm or twins"
//   NameList(kNames).text("auto")  "none, labels, rcm, twins or auto"
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_NAMELIST_H
#define ASTFE_CORE_SUPPORT_NAMELIST_H

#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace astfe::core {

class NameList {
public:
  NameList(llvm::ArrayRef<std::string_view> names) : names(names) {}

  size_t size() const { return names.size(); }
  std::string_view operator[](size_t value) const { return names[value]; }
  std::optional<size_t> find(std::string_view name) const {
    for (size_t i = 0; i < names.size(); ++i)
      if (names[i] == name)
        return i;
    return std::nullopt;
  }
  /// With `more`, if that is not empty, as the last name.
  std::vector<std::string> list(std::string_view more = {}) const {
    std::vector<std::string> all(names.begin(), names.end());
    if (!more.empty())
      all.emplace_back(more);
    return all;
  }
  std::string text(std::string_view more = {}) const {
    const std::vector<std::string> all = list(more);
    std::string text = all.front();
    for (size_t i = 1; i < all.size(); ++i)
      text += (i + 1 < all.size() ? ", " : " or ") + all[i];
    return text;
  }

private:
  llvm::ArrayRef<std::string_view> names;
};

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_NAMELIST_H
