//===- KernelCases.cpp - compiled kernels of the zoo ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Pipelines/ToPTX.h"
#include "Zoo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;

namespace astfe::zoo {
namespace {

/// A product of a sparse matrix and a dense operand.
struct Kernel {
  std::string type = "f32";
  /// Of the dense operand: "1" is a vector, "?" an unknown number.
  std::string columns = "1";
  std::string index = "i32";
  bool isCsc = false;
  /// "" for views.
  std::string classes;
  /// Columns of the matrix, which say in how many bits they are stored.
  int64_t width = 0;
  /// C = A B, not C += A B.
  bool overwrite = false;
  /// With gathers, which the CPU decides elsewhere.
  bool gathers = false;

  std::string name() const {
    return type + " columns=" + columns +
           (classes.empty() ? std::string(" view ") + (isCsc ? "csc " : "csr ")
                            : " packed ") +
           index + (width ? " width=" + std::to_string(width) : "") +
           (overwrite ? " overwrite" : "") + (gathers ? " gathers" : "") +
           (classes.empty() ? "" : " " + classes);
  }
};

std::string moduleText(const Kernel &kernel) {
  const bool isVector = kernel.columns == "1";
  const std::string bits = kernel.index.substr(1);
  const std::string sparse = "tensor<?x?x" + kernel.type + ", #S>";
  const std::string dense =
      "tensor<?x" + (isVector ? "" : kernel.columns + "x") + kernel.type + ">";
  return "#S = #sparse_tensor.encoding<{map = (i, j) -> (" +
         std::string(kernel.isCsc ? "j : dense, i" : "i : dense, j") +
         " : compressed), posWidth = " + bits + ", crdWidth = " + bits +
         "}>\nfunc.func @f(%A: " + sparse + ", %B: " + dense +
         ", %C: " + dense + (kernel.overwrite ? " {astfe.undefined}" : "") +
         ") -> " + dense + " {\n  %r = linalg." +
         (isVector ? "matvec" : "matmul") + " ins(%A, %B : " + sparse + ", " +
         dense + ") outs(%C : " + dense + ") -> " + dense +
         "\n  return %r : " + dense + "\n}\n";
}

template <typename Options>
void setStages(Options &options, const Kernel &kernel) {
  if (kernel.classes.empty())
    return;
  options.storage = "packed";
  options.order = "hilbert";
  options.split = true;
  options.width = kernel.width;
  SmallVector<StringRef> names;
  StringRef(kernel.classes).split(names, ',');
  for (StringRef name : names)
    options.classes.push_back(name.str());
}

core::Result<OwningOpRef<ModuleOp>>
lower(MLIRContext &context, const Kernel &kernel,
      llvm::function_ref<void(OpPassManager &)> build) {
  auto module = parseSourceString<ModuleOp>(moduleText(kernel), &context);
  if (!module)
    return core::Error{"cannot parse the module"};
  PassManager manager(&context, ModuleOp::getOperationName());
  manager.enableVerifier(false);
  build(manager);
  if (failed(manager.run(*module)))
    return core::Error{"the pipeline failed"};
  return module;
}

std::string print(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

/// The functions with `name` in their names, and what they call. @f does what
/// both parts do.
std::string printPart(const llvm::Module &module, StringRef name) {
  std::unique_ptr<llvm::Module> part = llvm::CloneModule(module);
  for (llvm::Function &function : *part)
    if (!function.isDeclaration() && !function.hasPrivateLinkage() &&
        !function.getName().contains(name))
      function.deleteBody();
  llvm::ModuleAnalysisManager analyses;
  llvm::PassBuilder().registerModuleAnalyses(analyses);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::PassBuilder builder;
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, analyses);
  llvm::GlobalDCEPass().run(*part, analyses);
  return print(*part);
}

core::Result<std::vector<Output>> hostOutputs(MLIRContext &context,
                                              const Kernel &kernel) {
  auto module = lower(context, kernel, [&](OpPassManager &manager) {
    ToCPUOptions options;
    // What the processor at hand does fast must not matter.
    options.fastGathers = kernel.gathers;
    options.farStrips = false;
    options.wideMasks = true;
    setStages(options, kernel);
    buildToCPUPipeline(manager, options);
  });
  if (!module)
    return module.error();
  llvm::LLVMContext llvmContext;
  auto translated = translateModuleToLLVMIR(**module, llvmContext);
  if (!translated)
    return core::Error{"cannot translate the module"};
  if (kernel.classes.empty())
    return std::vector<Output>{{"run", print(*translated)}};
  return std::vector<Output>{{"prepare", printPart(*translated, "f_prepare")},
                             {"run", printPart(*translated, "f_run")}};
}

core::Result<std::vector<Output>> gpuOutputs(MLIRContext &context,
                                             const Kernel &kernel) {
  auto module = lower(context, kernel, [&](OpPassManager &manager) {
    ToPTXOptions options;
    setStages(options, kernel);
    buildToPTXPipeline(manager, options);
  });
  if (!module)
    return module.error();
  std::string ptx;
  SmallVector<Operation *> binaries;
  (*module)->walk([&](gpu::BinaryOp binary) {
    for (Attribute object : binary.getObjects())
      ptx += cast<gpu::ObjectAttr>(object).getObject().getValue();
    binaries.push_back(binary);
  });
  // PTX is text that ends with a zero.
  llvm::erase(ptx, '\0');
  for (Operation *binary : binaries)
    binary->erase();
  std::string launch;
  llvm::raw_string_ostream stream(launch);
  (*module)->print(stream);
  return std::vector<Output>{{"ptx", ptx}, {"launch", launch}};
}

using Make = core::Result<std::vector<Output>> (*)(MLIRContext &,
                                                   const Kernel &);

void add(std::vector<Case> &cases, const std::string &target, Make make,
         const Kernel &kernel) {
  cases.push_back({target + " " + kernel.name(), [=](MLIRContext &context) {
                     return make(context, kernel);
                   }});
}

const char *const kTypes[] = {"f32", "f64"};
const char *const kColumns[] = {"1", "7", "32", "128", "?"};
const char *const kGeneral = "row_segments,scattered,dense_tile";

/// Views of each format and width of indices.
void addViews(std::vector<Case> &cases, const std::string &target, Make make) {
  for (const char *type : kTypes)
    for (const char *columns : kColumns)
      for (bool isCsc : {false, true}) {
        Kernel kernel;
        kernel.type = type;
        kernel.columns = columns;
        kernel.isCsc = isCsc;
        // GPU kernels read no columns.
        if (isCsc && target == "gpu")
          continue;
        add(cases, target, make, kernel);
        kernel.overwrite = true;
        add(cases, target, make, kernel);
      }
  Kernel wide;
  wide.columns = "32";
  wide.index = "i64";
  add(cases, target, make, wide);
}

/// Each set of classes with each number of columns, in turn in both types.
void addPacked(std::vector<Case> &cases, const std::string &target, Make make,
               ArrayRef<const char *> sets) {
  unsigned turn = 0;
  for (const char *classes : sets)
    for (const char *columns : kColumns) {
      Kernel kernel;
      kernel.type = kTypes[turn++ % 2];
      kernel.columns = columns;
      kernel.classes = classes;
      add(cases, target, make, kernel);
      kernel.overwrite = true;
      add(cases, target, make, kernel);
    }
  // Each width of columns; 128 columns and 1.
  for (int64_t width : {200, 60000})
    for (const char *type : kTypes)
      for (const char *columns : {"1", "128"}) {
        Kernel kernel;
        kernel.type = type;
        kernel.columns = columns;
        kernel.classes = sets.back();
        kernel.width = width;
        add(cases, target, make, kernel);
      }
}

} // namespace

/// One column by gathers, of columns of each width.
static void addGathers(std::vector<Case> &cases) {
  Kernel kernel;
  kernel.gathers = true;
  for (const char *index : {"i32", "i64"}) {
    kernel.index = index;
    add(cases, "host", hostOutputs, kernel);
  }
  kernel.index = "i32";
  kernel.classes = "row_segments,row_slices";
  for (int64_t width : {0, 200, 60000}) {
    kernel.width = width;
    add(cases, "host", hostOutputs, kernel);
  }
}

std::vector<Case> hostCases() {
  std::vector<Case> cases;
  addViews(cases, "host", hostOutputs);
  addGathers(cases);
  addPacked(cases, "host", hostOutputs,
            {"row_segments", "scattered", kGeneral, "scattered,row_slices",
             "row_segments,row_tiles", "row_segments,row_windows",
             "row_segments,scattered,dense_tile,row_slices,row_tiles,"
             "row_windows"});
  return cases;
}

std::vector<Case> gpuCases() {
  std::vector<Case> cases;
  addViews(cases, "gpu", gpuOutputs);
  addPacked(cases, "gpu", gpuOutputs, {"row_segments", "scattered", kGeneral});
  return cases;
}

} // namespace astfe::zoo
