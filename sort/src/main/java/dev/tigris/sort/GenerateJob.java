package dev.tigris.sort;

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
/// Each method returns a changed copy.
///
/// @param output the file to write, replaced if it exists; `/dev/null` is not written at all
/// @param records how many records
/// @param isAscii whether to make printable records, gensort's `-a`
/// @param isSkewed whether some keys are frequent, gensort's `-s`
/// @param firstRecord the number of the first record, gensort's `-b`
/// @param wantsChecksum whether to sum the CRC-32 of the records, gensort's `-c`
/// @param parallel how many threads
/// @param progress who hears how far it is
public record GenerateJob(
    Path output,
    long records,
    boolean isAscii,
    boolean isSkewed,
    UInt128 firstRecord,
    boolean wantsChecksum,
    int parallel,
    Progress progress) {

  private static final Path NOWHERE = Path.of("/dev/null");

  // A multiple of 4096 bytes, so that every piece but the last begins and ends at a block.
  private static final int PIECE_RECORDS = 20 * 1024;

  /// What came of it.
  ///
  /// @param checksum the sum of the records' CRC-32, null unless asked for
  public record Result(long records, long bytes, Duration elapsed, @Nullable UInt128 checksum) {}

  /// @throws IllegalArgumentException if a count is negative, or too large for a file
  public GenerateJob {
    Objects.requireNonNull(output);
    if (records < 0 || records > Long.MAX_VALUE / Gensort.RECORD_SIZE) {
      throw new IllegalArgumentException(
          "the number of records must be from 0 to %d, not %d"
              .formatted(Long.MAX_VALUE / Gensort.RECORD_SIZE, records));
    }
    if (parallel < 1) {
      throw new IllegalArgumentException("at least 1 thread is needed, not " + parallel);
    }
  }

  /// Binary records from number 0 on, without a checksum, with as many threads as processors.
  public static GenerateJob to(Path output, long records) {
    int processors = Runtime.getRuntime().availableProcessors();
    return new GenerateJob(
        output, records, false, false, UInt128.ZERO, false, processors, Progress.NONE);
  }

  /// The same with ASCII records.
  public GenerateJob ascii() {
    return new GenerateJob(
        output, records, true, isSkewed, firstRecord, wantsChecksum, parallel, progress);
  }

  /// The same with skewed keys.
  public GenerateJob skewed() {
    return new GenerateJob(
        output, records, isAscii, true, firstRecord, wantsChecksum, parallel, progress);
  }

  /// The same beginning with another record.
  public GenerateJob from(UInt128 first) {
    return new GenerateJob(
        output, records, isAscii, isSkewed, first, wantsChecksum, parallel, progress);
  }

  /// The same with a checksum.
  public GenerateJob checksum() {
    return new GenerateJob(
        output, records, isAscii, isSkewed, firstRecord, true, parallel, progress);
  }

  /// The same with another number of threads.
  public GenerateJob parallel(int threads) {
    return new GenerateJob(
        output, records, isAscii, isSkewed, firstRecord, wantsChecksum, threads, progress);
  }

  /// The same with somebody who hears how far it is.
  public GenerateJob progress(Progress listener) {
    return new GenerateJob(
        output, records, isAscii, isSkewed, firstRecord, wantsChecksum, parallel, listener);
  }

  /// Generates the records. On failure the incomplete file is deleted.
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
    }
    Duration elapsed = Duration.ofNanos(System.nanoTime() - started);
    return new Result(records, bytes(), elapsed, wantsChecksum ? total.sum() : null);
  }

  private void generateFile(Total total) throws SortException, InterruptedException {
    OutputPaths.refuseUnusable(output);
    Path target = OutputPaths.target(output);
    OutputFile opened = OutputFile.replace(target, bytes()); // before, it is not ours to delete
    boolean complete = false;
    try (OutputFile file = opened) {
      generate(file, total);
      complete = true;
    } finally {
      if (!complete) {
        OutputPaths.deleteQuietly(target);
      }
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
