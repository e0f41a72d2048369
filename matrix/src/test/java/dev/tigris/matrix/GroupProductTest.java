package dev.tigris.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.group.GroupThreads;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Products by the members of a group, which are threads here, within the bound of the error.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class GroupProductTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void multipliesRandomShapes(int members) throws Exception {
    long seed = Long.getLong("tigris.test.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 12; i++) {
      Precision precision = random.nextBoolean() ? Precision.SINGLE : Precision.DOUBLE;
      check(
          new Operands(
              precision,
              random.nextInt(0, 41),
              random.nextInt(0, 41),
              random.nextInt(0, 41),
              random.nextInt(3),
              random.nextLong()),
          members,
          "shm",
          "-Dtigris.test.seed=" + seed);
    }
  }

  /// The blocks of A have more than a short message, and C more than a block of the kernel.
  @ParameterizedTest
  @CsvSource({"shm, 3, 301, 700, 97", "tcp, 2, 97, 530, 802", "uring, 4, 230, 257, 130"})
  void multipliesWhileLongBlocksGoRound(String provider, int members, int m, int k, int n)
      throws Exception {
    for (int order = 0; order < 3; order++) {
      Operands operands = new Operands(Precision.DOUBLE, m, k, n, order, 7);
      check(operands, members, provider, provider);
    }
  }

  @Test
  void membersWithPartsOfOtherMatricesAreToldApart() {
    assertEquals(
        "member 0 has 5 rows of A, 4 of B, 64 bits, and member 1 has 6 rows of A, 4 of B, 64 bits: all multiply the same matrices",
        refusal(1, 0));
    String message = refusal(0, 1);
    assertTrue(message.contains("member 1"), message);
  }

  /// Returns the refusal of two members, of which the second has more rows or columns of A.
  private static String refusal(int moreRows, int moreColumns) {
    IllegalArgumentException refusal =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                GroupThreads.run(
                    2,
                    "shm",
                    group -> {
                      int rows = 5 + group.rank() * moreRows;
                      int columns = 2 + group.rank() * moreColumns;
                      Matrix a = Matrix.zeros(Precision.DOUBLE, rows, columns);
                      Matrix b = Matrix.zeros(Precision.DOUBLE, 4, 3);
                      Matrix c = Matrix.zeros(Precision.DOUBLE, rows, 3);
                      GroupProduct.Times _ = GroupProduct.addProduct(group, a, b, c, 1);
                    }));
    return String.valueOf(refusal.getMessage());
  }

  @Test
  void sharesColumnsOutWithoutGaps() {
    for (int columns = 0; columns < 20; columns++) {
      for (int members = 1; members < 8; members++) {
        int next = 0;
        for (int member = 0; member < members; member++) {
          assertEquals(next, GroupProduct.firstColumn(columns, members, member));
          int count = GroupProduct.columnCount(columns, members, member);
          assertTrue(Math.abs(columns / members - count) <= 1);
          next += count;
        }
        assertEquals(columns, next);
      }
    }
  }

  private static void check(Operands operands, int members, String provider, String hint)
      throws Exception {
    Matrix c = Matrix.zeros(operands.precision, operands.m, operands.n);
    GroupThreads.run(
        members,
        provider,
        group -> {
          int rank = group.rank();
          Matrix own = operands.columns(c, members, rank);
          GroupProduct.Times times =
              GroupProduct.addProduct(
                  group,
                  operands.columns(operands.a, members, rank),
                  operands.columns(operands.b, members, rank),
                  own,
                  1);
          assertTrue(times.communicationNanos() <= times.nanos(), times::toString);
        });
    try {
      MatrixTest.assertProduct(operands.a, operands.b, c);
    } catch (AssertionError e) {
      throw new AssertionError(members + " members, " + hint, e);
    }
  }

  /// Two factors.
  private static final class Operands {
    final Precision precision;
    final int m;
    final int n;
    final Matrix a;
    final Matrix b;

    /// @param order whether A lies by rows, by columns, or with gaps
    Operands(Precision precision, int m, int k, int n, int order, long seed) {
      this.precision = precision;
      this.m = m;
      this.n = n;
      SplittableRandom random = new SplittableRandom(seed);
      this.a =
          switch (order) {
            case 0 -> Matrix.zeros(precision, m, k);
            case 1 -> Matrix.zeros(precision, k, m).transposed();
            default -> Matrix.zeros(precision, m + 1, k + 2).block(1, 1, m, k);
          };
      this.b = Matrix.zeros(precision, k, n);
      fill(a, random);
      fill(b, random);
    }

    private static void fill(Matrix matrix, SplittableRandom random) {
      for (int row = 0; row < matrix.rows(); row++) {
        for (int column = 0; column < matrix.columns(); column++) {
          matrix.set(row, column, random.nextDouble(-1, 1));
        }
      }
    }

    Matrix columns(Matrix of, int members, int member) {
      return of.block(
          0,
          GroupProduct.firstColumn(of.columns(), members, member),
          of.rows(),
          GroupProduct.columnCount(of.columns(), members, member));
    }
  }
}
