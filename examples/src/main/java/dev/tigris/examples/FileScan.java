package dev.tigris.examples;

import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoCursor;
import java.io.IOException;
import java.nio.file.Path;

/// Scans a file that another program has written, and finds the largest value of a field (Welsh, MS
/// thesis, 1999, section 5). A class is laid over the records of the file. The scan copies no byte
/// and makes no object for a record.
///
/// ```sh
/// ./tigris example FileScan samples
/// ```
public final class FileScan {
  /// A record as C would declare it: `struct { int64_t nanos; int32_t sensor, value; }`.
  public static final class Sample extends Pso {
    /// The time of the measurement.
    public long nanos;

    /// The number of the sensor.
    public int sensor;

    /// The measured value.
    public int value;

    /// A sample of zeros.
    public Sample(Container container) {
      super(container);
    }
  }

  /// The bytes of a record.
  static final int SAMPLE_BYTES = 16;

  private FileScan() {}

  /// Finds the largest value in a file of samples. The file may be larger than the heap and the
  /// memory.
  ///
  /// @throws IOException if the file cannot be mapped
  /// @throws IllegalArgumentException if it is empty, or ends within a sample
  public static int largestValue(Path file) throws IOException {
    Jbuf jbuf = Jbuf.map(file, Mapping.PRIVATE);
    long bytes = jbuf.capacityBytes();
    if (bytes == 0 || bytes % SAMPLE_BYTES != 0) {
      throw new IllegalArgumentException(
          "%s has %d bytes, not a multiple of %d: give a file of whole samples"
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
