//===- twins.cu - what a CUDA programmer would write ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of lib/Conversion/ASTFEToGPU by hand: the same tables
// (Core/Packed.h), the same classes, the same persistent grid, in CUDA C++ for
// nvcc -O3. inner_loops.py compares the machine code of their inner loops with
// that of the generated kernels. Names: CLASS_TYPE_TILE. MTTKRP is that of
// examples/mttkrp.mlir, whose columns are known.
//
//===----------------------------------------------------------------------===//

#include <cstdint>

namespace {

constexpr unsigned kAll = 0xffffffffu;
constexpr int kBlockThreads = 128, kBlockWarps = 4, kBlocks = 8;

/// A value that all lanes have, said so that ptxas knows: branches on it need
/// no convergence barrier.
__device__ int uniform(int value) { return __shfl_sync(kAll, value, 0); }

/// V consecutive elements, loaded and stored at once.
template <typename T, int V>
struct alignas(sizeof(T) * V) Vector {
  T at[V];
};

template <typename T>
__device__ Vector<T, 1> readOnly(const Vector<T, 1> *at) {
  return {{__ldg(at->at)}};
}
__device__ Vector<float, 2> readOnly(const Vector<float, 2> *at) {
  float2 v = __ldg(reinterpret_cast<const float2 *>(at));
  return {{v.x, v.y}};
}
__device__ Vector<float, 4> readOnly(const Vector<float, 4> *at) {
  float4 v = __ldg(reinterpret_cast<const float4 *>(at));
  return {{v.x, v.y, v.z, v.w}};
}
__device__ Vector<double, 2> readOnly(const Vector<double, 2> *at) {
  double2 v = __ldg(reinterpret_cast<const double2 *>(at));
  return {{v.x, v.y}};
}

/// Tables and operands, as the generated kernels get them.
#define TABLES(T)                                                              \
  const int64_t *__restrict__ workerSpan,                                      \
      const int64_t *__restrict__ spanSlot,                                    \
      const int64_t *__restrict__ spanSegment,                                 \
      const int64_t *__restrict__ spanColumn,                                  \
      const int *__restrict__ spanClass, const int *__restrict__ spanWidth,    \
      const int *__restrict__ segmentRow, const int *__restrict__ segmentEnd,  \
      const int *__restrict__ columns, const T *__restrict__ values,           \
      const T *__restrict__ B, T *__restrict__ C, int workers
#define TABLE_NAMES                                                            \
  workerSpan, spanSlot, spanSegment, spanColumn, spanClass, spanWidth,         \
      segmentRow, segmentEnd, columns, values, B, C, workers

/// A tile of 32 V columns, as a lane sees it.
template <typename T, int V>
struct Tile {
  const T *B; ///< row 0, this lane's columns
  T *C;
  int columnCount;
  bool active; ///< the lane has columns

