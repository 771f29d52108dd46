//===- GPUToNVVM.h - gpu.module to NVVM with one type converter -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream lowers nvgpu and gpu in two passes with different type converters:
// the former always uses 64-bit descriptors, so that 32-bit indices leave casts
// behind. ASTFE converts a whole gpu.module at once with one converter.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_GPUTONVVM_H
#define ASTFE_CONVERSION_GPUTONVVM_H

#include "ASTFE/Core/Support/Status.h"
#include "mlir/Support/LLVM.h"

namespace mlir {
class ConversionTarget;
class LLVMTypeConverter;
class RewritePatternSet;
} // namespace mlir

namespace astfe {

/// Whether kernels can have an `index` of so many bits.
core::Status checkIndexBits(int64_t bits);

/// Rewrites that bring vector and subgroup ops into forms that have a direct
/// lowering. Apply them greedily with folding off: folders recreate
/// vector.shape_cast, which has none.
void populateNVVMPreparationPatterns(mlir::RewritePatternSet &patterns);

/// Rewrites functions that PTX has no instruction for as polynomials, so that no
/// libdevice is needed. Largest errors in f32, relative to the result, in units
/// of u = 2^-24, as measured against float64 (docs/Runtime.md):
///
///   exp 2 u, expm1 4 u, log 2 u, log1p 4 u, log2 3 u, tanh 6 u, erf 6 u
///   powf(a, b): 3 (2 + |b log a|) u
///
/// exp2 stays: it is ex2.approx (4 u, by the PTX manual). Subnormal arguments
/// of logarithms count as the least normal number, and powf loses the sign of
/// zero.
void populateMathFunctionPatterns(mlir::RewritePatternSet &patterns);
/// Of these, the functions of f64. Largest errors in units of u = 2^-53, as
/// measured against numbers of 64 bits of mantissa:
///
///   exp 2 u, exp2 2 u, expm1 6 u, log 2 u, log1p 4 u, log2 3 u, tanh 4 u,
///   erf 2 u
///
/// Subnormal numbers are as good as others, but for results of exp and exp2.
void populateDoubleFunctionPatterns(mlir::RewritePatternSet &patterns);

/// Adds the conversions of memory spaces, nvgpu types and async tokens.
void configureNVVMTypeConverter(mlir::LLVMTypeConverter &converter);

/// Every pattern from gpu, nvgpu, vector, memref, arith, math, cf, ub and func
/// to NVVM and LLVM. Ops
/// that PTX has instructions for call no libdevice.
void populateNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);

} // namespace astfe

#endif // ASTFE_CONVERSION_GPUTONVVM_H
