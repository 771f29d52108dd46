/* Calls the entry of own-gemm.mlir, R = A (X W) with A = [[1, 0, 2], [0, 3, 0]],
   and brings the dense product that it calls. */
#include "memrefs.h"

void _mlir_ciface_layer(Matrix *result, Vector *positions, Vector *coordinates,
                        Vector *values, int64_t rows, int64_t columns,
                        Matrix *x, Matrix *w, Matrix *r);

static float *row(const Matrix *m, int64_t i) {
  return m->aligned + m->offset + i * m->strides[0];
}

/* Here a program calls its BLAS: sgemm with the sizes and leading dimensions. */
void _mlir_ciface_gemm(Matrix *x, Matrix *w, Matrix *h) {
  printf("gemm %d x %d x %d\n", (int)h->sizes[0], (int)h->sizes[1],
         (int)x->sizes[1]);
  for (int64_t i = 0; i < h->sizes[0]; ++i)
    for (int64_t j = 0; j < h->sizes[1]; ++j) {
      row(h, i)[j] = 0;
      for (int64_t k = 0; k < x->sizes[1]; ++k)
        row(h, i)[j] += row(x, i)[k] * row(w, k)[j];
    }
}

int main(void) {
  int32_t positions[] = {0, 2, 3}, coordinates[] = {0, 2, 1};
  float values[] = {1, 2, 3};
  float x[] = {1, 0, 0, 1, 1, 2}, w[] = {1, 2, 3, 4}, r[] = {-1, -1, -1, -1};
  Vector p = VECTOR(positions, 3), q = VECTOR(coordinates, 3);
  Vector v = VECTOR(values, 3);
  Matrix mx = MATRIX(x, 3, 2), mw = MATRIX(w, 2, 2), mr = MATRIX(r, 2, 2);
  Matrix result;
  _mlir_ciface_layer(&result, &p, &q, &v, 2, 3, &mx, &mw, &mr);
  for (int i = 0; i < 4; ++i)
    printf("%g ", result.aligned[i]);
  printf("\n");
  return 0;
}
