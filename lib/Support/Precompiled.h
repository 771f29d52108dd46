//===- Precompiled.h - headers that every compiler library parses ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The precompiled header of the libraries above Core. Nothing may rely on it:
// each file includes what it uses, and a build without it passes too.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_SUPPORT_PRECOMPILED_H
#define ASTFE_LIB_SUPPORT_PRECOMPILED_H

// libMLIR.so is built without statistics, which are empty objects there; with
// assertions on, these headers would make others of them.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#pragma pop_macro("NDEBUG")
#include <cassert>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"

#endif // ASTFE_LIB_SUPPORT_PRECOMPILED_H
