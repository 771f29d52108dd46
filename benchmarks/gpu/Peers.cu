//===- Peers.cu - saved kernels against cuSPARSE and cuBLAS ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: astfe-bench-peers --matrix=A.mtx --columns=N --kernel=K.json
//                          --packed=A.packed
//
// C += A B in f32, row-major, by a saved kernel on a saved tensor (astfe-run
// --emit-ptx --emit-packed), by every algorithm of cuSPARSE (preprocessed where
// there is a preprocessing step; set-up is not timed), and by cuBLAS on the
// dense A where it fits. Each result is checked once; what fails or is wrong is
// left out, and printed as '-'. Rounds are interleaved; the median of each is
// printed as one line of tab-separated fields. Without options it names the
// device. run_cuda.sh builds and runs it.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/MatrixMarket.h"
#include "ASTFE/Runtime/Launcher.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusparse.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

using namespace astfe;

namespace {

constexpr int kRounds = 9;
constexpr double kMostDenseBytes = 8e9;
constexpr float kInput = 0.5f; ///< every element of B

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "astfe-bench-peers: error: %s\n", message.c_str());
  std::exit(1);
}

void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    fail(std::string(what) + ": " + cudaGetErrorString(status));
}

template <typename T>
T *upload(const std::vector<T> &data) {
  void *memory = nullptr;
  check(cudaMalloc(&memory, std::max<size_t>(data.size(), 1) * sizeof(T)),
        "cudaMalloc");
  check(cudaMemcpy(memory, data.data(), data.size() * sizeof(T),
                   cudaMemcpyHostToDevice),
        "cudaMemcpy");
  return static_cast<T *>(memory);
}

/// One way to compute C, ready to run; `run` is false where it fails.
struct Candidate {
  std::string name;
  std::function<bool()> run;
};

struct Problem {
  int rows, depth, columns;
  int64_t nonzeros;
  std::vector<int> positions, coordinates, rowOf;
  std::vector<float> values;
  int *devicePositions, *deviceCoordinates, *deviceRows;
  float *deviceValues, *b, *c;
};

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

} // namespace

static Problem readProblem(const std::string &path, int columns) {
  auto coo = core::readMatrixMarket(path, {core::Duplicates::Sum});
  if (!coo)
    fail(coo.message());
  auto csr = core::toCsr(*coo);
  if (!csr)
    fail(csr.message());
  Problem p;
  p.rows = int(csr->rows);
  p.depth = int(csr->columns);
  p.columns = columns;
  p.positions.assign(csr->positions.begin(), csr->positions.end());
  p.coordinates.assign(csr->coordinates.begin(), csr->coordinates.end());
  p.values.assign(csr->values.begin(), csr->values.end());
  p.nonzeros = int64_t(p.values.size());
  for (int row = 0; row < p.rows; ++row)
    p.rowOf.insert(p.rowOf.end(),
                   size_t(p.positions[row + 1] - p.positions[row]), row);
  p.devicePositions = upload(p.positions);
  p.deviceCoordinates = upload(p.coordinates);
  p.deviceRows = upload(p.rowOf);
  p.deviceValues = upload(p.values);
  p.b = upload(std::vector<float>(size_t(p.depth) * columns, kInput));
  p.c = upload(std::vector<float>(size_t(p.rows) * columns, 0));
  return p;
}

//===----------------------------------------------------------------------===//
// Peers
//===----------------------------------------------------------------------===//