  __device__ Vector<T, V> load(unsigned offset) const {
    return readOnly(reinterpret_cast<const Vector<T, V> *>(B) + offset);
  }
};

/// Keeps a pointer in registers: nvcc would otherwise add its parts again for
/// every access.
template <typename T>
__device__ void keep(const T *&pointer) {
  asm("" : "+l"(pointer));
}

/// What a row's sums begin with: the row, or zeros where workers share it.
template <typename T, int V>
__device__ void open(const Tile<T, V> &tile, int mark, T (&sum)[V]) {
  Vector<T, V> old = {};
  if (tile.active && mark >= 0)
    old = *reinterpret_cast<const Vector<T, V> *>(
        tile.C + int64_t(mark) * tile.columnCount);
  for (int v = 0; v < V; ++v)
    sum[v] = old.at[v];
}

/// Writes the sums: plainly, or by atomics where workers share the row.
template <typename T, int V>
__device__ void close(const Tile<T, V> &tile, int mark, const T (&sum)[V]) {
  if (!tile.active)
    return;
  int64_t row = mark < 0 ? ~mark : mark;
  T *to = tile.C + row * tile.columnCount;
  if (mark < 0) {
    for (int v = 0; v < V; ++v)
      atomicAdd(to + v, sum[v]);
    return;
  }
  Vector<T, V> result;
  for (int v = 0; v < V; ++v)
    result.at[v] = sum[v];
  *reinterpret_cast<Vector<T, V> *>(to) = result;
}

/// Where a warp keeps 32 nonzeros for all of its lanes to read.
template <typename T>
struct alignas(16) Stage {
  unsigned offset[32];
  T value[32];
};

template <typename T>
__device__ Stage<T> &warpStage() {
  __shared__ Stage<T> stages[kBlockWarps];
  return stages[threadIdx.x >> 5];
}

/// Takes N staged nonzeros from `from`, a multiple of N.
template <int N, typename T, int V>
__device__ void take(const Tile<T, V> &tile, const Stage<T> &stage, int from,
                     T (&sum)[V]) {
  auto offset =
      *reinterpret_cast<const Vector<unsigned, N> *>(stage.offset + from);
  auto x = *reinterpret_cast<const Vector<T, N> *>(stage.value + from);
  Vector<T, V> dense[N];
#pragma unroll
  for (int u = 0; u < N; ++u)
    dense[u] = tile.load(offset.at[u]);
#pragma unroll
  for (int u = 0; u < N; ++u)
    for (int v = 0; v < V; ++v)
      sum[v] += x.at[u] * dense[u].at[v];
}

/// One row: 32 nonzeros loaded together, four in flight.
template <typename T, int V>
__device__ void sumRow(const Tile<T, V> &tile, const int *columns,
                       const T *values, int length, T (&sum)[V]) {
  unsigned lane = threadIdx.x & 31, rowVectors = tile.columnCount / V;
  Stage<T> &stage = warpStage<T>();
  for (int begin = 0; begin < length; begin += 32) {
    int mine = min(begin + int(lane), length - 1);
    unsigned offset = unsigned(columns[mine]) * rowVectors;
    T value = values[mine];
    __syncwarp();
    stage.offset[lane] = offset;
    stage.value[lane] = value;
    __syncwarp();
    int count = min(length - begin, 32), t = 0;
#pragma unroll 1
    for (; t + 4 <= count; t += 4)
      take<4>(tile, stage, t, sum);
    if (count & 2) {
      take<2>(tile, stage, t, sum);
      t += 2;
    }
    if (count & 1)
      take<1>(tile, stage, t, sum);
  }
}

/// Rows s, s + 1, ...; where the next one ends is read while one runs.
template <typename T, int V>
__device__ void rows(const Tile<T, V> &tile, int64_t span, int s, TABLES(T)) {
  int64_t base = spanSlot[span], first = spanSegment[span];
  int segments = uniform(int(spanSegment[span + 1] - first));
  int begin = s ? segmentEnd[first + s - 1] : 0;
  int next = segmentEnd[first + min(s, segments - 1)];
  for (; s < segments; ++s) {
    int end = uniform(next), row = uniform(segmentRow[first + s]);
    next = segmentEnd[first + min(s + 1, segments - 1)];
    T sum[V];
    open(tile, row, sum);
    sumRow<T, V>(tile, columns + base + begin, values + base + begin,
                 end - begin, sum);
    close(tile, row, sum);
    begin = end;
  }
}

struct RowSegments {
  template <typename T, int V>
  static __device__ void run(const Tile<T, V> &tile, int64_t span, TABLES(T)) {
    rows<T, V>(tile, span, 0, TABLE_NAMES);
  }
};

struct Scattered {
  template <typename T, int V>
  static __device__ void run(const Tile<T, V> &tile, int64_t span, TABLES(T)) {
    unsigned lane = threadIdx.x & 31, rowVectors = tile.columnCount / V;
    int64_t base = spanSlot[span], first = spanSegment[span];
    int slots = int(spanSlot[span + 1] - base);
    for (int begin = 0; begin < slots; begin += 32) {
      int mine = min(begin + int(lane), slots - 1);
      unsigned offset = unsigned(columns[base + mine]) * rowVectors;
      T value = values[base + mine];
      int mark = segmentRow[first + mine];
      int count = min(slots - begin, 32);
#pragma unroll 1
      for (int t = 0; t < count; ++t) {
        Vector<T, V> dense = tile.load(__shfl_sync(kAll, offset, t));
        T x = __shfl_sync(kAll, value, t), sum[V];
        int row = __shfl_sync(kAll, mark, t);
        open(tile, row, sum);
        for (int v = 0; v < V; ++v)
          sum[v] += x * dense.at[v];
        close(tile, row, sum);
      }
    }
  }
};

/// R rows at a time: one load of B feeds R accumulators.
struct DenseTile {
  template <typename T, int V>
  static __device__ void run(const Tile<T, V> &tile, int64_t span, TABLES(T)) {
    constexpr int R = sizeof(T) == 8 && V == 2 ? 2 : 4, J = 32 / R;
    unsigned lane = threadIdx.x & 31, rowVectors = tile.columnCount / V;
    int64_t base = spanSlot[span], first = spanSegment[span];
    int segments = uniform(int(spanSegment[span + 1] - first)),
        width = uniform(spanWidth[span]);
    unsigned origin = unsigned(spanColumn[span]);
    Stage<T> &stage = warpStage<T>();
    int s = 0;
    for (; s + R <= segments; s += R) {
      const T *rows = values + base + int64_t(s) * width;
      int mark[R];
      T sum[R][V];
      for (int r = 0; r < R; ++r) {
        mark[r] = segmentRow[first + s + r];
        open(tile, mark[r], sum[r]);
      }
      for (int begin = 0; begin < width; begin += J) {
        int mine = min(begin + int(lane) / R, width - 1);
        T value = rows[int(lane % R) * width + mine];
        __syncwarp();
        stage.value[lane] = value;
        __syncwarp();
        unsigned offset = (origin + unsigned(begin)) * rowVectors;
        int count = min(width - begin, J);
#pragma unroll(V * sizeof(T) < 16 ? 2 : 1)
        for (int t = 0; t < count; ++t, offset += rowVectors) {
          Vector<T, V> dense = tile.load(offset);
          auto x = *reinterpret_cast<const Vector<T, R> *>(stage.value + t * R);
#pragma unroll
          for (int r = 0; r < R; ++r)
            for (int v = 0; v < V; ++v)
              sum[r][v] += x.at[r] * dense.at[v];
        }
      }
      for (int r = 0; r < R; ++r)
        close(tile, mark[r], sum[r]);
    }
    rows<T, V>(tile, span, s, TABLE_NAMES);
  }
};

/// Persistent: a warp a worker, grid.y over the tiles of columns.
template <typename Class, typename T, int V>
__device__ void tiles(TABLES(T), int columnCount) {
  int warp = __shfl_sync(kAll, int(threadIdx.x >> 5), 0);
  int lane = int(threadIdx.x & 31);
  for (int j = int(blockIdx.y) * 32 * V; j < columnCount;
       j += int(gridDim.y) * 32 * V) {
    int mine = j + lane * V;
    bool active = mine < columnCount;
    int64_t column = active ? mine : 0;
    const T *dense = B + column;
    keep(dense);
    Tile<T, V> tile{dense, C + column, columnCount, active};
    for (int worker = int(blockIdx.x) * kBlockWarps + warp; worker < workers;
         worker += int(gridDim.x) * kBlockWarps)
      for (int span = uniform(int(workerSpan[worker])),
               end = uniform(int(workerSpan[worker + 1]));
           span < end; ++span)
        Class::template run<T, V>(tile, span, TABLE_NAMES);
  }
}

template <typename T>
__device__ void flushOne(T *C, int mark, T sum) {
  if (mark < 0)
    atomicAdd(C + ~mark, sum);
  else
    C[mark] += sum;
}

/// One column: 2^log lanes a row, four nonzeros of a lane in flight.
struct OneColumnRows {
  template <typename T>
  static __device__ void run(int64_t span, TABLES(T)) {
    int lane = int(threadIdx.x & 31);
    int64_t base = spanSlot[span], first = spanSegment[span];
    int segments = uniform(int(spanSegment[span + 1] - first));
    int slots = int(spanSlot[span + 1] - base);
    int mean = (slots + segments - 1) / max(segments, 1);
    int log = min(32 - __clz((mean + 3) / 4 - 1), 5), width = 1 << log;
    int within = lane & (width - 1), together = 32 >> log;
    for (int group = 0; group < segments; group += together) {
      int s = group + (lane >> log);
      bool valid = s < segments;
      s = min(s, segments - 1);
      int begin = s ? segmentEnd[first + s - 1] : 0;
      int length = valid ? segmentEnd[first + s] - begin : 0;
      const int *column = columns + base + begin;
      const T *value = values + base + begin;
      keep(column);
      keep(value);
      T sum = 0;
      for (int k = within; k < length; k += 4 * width) {
        T x[4], y[4];
#pragma unroll
        for (int u = 0; u < 4; ++u) {
          unsigned at = unsigned(min(k + u * width, length - 1));
          x[u] = __ldg(value + at);
          y[u] = __ldg(B + unsigned(__ldg(column + at)));
        }
#pragma unroll
        for (int u = 0; u < 4; ++u)
          if (k + u * width < length)
            sum += x[u] * y[u];
      }
      for (int step = 0; step < log; ++step)
        sum += __shfl_xor_sync(kAll, sum, 1 << step);
      if (within == 0 && length > 0)
        flushOne(C, segmentRow[first + s], sum);
    }
  }
};

struct OneColumnScattered {
  template <typename T>
  static __device__ void run(int64_t span, TABLES(T)) {
    int64_t base = spanSlot[span], first = spanSegment[span];
    int slots = int(spanSlot[span + 1] - base);
    for (int k = int(threadIdx.x & 31); k < slots; k += 32) {
      int mark = segmentRow[first + k];
      atomicAdd(C + (mark < 0 ? ~mark : mark),
                values[base + k] * __ldg(B + columns[base + k]));
    }
  }
};

template <typename Class, typename T>
__device__ void oneColumn(TABLES(T)) {
  int warp = __shfl_sync(kAll, int(threadIdx.x >> 5), 0);
  for (int worker = int(blockIdx.x) * kBlockWarps + warp; worker < workers;
       worker += int(gridDim.x) * kBlockWarps)
    for (int span = uniform(int(workerSpan[worker])),
             end = uniform(int(workerSpan[worker + 1]));
         span < end; ++span) {
      Class::template run<T>(span, TABLE_NAMES);
      __syncwarp();
    }
}

/// Few columns: L lanes, V columns each, are a team that has all of them. 2^log
/// teams share a row; within, within + 2^log, ... are this one's nonzeros, of
/// which four are in flight.
template <typename T, int V, int L>
__device__ void teamRow(const Tile<T, V> &tile, const int *columns,
                        const T *values, int length, int mark, int within,
                        int log) {
  const int width = 1 << log;
  T sum[V];
  open(tile, mark, sum);
  keep(columns);
  keep(values);
#pragma unroll 1
  for (int k = within; k < length; k += 4 * width) {
    T x[4];
    Vector<T, V> dense[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      unsigned at = unsigned(min(k + u * width, length - 1));
      x[u] = __ldg(values + at);
      dense[u] = tile.load(unsigned(__ldg(columns + at)) * L);
    }
#pragma unroll
    for (int u = 0; u < 4; ++u)
      if (k + u * width < length)
        for (int v = 0; v < V; ++v)
          sum[v] += x[u] * dense[u].at[v];
  }
#pragma unroll 1
  for (int step = 0; step < log; ++step)
    for (int v = 0; v < V; ++v)
      sum[v] += __shfl_xor_sync(kAll, sum[v], L << step);
  close(tile, mark, sum);
}

/// What a lane of a team has of B and C; `active` is said row by row.
template <typename T, int V, int L>
__device__ Tile<T, V> teamTile(const T *B, T *C) {
  const int mine = int(threadIdx.x % L) * V;
  const T *dense = B + mine;
  keep(dense);
  return {dense, C + mine, V * L, false};
}

__host__ __device__ constexpr int log2Of(int value) {
  return value > 1 ? 1 + log2Of(value / 2) : 0;
}

/// A packed pattern: 2^log teams by the mean length of the span's rows.
template <typename T, int V, int L>
__device__ void teamRows(int64_t span, TABLES(T)) {
  constexpr int kTeams = 32 / L;
  const int team = int(threadIdx.x & 31) / L;
  const int64_t base = spanSlot[span], first = spanSegment[span];
  const int segments = uniform(int(spanSegment[span + 1] - first));
  const int slots = uniform(int(spanSlot[span + 1] - base));
  const int mean = (slots + segments - 1) / max(segments, 1);
  const int log = min(32 - __clz((mean + 3) / 4 - 1), log2Of(kTeams));
  const int within = team & ((1 << log) - 1);
  Tile<T, V> tile = teamTile<T, V, L>(B, C);
  for (int group = 0; group < segments; group += kTeams >> log) {
    int s = group + (team >> log);
    const bool valid = s < segments;
    s = min(s, segments - 1);
    const int begin = s ? segmentEnd[first + s - 1] : 0;
    const int length = valid ? segmentEnd[first + s] - begin : 0;
    tile.active = within == 0 && length > 0;
    teamRow<T, V, L>(tile, columns + base + begin, values + base + begin,
                     length, segmentRow[first + s], within, log);
  }
}

template <typename T, int V, int L>
__device__ void teams(TABLES(T)) {
  int warp = __shfl_sync(kAll, int(threadIdx.x >> 5), 0);
  for (int worker = int(blockIdx.x) * kBlockWarps + warp; worker < workers;
       worker += int(gridDim.x) * kBlockWarps)
    for (int span = uniform(int(workerSpan[worker])),
             end = uniform(int(workerSpan[worker + 1]));
         span < end; ++span) {
      teamRows<T, V, L>(span, TABLE_NAMES);
      __syncwarp();
    }
}

/// A view: 2^log teams a row, rows of more than four rounds by all of the warp.
template <typename T, int V, int L>
__device__ void viewRows(const int *__restrict__ positions,
                         const int *__restrict__ columns,
                         const T *__restrict__ values, const T *__restrict__ B,
                         T *__restrict__ C, int rows, int log) {
  constexpr int kTeams = 32 / L, kMost = log2Of(kTeams);
  log = min(log, kMost);
  const int warp = __shfl_sync(kAll, int(threadIdx.x >> 5), 0);
  const int lane = int(threadIdx.x & 31), team = lane / L;
  const int within = team & ((1 << log) - 1), together = kTeams >> log;
  Tile<T, V> tile = teamTile<T, V, L>(B, C);
  for (int group = (int(blockIdx.x) * kBlockWarps + warp) * together;
       group < rows; group += int(gridDim.x) * kBlockWarps * together) {
    const int ordinal = group + (team >> log), row = min(ordinal, rows - 1);
    const int begin = positions[row];
    const int length = ordinal < rows ? positions[row + 1] - begin : 0;
    const bool isLong = length > (16 << log), leads = within == 0;
    tile.active = leads && length > 0 && !isLong;
    teamRow<T, V, L>(tile, columns + begin, values + begin, isLong ? 0 : length,
                     row, within, log);
    for (unsigned left = __ballot_sync(kAll, isLong && leads && lane % L == 0);
         left; left &= left - 1) {
      const int from = __ffs(int(left)) - 1;
      const int start = __shfl_sync(kAll, begin, from);
      tile.active = team == 0;
      teamRow<T, V, L>(tile, columns + start, values + start,
                       __shfl_sync(kAll, length, from),
                       __shfl_sync(kAll, row, from), team, kMost);
    }
  }
}

/// s_n = a_n <X_i, Y_j>: eight lanes share a nonzero, U of each are in flight.
/// B is Y, C has an element for each slot.
template <typename T, int V, int U>
__device__ void sampleRows(int span, TABLES(T), const T *__restrict__ X,
                           int columnCount) {
  const int lane = int(threadIdx.x & 31), team = lane >> 3, within = lane & 7;
  const int64_t base = spanSlot[span], first = spanSegment[span];
  const int rows = uniform(int(spanSegment[span + 1] - first));
  int begin = 0;
  for (int r = 0; r < rows; ++r) {
    const int end = uniform(segmentEnd[first + r]);
    const int mark = uniform(segmentRow[first + r]);
    const T *x = X + int64_t(mark < 0 ? ~mark : mark) * columnCount;
    for (int from = begin; from < end; from += 4 * U) {
      const T *y[U];
      T sum[U][V] = {};
#pragma unroll
      for (int u = 0; u < U; ++u)
        y[u] = B + int64_t(columns[base + min(from + team + 4 * u, end - 1)]) *
                       columnCount;
#pragma unroll 1
      for (int j = within * V; j < columnCount; j += 8 * V) {
        auto left = readOnly(reinterpret_cast<const Vector<T, V> *>(x + j));
        Vector<T, V> right[U];
#pragma unroll
        for (int u = 0; u < U; ++u)
          right[u] = readOnly(reinterpret_cast<const Vector<T, V> *>(y[u] + j));
#pragma unroll
        for (int u = 0; u < U; ++u)
          for (int v = 0; v < V; ++v)
            sum[u][v] += left.at[v] * right[u].at[v];
      }
#pragma unroll
      for (int u = 0; u < U; ++u) {
        T total = sum[u][0];
        for (int v = 1; v < V; ++v)
          total += sum[u][v];
        for (int distance = 1; distance < 8; distance *= 2)
          total += __shfl_xor_sync(kAll, total, distance);
        const int at = from + team + 4 * u;
        if (at < end && within == 0)
          C[base + at] = values[base + at] * total;
      }
    }
    begin = end;
  }
}

template <typename T, int V, int U>
__device__ void samples(TABLES(T), const T *__restrict__ X, int columnCount) {
  int warp = __shfl_sync(kAll, int(threadIdx.x >> 5), 0);
  for (int worker = int(blockIdx.x) * kBlockWarps + warp; worker < workers;
       worker += int(gridDim.x) * kBlockWarps)
    for (int span = uniform(int(workerSpan[worker])),
             end = uniform(int(workerSpan[worker + 1]));
         span < end; ++span)
      sampleRows<T, V, U>(span, TABLE_NAMES, X, columnCount);
}

/// N of a team's slots of a segment, which are `step` apart, from `slot` on; all
/// loads come before what waits for them. Those behind `left` of them, where not
/// all are there, read the last one again and count nothing.
template <int N, bool Whole, typename Local, int R>
__device__ float4 slots(const Local *__restrict__ second,
                        const Local *__restrict__ third,
                        const float *__restrict__ values, const float *B,
                        const float *C, int slot, int log, int left,
                        float4 sum) {
  float value[N];
  float4 b[N], c[N];
  for (int u = 0; u < N; ++u) {
    const int at = slot + ((Whole ? u : min(u, left - 1)) << log);
    value[u] = values[at];
    b[u] = __ldg((const float4 *)(B + uint64_t(second[at]) * R));
    c[u] = __ldg((const float4 *)(C + uint64_t(third[at]) * R));
  }
  for (int u = 0; u < N; ++u)
    if (Whole || u < left) {
      sum.x += value[u] * b[u].x * c[u].x;
      sum.y += value[u] * b[u].y * c[u].y;
      sum.z += value[u] * b[u].z * c[u].z;
      sum.w += value[u] * b[u].w * c[u].w;
    }
  return sum;
}

__device__ float4 fromTeam(float4 sum, int distance) {
  sum.x += __shfl_xor_sync(kAll, sum.x, distance);
  sum.y += __shfl_xor_sync(kAll, sum.y, distance);
  sum.z += __shfl_xor_sync(kAll, sum.z, distance);
  sum.w += __shfl_xor_sync(kAll, sum.w, distance);
  return sum;
}

__device__ void addTo(float *place, float4 sum) {
  float4 before = *(float4 *)place;
  *(float4 *)place = make_float4(before.x + sum.x, before.y + sum.y,
                                 before.z + sum.z, before.w + sum.w);
}

/// M(i,r) += T(i,j,k) B(j,r) C(k,r) over bricks (Core/Bricks/Bricks.h), of R
/// columns, four a lane: a warp has a range of rows, or a part of one, in every
/// brick. Its teams have a segment each, or, of fewer segments, shares of one.
template <typename Local, int R>
__device__ void
mttkrp(const int64_t *__restrict__ brickSlot,
       const int64_t *__restrict__ brickOrigin,
       const int64_t *__restrict__ partSegment,
       const int64_t *__restrict__ partSlot,
       const int64_t *__restrict__ partLeft,
       const int64_t *__restrict__ partBrick,
       const uint16_t *__restrict__ segmentLast,
       const Local *__restrict__ first, const Local *__restrict__ second,
       const Local *__restrict__ third, const float *__restrict__ values,
       const float *__restrict__ B, const float *__restrict__ C,
       float *__restrict__ M, float *__restrict__ partials, int parts) {
  constexpr int kTogether = 4, kTeamLanes = R / 4, kTeams = 32 / kTeamLanes;
  const int lane = threadIdx.x & 31, warp = uniform(threadIdx.x >> 5);
  const int team = lane / kTeamLanes, column = lane % kTeamLanes * 4;
  for (int part = blockIdx.x * kBlockWarps + warp; part < parts;
       part += gridDim.x * kBlockWarps) {
    const bool isCut = uniform(int(partLeft[part])) != 0;
    if (isCut && team == 0)
      *(float4 *)(partials + int64_t(part) * R + column) =
          make_float4(0, 0, 0, 0);
    __syncwarp();
    for (int brick = int(partBrick[2 * int64_t(part)]),
             end = int(partBrick[2 * int64_t(part) + 1]);
         brick < end; ++brick) {
      const int64_t place = brick * (int64_t(parts) + 1) + part;
      const int64_t base = brickSlot[brick];
      const int64_t *origin = brickOrigin + 3 * int64_t(brick);
      const int64_t from = partSegment[place];
      const int start = int(partSlot[place] - base);
      const int until = int(partSlot[place + 1] - base);
      const int segments =
          isCut ? start < until : int(partSegment[place + 1] - from);
      const Local *keys = first + from, *j = second + base, *k = third + base;
      const uint16_t *lasts = segmentLast + from;
      const float *value = values + base;
      const float *b = B + origin[1] * R + column;
      const float *c = C + origin[2] * R + column;
      keep(b);
      keep(c);
      const int log =
          __clz(max(min(segments, kTeams), 1) - 1) - (32 - __ffs(kTeams) + 1);
      const int group = team >> log, within = team - (group << log);
      for (int some = 0; some < segments; some += kTeams >> log) {
        const bool is = some + group < segments;
        const int segment = is ? some + group : some;
        const int begin = segment ? lasts[segment - 1] + 1 : start;
        int last = isCut ? until : lasts[segment] + 1;
        last = is ? last : begin;
        const int number = (last - begin + (1 << log) - 1) >> log;
        const int left = number % kTogether;
        int slot = begin + within;
        const int rest = slot + ((number - left) << log);
        float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 1
        for (; slot < rest; slot += kTogether << log)
          sum = slots<kTogether, true, Local, R>(j, k, value, b, c, slot, log,
                                                 kTogether, sum);
        if (left)
          sum = slots<kTogether - 1, false, Local, R>(j, k, value, b, c, rest,
                                                      log, left, sum);
        for (int bit = 0; bit < log; ++bit)
          sum = fromTeam(sum, kTeamLanes << bit);
        if (is && within == 0) {
          if (isCut)
            addTo(partials + int64_t(part) * R + column, sum);
          else
            addTo(M + (origin[0] + keys[segment]) * R + column, sum);
        }
      }
      __syncwarp();
    }
  }
}

} // namespace

