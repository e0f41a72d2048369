package dev.tigris.bench.matrix;

import dev.tigris.memory.Doubles;

/// The papers' products C += A B on one processor, of matrices whose columns are arrays or Jbufs
/// (Chang 1999, section 3.3). The size is a multiple of 4.
final class ColumnLoops {
  private ColumnLoops() {}

  /// With columns and sums in variables of their own.
  static void indexed(double[][] a, double[][] b, double[][] c) {
    for (int j = 0; j < c.length; j++) {
      double[] own = b[j];
      double[] sums = c[j];
      for (int i = 0; i < sums.length; i++) {
        double sum = 0;
        for (int k = 0; k < a.length; k++) {
          sum += a[k][i] * own[k];
        }
        sums[i] += sum;
      }
    }
  }

  /// With four columns of A in each turn of the innermost loop.
  static void unrolled(double[][] a, double[][] b, double[][] c) {
    for (int j = 0; j < c.length; j++) {
      double[] own = b[j];
      double[] sums = c[j];
      for (int i = 0; i < sums.length; i++) {
        double sum = 0;
        for (int k = 0; k < a.length; k += 4) {
          sum +=
              a[k][i] * own[k]
                  + a[k + 1][i] * own[k + 1]
                  + a[k + 2][i] * own[k + 2]
                  + a[k + 3][i] * own[k + 3];
        }
        sums[i] += sum;
      }
    }
  }

  /// As the first, over Jbufs.
  static void indexed(Doubles[] a, Doubles[] b, Doubles[] c) {
    for (int j = 0; j < c.length; j++) {
      Doubles own = b[j];
      Doubles sums = c[j];
      for (int i = 0; i < sums.length(); i++) {
        double sum = 0;
        for (int k = 0; k < a.length; k++) {
          sum += a[k].get(i) * own.get(k);
        }
        sums.set(i, sums.get(i) + sum);
      }
    }
  }

  /// As the second, over Jbufs.
  static void unrolled(Doubles[] a, Doubles[] b, Doubles[] c) {
    for (int j = 0; j < c.length; j++) {
      Doubles own = b[j];
      Doubles sums = c[j];
      for (int i = 0; i < sums.length(); i++) {
        double sum = 0;
        for (int k = 0; k < a.length; k += 4) {
          sum +=
              a[k].get(i) * own.get(k)
                  + a[k + 1].get(i) * own.get(k + 1)
                  + a[k + 2].get(i) * own.get(k + 2)
                  + a[k + 3].get(i) * own.get(k + 3);
        }
        sums.set(i, sums.get(i) + sum);
      }
    }
  }
}
