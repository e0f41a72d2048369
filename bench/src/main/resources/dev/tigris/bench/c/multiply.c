/* The C side of paper.jbufs.fig3.7: the papers' loop over columns, with a check of each access and
   without. A column has its length before its elements, as an array of Java has. */
#include <stdint.h>

struct column {
  int64_t length;
  double elements[];
};

void multiply(int64_t size, struct column **a, struct column **b, struct column **c) {
  for (int64_t j = 0; j < size; j++) {
    struct column *own = b[j];
    struct column *sums = c[j];
    for (int64_t i = 0; i < size; i++) {
      double sum = 0;
      for (int64_t k = 0; k < size; k += 4) {
        sum += a[k]->elements[i] * own->elements[k] + a[k + 1]->elements[i] * own->elements[k + 1] +
               a[k + 2]->elements[i] * own->elements[k + 2] +
               a[k + 3]->elements[i] * own->elements[k + 3];
      }
      sums->elements[i] += sum;
    }
  }
}

static inline double *at(struct column *column, int64_t index) {
  if ((uint64_t)index >= (uint64_t)column->length) {
    __builtin_trap();
  }
  return column->elements + index;
}

void multiply_checked(int64_t size, struct column **a, struct column **b, struct column **c) {
  for (int64_t j = 0; j < size; j++) {
    struct column *own = b[j];
    struct column *sums = c[j];
    for (int64_t i = 0; i < size; i++) {
      double sum = 0;
      for (int64_t k = 0; k < size; k += 4) {
        sum += *at(a[k], i) * *at(own, k) + *at(a[k + 1], i) * *at(own, k + 1) +
               *at(a[k + 2], i) * *at(own, k + 2) + *at(a[k + 3], i) * *at(own, k + 3);
      }
      *at(sums, i) += sum;
    }
  }
}
