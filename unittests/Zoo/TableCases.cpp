//===- TableCases.cpp - packed tables of the zoo --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Cost/Cost.h"
#include "ASTFE/Core/Graph/Partition.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Profile/Profile.h"
#include "ASTFE/Core/Tensor/CooTensor.h"
#include "Zoo.h"
#include <random>
#include <sstream>

namespace astfe::zoo {
namespace {

using namespace core;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

struct Matrix {
  const char *name;
  CooTensor tensor;

  Matrix(const char *name, int64_t rows, int64_t columns) : name(name) {
    tensor.shape = {rows, columns};
    tensor.coordinates.resize(2);
  }
  void add(int64_t row, int64_t column) {
    tensor.coordinates[0].push_back(row % tensor.shape[0]);
    tensor.coordinates[1].push_back(column % tensor.shape[1]);
    tensor.values.push_back(1);
  }
};

/// Numbers that every C++ library draws alike.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  int64_t below(int64_t bound) { return int64_t(engine() % uint64_t(bound)); }

private:
  std::mt19937_64 engine;
};

/// Dense tiles, one of them with holes, a long row, and duplicates.
Matrix mixed() {
  Matrix matrix("mixed", 211, 307);
  Random random(1);
  for (int tile = 0; tile < 4; ++tile) {
    const int64_t row = 40 * tile, column = 60 * tile;
    for (int64_t i = 0; i < 9; ++i)
      for (int64_t j = 0; j < 8 + 4 * tile; ++j)
        if (tile != 2 || random.below(12) != 0)
          matrix.add(row + i, column + j);
  }
  for (int64_t j = 0; j < 307; j += 2)
    matrix.add(100, j);
  for (int64_t n = 0; n < 1500; ++n)
    matrix.add(random.below(211), random.below(307));
  return matrix;
}

/// Dense tiles of three sizes along the diagonal, and nothing else.
Matrix tiles() {
  Matrix matrix("tiles", 300, 400);
  for (int64_t tile = 0; tile < 20; ++tile)
    for (int64_t i = 0; i < 15; ++i)
      for (int64_t j = 0; j < 6 + 5 * (tile % 3); ++j)
        matrix.add(15 * tile + i, 20 * tile + j);
  return matrix;
}

/// Short rows of a few lengths.
Matrix shortRows() {
  Matrix matrix("short rows", 1500, 900);
  Random random(2);
  for (int64_t i = 0; i < 1500; ++i)
    for (int64_t n = 0, length = random.below(3) ? 3 : 9; n < length; ++n)
      matrix.add(i, i + 31 * n + random.below(7));
  return matrix;
}

/// A fifth of all places.
Matrix pruned() {
  Matrix matrix("pruned", 140, 500);
  Random random(3);
  for (int64_t i = 0; i < 140; ++i)
    for (int64_t j = 0; j < 500; ++j)
      if (random.below(5) == 0)
        matrix.add(i, j);
  return matrix;
}

/// Rows with the same columns, in runs.
Matrix alike() {
  Matrix matrix("alike", 160, 90);
  for (int64_t i = 0, begin = 0, length = 1; i < 160; ++i) {
    if (i == begin + length) {
      begin = i;
      length = length % 13 + 1;
    }
    for (int64_t j = 0; j < 90; ++j)
      if ((begin * 5 + j * j) % 11 < 4)
        matrix.add(i, j);
  }
  return matrix;
}

/// Row and column 0, and the diagonal; far more columns than 16 bits number.
Matrix arrow() {
  Matrix matrix("arrow", 600, 70000);
  for (int64_t i = 0; i < 600; ++i) {
    matrix.add(i, 0);
    matrix.add(0, 113 * i + 1);
    matrix.add(i, 117 * i + 2);
  }
  return matrix;
}

std::vector<Matrix> matrices() {
  return {mixed(), tiles(), shortRows(),          pruned(),
          alike(), arrow(), Matrix("empty", 5, 7)};
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

template <typename List>
void printList(std::ostream &out, const char *name, const List &list) {
  out << name << ":";
  for (auto item : list)
    out << ' ' << int64_t(item);
  out << '\n';
}

void print(std::ostream &out, const Packed &packed) {
  out << "slots " << packed.slots << " panel " << packed.stripBytes
      << " classes " << classNames(packed.classes()) << '\n';
  printList(out, "workerSpan", packed.workerSpan);
  printList(out, "spanSlot", packed.spanSlot);
  printList(out, "spanSegment", packed.spanSegment);
  printList(out, "spanColumn", packed.spanColumn);
  out << "spanClass:";
  for (int32_t kind : packed.spanClass)
    out << ' ' << className(SegmentClass(kind));
  out << '\n';
  printList(out, "spanWidth", packed.spanWidth);
  printList(out, "segmentRow", packed.segmentRow);
  printList(out, "segmentTarget", packed.segmentTarget);
  printList(out, "segmentEnd", packed.segmentEnd);
  printList(out, "columns8", packed.columns8);
  printList(out, "columns16", packed.columns16);
  printList(out, "columns32", packed.columns32);
  printList(out, "combineRow", packed.combineRow);
  printList(out, "combineBegin", packed.combineBegin);
  printList(out, "combinePartial", packed.combinePartial);
  printList(out, "segmentFirst", packed.segmentFirst);
  printList(out, "workerGap", packed.workerGap);
  printList(out, "gapBegin", packed.gapBegin);
  printList(out, "gapEnd", packed.gapEnd);
  printList(out, "slotOf", packed.slotOf);
}

void print(std::ostream &out, const Work &work) {
  out << "work " << work.nonzeros << ' ' << work.segments << ' '
      << work.surprises << ' ' << work.outputs << ' ' << work.tiled << ' '
      << work.rows << ' ' << work.threadRows << ' ' << work.shared << '\n';
  for (const Misses *misses : {&work.b, &work.c}) {
    printList(out, "misses", misses->all);
    printList(out, "ahead", misses->sequential);
  }
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

Result<Graph> graphOf(const SparseView &view, OrderKind order) {
  Result<Space> space = Space::whole(view.shape, order, /*panel=*/4);
  if (!space)
    return space.error();
  Result<Profile> profile = countProfile(view, *space, {/*min=*/16});
  if (!profile)
    return profile.error();
  PartitionOptions options;
  // Windows want many rows, the others blocks of many kinds.
  options.leaf = view.nonzeros() > 10000 ? 10000 : 300;
  return partition(*profile, options);
}

/// What is asked of pack, by the name that the case has.
struct Request {
  std::string name;
  PackOptions options;
  /// The product whose work is counted too, where the host runs it.
  std::optional<Product> product;
};

Status print(std::ostream &out, const Request &request, const Matrix &matrix,
             OrderKind order, ClassSet &found) {
  const SparseView view = matrix.tensor.view();
  Result<Graph> graph = graphOf(view, order);
  if (!graph)
    return graph.error();
  for (int64_t workers : {1, 5, 32}) {
    PackOptions options = request.options;
    options.workers = workers;
    Result<Packed> packed = pack(view, *graph, options);
    if (!packed)
      return packed.error();
    if (Status status = packed->check(); !status)
      return status;
    out << "--- " << matrix.name << ", " << orderName(order) << ", " << workers
        << " workers\n";
    print(out, *packed);
    found.bits |= packed->classes().bits;
  }
  if (request.product) {
    Result<Work> work = countWork(Machine(), *request.product, view, *graph);
    if (!work)
      return work.error();
    print(out, *work);
  }
  return Success();
}

Result<std::vector<Output>> outputs(const Request &request) {
  std::ostringstream out;
  ClassSet found;
  for (const Matrix &matrix : matrices())
    for (OrderKind order : {OrderKind::Rows, OrderKind::Hilbert})
      if (Status status = print(out, request, matrix, order, found); !status)
        return status.error();
  if (!found.contains(request.options.layout.classes))
    return Error{"expected a matrix for each of " +
                 classNames(request.options.layout.classes) + " but got only " +
                 classNames(found)};
  return std::vector<Output>{{"tables", out.str()}};
}

ClassSet setOf(std::initializer_list<SegmentClass> classes) {
  ClassSet set;
  for (SegmentClass kind : classes)
    set = set.with(kind);
  return set;
}

/// Each width of columns, for all classes that a product permits.
void addHost(std::vector<Request> &requests) {
  for (int64_t columns : {1, 32, 128, 512})
    for (int bits : {8, 16, 32}) {
      Product product;
      product.columns = columns;
      Request request{"host columns=" + std::to_string(columns) +
                          " bits=" + std::to_string(bits),
                      {},
                      product};
      request.options.layout.columnBits = uint8_t(bits);
      request.options.layout.classes = product.classes();
      request.options.layout.windowColumns = product.windowColumns();
      request.options.layout.denseBytes =
          columns == 1 ? 0 : product.denseBytes();
      requests.push_back(request);
    }
}

/// Each class alone, beside one that stores the rest.
void addForced(std::vector<Request> &requests) {
  using C = SegmentClass;
  for (ClassSet classes : {setOf({C::RowSegments}), setOf({C::Scattered}),
                           setOf({C::RowSegments, C::DenseTile}),
                           setOf({C::Scattered, C::DenseTile}),
                           setOf({C::Scattered, C::RowSlices}),
                           setOf({C::RowSegments, C::RowWindows}),
                           setOf({C::RowSegments, C::RowTiles})}) {
    Request request{"host " + classNames(classes), {}, {}};
    request.options.layout.classes = classes;
    request.options.layout.columnBits = 16;
    // So that spans are cut by their limit, too.
    request.options.maxSpanSlots = 700;
    requests.push_back(request);
  }
}

/// For warps, by the columns of a kernel's tile.
void addGPU(std::vector<Request> &requests) {
  for (int64_t tile : {0, 32, 128})
    for (bool deterministic : {false, true}) {
      Request request{"gpu tile=" + std::to_string(tile) +
                          (deterministic ? " deterministic" : ""),
                      {},
                      {}};
      request.options.layout.columnBits = 16;
      request.options.layout.deterministic = deterministic;
      chooseForGPU(request.options.layout, tile);
      requests.push_back(request);
    }
}

} // namespace

std::vector<Case> tableCases() {
  std::vector<Request> requests;
  addHost(requests);
  addForced(requests);
  addGPU(requests);
  std::vector<Case> cases;
  for (const Request &request : requests)
    cases.push_back({"pack " + request.name, [request](mlir::MLIRContext &) {
                       return outputs(request);
                     }});
  return cases;
}

} // namespace astfe::zoo
