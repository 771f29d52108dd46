#include <stdint.h>
#include <stdio.h>

typedef struct {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} Matrix;

void _mlir_ciface_user(Matrix *result);
const char *astfe_rt_last_error(void);

int main(void) {
  float c[9];
  Matrix result = {c, c, 0, {3, 3}, {3, 1}};
  _mlir_ciface_user(&result);
  if (astfe_rt_last_error()) {
    puts(astfe_rt_last_error());
    return 1;
  }
  for (int i = 0; i < 9; ++i)
    printf("%g ", c[i]);
  puts("");
  return 0;
}
