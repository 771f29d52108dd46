//===- ASTFEToRuntime.h - everything but compute, as runtime calls --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles, graphs and packed patterns become `!llvm.ptr` handles; the ops that
// make them become calls of the functions in Runtime/ABI.h on the buffers of
// the sparse tensor (sparse_tensor.positions, coordinates, values). Views have
// no run-time form: their type converts to nothing, and a computation over one
// gets an astfe.view of the tensor's buffers.
//
// lowerInspectors does that for a module and leaves astfe.compute, which
// bufferization knows, as nothing but computations on dense operands.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_ASTFETORUNTIME_H
#define ASTFE_CONVERSION_ASTFETORUNTIME_H

#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace astfe {

/// The tensor whose buffers a tensor has: that behind
/// `sparse_tensor.reinterpret_map`, which names the same levels otherwise.
mlir::Value storedTensor(mlir::Value tensor);

/// A dense level over a compressed one: its buffers, as the tensor holds them.
struct CompressedBuffers {
  mlir::Value positions, coordinates;
};
CompressedBuffers getCompressedBuffers(mlir::ImplicitLocOpBuilder &b,
                                       mlir::Value tensor);
/// A tensor of any rank as the runtime takes it: the numbers of its levels and
/// its extents, each a memref<?xi64> that lives until release().
class LevelBuffers {
public:
  /// An error at `op` where the runtime does not know the tensor's format.
  static mlir::FailureOr<LevelBuffers> get(mlir::ImplicitLocOpBuilder &b,
                                           mlir::Operation *op,
                                           mlir::Value tensor, mlir::Type type);
  mlir::Value levels, extents;
  void release(mlir::ImplicitLocOpBuilder &b) const;
};
/// The extent of a mode (rows, columns, ...), in a form that bufferizes.
mlir::Value getExtent(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                      int64_t mode);

/// The module around the insertion point.
mlir::ModuleOp enclosingModule(mlir::OpBuilder &b);

/// Declares (once in the module) and calls a function of the runtime, by its
/// name in Runtime/ABI.h without `_mlir_ciface_`.
mlir::func::CallOp callRuntime(mlir::ImplicitLocOpBuilder &b,
                               llvm::StringRef name, mlir::TypeRange results,
                               mlir::ValueRange operands);

/// An i64, as the runtime's functions take numbers.
mlir::Value integer(mlir::ImplicitLocOpBuilder &b, int64_t value);

/// The argument that the operand of a call becomes, where the module has the
/// function and nobody else calls it; else null.
mlir::BlockArgument calleeArgument(mlir::OpOperand &use);

/// Bytes that an element takes: a truth value takes one, an index eight.
int64_t bytesInMemory(mlir::Type element);

/// Memory of a packed pattern for the length of a call, memref<?xi8>: so many
/// bytes (an index), or none after an error. takeBack() ends the loan.
mlir::Value lendBytes(mlir::ImplicitLocOpBuilder &b, mlir::Value handle,
                      mlir::Value bytes);
/// The same for what goes without, too: none where there is no memory.
mlir::Value lendSpareBytes(mlir::ImplicitLocOpBuilder &b, mlir::Value handle,
                           mlir::Value bytes);
/// Gives back a buffer that begins where the lent bytes do.
void takeBack(mlir::ImplicitLocOpBuilder &b, mlir::Value lent);
/// The same of the current device's memory.
mlir::Value lendDeviceBytes(mlir::ImplicitLocOpBuilder &b, mlir::Value handle,
                            mlir::Value bytes);
void takeDeviceBytesBack(mlir::ImplicitLocOpBuilder &b, mlir::Value handle,
                         mlir::Value lent);

/// A text for the runtime (a constant graph, a message) as a memref<?xi8>: a
/// private global named after `stem`, one for equal texts.
mlir::Value constantText(mlir::ImplicitLocOpBuilder &b, llvm::StringRef stem,
                         llvm::StringRef text);

/// The `!llvm.ptr` that stands for a profile, graph or packed pattern, before
/// the conversion has run: a cast that the conversion folds away.
mlir::Value handleOf(mlir::ImplicitLocOpBuilder &b, mlir::Value value);
/// Whether the kernel of `op` can run the pattern, as i1: not for a null
/// handle, nor (with an error) for one that holds a class without an emitter.
mlir::Value patternFits(mlir::ImplicitLocOpBuilder &b, mlir::Value handle,
                        ComputeOp op);

/// The layout that the op packs to: with the classes that the kernels of all
/// computations over the pattern, here and in functions that it is passed to,
/// have emitters for.
core::Layout packedLayout(PackOp op);
/// Notes the layouts of all packs, before a conversion rewrites what reads the
/// patterns.
void keepPackedLayouts(mlir::ModuleOp module);
/// An error where the kernels over a pattern have no class that its layout
/// permits, or together none that stores any nonzeros.
mlir::LogicalResult checkClasses(ComputeOp op);
/// An error where the pattern is cut for another target's workers.
mlir::LogicalResult checkTarget(ComputeOp op, PackTarget target);

/// Gives every handle its releases: after the last use in its block, nested
/// uses included. Handles that leave through a terminator or enter a loop carry
/// one reference with them; those that come from a caller stay the caller's.
/// Vectors that only computations read are borrowed from their pattern until
/// their last use. Fails on handles that cross blocks without structure.
mlir::LogicalResult insertReleases(mlir::ModuleOp module);
/// Whether insertReleases() found that the values are borrowed.
bool isLent(ValuesOp values);

/// Types of handles; signatures, calls and returns are converted by
/// populateASTFEToRuntimePatterns with it.
void populateASTFEToRuntimeConversions(mlir::TypeConverter &converter);
/// profile, partition, refine, fuse, graph, pack, values and unpack, and the
/// functions that pass handles.
void populateASTFEToRuntimePatterns(mlir::TypeConverter &converter,
                                    mlir::RewritePatternSet &patterns);
/// What the patterns leave: no op of the dialect but astfe.compute, no function
/// with a handle in its signature.
void configureASTFEToRuntimeTarget(mlir::TypeConverter &converter,
                                   mlir::ConversionTarget &target);
/// Computations over views read an astfe.view and the tensor's values, both
/// right before them: whatever else happens to the tensor, bufferization sees
/// where it is read.
mlir::LogicalResult lowerViews(mlir::ModuleOp module);
/// Everything for a whole module: afterwards no op of the dialect is left but
/// computations and their views. Nothing happens where it was done before.
mlir::LogicalResult lowerInspectors(mlir::ModuleOp module);
/// After computations were lowered: views that nobody reads go, and casts
/// between handles and patterns.
void foldHandles(mlir::ModuleOp module);

} // namespace astfe

#endif // ASTFE_CONVERSION_ASTFETORUNTIME_H
