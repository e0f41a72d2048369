package dev.tigris.bench.matrix;

import dev.tigris.bench.Bar;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.c.OpenBlas;
import dev.tigris.bench.fork.Trial;
import dev.tigris.matrix.Matrix;
import dev.tigris.matrix.Precision;
import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleSupplier;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;

/// Two square matrices, row after row, and the trials that multiply them, C += A B.
final class Operands {
  final int size;
  private final double[] a;
  private final double[] b;

  /// The sum of C's elements that one product adds.
  private final double expected;

  Operands(int size) {
    this.size = size;
    Random random = new Random(1);
    a = random.doubles((long) size * size).toArray();
    b = random.doubles((long) size * size).toArray();
    double sum = 0;
    for (int k = 0; k < size; k++) {
      double column = 0;
      double row = 0;
      for (int j = 0; j < size; j++) {
        column += a[j * size + k];
        row += b[k * size + j];
      }
      sum += column * row;
    }
    expected = sum;
  }

  /// Returns the columns of A, from 0, or those of B, from 1.
  double[][] columns(int matrix) {
    double[] values = matrix == 0 ? a : b;
    double[][] columns = new double[size][size];
    for (int i = 0; i < values.length; i++) {
      columns[i % size][i / size] = values[i];
    }
    return columns;
  }

  private Matrix matrix(double[] values) {
    Matrix matrix = Matrix.zeros(Precision.DOUBLE, size, size);
    for (int i = 0; i < values.length; i++) {
      matrix.set(i / size, i % size, values[i]);
    }
    return matrix;
  }

  private double sum(Matrix matrix) {
    double sum = 0;
    for (int i = 0; i < size * size; i++) {
      sum += matrix.get(i / size, i % size);
    }
    return sum;
  }

  Trial byTigris() {
    Matrix left = matrix(a);
    Matrix right = matrix(b);
    Matrix c = Matrix.zeros(Precision.DOUBLE, size, size);
    return trial(
        "Tigris", () -> c.fill(0), () -> Matrix.addProduct(left, right, c, 1), () -> sum(c));
  }

  Trial by(OpenBlas blas) {
    Matrix left = matrix(a);
    Matrix right = matrix(b);
    Matrix c = Matrix.zeros(Precision.DOUBLE, size, size);
    return trial(
        Bar.OPENBLAS,
        () -> c.fill(0),
        () -> blas.addProduct(size, left.contiguous(), right.contiguous(), c.contiguous()),
        () -> sum(c));
  }

  Trial byEjml() {
    DMatrixRMaj left = DMatrixRMaj.wrap(size, size, a);
    DMatrixRMaj right = DMatrixRMaj.wrap(size, size, b);
    DMatrixRMaj c = new DMatrixRMaj(size, size);
    return trial(
        Bar.EJML,
        c::zero,
        () -> CommonOps_DDRM.multAdd(left, right, c),
        () -> CommonOps_DDRM.elementSum(c));
  }

  Trial byLoop() {
    double[] c = new double[size * size];
    return trial(
        "plain loop",
        () -> Arrays.fill(c, 0),
        () -> addPlain(size, a, b, c),
        () -> Arrays.stream(c).sum());
  }

  private static void addPlain(int size, double[] a, double[] b, double[] c) {
    for (int row = 0; row < size; row++) {
      for (int column = 0; column < size; column++) {
        double sum = c[row * size + column];
        for (int k = 0; k < size; k++) {
          sum += a[row * size + k] * b[k * size + column];
        }
        c[row * size + column] = sum;
      }
    }
  }

  /// Returns a trial of a product of these.
  ///
  /// @param side the name of the contestant
  /// @param clear fills C with zeros
  /// @param product adds the product to C
  /// @param sum adds up the elements of C, which are positive: so it has few wrong digits
  Trial trial(String side, Runnable clear, Runnable product, DoubleSupplier sum) {
    return count -> {
      clear.run();
      long begun = System.nanoTime();
      for (int i = 0; i < count; i++) {
        product.run();
      }
      long nanos = System.nanoTime() - begun;
      long billionths = Math.round(sum.getAsDouble() / (expected * count) * 1e9);
      WrongResultException.check(side, 1_000_000_000, billionths);
      return nanos;
    };
  }
}
