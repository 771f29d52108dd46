//===- TensorLinalg.h - a tensor's product as linalg, on its fibers -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product over compressed sparse fibers, of which the first level is the
// mode that is summed into, dense, so that its rows are a parallel loop, and
// the last ones those that are summed over, so that sums end before their
// output does: what suits upstream best.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_TENSORLINALG_H
#define ASTFE_TOOLS_RUN_TENSORLINALG_H

#include "ASTFE/Execution/Jit.h"
#include "Pipelines.h"
#include "Program.h"
#include "TensorProblem.h"

namespace astfe::run {

/// Level l is of mode modes[l]; the first is dense, and the others, which are
/// compressed, have positions and coordinates of 32 bits at l - 1.
struct Fibers {
  std::vector<int64_t> shape;
  std::vector<unsigned> modes;
  std::vector<std::vector<int32_t>> positions, coordinates;
  Dense values; ///< nonzeros x 1

  /// The modes of the product's output come first, then the others. `values`
  /// are those of the tensor's nonzeros. Fails for extents and numbers of
  /// nonzeros of 2^31 and more.
  static core::Result<Fibers> get(const core::CooTensor &tensor,
                                  const Dense &values,
                                  const product::TensorProduct &product);
};

/// `func.func @product(%T, %d0, ..., %M)` with one linalg.generic; M is written
/// in place, after a fill unless it is added to. `fibers` have the arithmetic's
/// elements.
std::string tensorModuleText(const product::TensorProduct &product,
                             const core::Arithmetic &arithmetic,
                             const Fibers &fibers, bool accumulate);

/// A compiled product over fibers.
class FiberProgram {
public:
  /// By upstream's sparsifier, with vectors of so many elements or none.
  static core::Result<std::unique_ptr<FiberProgram>>
  upstream(Lowering &lowering, const Settings &settings,
           const product::TensorProduct &product, const Fibers &fibers,
           int64_t vectorLength);

  core::Status run(const Fibers &fibers,
                   const std::vector<product::DenseTensor> &inputs,
                   const product::DenseTensor &output) const;
  double seconds = 0; ///< to compile

private:
  std::shared_ptr<Jit> jit;
  void *entry = nullptr;
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_TENSORLINALG_H
