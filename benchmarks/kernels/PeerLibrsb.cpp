//===- PeerLibrsb.cpp - librsb, recursive sparse blocks -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "Contestant.h"
#include "Timing.h"
#include <rsb.h>

namespace astfe::bench {
namespace {

rsb_err_t start() {
  static const rsb_err_t opened = rsb_lib_init(RSB_NULL_INIT_OPTIONS);
  return opened;
}

template <typename T>
class WithLibrsb final : public Contestant {
public:
  explicit WithLibrsb(bool adds) : beta(adds) {}
  ~WithLibrsb() override { rsb_mtx_free(matrix); }

  core::Status prepare(run::Problem &problem, run::Dense &result) override {
    p = &problem;
    c = &result;
    if (start() != RSB_ERR_NO_ERROR)
      return core::Error{"librsb: cannot start"};
    rsb_int_t threads = rsb_int_t(_mlir_ciface_astfe_rt_threads());
    rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &threads);
    const double begin = now();
    rsb_err_t error = RSB_ERR_NO_ERROR;
    matrix = rsb_mtx_alloc_from_csr_const(
        problem.values.data(), problem.positions.data(),
        problem.coordinates.data(), rsb_nnz_idx_t(problem.nonzeros()), Type,
        rsb_coo_idx_t(problem.rows), rsb_coo_idx_t(problem.columns),
        RSB_DEFAULT_ROW_BLOCKING, RSB_DEFAULT_COL_BLOCKING, RSB_FLAG_NOFLAGS,
        &error);
    setUp.convert = now() - begin;
    if (!matrix || error != RSB_ERR_NO_ERROR)
      return core::Error{"librsb: cannot make the matrix"};
    return core::Success();
  }

  core::Status run() override {
    const T one = 1;
    const rsb_coo_idx_t n = rsb_coo_idx_t(p->operand.columns);
    const rsb_err_t error =
        n == 1 ? rsb_spmv(RSB_TRANSPOSITION_N, &one, matrix, p->operand.data(),
                          1, &beta, c->data(), 1)
               : rsb_spmm(RSB_TRANSPOSITION_N, &one, matrix, n,
                          RSB_FLAG_WANT_ROW_MAJOR_ORDER, p->operand.data(), n,
                          &beta, c->data(), n);
    if (error != RSB_ERR_NO_ERROR)
      return core::Error{"librsb: the product failed"};
    return core::Success();
  }

  bool hasOwnThreads() const override { return true; }

private:
  static constexpr rsb_type_t Type =
      sizeof(T) == 8 ? RSB_NUMERICAL_TYPE_DOUBLE : RSB_NUMERICAL_TYPE_FLOAT;
  T beta; ///< of what C holds
  run::Problem *p = nullptr;
  run::Dense *c = nullptr;
  rsb_mtx_t *matrix = nullptr;
};

} // namespace

std::unique_ptr<Contestant> makeLibrsb(const Contest &contest) {
  if (contest.settings.arithmetic.element == core::Element::F64)
    return std::make_unique<WithLibrsb<double>>(contest.settings.accumulate);
  return std::make_unique<WithLibrsb<float>>(contest.settings.accumulate);
}

} // namespace astfe::bench
