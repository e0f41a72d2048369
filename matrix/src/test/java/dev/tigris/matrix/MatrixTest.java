package dev.tigris.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Products against sums in the plain order, within the bound of the sum's error.
class MatrixTest {
  private final Random random = new Random(seed());

  @ParameterizedTest
  @EnumSource
  void multipliesAllSmallShapes(Precision precision) {
    for (int m = 1; m <= 40; m += m < 6 ? 1 : 5) {
      for (int n = 1; n <= 40; n += n < 4 ? 1 : 4) {
        for (int k : new int[] {1, 2, 3, 7, 16, 40}) {
          check(random(precision, m, k), random(precision, k, n), 1);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"97,300,257,1", "385,129,600,2", "1000,3,5,3", "5,700,2000,2", "1,1000,1,4"})
  void multipliesOverTheEdgesOfAllBlocks(int m, int k, int n, int threads) {
    for (Precision precision : Precision.values()) {
      check(random(precision, m, k), random(precision, k, n), threads);
    }
  }

  @ParameterizedTest
  @EnumSource
  void multipliesTransposesAndBlocks(Precision precision) {
    Matrix large = random(precision, 120, 150);
    check(large.transposed().block(3, 5, 70, 90), random(precision, 90, 33), 2);
    check(large.block(1, 2, 60, 61), random(precision, 80, 61).transposed(), 1);
    Matrix a = random(precision, 30, 40);
    Matrix b = random(precision, 40, 50);
    Matrix byColumns = Matrix.zeros(precision, 50, 30).transposed();
    Matrix.addProduct(a, b, byColumns, 2);
    assertProduct(a, b, byColumns);
  }

  @Test
  void addsToThatWhichIsThere() {
    Matrix a = Matrix.of(new double[][] {{1, 2}, {3, 4}});
    Matrix b = Matrix.of(new double[][] {{5, 6}, {7, 8}});
    Matrix c = Matrix.of(new double[][] {{100, 200}, {300, 400}});
    Matrix.addProduct(a, b, c, 1);
    assertEquals(119, c.get(0, 0));
    assertEquals(222, c.get(0, 1));
    assertEquals(343, c.get(1, 0));
    assertEquals(450, c.get(1, 1));
  }

  @Test
  void multipliesEmptyMatrices() {
    Matrix none =
        Matrix.zeros(Precision.DOUBLE, 3, 0).multiply(Matrix.zeros(Precision.DOUBLE, 0, 4));
    assertEquals(3, none.rows());
    assertEquals(4, none.columns());
    assertEquals(0, none.get(2, 3));
    assertEquals(
        0, Matrix.zeros(Precision.SINGLE, 0, 4).multiply(random(Precision.SINGLE, 4, 2)).rows());
  }

  /// Infinities, numbers that are none, and denormal ones go through as they do in a plain sum. The
  /// kernels' padding with zeros must not turn one of C into another.
  @ParameterizedTest
  @EnumSource
  void keepsSpecialValues(Precision precision) {
    double tiny = precision == Precision.SINGLE ? Float.MIN_VALUE : Double.MIN_VALUE;
    double[] special = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, tiny};
    for (boolean isVector : kernels()) {
      for (double value : special) {
        Matrix a = filled(precision, 9, 11, 1);
        a.set(4, 7, value);
        Matrix b = filled(precision, 11, 13, 1);
        b.block(7, 3, 1, 1).fill(value == tiny ? 1 : 0);
        Matrix c = productBy(isVector, a, b);
        for (int row = 0; row < 9; row++) {
          for (int column = 0; column < 13; column++) {
            double plain = 0;
            for (int k = 0; k < 11; k++) {
              plain += a.get(row, k) * b.get(k, column);
            }
            assertEquals(plain, c.get(row, column));
          }
        }
      }
    }
  }

  @Test
  void doesNotChangeWithTheNumberOfThreads() {
    Matrix a = random(Precision.DOUBLE, 333, 300);
    Matrix b = random(Precision.DOUBLE, 300, 401);
    Matrix one = Matrix.zeros(Precision.DOUBLE, 333, 401);
    Matrix.addProduct(a, b, one, 1);
    Matrix many = Matrix.zeros(Precision.DOUBLE, 333, 401);
    Matrix.addProduct(a, b, many, 3);
    assertEquals(-1, many.contiguous().mismatch(one.contiguous()));
  }

  @Test
  void refusesThatWhichDoesNotFit() {
    Matrix a = Matrix.zeros(Precision.DOUBLE, 2, 3);
    assertEquals(
        "2 x 3 by 2 x 3 gives no 2 x 3: the columns of A are the rows of B, and C has A's rows"
            + " and B's columns",
        refusal(() -> a.multiply(a)));
    assertTrue(
        refusal(() -> a.multiply(Matrix.zeros(Precision.SINGLE, 3, 2)))
            .contains("convert them to one precision"));
    Matrix square = Matrix.zeros(Precision.DOUBLE, 3, 3);
    assertTrue(
        refusal(() -> Matrix.addProduct(square, square, square, 1))
            .contains("give it memory of its own"));
    assertThrows(IndexOutOfBoundsException.class, () -> a.get(2, 0));
    assertThrows(IndexOutOfBoundsException.class, () -> a.transposed().block(0, 0, 1, 3));
    assertTrue(refusal(() -> Matrix.zeros(Precision.DOUBLE, -1, 2)).contains("-1 rows"));
    assertEquals(
        "row 1 has 2 elements, and row 0 has 1",
        refusal(() -> Matrix.of(new double[][] {{1}, {2, 3}})));
  }

  @Test
  void namesTheKernel() {
    assertTrue(Matrix.kernel(Precision.DOUBLE).matches("vector \\(\\d+ x 64 bits\\)"));
    assertEquals("scalar", Kernel.of(Precision.SINGLE, false).name());
  }

  private void check(Matrix a, Matrix b, int threads) {
    Matrix c = Matrix.zeros(a.precision(), a.rows(), b.columns());
    Matrix.addProduct(a, b, c, threads);
    assertProduct(a, b, c);
    assertProduct(a, b, productBy(false, a, b));
  }

  private static Matrix productBy(boolean isVector, Matrix a, Matrix b) {
    Matrix c = Matrix.zeros(a.precision(), a.rows(), b.columns());
    new Product(a, b, c, precision -> Kernel.of(precision, isVector)).run(1, () -> {});
    return c;
  }

  private static boolean[] kernels() {
    return new boolean[] {false, true};
  }

  /// The bound of a sum in any order (Higham, *Accuracy and Stability*, 2002, section 3.1).
  static void assertProduct(Matrix a, Matrix b, Matrix c) {
    double unit = a.precision() == Precision.SINGLE ? Math.ulp(1f) / 2 : Math.ulp(1.0) / 2;
    for (int row = 0; row < c.rows(); row++) {
      for (int column = 0; column < c.columns(); column++) {
        double sum = 0;
        double absolute = 0;
        for (int k = 0; k < a.columns(); k++) {
          double product = a.get(row, k) * b.get(k, column);
          sum += product;
          absolute += Math.abs(product);
        }
        double bound = 2 * (a.columns() + 1) * unit * absolute;
        if (!(Math.abs(c.get(row, column) - sum) <= bound)) {
          throw new AssertionError(
              "%s by %s, (%d, %d): %s and not %s within %s"
                  .formatted(a, b, row, column, c.get(row, column), sum, bound));
        }
      }
    }
  }

  private Matrix random(Precision precision, int rows, int columns) {
    Matrix matrix = Matrix.zeros(precision, rows, columns);
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        matrix.set(row, column, random.nextGaussian());
      }
    }
    return matrix;
  }

  private static Matrix filled(Precision precision, int rows, int columns, double value) {
    Matrix matrix = Matrix.zeros(precision, rows, columns);
    matrix.fill(value);
    return matrix;
  }

  private static long seed() {
    long seed = Long.getLong("tigris.test.seed", System.nanoTime());
    System.out.println("-Dtigris.test.seed=" + seed);
    return seed;
  }

  private static String refusal(Executable call) {
    return assertThrows(Exception.class, call).getMessage();
  }
}
