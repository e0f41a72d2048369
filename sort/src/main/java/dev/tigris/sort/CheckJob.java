package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.os.CheckReturnValue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Checks whether records are in order, and counts, sums and compares them as valsort does, in
/// parallel. Several files are checked as the partitions of one sequence.
///
/// ```java
/// CheckJob.Result result = CheckJob.of(List.of(Path.of("output"))).run();
/// result.summary().verdict().forEach(System.out::println);
/// ```
///
/// A job is immutable: each method that names an option returns a changed copy. Unlike valsort, a
/// job finds an empty input in order.
public final class CheckJob {
  private static final int CHUNK_BYTES = 2_000_000;

  /// So much is copied to the heap at a time, and stays in the first-level cache.
  private static final int BLOCK_BYTES = 32 << 10;

  /// The result of a check. Later versions may have more components, so read them by their methods
  /// and construct none yourself.
  public record Result(CheckSummary summary, long bytes, Duration elapsed) {}

  private final List<SortInput> inputs;
  private final RecordOrder order;
  private final int parallel;
  private final Progress progress;

  private CheckJob(List<SortInput> inputs, RecordOrder order, int parallel, Progress progress) {
    if (inputs.isEmpty()) {
      throw new IllegalArgumentException("there is no file to check: name at least 1");
    }
    if (parallel < 1) {
      throw new IllegalArgumentException(
          "cannot check with " + parallel + " threads: at least 1 is needed");
    }
    this.inputs = List.copyOf(inputs);
    this.order = Objects.requireNonNull(order, "order");
    this.parallel = parallel;
    this.progress = Objects.requireNonNull(progress, "progress");
  }

  /// Returns a job that checks gensort's records, with as many threads as processors.
  ///
  /// @param inputs the files, in order
  /// @throws IllegalArgumentException if there are none
  @CheckReturnValue
  public static CheckJob of(List<Path> inputs) {
    return ofInputs(SortInput.files(inputs));
  }

  /// Returns such a job for any inputs: pipes, streams and compressed files are read once, from the
  /// beginning to the end, by one thread.
  ///
  /// @throws IllegalArgumentException if there are none
  @CheckReturnValue
  public static CheckJob ofInputs(List<SortInput> inputs) {
    int processors = Runtime.getRuntime().availableProcessors();
    return new CheckJob(inputs, RecordOrder.GENSORT, processors, Progress.NONE);
  }

  /// Returns a copy of this job for records of another format.
  @CheckReturnValue
  public CheckJob format(RecordFormat records) {
    return order(RecordOrder.of(records));
  }

  /// Returns a copy of this job for another order, of which only the keys count. Records with typed
  /// keys may have 32 KiB.
  @CheckReturnValue
  public CheckJob order(RecordOrder records) {
    return new CheckJob(inputs, records.forComparison(), parallel, progress);
  }

  /// Returns a copy of this job with another number of threads.
  ///
  /// @throws IllegalArgumentException if it is not at least 1
  @CheckReturnValue
  public CheckJob parallel(int threads) {
    return new CheckJob(inputs, order, threads, progress);
  }

  /// Returns a copy of this job that reports its progress to `listener`.
  @CheckReturnValue
  public CheckJob progress(Progress listener) {
    return new CheckJob(inputs, order, parallel, listener);
  }

  /// Returns the inputs, in order.
  public List<SortInput> inputs() {
    return inputs;
  }

  /// Returns the size of the records, and where their first key lies.
  public RecordFormat format() {
    return order.format();
  }

  /// Returns the order that is looked for.
  public RecordOrder order() {
    return order;
  }

  /// Returns how many threads are used.
  public int parallel() {
    return parallel;
  }

  @Override
  public String toString() {
    return "CheckJob[%s, %s]".formatted(inputs, order);
  }

  /// Checks the records. Disorder is a result, not an error.
  ///
  /// @throws SortException if an input cannot be read, or is not a whole number of records
  /// @throws InterruptedException if the calling thread is interrupted
  public Result run() throws SortException, InterruptedException {
    long started = System.nanoTime();
    try {
      Found found = new Found(null, 0);
      List<Path> files = new ArrayList<>();
      for (SortInput input : inputs) {
        if (!input.isStream()) {
          files.add(Objects.requireNonNull(input.path()));
        } else {
          found = check(files, found);
          files.clear();
          StreamCheck check = StreamCheck.of(order).run(input, found.bytes, progress);
          found = found.then(check.summary(), check.bytes());
        }
      }
      found = check(files, found);
      Duration elapsed = Duration.ofNanos(System.nanoTime() - started);
      return new Result(Objects.requireNonNull(found.summary), found.bytes, elapsed);
    } catch (SortException e) {
      throw e.unlessInterrupted();
    } catch (MemoryBudgetException e) {
      throw SortException.noMemory(e);
    }
  }

