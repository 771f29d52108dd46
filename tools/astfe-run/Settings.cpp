//===- Settings.cpp - what the command line asks for ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Settings.h"
#include "ASTFE/Core/Graph/Refine.h"
#include "ASTFE/Core/Support/Element.h"
#include "ASTFE/Core/Target/Chip.h"
#include "GivenAgain.h"
#include "NamedInputs.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace astfe::run {
namespace {

cl::SubCommand spmm("spmm", "C = A B: a sparse matrix times a dense one");
cl::SubCommand spmv("spmv", "y = A x: a sparse matrix times a vector");
cl::SubCommand sddmm("sddmm", "S = A .* (X Y^T): products of dense rows, "
                              "sampled where A stores something");
cl::SubCommand attention("attention",
                         "O = softmax(Q K^T / sqrt(dim)) V over the stored "
                         "entries of a matrix A, for each head");
cl::SubCommand mttkrp("mttkrp", "M(i,r) = sum of T(i,j,k) B(j,r) C(k,r), for "
                                "a mode i of a tensor of any rank");
cl::SubCommand ttv("ttv", "Y = a tensor T times a vector along a mode");
cl::SubCommand ttm("ttm", "Y = a tensor T times a matrix along a mode");
cl::OptionCategory category("astfe-run options");

cl::SubCommand run("run", "FILE.mlir: the function of a module; `astfe-run "
                          "FILE.mlir` is the same");

// The options are those of each subcommand: the top level belongs to the
// options of LLVM's libraries, some of which have the same names.
#define ASTFE_SUBS cl::sub(run), ASTFE_MATRICES
// Those of the built-in computations of matrices.
#define ASTFE_MATRICES cl::sub(sddmm), ASTFE_PRODUCTS
#define ASTFE_PRODUCTS cl::sub(spmm), cl::sub(spmv), cl::cat(category)
// Those of tensors.
#define ASTFE_TENSORS                                                          \
  cl::sub(mttkrp), cl::sub(ttv), cl::sub(ttm), cl::cat(category)
#define ASTFE_ALL cl::sub(run), ASTFE_BUILT_IN
#define ASTFE_BUILT_IN cl::sub(sddmm), cl::sub(attention), ASTFE_ALL_PRODUCTS
#define ASTFE_ALL_PRODUCTS cl::sub(spmm), cl::sub(spmv), ASTFE_TENSORS

cl::opt<std::string> file(cl::Positional, cl::desc("FILE.mlir"), cl::Required,
                          cl::cat(category), cl::sub(run));
cl::list<std::string>
    matrix("matrix",
           cl::desc("Matrix Market file (.mtx) of the sparse operand, "
                    "[A=]FILE; for "
                    "FILE.mlir NAME=FILE for each sparse argument %NAME, or "
                    "FILE for those without"),
           cl::value_desc("[name=]file"), cl::sub(attention), ASTFE_SUBS);
cl::list<std::string>
    tensor("tensor",
           cl::desc("FROSTT file (.tns) of the sparse operand, [T=]FILE, of "
                    "rank 1 or 3 to 8; for FILE.mlir as --matrix"),
           cl::value_desc("[name=]file"), cl::sub(run), ASTFE_TENSORS);
cl::opt<int64_t> mode("mode", cl::init(0),
                      cl::desc("The mode whose rows are summed into (mttkrp), "
                               "or that is summed over (default 0)"),
                      ASTFE_TENSORS);
cl::opt<int64_t> rank("rank", cl::init(32),
                      cl::desc("Columns of the factors (default 32)"),
                      cl::cat(category), cl::sub(mttkrp));
cl::list<std::string>
    scalar("scalar",
           cl::desc("The value of a scalar argument %NAME (floats are random "
                    "otherwise)"),
           cl::value_desc("name=value"), cl::cat(category), cl::sub(run));
cl::opt<int64_t> columns("cols", cl::init(128),
                         cl::desc("Columns of the dense operand (default 128, "
                                  "of ttm 32)"),
                         cl::cat(category), cl::sub(spmm), cl::sub(run),
                         cl::sub(ttm));
cl::opt<int64_t> inner("inner", cl::init(64),
                       cl::desc("Columns of X and of Y (default 64)"),
                       cl::cat(category), cl::sub(sddmm));
cl::opt<int64_t> heads("heads", cl::init(1),
                       cl::desc("Heads of Q, K and V (default 1)"),
                       cl::cat(category), cl::sub(attention));
cl::opt<int64_t> dim("dim", cl::init(64),
                     cl::desc("Dimensions of a head (default 64)"),
                     cl::cat(category), cl::sub(attention));
cl::opt<product::Mask> mask("mask", cl::init(product::Mask::Pattern),
                            cl::desc("What the matrix does to scores:"),
                            cl::ValuesClass({
#define ASTFE_MASK(Name, name, What)                                           \
  clEnumValN(product::Mask::Name, #name, What),
#include "ASTFE/Product/Masks.def"
                            }),
                            cl::cat(category), cl::sub(attention));
cl::opt<bool> backward("backward", cl::desc("Also the gradients of Q, K and V"),
                       cl::cat(category), cl::sub(attention));
cl::opt<Device> device(
    "device", cl::init(Device::Auto), cl::desc("Where to run:"),
    cl::values(clEnumValN(Device::Auto, "auto",
                          "cuda if there is one, or host"),
               clEnumValN(Device::Host, "host", "this processor, compiled"),
               clEnumValN(Device::Emulator, "emulator",
                          "the GPU kernel on host fibers, checked"),
               clEnumValN(Device::Cuda, "cuda", "an NVIDIA GPU")),
    ASTFE_ALL);
cl::opt<bool> check("check", cl::desc("Compare with float64; exit 1 if wrong"),
                    ASTFE_ALL);
cl::opt<bool> json("json", cl::desc("Print one JSON object"), ASTFE_ALL);
cl::opt<std::string>
    order("order", cl::init("auto"),
          cl::desc("Order of the nonzeros, or auto (least predicted time)"),
          ASTFE_ALL);
cl::opt<std::string> reorder(
    "reorder", cl::init(""),
    cl::desc("Renumber first: none, labels, rcm, twins or auto (default: "
             "auto where the order is auto, else none); none or auto of "
             "tensors, which have no other"),
    cl::value_desc("kind"), cl::sub(run), cl::sub(sddmm), ASTFE_ALL_PRODUCTS);
cl::opt<std::string>
    hubs("hubs", cl::init(""),
         cl::desc("Rows and columns to set apart: none, auto or at most N "
                  "each (default: auto where reordered)"),
         cl::value_desc("count"), ASTFE_SUBS);
cl::opt<int64_t>
    expectedRuns("expected-runs", cl::init(core::kExpectedRuns),
                 cl::desc("Runs that auto pays for itself in (default 100)"),
                 ASTFE_SUBS);
enum class Stored { Packed, View, Auto };
cl::opt<Stored> storage(
    "storage", cl::init(Stored::Auto), cl::desc("Storage:"),
    cl::values(clEnumValN(Stored::View, "view", "the caller's arrays, no copy"),
               clEnumValN(Stored::Packed, "packed",
                          "regrouped by the graph"),
               clEnumValN(Stored::Auto, "auto",
                          "as C and Python have it (default): of a matrix's "
                          "product the caller's rows where packing them brings "
                          "nothing; of attention a view; else packed")),
    ASTFE_ALL);
cl::opt<std::string> leaf("leaf", cl::init("auto"),
                          cl::desc("Mean nonzeros of a block of G(0), or auto"),
                          ASTFE_ALL);
cl::opt<int64_t> minimum("min", cl::init(256),
                         cl::desc("Nonzeros below which a bin is not split"),
                         ASTFE_ALL);
cl::opt<std::string> threshold("threshold", cl::init("auto"),
                               cl::desc("tau in (1/2, 1), or auto"), ASTFE_ALL);
cl::opt<core::Element> element(
    "type", cl::init(core::Element::F32),
    cl::desc("Element type (bytes are summed up in 32 bits; c64 and c128 are "
             "complex numbers of f32 and f64):"),
    cl::ValuesClass({
#define ASTFE_ELEMENT(Name, name, Type)                                        \
  clEnumValN(core::Element::Name, #name, ""),
#define ASTFE_HOST_ELEMENT(Name, name, Type) ASTFE_ELEMENT(Name, name, Type)
#include "ASTFE/Core/Support/Elements.def"
    }),
    ASTFE_BUILT_IN);
cl::opt<core::Semiring> semiring("semiring",
                                 cl::init(core::Semiring::PlusTimes),
                                 cl::desc("What is computed:"),
                                 cl::ValuesClass({
#define ASTFE_SEMIRING(Name, name, What)                                       \
  clEnumValN(core::Semiring::Name, #name, What),
#include "ASTFE/Core/Kernel/Semirings.def"
                                 }),
                                 ASTFE_ALL_PRODUCTS);
cl::opt<int64_t> threads("threads", cl::init(0),
                         cl::desc("Threads (default: the machine's)"),
                         ASTFE_ALL);
cl::opt<int64_t> memory(
    "memory", cl::value_desc("bytes"), cl::init(0),
    cl::desc("Most bytes of a packed tensor's tables up to which copies by other "
             "modes than the one it is packed by are added; modes whose "
             "copy has no room are arranged piece by piece in each run "
             "(default: all that there are)"),
    cl::sub(run), ASTFE_TENSORS);
cl::opt<int64_t> repeat("repeat", cl::init(7),
                        cl::desc("Timed runs (default 7)"), ASTFE_ALL);
cl::opt<uint64_t> seed("seed", cl::init(1),
                       cl::desc("Seed of the dense operands"), ASTFE_ALL);
cl::opt<bool> accumulate("accumulate",
                         cl::desc("Add to the output: C += A B (default: C = "
                                  "A B)"),
                         ASTFE_ALL_PRODUCTS);
cl::opt<bool> transpose("transpose",
                        cl::desc("A^T in the place of A, from the same file "
                                 "and arrays"),
                        cl::cat(category), cl::sub(spmm), cl::sub(spmv));
/// Values of --compare.
const char *const kUpstream = "upstream", *const kUnfused = "unfused";
cl::opt<std::string>
    compare("compare",
            cl::desc("upstream: also run the same function "
                     "through upstream's sparsifier, interleaved; unfused: of "
                     "attention, also a kernel for each computation"),
            cl::value_desc("peer"), ASTFE_BUILT_IN);
cl::opt<std::string>
    model("model",
          cl::desc("h200: with --device=emulator, print the limits and the "
                   "predicted time of the kernels on that GPU"),
          cl::value_desc("gpu"), ASTFE_ALL);
cl::opt<std::string>
    dumpIr("dump-ir", cl::desc("Write the IR of each stage into a folder"),
           cl::value_desc("dir"), ASTFE_ALL);
cl::opt<std::string>
    emitPtx("emit-ptx",
            cl::desc("Write the kernel's PTX, and FILE.json for "
                     "astfe-launch; of FILE.mlir all kernels, each with "
                     "FILE.KERNEL.json"),
            cl::value_desc("file"), ASTFE_SUBS);
cl::opt<std::string> emitPacked("emit-packed",
                                cl::desc("Write the packed tables for "
                                         "astfe-launch"),
                                cl::value_desc("file"), ASTFE_PRODUCTS);
cl::opt<std::string>
    chip("chip", cl::init("sm_90"),
         cl::desc("GPU that the kernels of --device=cuda or emulator, and of "
                  "--emit-ptx, are for (default: what --device=cuda is, else "
                  "sm_90)"),
         cl::sub(attention), ASTFE_SUBS);
cl::opt<std::string>
    cpu("cpu", cl::init("native"),
        cl::desc("CPU to compile host code for: a name of LLVM's, or native "
                 "(default)"),
        ASTFE_ALL);
cl::opt<std::string> features("cpu-features", cl::init(""),
                              cl::desc("Beside those of --cpu: +avx2,-fma,..."),
                              cl::value_desc("list"), ASTFE_ALL);
cl::opt<int64_t>
    optLevel("opt-level", cl::init(3),
             cl::desc("LLVM's optimisation level for host code, 0 to 3 "
                      "(default 3)"),
             cl::value_desc("N"), cl::sub(run), cl::cat(category));
cl::opt<std::string>
    kernelCache("kernel-cache", cl::init(""),
                cl::desc("Folder of compiled kernels, or off (default: "
                         "$ASTFE_KERNEL_CACHE, or ~/.cache/astfe/kernels)"),
                cl::value_desc("dir"), ASTFE_ALL);
cl::opt<int64_t>
    kernelCacheBytes("kernel-cache-bytes", cl::init(int64_t(256) << 20),
                     cl::desc("Of that folder, at most (default 256 MiB)"),
                     ASTFE_ALL);
cl::opt<core::Duplicates> duplicates(
    "duplicates", cl::init(core::Duplicates::Error),
    cl::desc("Coordinates that occur twice:"),
    cl::values(clEnumValN(core::Duplicates::Error, "error",
                          "an error that names both lines (default)"),
               clEnumValN(core::Duplicates::Sum, "sum", "add their values")),
    ASTFE_ALL);

[[noreturn]] void fail(const Twine &text) {
  WithColor::error(errs(), "astfe-run") << text << '\n';
  exit(1);
}

int64_t integerOrAuto(const std::string &text, StringRef name) {
  int64_t value = 0;
  if (text == "auto")
    return 0;
  if (StringRef(text).getAsInteger(10, value) || value < 1)
    fail("--" + name + ": expected a positive integer or 'auto' but got '" +
         text + "'");
  return value;
}

std::optional<double> parseThreshold() {
  auto tau = core::parseThreshold(threshold);
  if (!tau)
    fail("--threshold: " + tau.message());
  return *tau;
}

/// Columns of the dense operands: one product has none, others have their own
/// option or default.
int64_t parseColumns(Kernel kernel) {
  switch (kernel) {
  case Kernel::SpMV:
  case Kernel::TTV:
    return 1;
  case Kernel::MTTKRP:
    return rank;
  case Kernel::SDDMM:
    return inner;
  case Kernel::Attention:
    return dim;
  case Kernel::TTM:
    return columns.getNumOccurrences() ? int64_t(columns) : 32;
  default:
    return columns;
  }
}

void requireInRange(StringRef name, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high)
    fail("--" + name + ": expected " + Twine(low) + ".." + Twine(high) +
         " but got " + Twine(value));
}

/// Fills whom the computation is compared with.
void parseCompare(Settings &s) {
  s.compareUnfused = compare == kUnfused;
  s.compareUpstream = compare == kUpstream;
  if (!compare.empty() && !s.compareUnfused && !s.compareUpstream)
    fail(Twine("--compare: expected '") + kUpstream + "' or, of attention, '" +
         kUnfused + "' but got '" + compare + "'");
  if (s.compareUnfused && s.kernel != Kernel::Attention)
    fail("--compare: expected attention for 'unfused'");
}

/// Fills what attention alone has. Its chains run over the matrix as it is
/// stored.
void parseAttention(Settings &s) {
  requireInRange("heads", heads, 1, 1 << 20);
  s.heads = heads;
  s.dim = dim;
  s.mask = mask;
  s.backward = backward;
  if (s.kernel != Kernel::Attention)
    return;
  if (storage == Stored::Packed)
    fail("--storage: expected view or auto for attention but got packed");
  storage = Stored::View;
  if (core::isHalf(element) && s.compareUpstream)
    fail("--compare: expected no halves for upstream's attention but got " +
         std::string(core::elementName(element)));
  if (s.compareUpstream && (backward || mask == product::Mask::Add))
    fail("--compare: expected neither --backward nor --mask=add");
}

/// Fills order, reorder and hubs.
void parseArrangement(Settings &s) {
  if (order != "auto" && !(s.order = core::parseOrder(order.getValue())))
    fail("--order: expected " + core::orderNames().text("auto") + " but got '" +
         order + "'");
  if (reorder.empty() ? s.order.has_value() : reorder != "auto")
    s.reorder =
        core::parseReorder(reorder.empty() ? "none" : reorder.getValue());
  if (!reorder.empty() && reorder != "auto" && !s.reorder)
    fail("--reorder: expected " + core::reorderNames().text("auto") +
         " but got '" + reorder + "'");
  bool isPlain = s.reorder == core::ReorderKind::None;
  auto most = core::parseHubs(hubs.empty() ? (isPlain ? "none" : "auto")
                                           : hubs.getValue());
  if (!most)
    fail("--hubs: expected none, auto or a number from 1 but got '" + hubs +
         "'");
  s.hubs = *most;
  if (storage != Stored::View)
    return;
  if (s.order && *s.order != core::OrderKind::Rows)
    fail("--storage=view walks the caller's rows: expected --order=rows but "
         "got '" +
         order + "'");
  if (!reorder.empty() && reorder != "none" && reorder != "auto")
    fail("--storage=view walks the caller's rows: expected --reorder=none but "
         "got '" +
         reorder + "'");
  s.order = core::OrderKind::Rows;
  s.reorder = core::ReorderKind::None;
  s.hubs = core::kNoHubs;
}

/// The file of --matrix or --tensor, where the computation has one, by the name
/// that its formula has for it.
std::string onlyFile(const cl::list<std::string> &files, const char *name) {
  if (files.empty() || files[0].empty())
    fail("expected --" + files.ArgStr + " FILE");
  if (files.size() > 1)
    fail("--" + files.ArgStr + ": expected it once but got it " +
         Twine(files.size()) + " times");
  auto path = fileOf(name, "--" + files.ArgStr.str(), files[0]);
  if (!path)
    fail(path.message());
  return *path;
}

Kernel parseKernel() {
  if (spmm)
    return Kernel::SpMM;
  if (spmv)
    return Kernel::SpMV;
  if (sddmm)
    return Kernel::SDDMM;
  if (attention)
    return Kernel::Attention;
  if (run)
    return Kernel::File;
  if (mttkrp)
    return Kernel::MTTKRP;
  if (ttv)
    return Kernel::TTV;
  if (ttm)
    return Kernel::TTM;
  fail("expected 'spmm', 'spmv', 'sddmm', 'attention', 'mttkrp', 'ttv', 'ttm' "
       "or a .mlir file; see --help");
}

} // namespace

Settings parseCommandLine(int argc, char **argv) {
  cl::HideUnrelatedOptions({&category}, cl::SubCommand::getTopLevel());
  // `astfe-run FILE.mlir` is `astfe-run run FILE.mlir`.
  std::vector<const char *> words(argv, argv + argc);
  if (argc > 1 && StringRef(argv[1]).ends_with(".mlir"))
    words.insert(words.begin() + 1, "run");
  cl::ParseCommandLineOptions(
      int(words.size()), words.data(),
      "astfe-run: runs a sparse program through ASTFE, checks and times it\n");
  Settings s;
  s.kernel = parseKernel();
  s.file = file;
  s.matrices = {matrix.begin(), matrix.end()};
  s.matrices.insert(s.matrices.end(), tensor.begin(), tensor.end());
  s.scalars = {scalar.begin(), scalar.end()};
  s.mode = mode;
  if (isOfTensors(s.kernel))
    s.tensor = onlyFile(tensor, "T");
  else if (s.kernel != Kernel::File)
    s.matrix = onlyFile(matrix, "A");
  s.columns = parseColumns(s.kernel);
  requireInRange(s.kernel == Kernel::MTTKRP      ? "rank"
                 : s.kernel == Kernel::SDDMM     ? "inner"
                 : s.kernel == Kernel::Attention ? "dim"
                                                 : "cols",
                 s.columns, 1, 1 << 20);
  requireInRange("threads", threads, 0, 4096);
  requireInRange("memory", memory, 0, INT64_MAX);
  requireInRange("repeat", repeat, 1, 1000000);
  requireInRange("min", minimum, 1, INT64_MAX);
  requireInRange("kernel-cache-bytes", kernelCacheBytes, 1, INT64_MAX);
  requireInRange("opt-level", optLevel, 0, 3);
  if (const cl::Option *option = optionGivenAgain())
    fail("--" + option->ArgStr + ": expected it once but got it " +
         Twine(option->getNumOccurrences()) + " times");
  if (const cl::Option *option = optionGivenNothing(
          {&compare, &dumpIr, &emitPacked, &emitPtx, &hubs, &kernelCache,
           &model, &reorder}))
    fail("--" + option->ArgStr + ": expected a value but got none");
  requireInRange("expected-runs", expectedRuns, 1, INT64_MAX);
  parseCompare(s);
  parseAttention(s);
  parseArrangement(s);
  if (!core::findChip(chip.getValue()))
    fail("--chip: expected " + core::chipNames() + " but got '" + chip + "'");
  if (s.compareUpstream && device == Device::Emulator)
    fail("--compare: the emulator's time says nothing; expected another "
         "--device");
  if (transpose && (!emitPtx.empty() || !emitPacked.empty()))
    fail("--transpose: expected neither --emit-ptx nor --emit-packed");
  if ((!emitPtx.empty() || !emitPacked.empty()) && !core::isOnGPU(element))
    fail("--type: expected " + core::gpuElementNames().text() +
         " for a GPU's files but got " +
         std::string(core::elementName(element)));
  if (!model.empty() && model != "h200")
    fail("--model: expected 'h200' but got '" + model + "'");
  if (!model.empty() && (device != Device::Emulator || json))
    fail("--model: expected --device=emulator, and no --json");
  s.expectedRuns = expectedRuns;
  s.device = device;
  s.check = check;
  s.json = json;
  s.storage =
      storage == Stored::View ? core::Storage::View : core::Storage::Packed;
  // Samples are packed: their views are predicted slower on a GPU.
  s.choosesStorage =
      storage == Stored::Auto &&
      is_contained({Kernel::SpMV, Kernel::SpMM, Kernel::File}, s.kernel);
  s.leaf = integerOrAuto(leaf, "leaf");
  s.min = minimum;
  s.threshold = parseThreshold();
  s.arithmetic = {element, semiring};
  if (auto status = s.arithmetic.check(); !status)
    fail("--semiring: " + status.message());
  s.threads = threads;
  s.memory = memory;
  s.repeat = repeat;
  s.seed = seed;
  s.model = model;
  s.accumulate = accumulate;
  s.transpose = transpose;
  s.dumpIr = dumpIr;
  s.emitPtx = emitPtx;
  s.emitPacked = emitPacked;
  s.chip = chip;
  s.choosesChip = chip.getNumOccurrences() == 0;
  s.cpu = cpu;
  s.features = features;
  s.optLevel = unsigned(optLevel);
  s.kernelCache = kernelCache;
  s.kernelCacheBytes = kernelCacheBytes;
  s.duplicates = duplicates;
  return s;
}

} // namespace astfe::run
