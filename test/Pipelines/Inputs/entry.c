/* Calls the entry of entry.mlir: C += A B with A = [[1, 0, 2], [0, 3, 0]]. */
#include "memrefs.h"

void _mlir_ciface_spmm(Matrix *result, Vector *positions, Vector *coordinates,
                       Vector *values, int64_t rows, int64_t columns,
                       Matrix *b, Matrix *c);

int main(void) {
  int32_t positions[] = {0, 2, 3}, coordinates[] = {0, 2, 1};
  float values[] = {1, 2, 3};
  float b[] = {1, 2, 3, 4, 5, 6}, c[] = {100, 0, 0, 0};
  Vector p = VECTOR(positions, 3), q = VECTOR(coordinates, 3);
  Vector v = VECTOR(values, 3);
  Matrix mb = MATRIX(b, 3, 2), mc = MATRIX(c, 2, 2), result;
  _mlir_ciface_spmm(&result, &p, &q, &v, 2, 3, &mb, &mc);
  for (int i = 0; i < 4; ++i)
    printf("%g ", result.aligned[i]);
  printf("%s\n", result.aligned == c ? "in place" : "elsewhere");
  return 0;
}
