//===- HostBuilder.h - host code around launches --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small steps that Launch.cpp is written in: sizes, device memory, calls of the
// runtime. Device memory is a packed pattern's, which keeps it for later calls;
// over a view it is allocated. Copies are on a stream that is waited for before
// and after the launches.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_HOSTBUILDER_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_HOSTBUILDER_H

#include "ASTFE/Core/Target/GPUConstants.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Runtime/ABI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace astfe::gpukernel {

using core::rules::kGPUGridLimit;

class HostBuilder {
public:
  HostBuilder(mlir::OpBuilder &builder, mlir::Location loc) : b(loc, builder) {}

  mlir::ImplicitLocOpBuilder b;

  // Sizes and conditions; all of type index unless said.
  mlir::Value index(int64_t value);
  mlir::Value dim(mlir::Value buffer, int64_t at);
  /// Between index and integers.
  mlir::Value convert(mlir::Value value, mlir::Type type);
  mlir::Value toIndex(mlir::Value value); ///< of what is not negative
  mlir::Value ceilDiv(mlir::Value value, int64_t by);
  mlir::Value min(mlir::Value value, int64_t bound);
  mlir::Value isTrue();
  mlir::Value both(mlir::Value a, mlir::Value c);
  mlir::Value equal(mlir::Value a, mlir::Value c);
  mlir::Value greater(mlir::Value a, mlir::Value c);

  // The runtime (Runtime/ABI.h).
  /// Calls a function of the runtime that returns one value.
  mlir::Value runtime(llvm::StringRef name, mlir::Type result,
                      mlir::ValueRange arguments);
  mlir::Value deviceTable(mlir::Value pattern, int64_t table,
                          mlir::Type element);

  /// Blocks of kBlockThreads.
  void launch(mlir::gpu::GPUModuleOp module, llvm::StringRef kernel,
              const mlir::gpu::KernelDim3 &grid, mlir::ValueRange operands);

  /// Says that the operands of a computation do not fit together.
  void reportExtents();
  void reportStrides();

  // Device memory.
  /// The packed pattern that lends it; null: it is allocated.
  mlir::Value lender;
  /// The rank-0 memref that a kernel takes for a contiguous buffer.
  mlir::Value pointer(mlir::Value buffer);
  /// A vector in memory of the lender.
  mlir::Value borrow(mlir::Value elements, mlir::Type element);
  void giveBack(mlir::Value buffer);
  /// Device memory of this call alone.
  mlir::Value allocate(mlir::MemRefType type, mlir::ValueRange sizes);
  void deallocate(mlir::Value buffer);
  /// i1: there was memory for the buffer.
  mlir::Value isThere(mlir::Value buffer);
  /// Replaces each host buffer by a copy on the device.
  void copyIn(llvm::ArrayRef<mlir::Value *> buffers);
  /// The copies of copyIn, until copyOut.
  llvm::ArrayRef<mlir::Value> copies() const { return staged; }
  /// Copies from the device to the host, each first to each second, and ends
  /// all copies of copyIn.
  void copyOut(llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> results);
  /// Whether all these buffers begin at a multiple of `bytes`.
  mlir::Value aligned(mlir::ValueRange buffers, int64_t bytes);
  /// Index: where the buffer's first element is.
  mlir::Value addressOf(mlir::Value buffer);

private:
  mlir::Value newStream();
  void wait(mlir::Value stream);
  mlir::Value lend(mlir::MemRefType type, mlir::ValueRange sizes);

  llvm::SmallVector<mlir::Value> staged;
};

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_HOSTBUILDER_H