static cusparseSpMatDescr_t describe(const Problem &p, bool coo) {
  cusparseSpMatDescr_t matrix = nullptr;
  if (coo)
    cusparseCreateCoo(&matrix, p.rows, p.depth, p.nonzeros, p.deviceRows,
                      p.deviceCoordinates, p.deviceValues, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  else
    cusparseCreateCsr(&matrix, p.rows, p.depth, p.nonzeros, p.devicePositions,
                      p.deviceCoordinates, p.deviceValues, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  return matrix;
}

static void *workspace(size_t bytes) {
  void *memory = nullptr;
  check(cudaMalloc(&memory, std::max<size_t>(bytes, 1)), "cudaMalloc");
  return memory;
}

static const float kOne = 1;
constexpr auto kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;

static Candidate sparseVector(cusparseHandle_t handle, const Problem &p,
                              const char *name, cusparseSpMVAlg_t algorithm,
                              bool coo) {
  cusparseSpMatDescr_t a = describe(p, coo);
  cusparseDnVecDescr_t x, y;
  cusparseCreateDnVec(&x, p.depth, p.b, CUDA_R_32F);
  cusparseCreateDnVec(&y, p.rows, p.c, CUDA_R_32F);
  size_t bytes = 0;
  if (cusparseSpMV_bufferSize(handle, kPlain, &kOne, a, x, &kOne, y, CUDA_R_32F,
                              algorithm, &bytes))
    return {name, [] { return false; }};
  void *buffer = workspace(bytes);
  cusparseSpMV_preprocess(handle, kPlain, &kOne, a, x, &kOne, y, CUDA_R_32F,
                          algorithm, buffer);
  return {name, [=] {
            return cusparseSpMV(handle, kPlain, &kOne, a, x, &kOne, y,
                                CUDA_R_32F, algorithm,
                                buffer) == CUSPARSE_STATUS_SUCCESS;
          }};
}

static Candidate sparseMatrix(cusparseHandle_t handle, const Problem &p,
                              const char *name, cusparseSpMMAlg_t algorithm,
                              bool coo) {
  cusparseSpMatDescr_t a = describe(p, coo);
  cusparseDnMatDescr_t b, c;
  cusparseCreateDnMat(&b, p.depth, p.columns, p.columns, p.b, CUDA_R_32F,
                      CUSPARSE_ORDER_ROW);
  cusparseCreateDnMat(&c, p.rows, p.columns, p.columns, p.c, CUDA_R_32F,
                      CUSPARSE_ORDER_ROW);
  size_t bytes = 0;
  if (cusparseSpMM_bufferSize(handle, kPlain, kPlain, &kOne, a, b, &kOne, c,
                              CUDA_R_32F, algorithm, &bytes))
    return {name, [] { return false; }};
  void *buffer = workspace(bytes);
  cusparseSpMM_preprocess(handle, kPlain, kPlain, &kOne, a, b, &kOne, c,
                          CUDA_R_32F, algorithm, buffer);
  return {name, [=] {
            return cusparseSpMM(handle, kPlain, kPlain, &kOne, a, b, &kOne, c,
                                CUDA_R_32F, algorithm,
                                buffer) == CUSPARSE_STATUS_SUCCESS;
          }};
}

/// C' = B' A' in cuBLAS's column-major order.
static Candidate dense(const Problem &p) {
  double bytes = double(p.rows) * p.depth * sizeof(float);
  if (bytes > kMostDenseBytes)
    return {"cublas", [] { return false; }};
  std::vector<float> a(size_t(p.rows) * p.depth, 0);
  for (int64_t n = 0; n < p.nonzeros; ++n)
    a[size_t(p.rowOf[n]) * p.depth + p.coordinates[n]] += p.values[n];
  float *device = upload(a);
  static cublasHandle_t handle = nullptr;
  if (!handle && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
    fail("cublasCreate failed");
  return {"cublas", [=, &p] {
            return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, p.columns,
                               p.rows, p.depth, &kOne, p.b, p.columns, device,
                               p.depth, &kOne, p.c,
                               p.columns) == CUBLAS_STATUS_SUCCESS;
          }};
}

static std::vector<Candidate> peersOf(const Problem &p) {
  cusparseHandle_t handle = nullptr;
  if (cusparseCreate(&handle) != CUSPARSE_STATUS_SUCCESS)
    fail("cusparseCreate failed");
  if (p.columns == 1)
    return {sparseVector(handle, p, "csr1", CUSPARSE_SPMV_CSR_ALG1, false),
            sparseVector(handle, p, "csr2", CUSPARSE_SPMV_CSR_ALG2, false),
            sparseVector(handle, p, "coo1", CUSPARSE_SPMV_COO_ALG1, true),
            dense(p)};
  return {sparseMatrix(handle, p, "csr1", CUSPARSE_SPMM_CSR_ALG1, false),
          sparseMatrix(handle, p, "csr2", CUSPARSE_SPMM_CSR_ALG2, false),
          sparseMatrix(handle, p, "csr3", CUSPARSE_SPMM_CSR_ALG3, false),
          sparseMatrix(handle, p, "coo4", CUSPARSE_SPMM_COO_ALG4, true),
          dense(p)};
}

/// Runs it on a C of zeros: all of a row's elements are half its values' sum.
static bool isRight(const Problem &p, const Candidate &candidate) {
  std::vector<float> c(size_t(p.rows) * p.columns);
  check(cudaMemset(p.c, 0, c.size() * sizeof(float)), "cudaMemset");
  if (!candidate.run() || cudaDeviceSynchronize() != cudaSuccess) {
    cudaGetLastError(); // or the next call reports it
    return false;
  }
  check(cudaMemcpy(c.data(), p.c, c.size() * sizeof(float),
                   cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  for (int row = 0; row < p.rows; ++row) {
    double sum = 0, scale = 0;
    for (int n = p.positions[row]; n < p.positions[row + 1]; ++n) {
      sum += double(kInput) * p.values[n];
      scale += double(kInput) * std::abs(p.values[n]);
    }
    for (int k = 0; k < p.columns; ++k)
      if (!(std::abs(c[size_t(row) * p.columns + k] - sum) <= 1e-4 * scale))
        return false;
  }
  return true;
}

/// Seconds of one run after one that is not timed.
static double timeOnce(const Candidate &candidate) {
  cudaEvent_t start, end;
  check(cudaEventCreate(&start), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  bool works = candidate.run();
  cudaEventRecord(start);
  works = works && candidate.run();
  cudaEventRecord(end);
  check(cudaEventSynchronize(end), candidate.name.c_str());
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, start, end);
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  if (!works)
    fail(candidate.name + " ran once, but not again");
  return double(milliseconds) * 1e-3;
}

//===----------------------------------------------------------------------===//
// Ours
//===----------------------------------------------------------------------===//

namespace {
/// A saved kernel and a saved tensor.
struct Saved {
  core::KernelFile kernel;
  std::string image;
  core::PackedTensor tensor;
};
} // namespace

static Saved readSaved(const std::string &kernelPath,
                       const std::string &packedPath) {
  auto kernel = core::readKernelFile(kernelPath);
  if (!kernel)
    fail(kernel.message());
  size_t slash = kernelPath.rfind('/');
  std::string folder =
      slash == std::string::npos ? "" : kernelPath.substr(0, slash + 1);
  std::ifstream file(folder + kernel->ptx, std::ios::binary);
  std::string image{std::istreambuf_iterator<char>(file), {}};
  auto tensor = core::readPacked(packedPath);
  if (!tensor)
    fail(tensor.message());
  return {*kernel, image, std::move(*tensor)};
}

static double timeOurs(const Saved &saved, int columns, bool checked) {
  auto device = rt::cudaDevice(0);
  if (!device)
    fail(device.message());
  rt::LaunchRequest request;
  request.columns = columns;
  request.repeat = 3;
  request.check = checked;
  auto outcome = rt::launchPacked(**device, saved.kernel, saved.image,
                                  saved.tensor, request);
  if (!outcome)
    fail(outcome.message());
  if (checked && !(outcome->maxRelativeError <= rt::errorBound(saved.kernel)))
    fail("the kernel's result is wrong");
  return outcome->secondsMedian;
}

static std::string option(int argc, char **argv, const std::string &name) {
  std::string prefix = "--" + name + "=";
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]).rfind(prefix, 0) == 0)
      return argv[i] + prefix.size();
  fail("expected " + prefix + "...");
}

static void printLine(const std::string &matrix, const Problem &problem,
                      std::map<std::string, std::vector<double>> &times) {
  double ours = median(times["astfe"]), best = 0;
  std::printf("%s\t%lld\t%d", matrix.c_str(), (long long)problem.nonzeros,
              problem.columns);
  for (auto &[name, seconds] : times) {
    if (seconds.empty()) {
      std::printf("\t%s\t-", name.c_str());
      continue;
    }
    double time = median(seconds);
    std::printf("\t%s\t%.3f us", name.c_str(), time * 1e6);
    bool sparse = name != "cublas" && name != "astfe";
    if (sparse && (best == 0 || time < best))
      best = time;
  }
  std::printf("\tover cuSPARSE\t");
  std::printf(best > 0 ? "%.3f" : "-", best / ours);
  std::printf("\tGFLOP/s\t%.1f\n",
              2e-9 * double(problem.nonzeros) * problem.columns / ours);
}

int main(int argc, char **argv) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0)
    fail("expected a CUDA device but found none: nothing was measured");
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  if (argc == 1) {
    std::printf("%s\n", device.name);
    return 0;
  }
  int columns = std::atoi(option(argc, argv, "columns").c_str());
  if (columns < 1)
    fail("expected at least 1 column");
  std::string matrix = option(argc, argv, "matrix");
  Problem problem = readProblem(matrix, columns);
  Saved saved =
      readSaved(option(argc, argv, "kernel"), option(argc, argv, "packed"));
  std::vector<Candidate> peers;
  std::map<std::string, std::vector<double>> times;
  for (const Candidate &peer : peersOf(problem)) {
    times[peer.name];
    if (isRight(problem, peer))
      peers.push_back(peer);
  }
  for (int round = 0; round < kRounds; ++round) {
    times["astfe"].push_back(timeOurs(saved, columns, round == 0));
    for (const Candidate &peer : peers)
      times[peer.name].push_back(timeOnce(peer));
  }
  printLine(matrix, problem, times);
  return 0;
}
