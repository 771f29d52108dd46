//===- Product.h - one matrix, packed for one case, on the device ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs a sample as a case's layout says, brings it to the device, and calls
// the case's program on operands that are there. What is computed is compared
// with the sample's CSR in float64, never with the packed tables.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_GPUCHECK_PRODUCT_H
#define ASTFE_TOOLS_GPUCHECK_PRODUCT_H

#include "ASTFE/Core/Order/Order.h"
#include "ASTFE/Runtime/ABI.h"
#include "Cases.h"
#include "DeviceMemory.h"
#include "Samples.h"

namespace astfe::gpucheck {

/// Numbers in the type of a case, as bytes.
struct Numbers {
  std::vector<char> bytes;
  bool isDouble;

  Numbers(size_t count, bool isDouble)
      : bytes(count * (isDouble ? 8 : 4)), isDouble(isDouble) {}
  size_t size() const { return bytes.size() / (isDouble ? 8 : 4); }
  double get(size_t i) const;
  void set(size_t i, double value); ///< rounded
};

class Product;

/// B and C of a product, in the memory that its case takes; C begins as
/// `start`.
struct Operands {
  Operands(const LoadedCase &which, const Sample &sample, int64_t columns,
           uint64_t seed);
  /// With B `shift` elements behind an address that is a multiple of 256.
  core::Status place(rt::Device &device, size_t shift = 0);
  /// Places them, runs the product, fetches C.
  core::Status compute(rt::Device &device, const Product &product,
                       size_t shift = 0);
  /// C as it is now; an error where what lies behind it was written.
  core::Status fetch();

  const Case &which;
  const Sample &sample;
  const int64_t columns;
  Numbers b, start, c;
  void *bData = nullptr, *cData = nullptr;

private:
  Numbers shifted;
  std::unique_ptr<DeviceMemory> deviceB, deviceC;
  std::vector<char> hostC;
};

class Product {
public:
  /// Along the curve rows are shared, and blocks are found, as checks want it.
  static core::Result<std::unique_ptr<Product>>
  make(rt::Device &device, const LoadedCase &which, const Sample &sample,
       core::OrderKind order = core::OrderKind::Hilbert);
  ~Product();

  /// Calls the program; what goes wrong is the runtime's last error.
  core::Status run(const Operands &operands) const;
  /// The same for operands anywhere, of so many rows.
  core::Status run(void *b, int64_t bRows, void *c, int64_t cRows,
                   int64_t columns) const;

private:
  Product(const LoadedCase &which, const Sample &sample)
      : which(which), sample(sample) {}
  core::Status pack(rt::Device &device, core::OrderKind order);
  core::Status placeView(rt::Device &device);
  template <typename Matrix>
  void call(Matrix *b, Matrix *c) const;

  const LoadedCase &which;
  const Sample &sample;
  void *pattern = nullptr;
  int64_t slots = 0;
  Numbers hostValues{0, false};
  std::unique_ptr<DeviceMemory> values, positions, coordinates;
};

/// The largest error of C over the sum of |terms|, as RelativeError.h has it.
double worstError(const Operands &operands);
/// Up to which a product is right: unit roundoff times the terms that may add
/// up in an order of their own.
double errorBound(const Case &which);

} // namespace astfe::gpucheck

#endif // ASTFE_TOOLS_GPUCHECK_PRODUCT_H
