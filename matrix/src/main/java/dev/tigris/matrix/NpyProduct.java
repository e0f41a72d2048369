package dev.tigris.matrix;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunException;
import dev.tigris.flow.Results;
import dev.tigris.os.PartialFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/// The product of the matrices in two of NumPy's files, made by a [group][GroupProduct] on several
/// processes of this host. Each member reads its columns of both, and writes those of the product
/// to their place.
///
/// ```java
/// NpyProduct product = NpyProduct.of(Path.of("a.npy"), Path.of("b.npy"));
/// product.write(Path.of("c.npy"), Cluster.processes(4));
/// ```
///
/// Thread rule: any thread.
public final class NpyProduct {
  private final Path left;
  private final Path right;
  private final NpyHeader a;
  private final NpyHeader b;
  private final int threads;

  private NpyProduct(Path left, Path right, NpyHeader a, NpyHeader b, int threads) {
    this.left = left;
    this.right = right;
    this.a = a;
    this.b = b;
    this.threads = threads;
  }

  /// A product that was made.
  ///
  /// @param rows of it
  /// @param inner the columns of the first factor, which are the rows of the second
  /// @param columns of it
  /// @param precision of it
  /// @param kernel what has multiplied, as [Matrix#kernel] names it
  /// @param multiplying how long the slowest member took, without reading and writing
  /// @param communication the most that a member took of it to move blocks and to wait for them
  public record Made(
      int rows,
      int inner,
      int columns,
      Precision precision,
      String kernel,
      Duration multiplying,
      Duration communication) {}

  /// Reads what two files promise.
  ///
  /// @throws IOException if one cannot be read, ends early, or has no matrix; the message says
  ///     why, and names the file
  /// @throws IllegalArgumentException if the first has not as many columns as the second has rows
  public static NpyProduct of(Path left, Path right) throws IOException {
    NpyHeader a = header(left);
    NpyHeader b = header(right);
    if (a.columns() != b.rows()) {
      throw new IllegalArgumentException(
          "%d x %d by %d x %d gives no product: the columns of A are the rows of B"
              .formatted(a.rows(), a.columns(), b.rows(), b.columns()));
    }
    Matrix.requireSize(precision(a, b), a.rows(), b.columns());
    return new NpyProduct(left, right, a, b, 0);
  }

  private static NpyHeader header(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return NpyHeader.read(channel, file);
    }
  }

  /// Returns a copy that uses so many processors at most, divided among the processes. It uses all
  /// that the processes have otherwise.
  ///
  /// @throws IllegalArgumentException if it is less than 1
  public NpyProduct withProcessors(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("%d processors multiply nothing".formatted(most));
    }
    return new NpyProduct(left, right, a, b, most);
  }

  /// The wider one, which numbers of both fit.
  private static Precision precision(NpyHeader a, NpyHeader b) {
    return a.precision() == b.precision() ? a.precision() : Precision.DOUBLE;
  }

  /// Multiplies, and writes the product row after row. The file appears under its name when it is
  /// complete and synced. One that is there is replaced, and its permissions stay. It can be one of
  /// the factors.
  ///
  /// @param cluster whose processes are on this host; on threads, one member multiplies
  /// @throws IOException if the product cannot be written; then nothing of it is left
  /// @throws RunException if a member has failed or was lost; then nothing of it is left
  public Made write(Path product, Cluster cluster)
      throws IOException, RunException, InterruptedException {
    Precision precision = precision(a, b);
    try (PartialFile partial = new PartialFile(product)) {
      Npy.writeAll(partial.channel(), NpyHeader.of(precision, false, a.rows(), b.columns()));
      int each = threads == 0 ? 0 : Math.max(1, threads / cluster.workers());
      NpyProgram.Task task =
          new NpyProgram.Task(
              left.toAbsolutePath(),
              right.toAbsolutePath(),
              product.toAbsolutePath(),
              partial.path(),
              partial.channel().position(),
              a.rows(),
              a.columns(),
              b.columns(),
              precision,
              each);
      Results results = awaited(cluster.group(NpyProgram.class, task.words()));
      partial.complete();
      return made(precision, results.numbers());
    }
  }

  /// Waits for the end of a run. If this thread is interrupted, the run ends first.
  private static Results awaited(ClusterRun run) throws RunException, InterruptedException {
    try {
      return run.await();
    } catch (InterruptedException e) {
      run.cancelAndAwait();
      throw e;
    }
  }

  private Made made(Precision precision, Map<String, Long> told) {
    String kernels =
        told.entrySet().stream()
            .filter(entry -> entry.getKey().startsWith(NpyProgram.KERNEL))
            .map(entry -> entry.getKey().substring(NpyProgram.KERNEL.length()))
            .sorted()
            .collect(Collectors.joining(", "));
    return new Made(
        a.rows(),
        a.columns(),
        b.columns(),
        precision,
        kernels,
        Duration.ofNanos(told.getOrDefault(NpyProgram.NANOS, 0L)),
        Duration.ofNanos(told.getOrDefault(NpyProgram.COMMUNICATION_NANOS, 0L)));
  }

  @Override
  public String toString() {
    return "NpyProduct[%s by %s]".formatted(left, right);
  }
}
