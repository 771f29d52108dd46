/* Calls the entry of to-cpu.mlir with an output of too few rows. */
#include "memrefs.h"

void _mlir_ciface_spmm(Matrix *result, Vector *positions, Vector *coordinates,
                       Vector *values, int64_t rows, int64_t columns,
                       Matrix *b, Matrix *c);
const char *astfe_rt_last_error(void);

int main(void) {
  int32_t positions[] = {0, 2, 3}, coordinates[] = {0, 2, 1};
  float values[] = {1, 2, 3};
  float b[] = {1, 2, 3, 4, 5, 6}, c[] = {100, 0, 0, 0};
  Vector p = VECTOR(positions, 3), q = VECTOR(coordinates, 3);
  Vector v = VECTOR(values, 3);
  Matrix mb = MATRIX(b, 3, 2), mc = MATRIX(c, 1, 2), result;
  _mlir_ciface_spmm(&result, &p, &q, &v, 2, 3, &mb, &mc);
  printf("%g %g %g %g\n", c[0], c[1], c[2], c[3]);
  printf("%s\n", astfe_rt_last_error());
  return 0;
}
