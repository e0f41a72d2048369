package dev.tigris.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.net.Fabric;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RingMultiplyTest {
  private static final int SIZE = 60;

  private static double[] matrix(Random random) {
    return random.doubles((long) SIZE * SIZE).toArray();
  }

  private static double[] byDefinition(double[] a, double[] b) {
    double[] c = new double[SIZE * SIZE];
    for (int row = 0; row < SIZE; row++) {
      for (int column = 0; column < SIZE; column++) {
        for (int k = 0; k < SIZE; k++) {
          c[column * SIZE + row] += a[k * SIZE + row] * b[column * SIZE + k];
        }
      }
    }
    return c;
  }

  @ParameterizedTest
  @CsvSource({"tcp, 1", "tcp, 2", "tcp, 5", "shm, 3", "uring, 4"})
  void givesTheProductHoweverManyNodesShareIt(String provider, int nodes) throws Exception {
    assumeTrue(
        Fabric.candidates("127.0.0.1").stream()
            .anyMatch(each -> each.name().equals(provider) && each.obstacle().isEmpty()),
        provider + " cannot be used here");
    Random random = new Random(nodes);
    double[] a = matrix(random);
    double[] b = matrix(random);
    double[] c = RingMultiply.product(provider, nodes, SIZE, a, b);
    assertArrayEquals(byDefinition(a, b), c, 1e-9);
  }

  @Test
  void refusesColumnsThatCannotBeSharedOut() {
    double[] none = new double[SIZE * SIZE];
    assertThrows(
        IllegalArgumentException.class, () -> RingMultiply.product("tcp", 7, SIZE, none, none));
  }
}
