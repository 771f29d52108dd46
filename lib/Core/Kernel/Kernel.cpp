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

NameList storageNames() {
  static constexpr std::string_view names[] = {
#define ASTFE_STORAGE(Name, name, What) #name,
#include "ASTFE/Core/Kernel/Storages.def"
  };
  return NameList(names);
}

std::string_view storageName(Storage storage) {
  return storageNames()[unsigned(storage)];
}

std::optional<Storage> parseStorage(std::string_view name) {
  if (std::optional<size_t> value = storageNames().find(name))
    return Storage(*value);
  return std::nullopt;
}

NameList targetNames() {
  static constexpr std::string_view names[] = {
#define ASTFE_PACK_TARGET(Name, name, What) #name,
#include "ASTFE/Core/Kernel/Storages.def"
  };
  return NameList(names);
}

std::string_view targetName(PackTarget target) {
  return targetNames()[unsigned(target)];
}

std::optional<PackTarget> parseTarget(std::string_view name) {
  if (std::optional<size_t> value = targetNames().find(name))
    return PackTarget(*value);
  return std::nullopt;
}

static bool isColumnTile(int64_t tile) {
  return tile >= 0 && (tile & (tile - 1)) == 0;
}

/// What pack is told beside how nonzeros are stored is for one target.
static Status checkTarget(const Layout &layout) {
  if (layout.target == PackTarget::Host) {
    if (layout.columnTile != Layout().columnTile)
      return Error{"expected a column tile for a GPU only but got " +
                   std::to_string(layout.columnTile) + " for a host"};
    if (layout.windowColumns < 1 || layout.windowColumns > kWidestWindow)
      return Error{"expected windows of 1.." + std::to_string(kWidestWindow) +
                   " columns but got " + std::to_string(layout.windowColumns)};
    if (layout.denseBytes < 0)
      return Error{
          "expected rows of the dense operands of at least 0 bytes but "
          "got " +
          std::to_string(layout.denseBytes)};
    return Success{};
  }
  if (layout.windowColumns != Layout().windowColumns || layout.denseBytes != 0)
    return Error{"expected windows and bytes of dense operands for a host only "
                 "but got them for a GPU"};
  const ClassSet foreign{layout.classes.bits & ~ClassSet::general().bits};
  if (foreign.bits != 0)
    return Error{"expected classes that kernels of a GPU have but got '" +
                 classNames(foreign, "', '") + "'"};
  if (!isColumnTile(layout.columnTile) || layout.columnTile > kWidestTile)
    return Error{"expected a column tile that is 0 or a power of two up to " +
                 std::to_string(kWidestTile) + " but got " +
                 std::to_string(layout.columnTile)};
  return Success{};
}

bool Layout::hasNarrowRows() const {
  return target == PackTarget::Host && denseBytes > 0 &&
         denseBytes <= rules::kSortedBytes;
}

int64_t Layout::joinedRows() const {
  if (hasNarrowRows())
    return rules::kJoinedBytes / denseBytes;
  // Slices are chosen for one column; wider products clear more in vain.
  constexpr int64_t kWidest = sizeof(int64_t);
  const bool isElement = target == PackTarget::Host && denseBytes == 0 &&
                         classes.contains(SegmentClass::RowSlices);
  return isElement ? rules::kJoinedBytes / kWidest : 0;
}

bool Layout::operator==(const Layout &o) const {
  return storage == o.storage && target == o.target &&
         columnBits == o.columnBits && classes == o.classes &&
         deterministic == o.deterministic && assumeFinite == o.assumeFinite &&
         windowColumns == o.windowColumns && denseBytes == o.denseBytes &&
         columnTile == o.columnTile;
}

Layout Layout::forKernels() const {
  Layout layout = *this;
  layout.windowColumns = Layout().windowColumns;
  layout.denseBytes = Layout().denseBytes;
  layout.columnTile = Layout().columnTile;
  return layout;
}

Status Layout::check() const {
  if (columnBits != 8 && columnBits != 16 && columnBits != 32)
    return Error{"expected columns of 8, 16 or 32 bits but got " +
                 std::to_string(columnBits)};
  if (!ClassSet::all().contains(classes))
    return Error{"expected a set of known classes but got the bits " +
                 std::to_string(classes.bits)};
  if (Status status = checkTarget(*this); !status)
    return status;
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
  if (!isColumnTile(columnTile))
    return Error{"expected a column tile that is 0 or a power of two but got " +
                 std::to_string(columnTile)};
  if (classes.bits == 0)
    return Error{"expected at least one of " + classNames(ClassSet::all())};
  return Success{};
}

} // namespace astfe::core
