package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/// Checks whether records are in order, and counts, sums and compares them as valsort does, in
/// parallel. Several files are checked as the partitions of one sequence.
///
/// ```java
/// CheckJob.Result result = CheckJob.of(List.of(Path.of("output"))).run();
/// result.summary().verdict().forEach(System.out::println);
/// ```
///
/// Each method returns a changed copy. Unlike valsort, no records at all are in order too.
///
/// @param inputs the files, in order
/// @param format what the records look like
/// @param parallel how many threads
/// @param progress who hears how far it is
public record CheckJob(List<Path> inputs, RecordFormat format, int parallel, Progress progress) {
  private static final long CHUNK_BYTES = 2_000_000;

  /// So much is copied to the heap at a time, and stays in the first-level cache.
  private static final int BLOCK_BYTES = 32 << 10;

  /// What came of it.
  public record Result(CheckSummary summary, long bytes, Duration elapsed) {}

  /// @throws IllegalArgumentException if there are no inputs, or no threads
  public CheckJob {
    inputs = List.copyOf(inputs);
    if (inputs.isEmpty()) {
      throw new IllegalArgumentException("at least 1 file is needed");
    }
    if (parallel < 1) {
      throw new IllegalArgumentException("at least 1 thread is needed, not " + parallel);
    }
  }

  /// Checks gensort's records, with as many threads as processors.
  public static CheckJob of(List<Path> inputs) {
    int processors = Runtime.getRuntime().availableProcessors();
    return new CheckJob(inputs, RecordFormat.GENSORT, processors, Progress.NONE);
  }

  /// The same for other records.
  public CheckJob format(RecordFormat records) {
    return new CheckJob(inputs, records, parallel, progress);
  }

  /// The same with another number of threads.
  public CheckJob parallel(int threads) {
    return new CheckJob(inputs, format, threads, progress);
  }

  /// The same with somebody who hears how far it is.
  public CheckJob progress(Progress listener) {
    return new CheckJob(inputs, format, parallel, listener);
  }

  /// Checks the records. Disorder is a result and not an error.
  ///
  /// @throws SortException if an input cannot be read, or is not a whole number of records
  /// @throws InterruptedException if the calling thread is interrupted
  public Result run() throws SortException, InterruptedException {
    long started = System.nanoTime();
    try (InputFiles files = new InputFiles(inputs, format)) {
      files.cut(CHUNK_BYTES);
      Joined joined = new Joined(CheckSummary.empty(format));
      AtomicLong done = new AtomicLong();
      // A thread that waits for the disk leaves its processor to another one.
      int threads = files.waitForDisk() ? 2 * parallel : parallel;
      Workers.run("check", threads, files.chunks(), () -> new Checker(files, joined, done));
      files.requireUnchanged();
      Duration elapsed = Duration.ofNanos(System.nanoTime() - started);
      return new Result(joined.summary(), files.bytes(), elapsed);
    } catch (SortException e) {
      throw e.unlessInterrupted();
    }
  }

  /// Joins the summaries of chunks in the order of the chunks. Those that wait for an earlier one
  /// are fewer than the threads, since threads take chunks in order.
  private static final class Joined {
    private final Map<Long, CheckSummary> waiting = new HashMap<>();
    private CheckSummary summary;
    private long next;

    Joined(CheckSummary empty) {
      this.summary = empty;
    }

    synchronized void add(long chunk, CheckSummary part) {
      waiting.put(chunk, part);
      CheckSummary following = waiting.remove(next);
      while (following != null) {
        summary = summary.then(following);
        next++;
        following = waiting.remove(next);
      }
    }

    synchronized CheckSummary summary() {
      return summary;
    }
  }

  /// One thread's work: a chunk at a time is read and checked.
  private final class Checker implements Workers.Worker {
    private final InputFiles files;
    private final Joined joined;
    private final AtomicLong done;
    private final AlignedBuffer buffer;

    Checker(InputFiles files, Joined joined, AtomicLong done) {
      this.files = files;
      this.joined = joined;
      this.done = done;
      this.buffer = new AlignedBuffer(files.chunkBytes(), "check");
    }

    @Override
    public void work(long piece) throws SortException {
      InputFiles.Chunk chunk = files.chunk(piece);
      long bytes = chunk.records() * format.recordSize();
      long at = chunk.file().read(buffer, chunk.from(), chunk.from() + bytes);
      joined.add(piece, check(buffer.bytes(), at, chunk.records()));
      progress.report(Progress.Phase.CHECK, done.addAndGet(bytes), files.bytes());
    }

    @Override
    public void close() {
      buffer.close();
    }
  }

  private CheckSummary check(Bytes bytes, long offset, long records) {
    int size = format.recordSize();
    RecordChecksum checksum = new RecordChecksum(size);
    byte[] block = new byte[Math.max(1, BLOCK_BYTES / size) * size];
    long unordered = 0;
    long duplicates = 0;
    long firstUnordered = 0;
    long prefix = format.prefix(bytes, offset, 0);
    long end = offset + records * size;
    int length = 0;
    for (long from = offset; from < end; from += length) {
      length = (int) Math.min(block.length, end - from);
      bytes.copyTo(from, block, 0, length);
      checksum.add(block, 0, length);
      for (int i = from == offset ? size : 0; i < length; i += size) {
        long before = prefix;
        prefix = format.prefix(block, i, 0);
        int compared = Long.compareUnsigned(before, prefix);
        if (compared == 0 && format.keySize() > Long.BYTES) {
          long at = from + i; // what is before it may lie in the block before
          compared = format.compareKeys(bytes, at - size, bytes, at, Long.BYTES);
        }
        if (compared == 0) {
          duplicates++;
        } else if (compared > 0) {
          firstUnordered = unordered == 0 ? (from - offset + i) / size : firstUnordered;
          unordered++;
        }
      }
    }
    return new CheckSummary(
        format,
        UInt128.of(records),
        UInt128.of(unordered),
        UInt128.of(duplicates),
        checksum.sum(),
        UInt128.of(firstUnordered),
        key(bytes, offset),
        key(bytes, offset + (records - 1) * size));
  }

  private byte[] key(Bytes bytes, long record) {
    byte[] key = new byte[format.keySize()];
    bytes.copyTo(record + format.keyOffset(), key, 0, key.length);
    return key;
  }
}