  /// What was found so far; nothing at first.
  private record Found(@Nullable CheckSummary summary, long bytes) {
    Found then(CheckSummary next, long more) {
      return new Found(summary == null ? next : summary.then(next), bytes + more);
    }
  }

  /// Checks files that follow one another, as one sequence.
  private Found check(List<Path> paths, Found before) throws SortException, InterruptedException {
    if (paths.isEmpty()) {
      return before;
    }
    try (InputFiles files = new InputFiles(paths, order.format())) {
      RecordCode code = RecordCode.of(order, files.records());
      files.cut(CHUNK_BYTES);
      Total total = new Total();
      AtomicLong done = new AtomicLong(before.bytes);
      // A thread that waits for the disk leaves its processor to another one.
      int threads = files.waitForDisk() ? 2 * parallel : parallel;
      long all = before.bytes + files.bytes();
      Workers.run(
          "check", threads, files.chunks(), () -> new Checker(files, code, total, done, all));
      CheckSummary summary = total.summary(order.format(), code, files);
      files.requireUnchanged();
      return before.then(summary, files.bytes());
    }
  }

  /// What the threads' findings add up to. Each record is compared with the one before it, wherever
  /// that is, so their order does not matter.
  private static final class Total {
    private UInt128 checksum = UInt128.ZERO;
    private long unordered;
    private long duplicates;
    private long firstUnordered;

    synchronized void add(Checker part) {
      checksum = checksum.plus(part.checksum.sum());
      duplicates += part.duplicates;
      if (part.unordered > 0) {
        boolean isEarlier = unordered == 0 || part.firstUnordered < firstUnordered;
        firstUnordered = isEarlier ? part.firstUnordered : firstUnordered;
        unordered += part.unordered;
      }
    }

    synchronized CheckSummary summary(
        RecordFormat format, @Nullable RecordCode code, InputFiles files) throws SortException {
      RecordFormat compared = code == null ? format : code.encoded();
      int keys = code == null ? 0 : code.fingerprint();
      if (files.records() == 0) {
        return CheckSummary.empty(compared, keys);
      }
      return new CheckSummary(
          compared,
          keys,
          UInt128.of(files.records()),
          UInt128.of(unordered),
          UInt128.of(duplicates),
          checksum,
          UInt128.of(firstUnordered),
          KeyReader.read(files.records(0, 1), format, code),
          KeyReader.read(files.records(files.records() - 1, 1), format, code));
    }
  }

  /// One thread's work: a chunk at a time is read and checked.
  private final class Checker implements Workers.Worker {
    private final InputFiles files;
    private final @Nullable RecordCode code;
    private final Total total;
    private final AtomicLong done;
    private final long all;
    private final RecordFormat format = order.format();
    private final int size = format.recordSize();
    private final RecordChecksum checksum = new RecordChecksum(size);
    private final KeyReader keys;
    private final AlignedBuffer buffer;
    private final byte[] block;

    /// The encoded records of a block, behind the one before them.
    private final byte[] encoded;

    private long duplicates;

    // A thread's chunks come in order, and so does what it finds.
    private long unordered;
    private long firstUnordered;

    Checker(InputFiles files, @Nullable RecordCode code, Total total, AtomicLong done, long all) {
      this.files = files;
      this.code = code;
      this.keys = new KeyReader(format, code);
      this.total = total;
      this.done = done;
      this.all = all;
      // With room for the record before a chunk.
      this.buffer = new AlignedBuffer(isLarge() ? CHUNK_BYTES : CHUNK_BYTES + size, "check");
      this.block = new byte[BLOCK_BYTES / size * size];
      int records = code == null ? 0 : block.length / size;
      this.encoded = new byte[code == null ? 0 : records * code.encoded().recordSize()];
    }

    /// Returns whether a record does not fit the buffer.
    private boolean isLarge() {
      return size > CHUNK_BYTES;
    }

    @Override
    public void work(long piece) throws SortException {
      InputFiles.Chunk chunk = files.chunk(piece);
      if (isLarge()) {
        sumInParts(chunk);
        compareWithRecordBefore(chunk);
      } else {
        check(chunk);
      }
      long bytes = chunk.records() * size;
      progress.report(Progress.Phase.CHECK, done.addAndGet(bytes), all);
    }

