//===- PeerEigen.cpp - Eigen's sparse product -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eigen maps our CSR arrays as they are and parallelises over rows with OpenMP,
// compiled for this machine.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "Contestant.h"
#include <Eigen/Sparse>

#ifdef ASTFE_OLD_LIBOMP
/// clang 22 calls it after a dynamically scheduled loop, such as Eigen's;
/// runtimes before LLVM 18 have nothing to do there and do not know it.
extern "C" void __kmpc_dispatch_deinit(void *, int) {}
#endif

namespace astfe::bench {
namespace {

template <typename T>
class WithEigen final : public Contestant {
  using Sparse = Eigen::SparseMatrix<T, Eigen::RowMajor, int32_t>;
  using Matrix =
      Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

public:
  explicit WithEigen(bool adds) : adds(adds) {}

  core::Status prepare(run::Problem &problem, run::Dense &result) override {
    Eigen::setNbThreads(int(_mlir_ciface_astfe_rt_threads()));
    p = &problem;
    c = &result;
    return core::Success();
  }
  core::Status run() override {
    Eigen::Map<const Sparse> a(p->rows, p->columns, p->nonzeros(),
                               p->positions.data(), p->coordinates.data(),
                               static_cast<const T *>(p->values.data()));
    const T *b = static_cast<const T *>(p->operand.data());
    T *out = static_cast<T *>(c->data());
    const int64_t n = p->operand.columns;
    auto product = [&](auto c, auto right) {
      if (adds)
        c.noalias() += a * right;
      else
        c.noalias() = a * right;
    };
    if (n == 1)
      product(Eigen::Map<Vector>(out, p->rows),
              Eigen::Map<const Vector>(b, p->columns));
    else
      product(Eigen::Map<Matrix>(out, p->rows, n),
              Eigen::Map<const Matrix>(b, p->columns, n));
    return core::Success();
  }

private:
  bool adds;
  run::Problem *p = nullptr;
  run::Dense *c = nullptr;
};

} // namespace

std::unique_ptr<Contestant> makeEigen(const Contest &contest) {
  if (contest.settings.arithmetic.element == core::Element::F64)
    return std::make_unique<WithEigen<double>>(contest.settings.accumulate);
  return std::make_unique<WithEigen<float>>(contest.settings.accumulate);
}

} // namespace astfe::bench