#define SAMPLES_KERNEL(NAME, T, V, U)                                          \
  extern "C" __global__ void __launch_bounds__(kBlockThreads, kBlocks)         \
      NAME(TABLES(T), const T *__restrict__ X, int columnCount) {              \
    samples<T, V, U>(TABLE_NAMES, X, columnCount);                             \
  }
#define MTTKRP_KERNEL(NAME, LOCAL)                                             \
  extern "C" __global__ void __launch_bounds__(kBlockThreads, kBlocks) NAME(   \
      const int64_t *__restrict__ brickSlot,                                   \
      const int64_t *__restrict__ brickOrigin,                                 \
      const int64_t *__restrict__ partSegment,                                 \
      const int64_t *__restrict__ partSlot,                                    \
      const int64_t *__restrict__ partLeft,                                    \
      const int64_t *__restrict__ partBrick,                                   \
      const uint16_t *__restrict__ segmentLast,                                \
      const LOCAL *__restrict__ first, const LOCAL *__restrict__ second,       \
      const LOCAL *__restrict__ third, const float *__restrict__ values,       \
      const float *__restrict__ B, const float *__restrict__ C,                \
      float *__restrict__ M, float *__restrict__ partials, int parts) {        \
    mttkrp<LOCAL, 32>(brickSlot, brickOrigin, partSegment, partSlot, partLeft, \
                      partBrick, segmentLast, first, second, third, values, B, \
                      C, M, partials, parts);                                  \
  }
