//===- Kernel.cpp - classes of blocks, layouts and kernels ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/Kernel.h"

namespace astfe::core {
namespace {

/// What stores the nonzeros that a class leaves.
enum class Rest { Itself, Any, Scattered };

struct Line {
  std::string_view name;
  Rest rest;
};
constexpr Line kLines[kSegmentClasses] = {
#define ASTFE_CLASS(Name, name, rest) {#name, Rest::rest},
#include "ASTFE/Core/Kernel/Classes.def"
};

/// Those whose nonzeros are stored so.
ClassSet classesWith(Rest rest) {
  ClassSet classes;
  for (SegmentClass kind : ClassSet::all().list())
    if (kLines[unsigned(kind)].rest == rest)
      classes = classes.with(kind);
  return classes;
}

} // namespace

std::string_view className(SegmentClass kind) {
  return kLines[unsigned(kind)].name;
}

std::optional<SegmentClass> parseClass(std::string_view name) {
  for (SegmentClass kind : ClassSet::all().list())
    if (className(kind) == name)
      return kind;
  return std::nullopt;
}

ClassSet ClassSet::general() {
  ClassSet classes;
#define ASTFE_GPU_CLASS(Name, name, Rest)                                      \
  classes = classes.with(SegmentClass::Name);
#include "ASTFE/Core/Kernel/Classes.def"
  return classes;
}

std::vector<SegmentClass> ClassSet::list() const {
  std::vector<SegmentClass> list;
  for (unsigned i = 0; i < kSegmentClasses; ++i)
    if (contains(SegmentClass(i)))
      list.push_back(SegmentClass(i));
  return list;
}

std::string classNames(ClassSet classes, std::string_view separator) {
  std::string names;
  for (SegmentClass kind : classes.list()) {
    if (!names.empty())
      names += separator;
    names += className(kind);
  }
  return names;
}

Status Layout::check() const {
  if (columnBits != 8 && columnBits != 16 && columnBits != 32)
    return Error{"expected columns of 8, 16 or 32 bits but got " +
                 std::to_string(columnBits)};
  if (!ClassSet::all().contains(classes))
    return Error{"expected a set of known classes but got the bits " +
                 std::to_string(classes.bits)};
  if (storage == Storage::View)
    return Success{};
  const ClassSet storing = classesWith(Rest::Itself);
  if ((classes & storing).bits == 0)
    return Error{"expected packed storage to permit '" +
                 classNames(storing, "' or '") + "' but got '" +
                 classNames(classes) + "'"};
  if (classes.contains(SegmentClass::Scattered))
    return Success{};
  for (SegmentClass kind : (classes & classesWith(Rest::Scattered)).list())
    return Error{"expected 'scattered' beside '" +
                 std::string(className(kind)) + "'"};
  return Success{};
}

Status Kernel::check() const {
  if (columnTile < 0 || (columnTile & (columnTile - 1)) != 0)
    return Error{"expected a column tile that is 0 or a power of two but got " +
                 std::to_string(columnTile)};
  if (classes.bits == 0)
    return Error{"expected at least one of " + classNames(ClassSet::all())};
  return Success{};
}

} // namespace astfe::core
