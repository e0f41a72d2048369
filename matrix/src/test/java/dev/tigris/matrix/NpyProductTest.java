package dev.tigris.matrix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunException;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Products of files by several processes.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NpyProductTest {
  private static final byte[] OLD = {1, 2, 3};

  /// On a busy machine, several JVMs take long to start.
  private static final Duration LONGEST_START = Duration.ofSeconds(60);

  @TempDir private Path folder;
  @TempDir private Path runs;

  private Cluster on(int processes) {
    return Cluster.processes(processes).withRuns(runs);
  }

  /// Makes a file of small whole numbers, whose products are exact.
  private Path file(String name, Precision precision, int rows, int columns, boolean isByColumns)
      throws IOException {
    SplittableRandom random = new SplittableRandom(rows * 31L + columns);
    Matrix matrix =
        isByColumns
            ? Matrix.zeros(precision, columns, rows).transposed()
            : Matrix.zeros(precision, rows, columns);
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        matrix.set(row, column, random.nextInt(-9, 10));
      }
    }
    Path file = folder.resolve(name);
    Npy.write(file, matrix);
    return file;
  }

  private void check(Path left, Path right, Cluster cluster) throws Exception {
    Path output = folder.resolve("c.npy");
    NpyProduct.Made made = NpyProduct.of(left, right).withProcessors(2).write(output, cluster);
    Matrix expected = product(left, right);
    Matrix found = Npy.read(output);
    assertEquals(expected.toString(), found.toString());
    assertEquals(-1, expected.contiguous().mismatch(found.contiguous()));
    assertEquals(Matrix.kernel(found.precision()), made.kernel());
    assertEquals(
        List.of(expected.rows(), Npy.read(left).columns(), expected.columns()),
        List.of(made.rows(), made.inner(), made.columns()));
    assertTrue(made.communication().compareTo(made.multiplying()) <= 0, made::toString);
  }

  private static Matrix product(Path left, Path right) throws IOException {
    Matrix a = Npy.read(left);
    Matrix b = Npy.read(right);
    Precision wide = a.precision() == b.precision() ? a.precision() : Precision.DOUBLE;
    return a.copy(wide).multiply(b.copy(wide));
  }

  @Test
  void threeProcessesMultiplyFiles() throws Exception {
    Path left = file("a.npy", Precision.SINGLE, 41, 23, true);
    Path right = file("b.npy", Precision.DOUBLE, 23, 37, false);
    check(left, right, on(3));
    requireFiles("a.npy", "b.npy", "c.npy");
  }

  @Slow("starts two to four JVMs for each shape")
  @ParameterizedTest
  @CsvSource({"1,1,1,2", "700,300,3000,2", "3,2,1,4", "64,0,5,2", "0,3,4,2", "2100,3,3,2"})
  void processesMultiplyShapes(int m, int k, int n, int processes) throws Exception {
    Path left = file("a.npy", Precision.DOUBLE, m, k, false);
    Path right = file("b.npy", Precision.DOUBLE, k, n, n % 2 == 0);
    check(left, right, on(processes));
  }

  /// Each member reads what is its own, in every order and width.
  @Test
  void membersReadTheirColumns() throws Exception {
    for (boolean isByColumns : new boolean[] {false, true}) {
      for (int columns : new int[] {1, 5, 6000}) {
        Path file = file("m.npy", Precision.SINGLE, 7, columns, isByColumns);
        Matrix whole = Npy.read(file);
        int next = 0;
        for (int member = 0; member < 3; member++) {
          Matrix part = NpyColumns.read(file, 3, member);
          for (int column = 0; column < part.columns(); column++, next++) {
            for (int row = 0; row < 7; row++) {
              assertEquals(whole.get(row, next), part.get(row, column));
            }
          }
        }
        assertEquals(columns, next);
      }
    }
  }

  @Test
  void refusesFilesThatDoNotFit() throws Exception {
    Path left = file("a.npy", Precision.DOUBLE, 2, 3, false);
    assertEquals(
        "2 x 3 by 2 x 3 gives no product: the columns of A are the rows of B",
        assertThrows(IllegalArgumentException.class, () -> NpyProduct.of(left, left)).getMessage());
    Path cut = folder.resolve("cut.npy");
    byte[] all = Files.readAllBytes(left);
    Files.write(cut, Arrays.copyOf(all, all.length - 1));
    assertNamed("cut.npy", () -> NpyProduct.of(left, cut));
    assertNamed(folder.toString(), () -> NpyProduct.of(folder, left));
    Path high = hostile("high.npy", "(2147483647, 0)");
    Path wide = hostile("wide.npy", "(0, 2147483647)");
    assertThrows(IllegalArgumentException.class, () -> NpyProduct.of(high, wide));
  }

  private void assertNamed(String name, Reading reading) {
    IOException refusal = assertThrows(IOException.class, reading::read);
    assertTrue(String.valueOf(refusal.getMessage()).contains(name), refusal::toString);
  }

  private interface Reading {
    NpyProduct read() throws IOException;
  }

  /// A file that has a header only.
  private Path hostile(String name, String shape) throws IOException {
    String header = "{'descr': '<f8', 'fortran_order': False, 'shape': %s}\n".formatted(shape);
    Path file = folder.resolve(name);
    Files.write(
        file,
        ("\u0093NUMPY\u0001\0" + (char) header.length() + '\0' + header)
            .getBytes(StandardCharsets.ISO_8859_1));
    return file;
  }

  /// The header is read by the starting process, and the elements by the members.
  @Slow("starts two JVMs")
  @Test
  void aFileThatChangesFailsTheProductWithItsName() throws Exception {
    Path left = file("a.npy", Precision.DOUBLE, 20, 30, false);
    Path right = file("b.npy", Precision.DOUBLE, 30, 20, false);
    NpyProduct product = NpyProduct.of(left, right);
    Path _ = file("b.npy", Precision.DOUBLE, 31, 20, false);
    Path output = folder.resolve("c.npy");
    Files.write(output, OLD);
    RunException failure = assertThrows(RunException.class, () -> product.write(output, on(2)));
    assertTrue(failure.toString().contains("b.npy was changed"), failure::toString);
    assertArrayEquals(OLD, Files.readAllBytes(output));
    requireFiles("a.npy", "b.npy", "c.npy");
  }

  @Slow("starts three JVMs")
  @Test
  void aMemberThatIsKilledInTheRingEndsAllWithItsName() throws Exception {
    Path file = folder.resolve("pid");
    ClusterRun run = on(3).group(Endless.class, file.toString());
    Wait.until(
        () -> "member 1 multiplies",
        LONGEST_START,
        () -> Files.exists(file) && Files.size(file) > 0);
    long pid = Long.parseLong(Files.readString(file));
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    RunException failure = assertThrows(RunException.class, run::await);
    assertEquals(RunException.Kind.LOST, failure.kind(), failure::toString);
    assertTrue(failure.toString().contains("worker 1"), failure::toString);
  }

  @Slow("starts two JVMs")
  @Test
  void aProductWhoseProcessIsKilledLeavesNothing() throws Exception {
    Path left = file("a.npy", Precision.DOUBLE, 1500, 1500, false);
    Path right = file("b.npy", Precision.DOUBLE, 1500, 4000, false);
    Path output = folder.resolve("c.npy");
    Files.write(output, OLD);
    Set<ProcessHandle> before = workers().collect(Collectors.toSet()); // of tests that have ended
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Future<NpyProduct.Made> made =
          threads.submit(() -> NpyProduct.of(left, right).write(output, on(2)));
      Wait.until(
          () -> "a worker runs",
          LONGEST_START,
          () -> workers().anyMatch(each -> !before.contains(each)));
      workers()
          .filter(each -> !before.contains(each))
          .limit(1)
          .forEach(ProcessHandle::destroyForcibly);
      ExecutionException failure = assertThrows(ExecutionException.class, made::get);
      assertTrue(failure.getCause() instanceof RunException, failure::toString);
      assertTrue(failure.toString().contains("worker"), failure::toString);
    }
    assertArrayEquals(OLD, Files.readAllBytes(output));
    requireFiles("a.npy", "b.npy", "c.npy");
  }

  /// Returns the workers of runs, and not what makes a cache for them.
  private Stream<ProcessHandle> workers() {
    return ProcessHandle.current()
        .children()
        .filter(each -> each.info().commandLine().orElse("").contains(runs.toString()));
  }

  private void requireFiles(String... names) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(
          List.of(names), files.map(each -> each.getFileName().toString()).sorted().toList());
    }
  }
}
