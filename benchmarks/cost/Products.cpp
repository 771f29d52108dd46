//===- Products.cpp - products whose time is known and predicted ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products.h"
#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Product/PackedMatrix.h"
#include "Generate.h"
#include "Timing.h"

using namespace astfe;
using namespace astfe::bench;

namespace {

class Measurer {
public:
  Measurer(const core::Machine &machine, const ProductRequest &request)
      : machine(machine), request(request) {}

  core::Status run();

  std::vector<MeasuredProduct> products;

private:
  core::Status measure(const std::string &name, const Matrix &matrix,
                       core::OrderKind order, int64_t columns);

  const core::Machine &machine;
  const ProductRequest &request;
  compiler::KernelCompiler source;
};

core::Status Measurer::run() {
  const double begin = now();
  for (MatrixClass kind : matrixClasses()) {
    const Matrix matrix = generate(kind, request.nonzeros);
    for (int64_t columns : {1, 32, 128, 512})
      for (core::OrderKind order :
           {core::OrderKind::Rows, core::OrderKind::Hilbert}) {
        if (now() - begin > request.seconds)
          return core::Success();
        const std::string name =
            className(kind) + (" " + std::string(orderName(order)));
        if (auto status = measure(name, matrix, order, columns); !status)
          return core::Error{name + ": " + status.message()};
      }
  }
  return core::Success();
}

core::Status Measurer::measure(const std::string &name, const Matrix &matrix,
                               core::OrderKind order, int64_t columns) {
  product::MatrixOptions options;
  options.columns = columns;
  core::PlanOptions planned = product::planOptions(options);
  planned.order = order;
  planned.reorder = core::ReorderKind::None;
  auto plan = core::makePlan(matrix.view(), planned);
  if (!plan)
    return plan.error();
  auto packed = product::PackedMatrix::pack(matrix.view(), matrix.values.data(),
                                            plan->fused, options, source);
  if (!packed)
    return packed.error();
  MeasuredProduct result;
  result.name = name;
  result.product.columns = columns;
  auto work =
      countWork(machine, result.product, matrix.view(), plan->fused, {});
  if (!work)
    return work.error();
  result.work = *work;
  std::vector<float> b(size_t(matrix.columns * columns), 1),
      c(size_t(matrix.rows * columns));
  const product::Dense input{b.data(), matrix.columns, columns, columns},
      output{c.data(), matrix.rows, columns, columns};
  core::Status status = (*packed)->multiply(input, output, true);
  if (!status)
    return status;
  TimingOptions timing;
  timing.rounds = 9;
  timing.leastRounds = 3;
  timing.budgetSeconds = 0.3;
  result.seconds =
      timeInTurn({{[&] { (void)(*packed)->multiply(input, output, true); }}},
                 timing)
          .front()
          .least();
  products.push_back(std::move(result));
  return core::Success();
}

} // namespace

core::Result<std::vector<MeasuredProduct>>
bench::measureProducts(const core::Machine &machine,
                       const ProductRequest &request) {
  Measurer measurer(machine, request);
  if (auto status = measurer.run(); !status)
    return status.error();
  return std::move(measurer.products);
}
