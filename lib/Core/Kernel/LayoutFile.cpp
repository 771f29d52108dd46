//===- LayoutFile.cpp - layouts as JSON -----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/LayoutFile.h"
#include "Kernel/LayoutJson.h"
#include <limits>
#include <nlohmann/json.hpp>

namespace astfe::core {

nlohmann::ordered_json layoutJson(const Layout &layout) {
  using Json = nlohmann::ordered_json;
  Json classes = Json::array();
  for (SegmentClass kind : layout.classes.list())
    classes.push_back(className(kind));
  return {
      {"storage", storageName(layout.storage)},
      {"target", targetName(layout.target)},
      {"column_bits", layout.columnBits},
      {"classes", classes},
      {"deterministic", layout.deterministic},
      {"assume_finite", layout.assumeFinite},
      {"window", layout.windowColumns},
      {"dense_bytes", layout.denseBytes},
      {"column_tile", layout.columnTile},
  };
}

/// The names of an array.
static ClassSet readClasses(const JsonField &names) {
  ClassSet classes;
  for (size_t i = 0, count = names.size(); i < count; ++i) {
    JsonField item = names.item(i);
    if (std::optional<SegmentClass> kind = parseClass(item.string()))
      classes = classes.with(*kind);
    else
      item.failExpected("a class of segments");
  }
  return classes;
}

Layout readLayout(const JsonField &field) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Layout layout;
  field.expectMembers({"storage", "target", "column_bits", "classes",
                       "deterministic", "assume_finite", "window",
                       "dense_bytes", "column_tile"});
  JsonField storage = field.member("storage");
  if (auto known = parseStorage(storage.string()))
    layout.storage = *known;
  else
    storage.failExpected(storageNames().text());
  JsonField target = field.member("target");
  if (auto known = parseTarget(target.string()))
    layout.target = *known;
  else
    target.failExpected(targetNames().text());
  layout.columnBits = uint8_t(field.member("column_bits").integer(8, 32));
  layout.classes = readClasses(field.member("classes"));
  layout.deterministic = field.member("deterministic").boolean();
  layout.assumeFinite = field.member("assume_finite").boolean();
  layout.windowColumns = field.member("window").integer(1, kWidestWindow);
  layout.denseBytes = field.member("dense_bytes").integer(0, kMost);
  layout.columnTile = field.member("column_tile").integer(0, kWidestTile);
  if (Status status = layout.check(); !status)
    field.fail(status.message());
  return layout;
}

std::string toJson(const Layout &layout) { return layoutJson(layout).dump(); }

Result<Layout> parseLayout(std::string_view text, const std::string &source) {
  return readJson(text, source, readLayout);
}

} // namespace astfe::core
