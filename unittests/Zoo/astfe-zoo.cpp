//===- astfe-zoo.cpp - compares what the product puts out with digests ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   astfe-zoo --check FILE   exits with 1 where an output has another digest
//   astfe-zoo --write FILE   writes the digests of this build
//   astfe-zoo --dump TEXT    prints the outputs of all cases with TEXT in
//                            their names, for a diff between two builds
//
//===----------------------------------------------------------------------===//

#include "ASTFE/InitAll.h"
#include "Zoo.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <atomic>
#include <thread>

using namespace astfe;
using namespace astfe::zoo;

namespace {
/// What each case has put out, in the order of the cases.
struct Made {
  std::vector<Output> outputs;
  std::string error;
};
} // namespace

static std::vector<Made> makeAll(const std::vector<Case> &cases) {
  mlir::DialectRegistry registry;
  registerEverything(registry);
  std::vector<Made> made(cases.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    for (size_t i; (i = next++) < cases.size();) {
      auto outputs = cases[i].make(context);
      if (outputs)
        made[i].outputs = std::move(*outputs);
      else
        made[i].error = outputs.message();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency());
       ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  return made;
}

/// One line for each output.
static std::string digestsOf(const std::vector<Case> &cases,
                             const std::vector<Made> &made) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (size_t i = 0; i < cases.size(); ++i)
    for (const Output &output : made[i].outputs)
      out << cases[i].name << ' ' << output.name << ' '
          << llvm::format_hex_no_prefix(llvm::xxh3_64bits(output.text), 16)
          << '\n';
  return text;
}

/// Prints lines that only one of the two has.
static bool areEqual(llvm::StringRef expected, llvm::StringRef got) {
  llvm::SmallVector<llvm::StringRef> old, now;
  expected.split(old, '\n', -1, /*KeepEmpty=*/false);
  got.split(now, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : old)
    if (!llvm::is_contained(now, line))
      llvm::errs() << "expected " << line << "\n";
  for (llvm::StringRef line : now)
    if (!llvm::is_contained(old, line))
      llvm::errs() << "but got  " << line << "\n";
  return old == now;
}

static int check(const char *path, llvm::StringRef digests) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) {
    llvm::errs() << path << ": " << file.getError().message() << "\n";
    return 1;
  }
  if (areEqual((*file)->getBuffer(), digests))
    return 0;
  llvm::errs() << "outputs have changed; where that is meant, run astfe-zoo "
                  "--write "
               << path << " and name them in the commit\n";
  return 1;
}

static int write(const char *path, llvm::StringRef digests) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  out << digests;
  out.close();
  if (!error)
    error = out.error();
  if (error)
    llvm::errs() << path << ": " << error.message() << "\n";
  return error ? 1 : 0;
}

int main(int argc, char **argv) {
  const llvm::StringRef mode = argc == 3 ? argv[1] : "";
  if (mode != "--check" && mode != "--write" && mode != "--dump") {
    llvm::errs() << "usage: astfe-zoo --check FILE | --write FILE | --dump "
                    "TEXT\n";
    return 1;
  }
  std::vector<Case> cases;
  for (auto list : {hostCases(), gpuCases(), tableCases()})
    for (Case &item : list)
      if (mode != "--dump" || llvm::StringRef(item.name).contains(argv[2]))
        cases.push_back(std::move(item));
  const std::vector<Made> made = makeAll(cases);
  for (size_t i = 0; i < cases.size(); ++i)
    if (!made[i].error.empty()) {
      llvm::errs() << cases[i].name << ": " << made[i].error << "\n";
      return 1;
    }
  if (mode == "--check")
    return check(argv[2], digestsOf(cases, made));
  if (mode == "--write")
    return write(argv[2], digestsOf(cases, made));
  for (size_t i = 0; i < cases.size(); ++i)
    for (const Output &output : made[i].outputs)
      llvm::outs() << "=== " << cases[i].name << ' ' << output.name << "\n"
                   << output.text << "\n";
  return 0;
}
