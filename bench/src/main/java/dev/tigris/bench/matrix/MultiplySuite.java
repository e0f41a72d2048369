package dev.tigris.bench.matrix;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Scale;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.c.OpenBlas;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import dev.tigris.matrix.Matrix;
import dev.tigris.matrix.Precision;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;

/// Products of square matrices of doubles, C += A B, on one thread. An operation is one element of
/// C.
public final class MultiplySuite implements Suite {
  /// The sizes of the plain loop: it is slow.
  private static final int PLAIN_AT_MOST = 256;

  private static final int[] SIZES = {64, 256, 1024, 2048};

  static final List<String> FIGURES =
      List.of(
          "multiply.kernel.64",
          "multiply.kernel.256",
          "multiply.kernel.1024",
          "multiply.kernel.2048");

  /// Makes a suite; the measuring process calls this.
  public MultiplySuite() {}

  @Override
  public List<Contest> contests(Scale scale) {
    List<Contest> contests = new ArrayList<>();
    Optional<OpenBlas> blas = OpenBlas.load();
    for (int i = 0; i < SIZES.length; i++) {
      int size = scale.pick(16 << i, SIZES[i], SIZES[i]);
      Operands ours = new Operands(size);
      String figure = FIGURES.get(i);
      blas.ifPresent(
          library ->
              contests.add(contest(figure, Bar.OPENBLAS, ours, new Operands(size).by(library))));
      if (size <= SIZES[2]) {
        contests.add(contest(figure, Bar.EJML, ours, new Operands(size).byEjml()));
      }
      if (size <= PLAIN_AT_MOST) {
        contests.add(contest(figure, "plain loop", ours, new Operands(size).byLoop()));
      }
    }
    return contests;
  }

  private static Contest contest(String figure, String peer, Operands ours, Trial rival) {
    return Contest.timed(figure, peer, ours.size * ours.size, ours.byTigris(), rival);
  }

  /// The operands of one contestant, with the sum of C's elements that one product adds.
  private static final class Operands {
    final int size;
    private final double[] a;
    private final double[] b;
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
      return count -> {
        c.fill(0);
        long nanos = repeat(count, () -> Matrix.addProduct(left, right, c, 1));
        check("Tigris", count, sum(c));
        return nanos;
      };
    }

    Trial by(OpenBlas blas) {
      Matrix left = matrix(a);
      Matrix right = matrix(b);
      Matrix c = Matrix.zeros(Precision.DOUBLE, size, size);
      return count -> {
        c.fill(0);
        long nanos =
            repeat(
                count,
                () -> blas.addProduct(size, left.contiguous(), right.contiguous(), c.contiguous()));
        check(Bar.OPENBLAS, count, sum(c));
        return nanos;
      };
    }

    Trial byEjml() {
      DMatrixRMaj left = DMatrixRMaj.wrap(size, size, a);
      DMatrixRMaj right = DMatrixRMaj.wrap(size, size, b);
      DMatrixRMaj c = new DMatrixRMaj(size, size);
      return count -> {
        c.zero();
        long nanos = repeat(count, () -> CommonOps_DDRM.multAdd(left, right, c));
        check(Bar.EJML, count, CommonOps_DDRM.elementSum(c));
        return nanos;
      };
    }

    Trial byLoop() {
      double[] c = new double[size * size];
      return count -> {
        Arrays.fill(c, 0);
        long nanos = repeat(count, () -> addPlain(size, a, b, c));
        double sum = 0;
        for (double element : c) {
          sum += element;
        }
        check("plain loop", count, sum);
        return nanos;
      };
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

    private static long repeat(int count, Runnable product) {
      long begun = System.nanoTime();
      for (int i = 0; i < count; i++) {
        product.run();
      }
      return System.nanoTime() - begun;
    }

    /// All elements are positive, so the sum of C has few wrong digits.
    private void check(String side, int count, double sum) {
      long billionths = Math.round(sum / (expected * count) * 1e9);
      WrongResultException.check(side, 1_000_000_000, billionths);
    }
  }
}
