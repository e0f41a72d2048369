package dev.tigris.sort;

import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.os.CheckReturnValue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Generates the records of gensort 1.5, bit for bit, in parallel.
///
/// ```java
/// GenerateJob.Result result = GenerateJob.to(Path.of("input"), 1_000_000).ascii().run();
/// ```
///
/// A job is immutable: each method that names an option returns a changed copy.
public final class GenerateJob {
  private static final Path NOWHERE = Path.of("/dev/null");

  // A multiple of 4096 bytes, so that every piece but the last begins and ends at a block.
  private static final int PIECE_RECORDS = 20 * 1024;

  /// The result of generating records. Later versions may have more components, so read them by
  /// their methods and construct none yourself.
  ///
  /// @param checksum the sum of the records' CRC-32, or null if it was not asked for
  public record Result(long records, long bytes, Duration elapsed, @Nullable UInt128 checksum) {}

  private final Path output;
  private final long records;
  private final boolean isAscii;
  private final boolean isSkewed;
  private final UInt128 firstRecord;
  private final boolean wantsChecksum;
  private final int parallel;
  private final Progress progress;

  private GenerateJob(
      Path output,
      long records,
      boolean isAscii,
      boolean isSkewed,
      UInt128 firstRecord,
      boolean wantsChecksum,
      int parallel,
      Progress progress) {
    if (records < 0 || records > Long.MAX_VALUE / Gensort.RECORD_SIZE) {
      throw new IllegalArgumentException(
          "cannot generate %2$d records: the number must be from 0 to %1$d"
              .formatted(Long.MAX_VALUE / Gensort.RECORD_SIZE, records));
    }
    if (parallel < 1) {
      throw new IllegalArgumentException(
          "cannot generate with " + parallel + " threads: at least 1 is needed");
    }
    this.output = Objects.requireNonNull(output, "output");
    this.records = records;
    this.isAscii = isAscii;
    this.isSkewed = isSkewed;
    this.firstRecord = Objects.requireNonNull(firstRecord, "firstRecord");
    this.wantsChecksum = wantsChecksum;
    this.parallel = parallel;
    this.progress = Objects.requireNonNull(progress, "progress");
  }

  /// Returns a job that generates binary records from number 0 on, without a checksum, with as many
  /// threads as processors.
  ///
  /// @param output the file to write, which replaces an existing one when it is complete;
  ///     `/dev/null` is not written
  /// @param records how many records to generate
  /// @throws IllegalArgumentException if `records` is negative, or too many for a file
  @CheckReturnValue
  public static GenerateJob to(Path output, long records) {
    int processors = Runtime.getRuntime().availableProcessors();
    return new GenerateJob(
        output, records, false, false, UInt128.ZERO, false, processors, Progress.NONE);
  }

  /// Returns a copy of this job for printable records, as gensort's `-a` makes.
  @CheckReturnValue
  public GenerateJob ascii() {
    return new GenerateJob(
        output, records, true, isSkewed, firstRecord, wantsChecksum, parallel, progress);
  }

  /// Returns a copy of this job for skewed keys, as gensort's `-s` makes.
  @CheckReturnValue
  public GenerateJob skewed() {
    return new GenerateJob(
        output, records, isAscii, true, firstRecord, wantsChecksum, parallel, progress);
  }

  /// Returns a copy of this job that begins with the record of this number, as gensort's `-b` does.
  @CheckReturnValue
  public GenerateJob from(UInt128 first) {
    return new GenerateJob(
        output, records, isAscii, isSkewed, first, wantsChecksum, parallel, progress);
  }

  /// Returns a copy of this job with the sum of the records' CRC-32 in the result, as gensort's
  /// `-c` prints.
  @CheckReturnValue
  public GenerateJob checksum() {
    return new GenerateJob(
        output, records, isAscii, isSkewed, firstRecord, true, parallel, progress);
  }

  /// Returns a copy of this job with another number of threads.
  ///
  /// @throws IllegalArgumentException if it is not at least 1
  @CheckReturnValue
  public GenerateJob parallel(int threads) {
    return new GenerateJob(
        output, records, isAscii, isSkewed, firstRecord, wantsChecksum, threads, progress);
  }

  /// Returns a copy of this job that reports its progress to `listener`.
  @CheckReturnValue
  public GenerateJob progress(Progress listener) {
    return new GenerateJob(
        output, records, isAscii, isSkewed, firstRecord, wantsChecksum, parallel, listener);
  }

