//===- PackedFile.cpp - packed patterns as files --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file: a header, a directory with one record per table, then the tables in
// the directory's order, each padded with zeros to 8 bytes. Everything is in
// the byte order of the machine that wrote it, which the header records. The
// checksum is FNV-1a, 64 bits wide, over 8-byte words of all that follows the
// header, with the upper half folded down after each word (without that, a
// word's upper bits never reach the lower ones).
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/PackedFile.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include <cstring>

namespace astfe::core {
namespace {

constexpr char kMagic[8] = {'A', 'S', 'T', 'F', 'E', 'P', 'K', '\n'};
constexpr uint32_t kVersion = 4;
constexpr uint32_t kByteOrder = 0x01020304;

struct Header {
  char magic[8];
  uint32_t version, byteOrder;
  uint64_t tables, bytes; ///< bytes after the header
  uint64_t checksum;
};
static_assert(sizeof(Header) == 40, "a file format has no padding");

struct TableRecord {
  uint32_t id, elementBytes;
  uint64_t count;
};
static_assert(sizeof(TableRecord) == 16, "a file format has no padding");

/// What of a tensor is not an array.
struct Scalars {
  int64_t nonzeros, slots, groups;
  uint64_t fingerprint;
  uint32_t classes, stripBytes;
  int64_t denseBytes;
  uint16_t windowColumns, columnTile;
  uint8_t storage, columnBits, deterministic, assumeFinite, element, target;
  uint16_t tilesTogether;
  uint8_t unused[4];
};
static_assert(sizeof(Scalars) == 64, "a file format has no padding");
static_assert(kWidestWindow < 65536 && kWidestTile < 65536);

/// Calls visit(id, vector) for every table; ids are the file format.
template <typename Tensor, typename Visit>
void forTables(Tensor &tensor, Visit visit) {
  auto &pattern = tensor.pattern;
  visit(2, pattern.shape);
  visit(3, pattern.workerSpan);
  visit(4, pattern.spanSlot);
  visit(5, pattern.spanSegment);
  visit(6, pattern.spanColumn);
  visit(7, pattern.spanClass);
  visit(8, pattern.spanWidth);
  visit(9, pattern.segmentRow);
  visit(10, pattern.segmentTarget);
  visit(11, pattern.segmentEnd);
  visit(12, pattern.columns8);
  visit(13, pattern.columns16);
  visit(14, pattern.columns32);
  visit(15, pattern.combineRow);
  visit(16, pattern.combineBegin);
  visit(17, pattern.combinePartial);
  visit(18, pattern.slotOf);
  visit(19, tensor.values32);
  visit(20, tensor.values64);
  visit(21, pattern.segmentFirst);
  visit(22, pattern.workerGap);
  visit(23, pattern.gapBegin);
  visit(24, pattern.gapEnd);
}

uint64_t checksum(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    hash = (hash ^ word) * 0x100000001b3;
    hash ^= hash >> 32;
  }
  return hash;
}

class Writer {
public:
  std::string write(const PackedTensor &tensor) {
    std::vector<Scalars> scalars{scalarsOf(tensor)};
    out.resize(sizeof(Header));
    record(1, scalars);
    forTables(tensor, [this](uint32_t id, auto &table) { record(id, table); });
    table(scalars);
    forTables(tensor, [this](uint32_t, auto &entries) { table(entries); });
    std::string_view body = std::string_view(out).substr(sizeof(Header));
    Header header{{},      kVersion,    kByteOrder,
                  records, body.size(), checksum(body)};
    std::memcpy(header.magic, kMagic, sizeof(kMagic));
    std::memcpy(out.data(), &header, sizeof(header));
    return std::move(out);
  }

private:
  static Scalars scalarsOf(const PackedTensor &tensor) {
    const Packed &pattern = tensor.pattern;
    const Layout &layout = pattern.layout;
    return {pattern.nonzeros,
            pattern.slots,
            pattern.groups,
            pattern.fingerprint,
            layout.classes.bits,
            uint32_t(pattern.stripBytes),
            layout.denseBytes,
            uint16_t(layout.windowColumns),
            uint16_t(layout.columnTile),
            uint8_t(layout.storage),
            layout.columnBits,
            layout.deterministic,
            layout.assumeFinite,
            uint8_t(tensor.element),
            uint8_t(layout.target),
            uint16_t(pattern.tilesTogether),
            {}};
  }

  void append(const void *data, size_t size) {
    out.append(static_cast<const char *>(data), size);
  }
  template <typename Entries>
  void record(uint32_t id, const Entries &entries) {
    TableRecord entry{id, sizeof(entries[0]), entries.size()};
    append(&entry, sizeof(entry));
    ++records;
  }
  template <typename Entries>
  void table(const Entries &entries) {
    append(entries.data(), entries.size() * sizeof(entries[0]));
    out.resize((out.size() + 7) / 8 * 8);
  }

  std::string out;
  uint64_t records = 0;
};

class Reader {
public:
  Reader(std::string_view text, const std::string &path)
      : text(text), path(path) {}

