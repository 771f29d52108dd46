//===- astfe-launch.cpp - saved kernels where only the driver is ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a kernel file, its PTX and a packed tensor, runs C = A B on the first
// CUDA device, checks and times. Links neither LLVM nor CUDA.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Core/Tensor/Frostt.h"
#include "ASTFE/Runtime/Launcher.h"
#include "Main.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

using namespace astfe;

namespace {

struct Request {
  std::string kernel, packed, matrix;
  rt::LaunchRequest launch;
  bool json = false;
};

tools::Options declare(Request &request, int64_t &seed) {
  constexpr int64_t kMost = int64_t(1) << 31;
  tools::Options options("astfe-launch",
                         "runs a saved kernel on a saved packed tensor");
  options.text("kernel", "FILE", "the kernel file (JSON; its PTX beside it)",
               request.kernel, tools::Needed::Yes);
  options.text("packed", "FILE", "the packed tensor A", request.packed,
               tools::Needed::Yes);
  options.integer("columns", "N", "columns of B and C = A B",
                  request.launch.columns, 1, kMost);
  options.flag("check", "compare with a loop in float64", request.launch.check);
  options.text("matrix", "FILE",
               "A before it was packed: what --check compares with",
               request.matrix);
  options.integer("repeat", "N", "timed batches of runs", request.launch.repeat,
                  0, 1 << 20);
  options.integer("seed", "N", "of the elements of B", seed, 0,
                  std::numeric_limits<int64_t>::max());
  options.flag("json", "print one JSON object", request.json);
  return options;
}

/// The text of a file beside another one.
core::Result<std::string> readBeside(const std::string &file,
                                     const std::string &name) {
  size_t slash = file.rfind('/');
  bool relative = !name.empty() && name[0] != '/';
  std::string path = relative && slash != std::string::npos
                         ? file.substr(0, slash + 1) + name
                         : name;
  if (core::Status status = core::checkRegular(path); !status)
    return status.error();
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || text.empty())
    return core::Error{path + ": expected the kernel's PTX but got nothing"};
  return text;
}

nlohmann::ordered_json describe(const Request &request,
                                const core::KernelFile &kernel,
                                const core::PackedTensor &tensor,
                                const rt::LaunchOutcome &outcome) {
  const core::Packed &p = tensor.pattern;
  nlohmann::ordered_json json = {{"kernel", kernel.entry},
                                 {"device", outcome.device},
                                 {"rows", p.shape[0]},
                                 {"cols", p.shape[1]},
                                 {"nnz", p.nonzeros},
                                 {"columns", request.launch.columns},
                                 {"groups", p.groups},
                                 {"workers", p.workers()},
                                 {"seconds",
                                  {{"run_median", outcome.secondsMedian},
                                   {"run_min", outcome.secondsMin},
                                   {"clear_median", outcome.secondsClear},
                                   {"batch", outcome.batch}}}};
  if (request.launch.check) {
    bool passed = outcome.maxRelativeError <= rt::errorBound(kernel);
    json["max_relative_error"] = outcome.maxRelativeError;
    json["check"] = passed ? "passed" : "failed";
  }
  return json;
}

void print(const nlohmann::ordered_json &json) {
  for (const auto &[key, value] : json.items())
    std::printf("%-18s %s\n", key.c_str(),
                value.is_string() ? value.get<std::string>().c_str()
                                  : value.dump().c_str());
}

/// Fails also where the check, if one was asked for, does.
core::Status run(const Request &request) {
  if (!request.matrix.empty() && !request.launch.check)
    return core::Error{"--matrix: expected --check, which compares with it"};
  if (core::Status status = core::checkRegular(request.kernel); !status)
    return status;
  core::Result<core::KernelFile> kernel = core::readKernelFile(request.kernel);
  if (!kernel)
    return kernel.error();
  core::Result<std::string> ptx = readBeside(request.kernel, kernel->ptx);
  if (!ptx)
    return ptx.error();
  core::Result<core::PackedTensor> tensor = core::readPacked(request.packed);
  if (!tensor)
    return tensor.error();
  rt::LaunchRequest launch = request.launch;
  core::CsrMatrix matrix;
  if (!request.matrix.empty()) {
    core::Result<core::CooTensor> read = core::readTensor(request.matrix);
    if (!read)
      return read.error();
    core::Result<core::CsrMatrix> csr = core::toCsr(*read);
    if (!csr)
      return csr.error();
    matrix = std::move(*csr);
    launch.matrix = &matrix;
  }
  core::Result<rt::Device *> device = rt::cudaDevice();
  if (!device)
    return device.error();
  core::Result<rt::LaunchOutcome> outcome =
      rt::launchPacked(**device, *kernel, *ptx, *tensor, launch);
  if (!outcome)
    return outcome.error();
  nlohmann::ordered_json json = describe(request, *kernel, *tensor, *outcome);
  if (request.json)
    std::printf("%s\n", json.dump(2).c_str());
  else
    print(json);
  if (json.contains("check") && json["check"] != "passed")
    return core::Error{"expected the result of the loop in float64 but got "
                       "another (see max_relative_error)"};
  return core::Success();
}

} // namespace

int main(int argc, char **argv) {
  Request request;
  int64_t seed = 1;
  tools::Options options = declare(request, seed);
  return tools::runTool(options, argc, argv, [&] {
    request.launch.seed = uint64_t(seed);
    return run(request);
  });
}
