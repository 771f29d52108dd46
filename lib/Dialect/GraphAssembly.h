//===- GraphAssembly.h - text of spaces, profiles and graphs --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One text for an attribute and for the op that holds it:
//
//   hilbert [4096, 4096] { b00 : 4711  b0100 : 380 } groups [0, 2] limit 4096
//     edges { 0 -- 1 axis 1 : 12 }
//
// `b0100` is the prefix 0100; in a space of several parts `p1.b0100` is that
// prefix in part 1. Parsers verify what they build.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_DIALECT_GRAPHASSEMBLY_H
#define ASTFE_LIB_DIALECT_GRAPHASSEMBLY_H

#include "ASTFE/Dialect/ASTFEDialect.h"

namespace astfe {

/// Ends a line and indents the next one, by so many more spaces.
using NewLine = llvm::function_ref<void(unsigned)>;

/// `hilbert [16, 4096] at [0, 0]`; `at` is left out at the origin.
mlir::ParseResult parsePart(mlir::AsmParser &parser, PartAttr &part);
void printPart(mlir::AsmPrinter &printer, PartAttr part);

/// `hilbert [4096, 4096]`, or `[64, 8] parts [...] permuted [[...], []]`.
mlir::ParseResult parseSpace(mlir::AsmParser &parser, SpaceAttr &space);
void printSpace(mlir::AsmPrinter &printer, SpaceAttr space);

mlir::ParseResult parseProfileTable(mlir::AsmParser &parser,
                                    ProfileAttr &profile);
void printProfileTable(mlir::AsmPrinter &printer, ProfileAttr profile,
                       NewLine newLine);

mlir::ParseResult parseGraphTable(mlir::AsmParser &parser, GraphAttr &graph);
void printGraphTable(mlir::AsmPrinter &printer, GraphAttr graph,
                     NewLine newLine);

} // namespace astfe

#endif // ASTFE_LIB_DIALECT_GRAPHASSEMBLY_H
