//===- Kernels.cpp - compiled products, shared by all matrices ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "ASTFE/Execution/HostTarget.h"
#include "Program.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <mutex>

namespace astfe::capi {
namespace {

std::string layoutText(const core::Layout &layout) {
  std::string text =
      "#astfe.layout<packed, columns = " + std::to_string(layout.columnBits) +
      ", classes = [";
  const char *separator = "";
  for (unsigned c = 0; c < core::kSegmentClasses; ++c) {
    if (!layout.classes.contains(core::SegmentClass(c)))
      continue;
    text += separator + std::string(core::className(core::SegmentClass(c)));
    separator = ", ";
  }
  text += "]";
  if (layout.deterministic)
    text += ", deterministic";
  if (layout.assumeFinite)
    text += ", assume_finite";
  return text + ">";
}

/// One function on buffers: `rank` 1 is SpMV, 2 is SpMM with any column count
/// and leading dimension.
void printFunction(llvm::raw_ostream &out, llvm::StringRef name, unsigned rank,
                   const std::string &element) {
  const std::string dense = rank == 2
                                ? "memref<?x?x" + element + ", strided<[?, 1]>>"
                                : "memref<?x" + element + ">";
  const char *maps =
      rank == 2 ? "[#mm_n, #mm_b, #mm_c]" : "[#mv_n, #mv_b, #mv_c]";
  out << "func.func @" << name << "(%P: !pattern, %v: memref<?x" << element
      << ">, %B: " << dense << ", %C: " << dense
      << ") attributes {llvm.emit_c_interface} {\n"
         "  astfe.compute over %P : !pattern maps "
      << maps << "\n    ins(%v, %B : memref<?x" << element << ">, " << dense
      << ") outs(%C : " << dense << ") {\n  ^bb0(%a: " << element
      << ", %b: " << element << "):\n    %p = arith.mulf %a, %b : " << element
      << "\n    astfe.yield \"addf\" %p : " << element
      << "\n  }\n  return\n}\n";
}

std::string moduleText(const core::Layout &layout, bool isDouble) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "!pattern = !astfe.blocked<?x?, " << layoutText(layout) << ">\n"
      << "#mm_n = affine_map<(n, i, k, j) -> (n)>\n"
         "#mm_b = affine_map<(n, i, k, j) -> (k, j)>\n"
         "#mm_c = affine_map<(n, i, k, j) -> (i, j)>\n"
         "#mv_n = affine_map<(n, i, k) -> (n)>\n"
         "#mv_b = affine_map<(n, i, k) -> (k)>\n"
         "#mv_c = affine_map<(n, i, k) -> (i)>\n";
  const std::string element = isDouble ? "f64" : "f32";
  printFunction(out, "spmm", 2, element);
  printFunction(out, "spmv", 1, element);
  return text;
}

struct Entry {
  std::shared_ptr<Jit> jit;
  Kernels kernels;
};

core::Result<Entry> compile(const std::string &text, core::ClassSet classes) {
  auto target = hostTarget();
  if (!target)
    return target.error();
  std::string options = "vector-bytes=" + std::to_string(target->vectorBytes);
  const char *separator = " classes=";
  for (unsigned c = 0; c < core::kSegmentClasses; ++c) {
    if (!classes.contains(core::SegmentClass(c)))
      continue;
    options += separator + std::string(core::className(core::SegmentClass(c)));
    separator = ",";
  }
  auto jit = compileText(text, "astfe-to-cpu{" + options + "}");
  if (!jit)
    return jit.error();
  auto spmm = (*jit)->lookup("_mlir_ciface_spmm");
  if (!spmm)
    return spmm.error();
  auto spmv = (*jit)->lookup("_mlir_ciface_spmv");
  if (!spmv)
    return spmv.error();
  Kernels kernels{reinterpret_cast<SpMMFunction>(*spmm),
                  reinterpret_cast<SpMVFunction>(*spmv)};
  return Entry{std::move(*jit), kernels};
}

} // namespace

core::Result<Kernels> kernelsFor(const core::Layout &layout,
                                 core::ClassSet classes, bool isDouble) {
  static std::mutex mutex;
  // Never destroyed: code may still run while the process ends.
  static auto &cache = *new std::map<std::pair<std::string, uint8_t>, Entry>();
  const std::string text = moduleText(layout, isDouble);
  std::lock_guard<std::mutex> lock(mutex);
  auto found = cache.find({text, classes.bits});
  if (found == cache.end()) {
    auto entry = compile(text, classes);
    if (!entry)
      return entry.error();
    found = cache.emplace(std::make_pair(text, classes.bits), std::move(*entry))
                .first;
  }
  return found->second.kernels;
}

} // namespace astfe::capi
