//===- PeerOneMKL.cpp - products by oneMKL --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inspector is told what comes, and optimizes, which counts as conversion.
// Its calls of OpenMP find the runtime that the process has, which all compiled
// code uses.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "Contestant.h"
#include "Timing.h"
#include <mkl_service.h>
#include <mkl_spblas.h>

namespace astfe::bench {
namespace {

/// The functions for T.
template <typename T>
struct Typed;

template <>
struct Typed<float> {
  static constexpr auto create = mkl_sparse_s_create_csr;
  static constexpr auto mv = mkl_sparse_s_mv;
  static constexpr auto mm = mkl_sparse_s_mm;
};

template <>
struct Typed<double> {
  static constexpr auto create = mkl_sparse_d_create_csr;
  static constexpr auto mv = mkl_sparse_d_mv;
  static constexpr auto mm = mkl_sparse_d_mm;
};

core::Status verdict(sparse_status_t status, const char *step) {
  if (status == SPARSE_STATUS_SUCCESS)
    return core::Success();
  return core::Error{std::string("onemkl: ") + step + " failed with status " +
                     std::to_string(int(status))};
}

template <typename T>
class WithOneMKL final : public Contestant {
public:
  WithOneMKL(bool adds, int64_t expectedRuns)
      : beta(adds), expectedRuns(expectedRuns) {
    descriptor.type = SPARSE_MATRIX_TYPE_GENERAL;
  }
  ~WithOneMKL() override {
    if (matrix)
      mkl_sparse_destroy(matrix);
  }

  core::Status prepare(run::Problem &problem, run::Dense &result) override {
    p = &problem;
    c = &result;
    mkl_set_num_threads(int(_mlir_ciface_astfe_rt_threads()));
    const double begin = now();
    if (auto status = create(); !status)
      return status;
    if (auto status = optimize(); !status)
      return status;
    setUp.convert = now() - begin;
    return core::Success();
  }

  core::Status run() override {
    const MKL_INT n = MKL_INT(p->operand.columns);
    const T *b = static_cast<const T *>(p->operand.data());
    T *out = static_cast<T *>(c->data());
    if (n == 1)
      return verdict(Typed<T>::mv(SPARSE_OPERATION_NON_TRANSPOSE, 1, matrix,
                                  descriptor, b, beta, out),
                     "mv");
    return verdict(Typed<T>::mm(SPARSE_OPERATION_NON_TRANSPOSE, 1, matrix,
                                descriptor, SPARSE_LAYOUT_ROW_MAJOR, b, n, n,
                                beta, out, n),
                   "mm");
  }

private:
  core::Status create() {
    MKL_INT *positions = p->positions.data();
    return verdict(Typed<T>::create(&matrix, SPARSE_INDEX_BASE_ZERO,
                                    MKL_INT(p->rows), MKL_INT(p->columns),
                                    positions, positions + 1,
                                    p->coordinates.data(),
                                    static_cast<T *>(p->values.data())),
                   "create_csr");
  }

  core::Status optimize() {
    const MKL_INT n = MKL_INT(p->operand.columns), runs = MKL_INT(expectedRuns);
    const sparse_status_t hinted =
        n == 1 ? mkl_sparse_set_mv_hint(matrix, SPARSE_OPERATION_NON_TRANSPOSE,
                                        descriptor, runs)
               : mkl_sparse_set_mm_hint(matrix, SPARSE_OPERATION_NON_TRANSPOSE,
                                        descriptor, SPARSE_LAYOUT_ROW_MAJOR, n,
                                        runs);
    // Some products have no hint; then the inspector decides without.
    if (hinted != SPARSE_STATUS_NOT_SUPPORTED)
      if (auto status = verdict(hinted, "set_hint"); !status)
        return status;
    return verdict(mkl_sparse_optimize(matrix), "optimize");
  }

  T beta; ///< of what C holds
  int64_t expectedRuns;
  matrix_descr descriptor{};
  sparse_matrix_t matrix = nullptr;
  run::Problem *p = nullptr;
  run::Dense *c = nullptr;
};

} // namespace

std::unique_ptr<Contestant> makeOneMKL(const Contest &contest) {
  const run::Settings &s = contest.settings;
  if (s.arithmetic.element == core::Element::F64)
    return std::make_unique<WithOneMKL<double>>(s.accumulate, s.expectedRuns);
  return std::make_unique<WithOneMKL<float>>(s.accumulate, s.expectedRuns);
}

} // namespace astfe::bench
