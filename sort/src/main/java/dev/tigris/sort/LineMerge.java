package dev.tigris.sort;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Merges inputs that are in order already, line by line as they come. Nothing is held but a buffer
/// of each, so inputs may be pipes that have no end yet.
///
/// The inputs that have lines left are a heap, the one with the least line on top. Where lines are
/// equal, those of the input that was named first come first.
///
/// Thread rule: one thread at a time.
final class LineMerge implements Closeable {
  private static final int BUFFER_BYTES = 1 << 20;
  private static final int LEAST_BUFFER_BYTES = 16 << 10;
  private static final int BLOCK_BYTES = 256 << 10;
  private static final long PROGRESS_LINES = 1 << 16;

  private final List<LineStream> streams = new ArrayList<>();
  private final OrderedOutput output;
  private final Progress progress;
  private final LineOrder order;
  private final byte @Nullable [] header;

  /// Numbers of streams; per stream, the prefix of its line at hand.
  private final int[] heap;

  private final long[] prefixes;
  private int size;

  private byte[] block = new byte[BLOCK_BYTES];
  private int gathered;
  private byte[] last = {};
  private boolean hasLast;
  private long lines;
  private long kept;

  /// Opens the inputs.
  LineMerge(
      List<SortInput> inputs, LineOrder given, long memory, OrderedOutput output, Progress progress)
      throws SortException {
    this.output = output;
    this.progress = progress;
    this.heap = new int[inputs.size()];
    this.prefixes = new long[inputs.size()];
    long most = Heap.ofProcess().bytes();
    int buffer =
        Math.clamp(
            Math.min(memory, most / 4) / (inputs.size() + 1L), LEAST_BUFFER_BYTES, BUFFER_BYTES);
    int longest = Math.clamp(most / 32 / (inputs.size() + 1L), BUFFER_BYTES, 256 << 20);
    boolean opened = false;
    try {
      for (SortInput input : inputs) {
        streams.add(new LineStream(input, given.rows(), buffer, longest));
      }
      this.header = given.isCsv() ? header() : null;
      this.order = given.isCsv() ? given.withHeaderOf(header) : given;
      opened = true;
    } finally {
      if (!opened) {
        close();
      }
    }
  }

  /// Reads the first row of each input, which must be that of all; null where none has one.
  private byte @Nullable [] header() throws SortException {
    byte[] first = null;
    for (LineStream stream : streams) {
      if (stream.next()) {
        if (first == null) {
          first = stream.line();
        } else if (!LineOrder.isSameHeader(first, stream.line())) {
          throw LineInputs.otherHeader(stream.name());
        }
      }
    }
    return first;
  }

  /// Merges to the end.
  ///
  /// @throws SortException if an input is not in order, or something cannot be read or written
  void run() throws SortException {
    if (header != null) {
      put(header, 0, header.length);
      put(new byte[] {order.rows().delimiter()}, 0, 1);
    }
    for (int i = 0; i < streams.size(); i++) {
      LineStream stream = streams.get(i);
      if (stream.next()) {
        prefixes[i] = prefix(stream);
        heap[size++] = i;
        rise(size - 1);
        lines++;
      }
    }
    while (size > 0) {
      int top = heap[0];
      LineStream stream = streams.get(top);
      write(stream);
      if (advance(stream, top)) {
        lines++;
      } else {
        heap[0] = heap[--size];
      }
      sink();
      if (lines % PROGRESS_LINES == 0) {
        report();
      }
    }
    flush();
    report();
  }

  /// Goes to the next line of a stream, which must not be before the one that was written.
  private boolean advance(LineStream stream, int index) throws SortException {
    if (!stream.next()) {
      return false;
    }
    long before = prefixes[index];
    prefixes[index] = prefix(stream);
    int compared = Long.compareUnsigned(before, prefixes[index]);
    if (compared == 0) {
      byte[] text = stream.block();
      compared =
          order.compare(
              text,
              stream.beforeStart(),
              stream.start() - 1,
              text,
              stream.start(),
              stream.end() - 1);
    }
    if (compared > 0) {
      throw new SortException(
          SortException.Kind.INPUT,
          "line %d of %s is not in order, so it cannot be merged: sort it first"
              .formatted(stream.number(), stream.name()));
    }
    return true;
  }

  private long prefix(LineStream stream) {
    return order.prefix(stream.block(), stream.start(), stream.end() - 1);
  }

  private boolean isBefore(int one, int other) {
    int compared = Long.compareUnsigned(prefixes[one], prefixes[other]);
    if (compared == 0) {
      LineStream left = streams.get(one);
      LineStream right = streams.get(other);
      compared =
          order.compare(
              left.block(),
              left.start(),
              left.end() - 1,
              right.block(),
              right.start(),
              right.end() - 1);
    }
    return compared == 0 ? one < other : compared < 0;
  }

  private void rise(int from) {
    int at = from;
    int own = heap[at];
    while (at > 0 && isBefore(own, heap[(at - 1) / 2])) {
      heap[at] = heap[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    heap[at] = own;
  }

  private void sink() {
    if (size == 0) {
      return;
    }
    int own = heap[0];
    int at = 0;
    int child = 1;
    while (child < size) {
      if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
        child++;
      }
      if (!isBefore(heap[child], own)) {
        break;
      }
      heap[at] = heap[child];
      at = child;
      child = 2 * at + 1;
    }
    heap[at] = own;
  }

  private void write(LineStream stream) throws SortException {
    if (order.isUnique()) {
      byte[] text = stream.block();
      int from = stream.start();
      int to = stream.end() - 1;
      if (hasLast && order.compare(last, 0, last.length, text, from, to) == 0) {
        return;
      }
      hasLast = true;
      last = stream.line();
    }
    put(stream.block(), stream.start(), stream.end() - stream.start());
    kept++;
  }

  private void put(byte[] text, int from, int length) throws SortException {
    if (gathered + length > block.length) {
      flush();
      if (length > block.length) {
        block = new byte[length];
      }
    }
    System.arraycopy(text, from, block, gathered, length);
    gathered += length;
  }

  private void flush() throws SortException {
    try {
      byte[] encoded = output.encode(block, gathered);
      output.write(encoded, 0, output.encodedBytes(encoded, gathered));
      gathered = 0;
    } catch (IOException e) {
      throw e instanceof SortException known ? known : SortException.writing(output.name(), e);
    }
  }

  private void report() {
    progress.report(Progress.Phase.SORT, bytes(), bytes());
  }

  /// How many lines were read.
  long lines() {
    return lines;
  }

  /// How many lines were written.
  long keptLines() {
    return kept;
  }

  /// How many bytes were read.
  long bytes() {
    return streams.stream().mapToLong(LineStream::bytes).sum();
  }

  @Override
  public void close() throws SortException {
    SortException failure = null;
    for (LineStream stream : streams) {
      try {
        stream.close();
      } catch (SortException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