    /// Sums a chunk, which is one record.
    private void sumInParts(InputFiles.Chunk chunk) throws SortException {
      long length;
      for (long part = 0; part < size; part += length) {
        length = Math.min(size - part, CHUNK_BYTES);
        long from = chunk.from() + part;
        checksum.addPart(buffer.bytes(), chunk.file().read(buffer, from, from + length), length);
      }
      checksum.endRecord();
    }

    private void compareWithRecordBefore(InputFiles.Chunk chunk) throws SortException {
      if (chunk.first() == 0) {
        return;
      }
      note(keys.compare(files.records(chunk.first() - 1, 1), chunk), chunk.first());
    }

    private void check(InputFiles.Chunk chunk) throws SortException {
      boolean isFirst = chunk.from() == 0;
      long lead = isFirst ? 0 : size; // the record before, in the same file
      long length = chunk.records() * size;
      if (isFirst) {
        compareWithRecordBefore(chunk);
      }
      long read = chunk.file().read(buffer, chunk.from() - lead, chunk.from() + length);
      RecordCode known = code;
      if (known == null) {
        check(buffer.bytes(), read + lead, length, isFirst, chunk.first());
      } else {
        checkEncoded(known, buffer.bytes(), read, lead, lead + length, chunk.first());
      }
    }

    /// Checks records by typed keys.
    ///
    /// @param offset where the one before them begins, or the first one if there is none before
    /// @param lead how large the one before them is, or 0
    /// @param length how many bytes all have
    private void checkEncoded(
        RecordCode known, Bytes bytes, long offset, long lead, long length, long first) {
      RecordFormat made = known.encoded();
      byte[] before = new byte[made.keySize()];
      boolean hasBefore = false;
      long index = first - lead / size;
      for (long done = 0; done < length; ) {
        int count = (int) Math.min(block.length, length - done);
        count = done < lead ? size : count; // the one before is no part of the sum
        bytes.copyTo(offset + done, block, 0, count);
        if (done >= lead) {
          checksum.add(block, 0, count);
        }
        int records = count / size;
        known.encode(block, 0, records, 0, encoded);
        for (int i = 0; i < records; i++, index++) {
          int key = i * made.recordSize() + made.keyOffset();
          if (hasBefore) {
            note(
                Arrays.compareUnsigned(before, 0, before.length, encoded, key, key + before.length),
                index);
          }
          hasBefore = true;
          System.arraycopy(encoded, key, before, 0, before.length);
        }
        done += count;
      }
    }

    /// Notes how the key of a record compares with the one before it.
    private void note(int compared, long record) {
      if (compared == 0) {
        duplicates++;
      } else if (compared > 0) {
        firstUnordered = unordered == 0 ? record : firstUnordered;
        unordered++;
      }
    }

    /// Checks the records from `offset` on, the first of which has number `first`. What is before
    /// it is the record before it, unless it `isFirst`.
    private void check(Bytes bytes, long offset, long length, boolean isFirst, long first) {
      long prefix = format.prefix(bytes, isFirst ? offset : offset - size, 0);
      long end = offset + length;
      int count;
      for (long from = offset; from < end; from += count) {
        count = (int) Math.min(Math.max(block.length, size), end - from);
        sum(bytes, from, count);
        for (int i = isFirst && from == offset ? size : 0; i < count; i += size) {
          long before = prefix;
          prefix = hasBlocks() ? format.prefix(block, i, 0) : format.prefix(bytes, from, 0);
          int compared = Long.compareUnsigned(before, prefix);
          if (compared == 0 && format.keySize() > Long.BYTES) {
            long at = from + i; // what is before it may lie in the block before
            compared = format.compareKeys(bytes, at - size, bytes, at, Long.BYTES);
          }
          if (compared >= 0) {
            note(compared, first + (from - offset + i) / size);
          }
        }
      }
    }

    /// Returns whether records are taken to the heap, in blocks: those that fit one.
    private boolean hasBlocks() {
      return block.length > 0;
    }

    /// Sums a block, which stays in [#block], or a record that fits none.
    private void sum(Bytes bytes, long from, int count) {
      if (hasBlocks()) {
        bytes.copyTo(from, block, 0, count);
        checksum.add(block, 0, count);
      } else {
        checksum.addPart(bytes, from, count);
        checksum.endRecord();
      }
    }

    @Override
    public void close() {
      total.add(this);
      keys.close();
      buffer.close();
    }
  }
}
