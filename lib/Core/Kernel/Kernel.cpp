//===- Kernel.cpp - classes, layout, and the grammar of fused kernels -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/Kernel.h"
#include <algorithm>

namespace astfe::core {
namespace {

constexpr std::string_view kClassNames[kSegmentClasses] = {
    "row_segments", "scattered", "dense_tile", "row_slices",
    "row_windows",  "row_tiles", "row_pairs"};

/// The terminals below a class of segment, and what calls for them.
struct Terminal {
  std::string_view name, parent;
};
constexpr Terminal kTerminals[] = {{"column_tile", "row_segments"},
                                   {"one_column", "row_segments"},
                                   {"mma_tile", "dense_tile"},
                                   {"fma_tile", "dense_tile"}};

const Terminal *findTerminal(std::string_view name) {
  for (const Terminal &terminal : kTerminals)
    if (terminal.name == name)
      return &terminal;
  return nullptr;
}

bool contains(const std::vector<std::string> &list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

Status checkProduction(const Derivation &derivation, const std::string &name) {
  const auto &all = derivation.productions;
  if (std::count(all.begin(), all.end(), name) > 1)
    return Error{"expected each production once but got '" + name +
                 "' more often"};
  if (parseClass(name))
    return Success{};
  const Terminal *terminal = findTerminal(name);
  if (!terminal)
    return Error{"expected a production of the kernel grammar but got '" +
                 name + "'"};
  if (!contains(all, terminal->parent))
    return Error{"expected '" + std::string(terminal->parent) + "' beside '" +
                 name + "'"};
  bool wantsTile = name == "column_tile", wantsColumn = name == "one_column";
  if ((wantsTile && derivation.columnTile == 0) ||
      (wantsColumn && derivation.columnTile != 0))
    return Error{"expected '" + name + "' to go with a column tile " +
                 (wantsTile ? "above 0" : "of 0") + " but got " +
                 std::to_string(derivation.columnTile)};
  return Success{};
}

} // namespace

std::string_view className(SegmentClass kind) {
  return kClassNames[unsigned(kind)];
}

std::optional<SegmentClass> parseClass(std::string_view name) {
  for (unsigned i = 0; i < kSegmentClasses; ++i)
    if (kClassNames[i] == name)
      return SegmentClass(i);
  return std::nullopt;
}

std::string classNames(ClassSet classes) {
  std::string names;
  for (unsigned i = 0; i < kSegmentClasses; ++i)
    if (classes.contains(SegmentClass(i)))
      names += (names.empty() ? "" : ", ") + std::string(kClassNames[i]);
  return names;
}

Status Layout::check() const {
  if (columnBits != 8 && columnBits != 16 && columnBits != 32)
    return Error{"expected columns of 8, 16 or 32 bits but got " +
                 std::to_string(columnBits)};
  if (classes.bits & ~ClassSet::all().bits)
    return Error{"expected a set of known classes but got the bits " +
                 std::to_string(classes.bits)};
  if (storage == Storage::View)
    return Success{};
  if (!classes.contains(SegmentClass::Scattered) &&
      !classes.contains(SegmentClass::RowSegments))
    return Error{"expected packed storage to permit 'row_segments' or "
                 "'scattered' but got '" +
                 classNames(classes) + "'"};
  if (classes.contains(SegmentClass::RowSlices) &&
      !classes.contains(SegmentClass::Scattered))
    return Error{"expected 'scattered' beside 'row_slices'"};
  if (classes.contains(SegmentClass::RowPairs) &&
      !classes.contains(SegmentClass::RowWindows))
    return Error{"expected 'row_windows' beside 'row_pairs'"};
  return Success{};
}

Derivation derive(const Layout &layout, int64_t columnTile) {
  Derivation result;
  result.columnTile = columnTile;
  for (unsigned i = 0; i < kSegmentClasses; ++i)
    if (layout.classes.contains(SegmentClass(i)))
      result.productions.emplace_back(kClassNames[i]);
  if (layout.classes.contains(SegmentClass::RowSegments))
    result.productions.emplace_back(columnTile == 0 ? "one_column"
                                                    : "column_tile");
  if (layout.classes.contains(SegmentClass::DenseTile))
    result.productions.emplace_back("fma_tile");
  return result;
}

ClassSet classesOf(const Derivation &derivation) {
  ClassSet classes;
  for (const std::string &name : derivation.productions)
    if (auto kind = parseClass(name))
      classes = classes.with(*kind);
  return classes;
}

Status check(const Derivation &derivation) {
  int64_t tile = derivation.columnTile;
  if (tile < 0 || (tile & (tile - 1)) != 0)
    return Error{"expected a column tile that is 0 or a power of two but got " +
                 std::to_string(tile)};
  bool anyClass = false;
  for (const std::string &name : derivation.productions) {
    if (Status status = checkProduction(derivation, name); !status)
      return status;
    anyClass |= parseClass(name).has_value();
  }
  if (!anyClass)
    return Error{"expected at least one of 'row_segments', 'scattered', "
                 "'dense_tile', 'row_slices', 'row_windows', 'row_tiles' and "
                 "'row_pairs'"};
  return Success{};
}

} // namespace astfe::core
