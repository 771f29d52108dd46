//===- ArgumentNames.cpp - what a file calls its function's arguments -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IR has no names, but the location of an argument is where its name stands.
//
//===----------------------------------------------------------------------===//

#include "ArgumentNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

static bool isNamePart(char c) {
  return llvm::isAlnum(c) || llvm::is_contained({'_', '$', '.', '-'}, c);
}

/// The text from a line and a column on, which count from 1; empty outside.
static StringRef textAt(StringRef text, unsigned line, unsigned column) {
  for (; line > 1; --line)
    text = text.split('\n').second;
  return text.drop_front(std::min<size_t>(column - 1, text.size()));
}

std::vector<std::string> astfe::run::argumentNames(func::FuncOp function,
                                                   StringRef text) {
  std::vector<std::string> names;
  for (BlockArgument argument : function.getArguments()) {
    StringRef name;
    if (auto at = dyn_cast<FileLineColLoc>(argument.getLoc()))
      if (at.getLine() > 0 && at.getColumn() > 0) {
        name = textAt(text, at.getLine(), at.getColumn());
        name = name.consume_front("%") ? name.take_while(isNamePart) : "";
      }
    names.push_back(name.empty()
                        ? "arg" + std::to_string(argument.getArgNumber())
                        : name.str());
  }
  return names;
}
