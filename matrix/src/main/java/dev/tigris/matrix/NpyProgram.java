package dev.tigris.matrix;

import dev.tigris.cluster.group.Group;
import dev.tigris.cluster.group.GroupProgram;
import dev.tigris.cluster.run.Arguments;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// The members that multiply NumPy's files, which [NpyProduct] starts. Programs do not start it
/// themselves.
public final class NpyProgram implements GroupProgram {
  /// A result, whose name goes on with that of a kernel. It counts members.
  static final String KERNEL = "kernel ";

  static final String NANOS = "nanos";
  static final String COMMUNICATION_NANOS = "communication.nanos";

  /// Makes the program, as each process of a run does.
  public NpyProgram() {}

  /// The things that all members have to know alike.
  ///
  /// @param left the first factor
  /// @param right the second
  /// @param product what it is to become, for people
  /// @param partial the file that is written
  /// @param begin where its elements begin
  /// @param rows of the product
  /// @param inner the columns of the first factor
  /// @param columns of the product
  /// @param precision of the product
  /// @param threads of each member; 0 for as many as its process has processors
  record Task(
      Path left,
      Path right,
      Path product,
      Path partial,
      long begin,
      int rows,
      int inner,
      int columns,
      Precision precision,
      int threads) {
    String[] words() {
      return new String[] {
        left.toString(),
        right.toString(),
        product.toString(),
        partial.toString(),
        String.valueOf(begin),
        String.valueOf(rows),
        String.valueOf(inner),
        String.valueOf(columns),
        precision.name(),
        String.valueOf(threads)
      };
    }

    static Task of(Arguments arguments) {
      return new Task(
          Path.of(arguments.word(0)),
          Path.of(arguments.word(1)),
          Path.of(arguments.word(2)),
          Path.of(arguments.word(3)),
          Long.parseLong(arguments.word(4)),
          Integer.parseInt(arguments.word(5)),
          Integer.parseInt(arguments.word(6)),
          Integer.parseInt(arguments.word(7)),
          Precision.valueOf(arguments.word(8)),
          Integer.parseInt(arguments.word(9)));
    }
  }

  /// Runs one member.
  ///
  /// @throws IOException if a file cannot be read or written; the message names it
  @Override
  public void run(Group group, Arguments arguments) throws IOException, InterruptedException {
    Task task = Task.of(arguments);
    Matrix a = columns(task.left(), task.rows(), task.inner(), group, task.precision());
    Matrix b = columns(task.right(), task.inner(), task.columns(), group, task.precision());
    Matrix c = Matrix.zeros(task.precision(), a.rows(), b.columns());
    int threads = task.threads();
    group.barrier(); // so that no member waits for one that reads, and counts it as communication
    GroupProduct.Times times =
        GroupProduct.addProduct(
            group, a, b, c, threads == 0 ? Runtime.getRuntime().availableProcessors() : threads);
    try (FileChannel channel = FileChannel.open(task.partial(), StandardOpenOption.WRITE)) {
      int from = GroupProduct.firstColumn(task.columns(), group.size(), group.rank());
      NpyColumns.write(channel, task.begin(), task.columns(), from, c);
    } catch (IOException e) {
      throw new IOException("cannot write %s: %s".formatted(task.product(), e.getMessage()), e);
    }
    group.results().add(KERNEL + Matrix.kernel(task.precision()), 1);
    group.results().max(NANOS, times.nanos());
    group.results().max(COMMUNICATION_NANOS, times.communicationNanos());
  }

  /// Reads this member's columns of a file, which has to be as it was when the run began.
  private static Matrix columns(Path file, int rows, int columns, Group group, Precision precision)
      throws IOException {
    Matrix read = NpyColumns.read(file, group.size(), group.rank());
    if (read.rows() != rows
        || read.columns() != GroupProduct.columnCount(columns, group.size(), group.rank())) {
      throw new IOException(file + " was changed while it was multiplied: leave it as it is");
    }
    return read.precision() == precision ? read : read.copy(precision);
  }
}
