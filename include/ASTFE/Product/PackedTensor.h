//===- PackedTensor.h - a sparse tensor, packed once for every mode -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// plan -> graph -> bricks -> kernel -> run, for tensors of rank 1 and 3 to 8 (a
// matrix is a PackedMatrix). One graph and one set of bricks serve all modes;
// the first product that sums into rows of a mode arranges the bricks, and the
// values, by it. Where memory has no room for that, products go slice by slice
// (Core/Bricks/BrickSlices.h), on a host. For sums over one mode into rows of
// others, TTV and TTM, the tensor is also packed as a matrix, at the first such
// product, where that moves less (TensorAsMatrix.h).
//
// Worked example, for a view of a tensor and its values:
//
//   auto plan = core::makePlan(view, tensorPlanOptions(view.nonzeros(), 32));
//   auto tensor = PackedTensor::pack(view, values, plan->fused, options,
//                                    source);
//   auto product = TensorProduct::mttkrp(3, 0, 32);
//   auto status = (*tensor)->compute(product, {b, c}, m, /*accumulate=*/false);
//
// Products of one tensor may run at the same time, in any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_PACKEDTENSOR_H
#define ASTFE_PRODUCT_PACKEDTENSOR_H

#include "ASTFE/Core/Bricks/BrickTraffic.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Product/DenseTensor.h"
#include "ASTFE/Product/TensorAsMatrix.h"
#include "ASTFE/Runtime/Device.h"
#include <array>
#include <map>
#include <mutex>

namespace astfe::product {

struct TensorOptions {
  core::Arithmetic arithmetic;
  /// Of the host, or of the chip where there is a device.
  std::string cpu = "native", features, chip;
  /// Where products are computed: null is the host.
  rt::Device *device = nullptr;
};

/// The plan for bricks: as many workers as there will be bricks, so that groups
/// have about as many nonzeros as one holds. Any order but rows by default.
core::PlanOptions tensorPlanOptions(int64_t nonzeros, int64_t columns,
                                    core::Element element);

class PackedTensor {
public:
  /// Packs by a graph of the same tensor. `values` are in the order of the view
  /// and are copied. The sources must outlive the tensor; without `matrices`
  /// all products walk bricks.
  static core::Result<std::unique_ptr<PackedTensor>>
  pack(const core::SparseView &view, const void *values,
       const core::Graph &graph, const TensorOptions &options,
       TensorKernelSource &source, KernelSource *matrices = nullptr);
  ~PackedTensor();

  /// The kernel of a product, and the arrangement by its key: what compute()
  /// would make at its first call.
  core::Result<std::shared_ptr<const Kernel>>
  prepare(const TensorProduct &product, bool accumulate);

  /// output = product, or output += product. Extents fit the tensor and each
  /// other. On the host the output may have no mode of the tensor: rows of one
  /// are computed then, no more results than nonzeros where a mode is that
  /// short, and added up (DenseSum.h).
  core::Status compute(const TensorProduct &product,
                       const std::vector<DenseTensor> &inputs,
                       const DenseTensor &output, bool accumulate);

  bool isOnDevice() const { return options.device != nullptr; }
  /// The same of a tensor on a device, whose memory the operands are in: put on
  /// a stream (null: the default one) and not waited for, but by the first
  /// product of its kind, which brings tables there.
  core::Status computeOn(void *stream, const TensorProduct &product,
                         const std::vector<DenseTensor> &inputs,
                         const DenseTensor &output, bool accumulate);

  /// New values for the same pattern, in the order of the view, while no
  /// product runs. For the host.
  void setValues(const void *values);

  /// The matrix that the tensor is for a product, which is made then; null
  /// where the product walks bricks.
  const Matrix *matrixFor(const TensorProduct &product);
  /// Its extents.
  std::optional<std::array<int64_t, 2>>
  matrixShape(const TensorProduct &product);

  /// Modelled bytes of a product that keeps a mode and whose dense dimensions
  /// have extents.
  core::Result<core::Traffic> traffic(const TensorProduct &product);

  const core::Bricks &bricks() const;
  /// What pack, and arrangements by modes so far, took.
  double packSeconds = 0;

private:
  PackedTensor(const TensorOptions &options, TensorKernelSource &source,
               KernelSource *matrices)
      : options(options), source(source), matrices(matrices) {}
  /// How a product is computed.
  struct Means {
    Matrix *matrix = nullptr; ///< null where it walks bricks
    std::shared_ptr<const Kernel> kernel;
    void *values = nullptr; ///< what the kernel reads
  };
  /// Those of an earlier call, unless the values have changed since.
  std::optional<Means> knownMeans(const TensorProduct &product, bool accumulate,
                                  bool widened);
  core::Result<Means> findMeans(const TensorProduct &product, bool accumulate,
                                bool widened);
  core::Result<Matrix *> matrixOf(const TensorProduct &product);
  core::Result<void *> valuesBy(unsigned key);
  core::Result<void *> placeValues(const core::Table<char> &packed);
  core::Result<std::shared_ptr<const Kernel>>
  kernelOf(const TensorProduct &product, bool accumulate, bool widened);
  unsigned summedMode(int64_t width) const;
  core::Status computeByRows(const TensorProduct &product,
                             const std::vector<DenseTensor> &inputs,
                             const DenseTensor &output, bool accumulate);
  core::Status call(const Means &means, const std::vector<DenseTensor> &inputs,
                    const DenseTensor &output);
  core::Status checkProduct(const TensorProduct &product) const;
  core::Status checkOnDevice(const std::vector<DenseTensor> &inputs,
                             const DenseTensor &output) const;
  core::Status checkOperands(const TensorProduct &product,
                             const std::vector<DenseTensor> &inputs,
                             const DenseTensor &output) const;

  const TensorOptions options;
  TensorKernelSource &source;
  void *handle = nullptr;
  core::Table<char> values; ///< in the order of the view
  std::mutex mutex;
  std::map<unsigned, core::Table<char>> arranged; ///< values by key
  std::map<unsigned, void *> onDevice;            ///< the same, placed
  std::map<std::string, std::shared_ptr<const Kernel>> kernels;
  /// By product: written, added to, and written in f32. To find them anew would
  /// take longer than a small product.
  std::map<TensorProduct, std::array<Means, 3>> known;
  TensorMatrices matrices;
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_PACKEDTENSOR_H
