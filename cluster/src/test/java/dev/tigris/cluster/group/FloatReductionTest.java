package dev.tigris.cluster.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Doubles;
import dev.tigris.memory.Floats;
import dev.tigris.memory.Jbuf;
import java.math.BigDecimal;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Reductions of floating point numbers: within the bound of their error, with equal bits in all
/// members and in each run, and with the special values of plain Java.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FloatReductionTest {
  private static final String PROVIDER = "shm";

  /// One count has short messages, and the other long ones.
  private static final int[] COUNTS = {3, 3000};

  private static final double[] SPECIAL = {
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    -0.0,
    0.0,
    Double.MIN_VALUE,
    -Double.MIN_VALUE,
    0x1p1000, // no sum of these overflows
    1
  };

  /// Returns what each member holds.
  private static double[][] data(int members, int count, boolean isSpecial, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[][] data = new double[members][count];
    for (double[] each : data) {
      for (int i = 0; i < count; i++) {
        each[i] =
            isSpecial && random.nextInt(3) == 0
                ? SPECIAL[random.nextInt(SPECIAL.length)]
                : Math.scalb(random.nextDouble(-1, 1), random.nextInt(-20, 20));
      }
    }
    return data;
  }

  /// Returns what each member gets of an all-reduce, and last what member 0 gets of a reduce.
  private static double[][] reduced(double[][] data, Reduction how, boolean isSingle)
      throws Exception {
    int members = data.length;
    double[][] results = new double[members + 1][];
    GroupThreads.run(
        members,
        PROVIDER,
        group -> {
          double[] own = data[group.rank()];
          Doubles doubles = Jbuf.allocate(8L * own.length).asDoubles();
          Floats floats = Jbuf.allocate(4L * own.length).asFloats();
          for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < own.length; i++) {
              doubles.set(i, own[i]);
              floats.set(i, (float) own[i]);
            }
            if (pass == 0) {
              group.allReduce(isSingle ? floats : doubles, how);
            } else {
              group.reduce(isSingle ? floats : doubles, how, 0);
            }
            double[] got = new double[own.length];
            for (int i = 0; i < own.length; i++) {
              got[i] = isSingle ? floats.get(i) : doubles.get(i);
            }
            if (pass == 0 || group.rank() == 0) {
              results[pass == 0 ? group.rank() : members] = got;
            }
          }
        });
    return results;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 5})
  void sumsAreWithinTheBoundAndHaveEqualBits(int members) throws Exception {
    for (int count : COUNTS) {
      for (boolean isSingle : new boolean[] {false, true}) {
        double[][] data = data(members, count, false, 31L * members + count);
        double[][] results = reduced(data, Reduction.SUM, isSingle);
        for (int member = 1; member < members; member++) {
          assertArrayEquals(results[0], results[member]); // by bits
        }
        assertArrayEquals(results[0], reduced(data, Reduction.SUM, isSingle)[0]);
        double unit = isSingle ? 0x1p-24 : 0x1p-53;
        for (int i = 0; i < count; i++) {
          BigDecimal exact = BigDecimal.ZERO;
          double absolute = 0;
          for (double[] each : data) {
            double element = isSingle ? (float) each[i] : each[i];
            exact = exact.add(new BigDecimal(element));
            absolute += Math.abs(element);
          }
          double bound = 1.001 * (members - 1) * unit * absolute;
          for (double[] result : new double[][] {results[0], results[members]}) {
            double error = new BigDecimal(result[i]).subtract(exact).abs().doubleValue();
            assertTrue(error <= bound, "an error of %s, of at most %s".formatted(error, bound));
          }
        }
      }
    }
  }

  /// The sum of a NaN, or of both infinities, is a NaN, in whichever order.
  @ParameterizedTest
  @ValueSource(ints = {3, 4})
  void specialValuesGoThrough(int members) throws Exception {
    for (int count : COUNTS) {
      double[][] data = data(members, count, true, members);
      double[][] sums = reduced(data, Reduction.SUM, false);
      double[][] least = reduced(data, Reduction.MINIMUM, false);
      double[][] most = reduced(data, Reduction.MAXIMUM, false);
      double[][] products = reduced(data, Reduction.PRODUCT, false);
      for (int i = 0; i < count; i++) {
        double minimum = data[0][i];
        double maximum = data[0][i];
        boolean isNan = Double.isNaN(data[0][i]);
        double infinities = Double.isInfinite(data[0][i]) ? data[0][i] : 0;
        for (int member = 1; member < members; member++) {
          double its = data[member][i];
          minimum = Math.min(minimum, its);
          maximum = Math.max(maximum, its);
          isNan |= Double.isNaN(its);
          infinities += Double.isInfinite(its) ? its : 0;
        }
        for (int member = 0; member <= members; member++) {
          assertEquals(minimum, least[member][i]); // tells the zeros apart
          assertEquals(maximum, most[member][i]);
          if (isNan) {
            assertTrue(Double.isNaN(sums[member][i]));
            assertTrue(Double.isNaN(products[member][i]));
          } else if (infinities != 0) { // a NaN if there were both
            assertEquals(infinities, sums[member][i]);
          }
        }
      }
      for (int member = 1; member < members; member++) {
        assertArrayEquals(sums[0], sums[member]);
        assertArrayEquals(products[0], products[member]);
      }
    }
  }
}
