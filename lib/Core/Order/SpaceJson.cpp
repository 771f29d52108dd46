//===- SpaceJson.cpp - the fields that graph and profile files share ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Order/SpaceJson.h"
#include "Support/LargestExtent.h"
#include <nlohmann/json.hpp>

using namespace astfe::core;
using Json = nlohmann::json;

static constexpr int64_t kVersion = 1;

std::string astfe::core::jsonList(ArrayRef<int64_t> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

std::string astfe::core::jsonString(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string astfe::core::prefixToHex(Prefix prefix) {
  uint64_t value = prefix.length == 0 ? 0 : prefix.bits >> (64 - prefix.length);
  std::string text;
  do
    text.insert(text.begin(), "0123456789abcdef"[value & 15]);
  while (value >>= 4);
  return text;
}

static std::string partToJson(const Part &part) {
  std::string text = "{\"origin\": " + jsonList(part.origin) +
                     ", \"extents\": " + jsonList(part.extents) +
                     ", \"order\": \"" + std::string(orderName(part.kind)) +
                     "\"";
  if (part.kind == OrderKind::Panels)
    text += ", \"panel_log2\": " + std::to_string(part.panelLog2);
  return text + "}";
}

std::string astfe::core::spaceToJson(const Space &space) {
  std::string text =
      "  \"version\": " + std::to_string(kVersion) +
      ",\n  \"shape\": " + jsonList(space.shape) + ",\n  \"order\": \"" +
      std::string(orderName(space.parts.back().kind)) + "\",\n  \"parts\": [";
  for (size_t i = 0; i < space.parts.size(); ++i)
    text += (i ? ", " : "") + partToJson(space.parts[i]);
  text += "],\n  \"permutations\": [";
  for (size_t k = 0; k < space.rank(); ++k) {
    bool identity =
        k >= space.permutations.size() || space.permutations[k].empty();
    text += k ? ", " : "";
    text += identity ? "null" : jsonList(space.permutations[k]);
  }
  return text + "],\n";
}

static OrderKind readOrder(const JsonField &field) {
  std::string name = field.string();
  if (std::optional<OrderKind> kind = parseOrder(name))
    return *kind;
  field.failExpected(orderNames().text());
  return OrderKind::Rows;
}

static Part readPart(const JsonField &field, size_t rank) {
  field.expectMembers({"origin", "extents", "order", "panel_log2"});
  Part part;
  JsonField origin = field.member("origin");
  JsonField extents = field.member("extents");
  origin.expectSize(rank);
  extents.expectSize(rank);
  part.origin = origin.integers(0, kLargestExtent);
  part.extents = extents.integers(0, kLargestExtent);
  part.kind = readOrder(field.member("order"));
  if (std::optional<JsonField> panel = field.optionalMember("panel_log2"))
    part.panelLog2 = uint8_t(panel->integer(0, 62));
  return part;
}

static void readPermutations(const JsonField &field, Space &space) {
  field.expectSize(space.rank());
  std::vector<std::vector<int64_t>> permutations(space.rank());
  bool identity = true;
  for (size_t k = 0; k < space.rank() && field.ok(); ++k) {
    JsonField mode = field.item(k);
    if (mode.isNull())
      continue;
    permutations[k] = mode.integers(0, kLargestExtent);
    identity = false;
  }
  if (!identity)
    space.permutations = std::move(permutations);
  if (Status status = space.check(); field.ok() && !status)
    field.fail(status.message());
}

static void readParts(const JsonField &field, Space &space) {
  size_t count = field.size();
  if (count == 0)
    field.fail("expected at least one part but got none");
  for (size_t i = 0; i < count && field.ok(); ++i)
    space.parts.push_back(readPart(field.item(i), space.rank()));
  if (!field.ok())
    return;
  if (Status status = space.check(); !status)
    field.fail(status.message());
}

Space astfe::core::readSpace(const JsonField &file) {
  file.member("version").integer(kVersion, kVersion);
  Space space;
  JsonField shape = file.member("shape");
  space.shape = shape.integers(0, kLargestExtent);
  if (space.shape.empty() || space.shape.size() > kMaxRank)
    shape.fail("expected 1 to 8 modes but got " +
               std::to_string(space.shape.size()));
  JsonField order = file.member("order");
  OrderKind kind = readOrder(order);
  JsonField parts = file.member("parts");
  if (file.ok())
    readParts(parts, space);
  if (file.ok() && space.parts.back().kind != kind)
    order.failExpected("that of the last part, \"" +
                       std::string(orderName(space.parts.back().kind)) + "\",");
  JsonField permutations = file.member("permutations");
  if (file.ok())
    readPermutations(permutations, space);
  return space;
}

/// The longest prefix of each part.
static std::vector<unsigned> prefixDepths(const Space &space) {
  std::vector<unsigned> depths;
  for (const Part &part : space.parts)
    depths.push_back(part.order().prefixBits());
  return depths;
}

std::string astfe::core::placedToJson(const PlacedPrefix &placed) {
  return std::to_string(placed.part) + ", " +
         std::to_string(placed.prefix.length) + ", \"" +
         prefixToHex(placed.prefix) + "\"";
}

/// The first three fields of an entry; `depths` are the longest prefixes.
static PlacedPrefix readPrefix(const JsonField &entry,
                               ArrayRef<unsigned> depths,
                               const std::optional<PlacedPrefix> &before) {
  PlacedPrefix placed;
  placed.part = uint32_t(entry.item(0).integer(0, int64_t(depths.size()) - 1));
  placed.prefix.length = uint8_t(entry.item(1).integer(0, depths[placed.part]));
  JsonField hex = entry.item(2);
  uint64_t value = hex.hexadecimal();
  unsigned length = placed.prefix.length;
  if (length < 64 && value >> length != 0)
    hex.failExpected("a prefix of " + std::to_string(length) + " bits");
  placed.prefix.bits = length == 0 ? 0 : value << (64 - length);
  if (before && (before->part > placed.part ||
                 (before->part == placed.part &&
                  before->prefix.last() >= placed.prefix.first())))
    entry.fail("expected ascending curve order and disjoint prefixes but got "
               "'b" +
               placed.prefix.str() + "' after 'b" + before->prefix.str() + "'");
  return placed;
}

void astfe::core::forEachPlaced(
    const JsonField &list, const Space &space,
    llvm::function_ref<void(const JsonField &, const PlacedPrefix &)> read) {
  const std::vector<unsigned> depths = prefixDepths(space);
  std::optional<PlacedPrefix> before;
  const size_t count = list.size();
  for (size_t i = 0; i < count && list.ok(); ++i) {
    JsonField entry = list.item(i);
    entry.expectSize(6);
    if (!list.ok())
      return;
    before = readPrefix(entry, depths, before);
    read(entry, *before);
  }
}
