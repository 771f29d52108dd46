//===- PassOption.td - options that show their default -----*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_ANALYSIS_PASSOPTION_TD
#define ASTFE_ANALYSIS_PASSOPTION_TD

include "mlir/Pass/PassBase.td"

/// An option whose description, in --help and in the docs, ends with its
/// default, which MLIR does not print.
class ShownOption<string varName, string arg, string valueType, string default,
                  string desc>
    : Option<varName, arg, valueType, default,
             desc # " (default: " # !subst("\"", "", default) # ")">;

#endif // ASTFE_ANALYSIS_PASSOPTION_TD