#define TILE_KERNEL(NAME, CLASS, T, V)                                         \
  extern "C" __global__ void __launch_bounds__(kBlockThreads, kBlocks)         \
      NAME(TABLES(T), int columnCount) {                                       \
    tiles<CLASS, T, V>(TABLE_NAMES, columnCount);                              \
  }
#define ONE_COLUMN_KERNEL(NAME, CLASS, T)                                      \
  extern "C" __global__ void __launch_bounds__(kBlockThreads, kBlocks)         \
      NAME(TABLES(T)) {                                                        \
    oneColumn<CLASS, T>(TABLE_NAMES);                                          \
  }
#define TEAM_KERNELS(TYPE, TILE, T, V, L)                                      \
  extern "C" __global__ void __launch_bounds__(kBlockThreads, kBlocks)         \
      row_segments_##TYPE##_##TILE(TABLES(T)) {                                \
    teams<T, V, L>(TABLE_NAMES);                                               \
  }                                                                            \
  VIEW_KERNEL(TYPE, TILE##_rows, T, V, L)
#define VIEW_KERNEL(TYPE, TILE, T, V, L)                                       \
  extern "C" __global__ void __launch_bounds__(kBlockThreads, kBlocks)         \
      view_##TYPE##_##TILE(                                                    \
          const int *__restrict__ positions, const int *__restrict__ columns,  \
          const T *__restrict__ values, const T *__restrict__ B,               \
          T *__restrict__ C, int rows, int log) {                              \
    viewRows<T, V, L>(positions, columns, values, B, C, rows, log);            \
  }
