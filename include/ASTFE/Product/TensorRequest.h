//===- TensorRequest.h - a product of a tensor of any rank ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of a sparse tensor T and dense operands, in which equal dimensions
// have equal indices and those that the output lacks are summed over: an einsum
// with one sparse operand. Dimensions have numbers: 0..rank-1 are the modes of
// T, those from there on are dense.
//
// Worked example, T of rank 3 and four columns:
//
//   mttkrp(3, 0, 4)  M(i,r) = sum over j,k of T(i,j,k) B(j,r) C(k,r)
//                    inputs (1 3) (2 3), output (0 3), dense extents 4
//   ttv(3, 0)        Y(j,k) = sum over i of T(i,j,k) v(i)
//                    inputs (0), output (1 2)
//   ttm(3, 0, 4)     Y(j,k,r) = sum over i of T(i,j,k) U(i,r)
//                    inputs (0 3), output (1 2 3), dense extents 4
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_TENSORREQUEST_H
#define ASTFE_PRODUCT_TENSORREQUEST_H

#include "ASTFE/Product/KernelSource.h"
#include <tuple>
#include <vector>

namespace astfe::product {

struct TensorProduct {
  unsigned rank = 3; ///< of T
  std::vector<std::vector<unsigned>> inputs;
  std::vector<unsigned> output;
  /// Extents of the dense dimensions; 0: any.
  std::vector<int64_t> dense;

  bool operator<(const TensorProduct &other) const {
    return std::tie(rank, inputs, output, dense) <
           std::tie(other.rank, other.inputs, other.output, other.dense);
  }
  /// Whether a mode indexes the output; kernels are of such products.
  bool keepsMode() const;
  /// The mode whose rows are summed into: the first that indexes the output.
  unsigned key() const;
  /// Dimensions are in range, no operand has one twice, a mode indexes the
  /// output, and each dense dimension something.
  core::Status check() const;
  /// The extents of an operand's dimensions, for a tensor of this shape.
  std::vector<int64_t> extentsOf(const std::vector<unsigned> &dims,
                                 const std::vector<int64_t> &shape) const;
  /// "(0 1 2) (1 3) (2 3) -> (0 3)".
  std::string text() const;

  static TensorProduct mttkrp(unsigned rank, unsigned mode, int64_t columns);
  static TensorProduct ttv(unsigned rank, unsigned mode);
  static TensorProduct ttm(unsigned rank, unsigned mode, int64_t columns);
};

/// What a kernel over bricks depends on.
struct TensorRequest {
  std::string cpu = "native", features; ///< of the host
  core::Arithmetic arithmetic;
  TensorProduct product;
  /// The output is written, not added to.
  bool overwrite = true;
  /// Products and results of halves are in f32: the caller rounds them.
  bool widened = false;
  /// The GPU, like sm_90, whose memory dense operands and values are in; empty:
  /// the host.
  std::string chip;

  /// The element of products and results.
  core::Element result() const;
  /// The same text for the same code.
  std::string key() const;
};

/// Thread-safe. Kernels are void (void *bricks, AstfeMemRef1D *values, D
/// *in..., D *out) with a descriptor of each operand's rank.
class TensorKernelSource {
public:
  virtual ~TensorKernelSource();
  virtual core::Result<std::shared_ptr<const Kernel>>
  get(const TensorRequest &request) = 0;
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_TENSORREQUEST_H
