/* Memrefs as C sees them, for the callers in this folder. */
#include <stdint.h>
#include <stdio.h>

typedef struct {
  void *allocated, *aligned;
  int64_t offset, sizes[1], strides[1];
} Vector;
typedef struct {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} Matrix;

#define VECTOR(array, n) {array, array, 0, {n}, {1}}
#define MATRIX(array, m, n) {array, array, 0, {m, n}, {n, 1}}
