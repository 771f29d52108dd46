//===- KernelSource.h - where the kernels of products come from -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A request names everything that a kernel depends on, and nothing else: two
// matrices whose requests have the same key share their code. Requests are
// answered through one interface, so that a process that finds its kernels in a
// folder needs no compiler.
//
// Worked example: a matrix of f32 was packed with 16-bit columns and holds rows
// and tiles; a product with 128 columns asks for
//
//   KernelRequest request;
//   request.layout = packed.layout;
//   request.classes = packed.classes();
//   request.columns = 128;
//   auto kernel = source.get(request);
//   if (!kernel) return kernel.error();
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_KERNELSOURCE_H
#define ASTFE_PRODUCT_KERNELSOURCE_H

#include "ASTFE/Core/Kernel/Arithmetic.h"
#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Runtime/ABI.h"
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace astfe::product {

/// What is computed over a packed pattern, or a view.
enum class Computation {
  Product, ///< C = A B or C += A B
  Samples  ///< s_n = a_n <X_i, Y_j> of each nonzero
};

/// A matrix that is walked as it is stored, in CSR or CSC.
struct ViewRequest {
  unsigned positionBits = 32; ///< or 64; coordinates have 32
  bool byColumns = false;     ///< CSC
  /// Long rows are cut between warps of a GPU.
  bool cutsRows = false;
};

/// A computation over a packed pattern, or a view.
struct KernelRequest {
  Computation computation = Computation::Product;
  /// The GPU, like sm_90; empty: the host, whose CPU the next two name.
  std::string chip;
  std::string cpu = "native", features;
  core::Arithmetic arithmetic;
  /// How the pattern is stored, and what it was found to hold of the classes.
  core::Layout layout;
  core::ClassSet classes = core::ClassSet::general();
  /// In the place of a pattern; the layout is a view's then. Without extents
  /// they are those of C and B.
  std::optional<ViewRequest> view;
  /// Of B and C, or of X and Y; none: any number. 1 is a product of vectors.
  std::optional<int64_t> columns;
  /// Rows of B and C may be further apart than they are long.
  bool strided = false;
  /// C = A B; else C += A B.
  bool overwrite = true;
  /// Extents of A that the code may rely on.
  std::optional<std::array<int64_t, 2>> extents;

  /// B and C have one dimension.
  bool isVector() const {
    return computation == Computation::Product && columns == 1 && !strided;
  }
  /// Samples are in the order of the nonzeros: on a host. Kernels of a GPU
  /// leave them in slots.
  bool writesAtNonzeros() const {
    return computation == Computation::Samples && chip.empty();
  }
  /// The same text for the same code.
  std::string key() const;
};

/// A dense matrix as kernels take it.
struct MemRef2D {
  void *allocated, *aligned;
  int64_t offset;
  int64_t sizes[2], strides[2];
};

/// Where a kernel's code came from; the first of these that holds for a part.
enum class CodeOrigin { Compiled, InFolder, InProcess };
/// "miss", "folder", "process".
std::string_view originName(CodeOrigin origin);

struct Kernel {
  /// void (void *pattern, AstfeMemRef1D *values, D *B, D *C), where D is
  /// AstfeMemRef1D for products of vectors, else MemRef2D; over a view
  /// (AstfeMemRef1D *positions, AstfeMemRef1D *coordinates) are in the place of
  /// the pattern. For samples, void
  /// (void *pattern, AstfeMemRef1D *values, MemRef2D *X, MemRef2D *Y,
  /// AstfeMemRef1D *samples); see writesAtNonzeros(). A call that fails leaves
  /// the runtime's last error.
  void *entry = nullptr;
  /// Keeps the code while it lives.
  std::shared_ptr<void> code;
  double seconds = 0; ///< that it took to make, or to find
  CodeOrigin origin = CodeOrigin::InProcess;
  std::string note; ///< why it could not be kept for other processes
};

/// Thread-safe.
class KernelSource {
public:
  virtual ~KernelSource();
  virtual core::Result<std::shared_ptr<const Kernel>>
  get(const KernelRequest &request) = 0;
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_KERNELSOURCE_H
