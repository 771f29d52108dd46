//===- PeerGraphBLAS.cpp - SuiteSparse:GraphBLAS --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C += A B over plus and times, A sparse, B and C full, all by rows: the case
// for which it has its fastest kernel. C is GraphBLAS's own; it is exported for
// the check only.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "Contestant.h"
#include "Timing.h"
// Half of the header's functions are outside its own extern "C".
extern "C" {
#include <GraphBLAS.h>
}

namespace astfe::bench {
namespace {

template <typename T>
struct Typed;
template <>
struct Typed<float> {
  static GrB_Type type() { return GrB_FP32; }
  static GrB_Semiring plusTimes() { return GrB_PLUS_TIMES_SEMIRING_FP32; }
  static GrB_BinaryOp plus() { return GrB_PLUS_FP32; }
  static GrB_Info zero(GrB_Matrix m, GrB_Index rows, GrB_Index columns) {
    return GrB_Matrix_assign_FP32(m, nullptr, nullptr, 0, GrB_ALL, rows,
                                  GrB_ALL, columns, nullptr);
  }
  static GrB_Info tuples(GrB_Index *i, GrB_Index *j, float *x, GrB_Index *n,
                         GrB_Matrix m) {
    return GrB_Matrix_extractTuples_FP32(i, j, x, n, m);
  }
  static GrB_Info import(GrB_Matrix *m, GrB_Index r, GrB_Index c,
                         const GrB_Index *p, const GrB_Index *i, const float *x,
                         GrB_Index np, GrB_Index ni, GrB_Format f) {
    return GrB_Matrix_import_FP32(m, GrB_FP32, r, c, p, i, x, np, ni, ni, f);
  }
};
template <>
struct Typed<double> {
  static GrB_Type type() { return GrB_FP64; }
  static GrB_Semiring plusTimes() { return GrB_PLUS_TIMES_SEMIRING_FP64; }
  static GrB_BinaryOp plus() { return GrB_PLUS_FP64; }
  static GrB_Info zero(GrB_Matrix m, GrB_Index rows, GrB_Index columns) {
    return GrB_Matrix_assign_FP64(m, nullptr, nullptr, 0, GrB_ALL, rows,
                                  GrB_ALL, columns, nullptr);
  }
  static GrB_Info tuples(GrB_Index *i, GrB_Index *j, double *x, GrB_Index *n,
                         GrB_Matrix m) {
    return GrB_Matrix_extractTuples_FP64(i, j, x, n, m);
  }
  static GrB_Info import(GrB_Matrix *m, GrB_Index r, GrB_Index c,
                         const GrB_Index *p, const GrB_Index *i,
                         const double *x, GrB_Index np, GrB_Index ni,
                         GrB_Format f) {
    return GrB_Matrix_import_FP64(m, GrB_FP64, r, c, p, i, x, np, ni, ni, f);
  }
};

GrB_Info start() {
  static const GrB_Info opened = GrB_init(GrB_NONBLOCKING);
  return opened;
}

core::Status verdict(GrB_Info info, const char *what) {
  if (info == GrB_SUCCESS)
    return core::Success();
  return core::Error{std::string("GraphBLAS: ") + what + " failed with " +
                     std::to_string(int(info))};
}

template <typename T>
class WithGraphBLAS final : public Contestant {
public:
  ~WithGraphBLAS() override {
    GrB_Matrix_free(&a);
    GrB_Matrix_free(&b);
    GrB_Matrix_free(&c);
  }

  core::Status prepare(run::Problem &problem, run::Dense &dense) override {
    if (auto status = verdict(start(), "starting"); !status)
      return status;
    GxB_Global_Option_set(GxB_GLOBAL_NTHREADS,
                          int(_mlir_ciface_astfe_rt_threads()));
    GxB_Global_Option_set(GxB_FORMAT, GxB_BY_ROW);
    result = &dense;
    n = GrB_Index(problem.operand.columns);
    const double begin = now();
    if (auto status = import(problem); !status)
      return status;
    setUp.convert = now() - begin;
    return core::Success();
  }

  core::Status run() override {
    if (auto status = verdict(GrB_mxm(c, nullptr, Typed<T>::plus(),
                                      Typed<T>::plusTimes(), a, b, nullptr),
                              "mxm");
        !status)
      return status;
    return verdict(GrB_Matrix_wait(c, GrB_MATERIALIZE), "wait");
  }

  core::Status fetch() override {
    GrB_Index count = 0;
    GrB_Matrix_nvals(&count, c);
    std::vector<GrB_Index> i(count), j(count);
    std::vector<T> x(count);
    if (auto status =
            verdict(Typed<T>::tuples(i.data(), j.data(), x.data(), &count, c),
                    "extractTuples");
        !status)
      return status;
    result->fill(0);
    T *out = static_cast<T *>(result->data());
    for (GrB_Index k = 0; k < count; ++k)
      out[i[k] * n + j[k]] = x[k];
    return core::Success();
  }

  bool hasOwnThreads() const override { return true; }

private:
  core::Status import(run::Problem &p) {
    const std::vector<GrB_Index> positions(p.positions.begin(),
                                           p.positions.end());
    const std::vector<GrB_Index> coordinates(p.coordinates.begin(),
                                             p.coordinates.end());
    if (auto status = verdict(
            Typed<T>::import(
                &a, GrB_Index(p.rows), GrB_Index(p.columns), positions.data(),
                coordinates.data(), static_cast<const T *>(p.values.data()),
                positions.size(), coordinates.size(), GrB_CSR_FORMAT),
            "importing A");
        !status)
      return status;
    // GrB_DENSE_ROW_FORMAT is not in every version; a full CSR matrix becomes
    // GraphBLAS's full format by itself.
    std::vector<GrB_Index> rows(size_t(p.columns) + 1);
    std::vector<GrB_Index> columns(size_t(p.columns) * n);
    for (size_t r = 0; r < rows.size(); ++r)
      rows[r] = r * n;
    for (size_t k = 0; k < columns.size(); ++k)
      columns[k] = k % n;
    if (auto status = verdict(
            Typed<T>::import(&b, GrB_Index(p.columns), n, rows.data(),
                             columns.data(),
                             static_cast<const T *>(p.operand.data()),
                             rows.size(), columns.size(), GrB_CSR_FORMAT),
            "importing B");
        !status)
      return status;
    GxB_Matrix_Option_set(b, GxB_SPARSITY_CONTROL, GxB_FULL);
    if (auto status = verdict(GrB_Matrix_wait(b, GrB_MATERIALIZE), "wait");
        !status)
      return status;
    if (auto status = verdict(
            GrB_Matrix_new(&c, Typed<T>::type(), GrB_Index(p.rows), n), "new");
        !status)
      return status;
    return verdict(Typed<T>::zero(c, GrB_Index(p.rows), n), "assign");
  }

  GrB_Matrix a = nullptr, b = nullptr, c = nullptr;
  GrB_Index n = 1;
  run::Dense *result = nullptr;
};

} // namespace

std::unique_ptr<Contestant> makeGraphBLAS(const Contest &contest) {
  if (contest.settings.arithmetic.element == core::Element::F64)
    return std::make_unique<WithGraphBLAS<double>>();
  return std::make_unique<WithGraphBLAS<float>>();
}

} // namespace astfe::bench
