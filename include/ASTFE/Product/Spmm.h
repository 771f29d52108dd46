//===- Spmm.h - a product with bias and activation, and its gradients -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = activation(A B + bias) as one kernel over A's rows, and for G, a gradient
// of A B, dA = G B^T where A stores something (a sample of each nonzero) and
// dB = A^T G, over the rows of the transposed matrix. Dense matrices are
// contiguous rows; a bias has an element for each column. All have elements of
// one float type. Halves are summed up in f32 and rounded; what the bias and
// the activation make of that is computed in f32 and rounded, too.
//
// Worked example, for a checked view of a CSR matrix of f32:
//
//   auto product = Spmm::create(view, values, core::Element::F32, compile);
//   auto status = (*product)->forward(32, b, bias, Activation::Relu, c);
//   status = (*product)->backward(32, b, g, da, db);
//
// For A B alone a PackedMatrix is faster. Each number of columns gets kernels
// of its own. The same operands give the same bits on one machine, whatever the
// number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_SPMM_H
#define ASTFE_PRODUCT_SPMM_H

#include "ASTFE/Core/Support/Element.h"
#include "ASTFE/Product/ChainMatrix.h"
#include "ASTFE/Product/ChainPrograms.h"
#include "ASTFE/Product/DeviceOperand.h"

namespace astfe::product {

enum class Activation {
#define ASTFE_ACTIVATION(Name, name, Body) Name,
#include "ASTFE/Product/Activations.def"
};
core::NameList activationNames();

class Spmm {
public:
  /// Copies the matrix, with elements of a float type. Fails for 2^31 - 1 rows,
  /// columns or nonzeros and more.
  static core::Result<std::unique_ptr<Spmm>>
  create(const core::SparseView &view, const void *values,
         core::Element element, CompileChain compile,
         const ChainPlace &place = {});

  /// Other values; waits for what runs.
  core::Status setValues(const void *values) {
    return matrix->setValues(values);
  }

  /// `bias` may be null. Fails for fewer than 0 columns.
  core::Status forward(int64_t columns, const void *b, const void *bias,
                       Activation activation, void *c);
  /// Either gradient may be null; `b` too, where that of A is.
  core::Status backward(int64_t columns, const void *b, const void *g, void *da,
                        void *db);
  /// The same on a GPU's stream, for which nothing waits and nothing is copied.
  /// Operands are checked first.
  core::Status forwardOn(void *stream, int64_t columns, const void *b,
                         const void *bias, Activation activation, void *c);
  core::Status backwardOn(void *stream, int64_t columns, const void *b,
                          const void *g, void *da, void *db);

  int64_t rows() const { return matrix->rows(); }
  int64_t columns() const { return matrix->columns(); }
  int64_t nonzeros() const { return matrix->nonzeros(); }

private:
  Spmm(core::Element element, std::unique_ptr<ChainMatrix> matrix,
       CompileChain compile)
      : element(element), matrix(std::move(matrix)),
        programs(std::move(compile)) {}
  core::Status checkColumns(int64_t columns) const;
  core::Status prepare(const std::string &key, std::string_view symbol,
                       ChainMatrix::Walk walk,
                       const std::function<std::string()> &text);
  core::Status run(const std::string &key, ChainMatrix::Walk walk,
                   llvm::ArrayRef<Descriptor> operands);
  core::Status runForward(int64_t columns, const void *b, const void *bias,
                          Activation activation, void *c);
  core::Status runBackward(int64_t columns, const void *b, const void *g,
                           void *da, void *db);
  core::Status multiplyTransposed(int64_t columns, const void *g, void *db);
  core::Status sample(int64_t columns, const void *b, const void *g, void *da);
  DeviceOperand operandOf(const char *name, const void *data,
                          int64_t elements) const;
  core::Status checkOn(void *stream, int64_t columns) const;

  const core::Element element;
  const std::unique_ptr<ChainMatrix> matrix;
  ChainPrograms programs;
};

/// Modules of one function, for so many columns. @product takes A, B, the bias
/// if there is one, and C; @samples takes A, G, B and the samples.
std::string spmmText(int64_t columns, core::Element element, bool hasBias,
                     Activation activation);
std::string samplesText(int64_t columns, core::Element element);

} // namespace astfe::product

#endif // ASTFE_PRODUCT_SPMM_H