  Result<PackedTensor> read() {
    std::vector<Scalars> scalars;
    PackedTensor tensor;
    if (Status status = header(); !status)
      return status.error();
    cursor = sizeof(Header) + size_t(head.tables) * sizeof(TableRecord);
    table(1, scalars);
    forTables(tensor,
              [this](uint32_t id, auto &entries) { table(id, entries); });
    if (failure)
      return *failure;
    if (cursor != text.size())
      return fail("expected the end of the file at byte " +
                  std::to_string(cursor) + " but got " +
                  std::to_string(text.size()) + " bytes");
    if (scalars.size() != 1)
      return fail("expected 1 entry in table 1 but got " +
                  std::to_string(scalars.size()));
    takeScalars(scalars.front(), tensor);
    if (Status status = checkTensor(tensor); !status)
      return fail(status.message());
    return tensor;
  }

private:
  Error fail(const std::string &message) const {
    return Error{path + ": " + message};
  }
  Status header();
  template <typename Entries>
  void table(uint32_t id, Entries &entries);
  static void takeScalars(const Scalars &scalars, PackedTensor &tensor);
  static Status checkTensor(const PackedTensor &tensor);

  std::string_view text;
  const std::string &path;
  Header head{};
  size_t cursor = 0;
  uint64_t tablesRead = 0;
  std::optional<Error> failure;
};

Status Reader::header() {
  if (text.size() < sizeof(Header))
    return fail("expected a packed tensor but got a file of " +
                std::to_string(text.size()) + " bytes");
  std::memcpy(&head, text.data(), sizeof(head));
  if (std::memcmp(head.magic, kMagic, sizeof(kMagic)) != 0)
    return fail("expected a packed tensor but its first bytes are others");
  if (head.byteOrder != kByteOrder)
    return fail("expected this machine's byte order but got another");
  if (head.version != kVersion)
    return fail("expected version " + std::to_string(kVersion) + " but got " +
                std::to_string(head.version));
  std::string_view body = text.substr(sizeof(Header));
  if (head.bytes != body.size())
    return fail("expected " + std::to_string(head.bytes) +
                " bytes after the header but got " +
                std::to_string(body.size()));
  if (head.tables > body.size() / sizeof(TableRecord))
    return fail("expected a directory of " + std::to_string(head.tables) +
                " tables but the file is too short for it");
  if (head.checksum != checksum(body))
    return fail("expected the checksum of the header but the contents differ");
  return Success{};
}

/// Reads the next table, which must be table `id` of elements of type T.
template <typename Entries>
void Reader::table(uint32_t id, Entries &entries) {
  using T = typename Entries::value_type;
  if (failure)
    return;
  std::string name = "table " + std::to_string(id);
  TableRecord entry{};
  if (tablesRead < head.tables)
    std::memcpy(&entry,
                text.data() + sizeof(Header) + tablesRead * sizeof(entry),
                sizeof(entry));
  ++tablesRead;
  if (entry.id != id || entry.elementBytes != sizeof(T)) {
    failure = fail("expected " + name + " with elements of " +
                   std::to_string(sizeof(T)) + " bytes but got table " +
                   std::to_string(entry.id) + " of " +
                   std::to_string(entry.elementBytes));
    return;
  }
  if (entry.count > (text.size() - cursor) / sizeof(T)) {
    failure = fail("expected " + std::to_string(entry.count) + " entries in " +
                   name + " but the file is too short for them");
    return;
  }
  entries.resize(size_t(entry.count));
  size_t bytes = entries.size() * sizeof(T);
  if (bytes != 0)
    std::memcpy(entries.data(), text.data() + cursor, bytes);
  cursor = std::min((cursor + bytes + 7) / 8 * 8, text.size());
}

void Reader::takeScalars(const Scalars &scalars, PackedTensor &tensor) {
  Packed &pattern = tensor.pattern;
  pattern.nonzeros = scalars.nonzeros;
  pattern.slots = scalars.slots;
  pattern.groups = scalars.groups;
  pattern.fingerprint = scalars.fingerprint;
  pattern.stripBytes = scalars.stripBytes;
  pattern.tilesTogether = scalars.tilesTogether;
  pattern.layout.storage = scalars.storage ? Storage::Packed : Storage::View;
  pattern.layout.columnBits = scalars.columnBits;
  pattern.layout.classes.bits = scalars.classes;
  pattern.layout.deterministic = scalars.deterministic != 0;
  pattern.layout.assumeFinite = scalars.assumeFinite != 0;
  pattern.layout.target = scalars.target ? PackTarget::GPU : PackTarget::Host;
  pattern.layout.windowColumns = scalars.windowColumns;
  pattern.layout.denseBytes = scalars.denseBytes;
  pattern.layout.columnTile = scalars.columnTile;
  tensor.element = Element(scalars.element);
}

Status Reader::checkTensor(const PackedTensor &tensor) {
  size_t used = tensor.values32.size(), unused = tensor.values64.size();
  if (tensor.element == Element::F64)
    std::swap(used, unused);
  else if (tensor.element != Element::F32)
    return Error{"expected values in " + gpuElementNames().text() +
                 " but got type " + std::to_string(int(tensor.element))};
  if (int64_t(used) != tensor.pattern.slots || unused != 0)
    return Error{"expected " + std::to_string(tensor.pattern.slots) +
                 " values but got " + std::to_string(used + unused)};
  return tensor.pattern.check();
}

} // namespace

Status writePacked(const std::string &path, const PackedTensor &tensor) {
  return withinMemory({path + ": out of memory writing a packed tensor"},
                      [&] { return writeFile(path, Writer().write(tensor)); });
}

Result<PackedTensor> readPacked(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.error();
  return withinMemory({path + ": out of memory reading a packed tensor"},
                      [&] { return Reader(*text, path).read(); });
}

} // namespace astfe::core
