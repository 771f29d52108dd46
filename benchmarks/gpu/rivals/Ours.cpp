//===- Ours.cpp - our kernel on the emulator ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contestants.h"

#include "ASTFE/Core/Plan/GPUStorage.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Execution/Jit.h"
#include "ASTFE/Runtime/ABI.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>

using namespace astfe;
using namespace astfe::bench;

/// 132 multiprocessors of 32 warps.
static constexpr int64_t kWarps = 132 * 32;

namespace {
template <unsigned Rank>
struct Descriptor {
  void *allocated, *aligned;
  int64_t offset, sizes[Rank], strides[Rank];
};
} // namespace

template <typename T>
static Descriptor<1> describe(const std::vector<T> &data) {
  void *begin = const_cast<T *>(data.data());
  return {begin, begin, 0, {int64_t(data.size())}, {1}};
}

static Descriptor<2> describeDense(const std::vector<float> &data,
                                   int64_t columns) {
  void *begin = const_cast<float *>(data.data());
  return {
      begin, begin, 0, {int64_t(data.size()) / columns, columns}, {columns, 1}};
}

std::string Storing::stagesFor(const Product &product) const {
  const Matrix &a = product.a;
  const auto view = core::SparseView::csr(
      a.rows, a.columns, {a.positions.data(), int64_t(a.positions.size())},
      {a.coordinates.data(), a.nonzeros()});
  core::PlanOptions options;
  options.machine = core::gpuMachine();
  options.expectedRuns = expectedRuns;
  options.fuse.columns = product.columns;
  options.order = order.empty() ? std::nullopt : core::parseOrder(order);
  options.reorder =
      reorder.empty() ? std::nullopt : core::parseReorder(reorder);
  if (!order.empty() && !options.order)
    fail("expected " + core::orderNames().text() + " but got '" + order + "'");
  if (!reorder.empty() && !options.reorder)
    fail("expected " + core::reorderNames().text() + " but got '" + reorder +
         "'");
  auto plan = core::makePlan(view, options);
  if (!plan)
    fail(plan.message());
  const core::Arrangement &chosen = plan->arrangement;
  const bool suits = core::takesGPUView(
      view, chosen, {core::Element::F32, product.columns, kWarps});
  return "storage=" +
         (!storage.empty() ? storage
          : suits          ? "view"
                           : "packed") +
         " order=" + std::string(core::orderName(chosen.order)) +
         " reorder=" + std::string(core::reorderName(chosen.reorder));
}

Ours::~Ours() = default;

Ours::Ours(mlir::MLIRContext &context, int64_t columns)
    : context(context), columns(columns) {}

const Jit &Ours::compiled(const std::string &stages) {
  std::unique_ptr<Jit> &known = programs[stages];
  if (known)
    return *known;
  const bool vector = columns == 1;
  const std::string dense =
      vector ? "tensor<?xf32>"
             : "tensor<?x" + std::to_string(columns) + "xf32>";
  const std::string text =
      "#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, "
      "j : compressed), posWidth = 32, crdWidth = 32}>\n"
      "func.func @f(%A: tensor<?x?xf32, #CSR>, %B: " +
      dense + ", %C: " + dense + ") -> " + dense +
      " {\n  %zero = arith.constant 0.0 : f32\n  %empty = linalg.fill "
      "ins(%zero : f32) outs(%C : " +
      dense + ") -> " + dense + "\n  %0 = linalg." +
      (vector ? "matvec" : "matmul") + " ins(%A, %B : tensor<?x?xf32, #CSR>, " +
      dense + ") outs(%empty : " + dense + ") -> " + dense +
      "\n  return %0 : " + dense + "\n}";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    fail("the module does not parse");
  JitOptions options;
  options.pipeline =
      "astfe-to-ptx{format=llvm host=true columns=" + std::to_string(columns) +
      " " + stages + "}";
  auto jit = Jit::compile(*module, options);
  if (!jit)
    fail(jit.message());
  known = std::move(*jit);
  return *known;
}

void Ours::run(const Product &product, const std::string &stages) {
  auto entry = compiled(stages).lookup("_mlir_ciface_f");
  if (!entry)
    fail(entry.message());
  const Matrix &a = product.a;
  std::vector<float> c(product.c.size(), 0);
  auto positions = describe(a.positions);
  auto coordinates = describe(a.coordinates);
  auto values = describe(a.values);
  auto bVector = describe(product.b), cVector = describe(c);
  auto bMatrix = describeDense(product.b, product.columns);
  auto cMatrix = describeDense(c, product.columns);
  Descriptor<2> result{};
  using Entry = void (*)(void *, void *, void *, void *, int64_t, int64_t,
                         void *, void *);
  const bool vector = product.columns == 1;
  reinterpret_cast<Entry> (*entry)(
      &result, &positions, &coordinates, &values, a.rows, a.columns,
      vector ? static_cast<void *>(&bVector) : &bMatrix,
      vector ? static_cast<void *>(&cVector) : &cMatrix);
  if (const char *error = astfe_rt_last_error())
    fail(error);
  // What is overwritten may be given back in memory of its own.
  product.check("ours", static_cast<const float *>(result.aligned));
  if (result.allocated != c.data())
    std::free(result.allocated);
}
