package dev.tigris.examples;

import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoCursor;
import java.io.IOException;
import java.nio.file.Path;

/// A file scan (paper 000, section 5; `objects.scan` measures one): a class is laid over the
/// records of a file that another program has written, and the largest value of one field is looked
/// for. No byte is copied, and no object is made for a record.
public final class FileScan {
  /// A record as C would declare it: `struct { int64_t nanos; int32_t sensor, value; }`.
  public static final class Sample extends Pso {
    /// When.
    public long nanos;

    /// By whom.
    public int sensor;

    /// What.
    public int value;

    /// An empty one.
    public Sample(Container container) {
      super(container);
    }
  }

  /// The bytes of a record.
  static final int SAMPLE_BYTES = 16;

  private FileScan() {}

  /// The largest value in a file of samples, which may be larger than the heap and the memory.
  ///
  /// @throws IOException if the file cannot be mapped
  /// @throws IllegalArgumentException if it has no samples, or a part of one
  public static int largestValue(Path file) throws IOException {
    Jbuf jbuf = Jbuf.map(file, Mapping.PRIVATE);
    long bytes = jbuf.capacityBytes();
    if (bytes == 0 || bytes % SAMPLE_BYTES != 0) {
      throw new IllegalArgumentException(
          "%s has %d bytes, which are not whole samples of %d"
              .formatted(file, bytes, SAMPLE_BYTES));
    }
    int largest = Integer.MIN_VALUE;
    PsoCursor<Sample> samples = jbuf.asRawContainer().cursor(0, bytes / SAMPLE_BYTES, Sample.class);
    while (samples.next()) {
      largest = Math.max(largest, samples.element().value);
    }
    return largest;
  }

  /// Scans a file: `java ... dev.tigris.examples.FileScan samples`.
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      System.err.println("usage: FileScan FILE");
      return;
    }
    System.out.println("the largest value is " + largestValue(Path.of(arguments[0])));
  }
}