#define CLASS_KERNELS(NAME, CLASS)                                             \
  TILE_KERNEL(NAME##_f32_tile128, CLASS, float, 4)                             \
  TILE_KERNEL(NAME##_f32_tile64, CLASS, float, 2)                              \
  TILE_KERNEL(NAME##_f32_tile32, CLASS, float, 1)                              \
  TILE_KERNEL(NAME##_f64_tile64, CLASS, double, 2)                             \
  TILE_KERNEL(NAME##_f64_tile32, CLASS, double, 1)

CLASS_KERNELS(row_segments, RowSegments)
CLASS_KERNELS(scattered, Scattered)
CLASS_KERNELS(dense_tile, DenseTile)
SAMPLES_KERNEL(samples_f32_samples128, float, 4, 2)
SAMPLES_KERNEL(samples_f32_samples64, float, 2, 4)
SAMPLES_KERNEL(samples_f32_samples32, float, 1, 4)
SAMPLES_KERNEL(samples_f64_samples64, double, 2, 2)
SAMPLES_KERNEL(samples_f64_samples32, double, 1, 2)
MTTKRP_KERNEL(mttkrp_f32_bricks16_tile32_by4, uint16_t)
MTTKRP_KERNEL(mttkrp_f32_bricks32_tile32_by4, uint32_t)
TEAM_KERNELS(f32, tile4, float, 4, 1)
TEAM_KERNELS(f32, tile8, float, 4, 2)
TEAM_KERNELS(f32, tile16, float, 4, 4)
TEAM_KERNELS(f32, tile32_teams, float, 4, 8)
TEAM_KERNELS(f64, tile2, double, 2, 1)
TEAM_KERNELS(f64, tile4, double, 2, 2)
TEAM_KERNELS(f64, tile8, double, 2, 4)
TEAM_KERNELS(f64, tile16, double, 2, 8)
VIEW_KERNEL(f32, one_column_rows, float, 1, 1)
VIEW_KERNEL(f64, one_column_rows, double, 1, 1)
ONE_COLUMN_KERNEL(row_segments_f32_one_column, OneColumnRows, float)
ONE_COLUMN_KERNEL(row_segments_f64_one_column, OneColumnRows, double)
ONE_COLUMN_KERNEL(scattered_f32_one_column, OneColumnScattered, float)
ONE_COLUMN_KERNEL(scattered_f64_one_column, OneColumnScattered, double)