  /// Returns the file to write.
  public Path output() {
    return output;
  }

  /// Returns how many records are generated.
  public long records() {
    return records;
  }

  /// Returns whether the records are printable.
  public boolean isAscii() {
    return isAscii;
  }

  /// Returns whether some keys are frequent.
  public boolean isSkewed() {
    return isSkewed;
  }

  /// Returns the number of the first record.
  public UInt128 firstRecord() {
    return firstRecord;
  }

  /// Returns whether the records' CRC-32 are summed.
  public boolean wantsChecksum() {
    return wantsChecksum;
  }

  /// Returns how many threads are used.
  public int parallel() {
    return parallel;
  }

  @Override
  public String toString() {
    return "GenerateJob[%d records, to %s]".formatted(records, output);
  }

  /// Generates the records. The file appears under its name when it is complete. If anything goes
  /// wrong, an existing file stays and the incomplete one is deleted.
  ///
  /// @throws SortException if the file cannot be written
  /// @throws InterruptedException if the calling thread is interrupted
  public Result run() throws SortException, InterruptedException {
    long started = System.nanoTime();
    Total total = new Total();
    try {
      if (output.equals(NOWHERE)) {
        generate(null, total);
      } else {
        generateFile(total);
      }
    } catch (SortException e) {
      throw e.unlessInterrupted();
    } catch (MemoryBudgetException e) {
      throw SortException.noMemory(e);
    }
    Duration elapsed = Duration.ofNanos(System.nanoTime() - started);
    return new Result(records, bytes(), elapsed, wantsChecksum ? total.sum() : null);
  }

  private void generateFile(Total total) throws SortException, InterruptedException {
    OutputPaths.refuseUnusable(output);
    Path target = OutputPaths.target(output);
    try (TemporaryFolder folder = new TemporaryFolder(target)) {
      OutputPaths.refuseIrreplaceable(target, folder.resolve("probe"));
      try (OutputFile file = new OutputFile(folder.resolve(TemporaryFolder.OUTPUT), bytes())) {
        generate(file, total);
      }
      folder.publish(TemporaryFolder.OUTPUT, target, false);
    }
  }

  private void generate(@Nullable OutputFile file, Total total)
      throws SortException, InterruptedException {
    long pieces = (records + PIECE_RECORDS - 1) / PIECE_RECORDS;
    AtomicLong done = new AtomicLong();
    Workers.run("generate", parallel, pieces, () -> new Generator(file, done, total));
  }

  private long bytes() {
    return records * Gensort.RECORD_SIZE;
  }

  /// What the threads' checksums add up to.
  private static final class Total {
    private UInt128 sum = UInt128.ZERO;

    synchronized void add(UInt128 part) {
      sum = sum.plus(part);
    }

    synchronized UInt128 sum() {
      return sum;
    }
  }

  /// One thread's work: a piece at a time is generated in a buffer and written.
  private final class Generator implements Workers.Worker {
    private final @Nullable OutputFile file;
    private final AtomicLong done;
    private final Total total;
    private final Gensort gensort = new Gensort(isAscii, isSkewed);
    private final RecordChecksum checksum = new RecordChecksum(Gensort.RECORD_SIZE);
    private final AlignedBuffer buffer =
        new AlignedBuffer((long) PIECE_RECORDS * Gensort.RECORD_SIZE, "generate");

    Generator(@Nullable OutputFile file, AtomicLong done, Total total) {
      this.file = file;
      this.done = done;
      this.total = total;
    }

    @Override
    public void work(long piece) throws SortException {
      long first = piece * PIECE_RECORDS;
      int count = (int) Math.min(PIECE_RECORDS, records - first);
      gensort.fill(buffer.bytes(), 0, count, firstRecord.plus(first));
      if (wantsChecksum) {
        checksum.add(buffer.bytes(), 0, count);
      }
      long bytes = (long) count * Gensort.RECORD_SIZE;
      if (file != null) {
        file.write(buffer, 0, bytes, first * Gensort.RECORD_SIZE);
      }
      progress.report(Progress.Phase.GENERATE, done.addAndGet(bytes), bytes());
    }

    @Override
    public void close() {
      total.add(checksum.sum());
      buffer.close();
    }
  }
}
