package dev.tigris.sort;

import dev.tigris.os.CheckReturnValue;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Checks whether lines of text are in an order, reading each input once from its beginning.
/// Several inputs are checked as one sequence.
///
/// ```java
/// LineCheckJob.Result found =
///     LineCheckJob.of(LineOrder.bytes()).input(SortInput.file(Path.of("words"))).run();
/// ```
///
/// A job does not change: each method that names an option returns a changed copy.
public final class LineCheckJob {
  private static final int BUFFER_BYTES = 1 << 20;
  private static final long PROGRESS_LINES = 1 << 16;

  /// A line that must not come after the one before it.
  ///
  /// @param input the input that it is in
  /// @param number the number of the line there, from 1
  /// @param text the line, read as UTF-8
  public record Disorder(String input, long number, String text) {}

  /// The result. Later versions may have more components: read them by their methods.
  ///
  /// @param lines how many lines were read
  /// @param bytes how many bytes were read
  /// @param duplicates how many lines are equal to the one before them
  /// @param unordered how many lines are out of order
  /// @param first the first of them; null if all are in order
  /// @param elapsed how long it took
  public record Result(
      long lines,
      long bytes,
      long duplicates,
      long unordered,
      @Nullable Disorder first,
      Duration elapsed) {
    /// Returns whether all lines are in order.
    public boolean isOrdered() {
      return unordered == 0;
    }
  }

  private final LineOrder order;
  private final List<SortInput> inputs;
  private final boolean onlyFirst;
  private final Progress progress;

  private LineCheckJob(
      LineOrder order, List<SortInput> inputs, boolean onlyFirst, Progress progress) {
    this.order = Objects.requireNonNull(order);
    this.inputs = List.copyOf(inputs);
    this.onlyFirst = onlyFirst;
    this.progress = Objects.requireNonNull(progress);
  }

  /// Returns a job that checks for an order. Of a [LineOrder.Builder#unique] one, no line may be
  /// equal to the one before it.
  @CheckReturnValue
  public static LineCheckJob of(LineOrder order) {
    return new LineCheckJob(order, List.of(), false, Progress.NONE);
  }

  /// Returns a copy with one more input, which goes on where those before end.
  @CheckReturnValue
  public LineCheckJob input(SortInput input) {
    var more = new ArrayList<>(inputs);
    more.add(input);
    return new LineCheckJob(order, more, onlyFirst, progress);
  }

  /// Returns a copy that reads no further than the first line out of order.
  @CheckReturnValue
  public LineCheckJob untilFirst() {
    return new LineCheckJob(order, inputs, true, progress);
  }

  /// Returns a copy with a listener that hears how far it is.
  @CheckReturnValue
  public LineCheckJob progress(Progress listener) {
    return new LineCheckJob(order, inputs, onlyFirst, listener);
  }

  /// Checks the lines. Disorder is a result, not an error.
  ///
  /// @throws SortException if an input cannot be read, or a line is too long
  /// @throws InterruptedException if the calling thread is interrupted
  public Result run() throws SortException, InterruptedException {
    return ends().result();
  }

  /// A result with what the next inputs have to go on from.
  ///
  /// @param header the first row, of CSV; null without one
  /// @param first the first line; null without one
  /// @param last the last line
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Ends(Result result, byte @Nullable [] header, byte @Nullable [] first, byte[] last) {
    /// So much of a line is told, for people.
    private static final int SHOWN = 200;

    /// Writes what [#read] reads. The time that it took is left out.
    void write(DataOutputStream out) throws IOException {
      out.writeLong(result.lines());
      out.writeLong(result.bytes());
      out.writeLong(result.duplicates());
      out.writeLong(result.unordered());
      Disorder disorder = result.first();
      out.writeLong(disorder == null ? 0 : disorder.number());
      String text = disorder == null ? "" : disorder.text();
      out.writeUTF(text.substring(0, Math.min(SHOWN, text.length())));
      HostSurvey.writeLine(out, header);
      HostSurvey.writeLine(out, first);
      HostSurvey.writeLine(out, last);
    }

    static Ends read(DataInputStream in) throws IOException {
      long lines = in.readLong();
      long bytes = in.readLong();
      long duplicates = in.readLong();
      long unordered = in.readLong();
      long number = in.readLong();
      String text = in.readUTF();
      Disorder disorder = number == 0 ? null : new Disorder("", number, text);
      return new Ends(
          new Result(lines, bytes, duplicates, unordered, disorder, Duration.ZERO),
          HostSurvey.readLine(in),
          HostSurvey.readLine(in),
          Objects.requireNonNull(HostSurvey.readLine(in)));
    }
  }

  /// Checks as [#run] does.
  Ends ends() throws SortException, InterruptedException {
    var check = new Check();
    try {
      for (SortInput input : inputs) {
        if (check.isDone()) {
          break;
        }
        check.read(input);
      }
    } catch (SortException e) {
      throw e.unlessInterrupted();
    }
    return new Ends(check.result(), check.header, check.begin, check.last);
  }

  /// One run.
  private final class Check {
    private final long started = System.nanoTime();
    private final int longest = Math.clamp(Heap.ofProcess().bytes() / 32, BUFFER_BYTES, 256 << 20);
    private LineOrder rows = order;
    private byte @Nullable [] header;
    private byte @Nullable [] begin;
    private byte[] last = {};
    private boolean hasLast;
    private long lines;
    private long bytes;
    private long duplicates;
    private long unordered;
    private @Nullable Disorder first;

    boolean isDone() {
      return onlyFirst && unordered > 0;
    }

    void read(SortInput input) throws SortException {
      try (LineStream stream = new LineStream(input, order.rows(), BUFFER_BYTES, longest)) {
        if (order.isCsv() && stream.next()) {
          takeHeader(stream);
        }
        long prefix = 0;
        boolean isFirst = true;
        while (!isDone() && stream.next()) {
          byte[] text = stream.block();
          int start = stream.start();
          int end = stream.end() - 1;
          long before = prefix;
          prefix = rows.prefix(text, start, end);
          if (!isFirst) {
            int compared = Long.compareUnsigned(before, prefix);
            if (compared == 0) {
              compared = rows.compare(text, stream.beforeStart(), start - 1, text, start, end);
            }
            note(compared, stream);
          } else if (hasLast) {
            note(rows.compare(last, 0, last.length, text, start, end), stream);
          } else {
            begin = stream.line();
          }
          isFirst = false;
          lines++;
          if (lines % PROGRESS_LINES == 0) {
            progress.report(Progress.Phase.CHECK, bytes + stream.bytes(), bytes + stream.bytes());
          }
        }
        if (!isFirst) {
          last = stream.line();
          hasLast = true;
        }
        bytes += stream.bytes();
      }
    }

    private void takeHeader(LineStream stream) throws SortException {
      byte[] row = stream.line();
      byte[] first = header;
      if (first != null && !LineOrder.isSameHeader(row, first)) {
        throw LineInputs.otherHeader(stream.name());
      }
      header = row;
      rows = order.withHeaderOf(row);
    }

    private void note(int compared, LineStream stream) {
      if (compared == 0) {
        duplicates++;
      }
      if (compared > 0 || (compared == 0 && order.isUnique())) {
        if (unordered == 0) {
          first =
              new Disorder(
                  stream.name(),
                  stream.number(),
                  new String(stream.line(), StandardCharsets.UTF_8));
        }
        unordered++;
      }
    }

    Result result() {
      return new Result(
          lines,
          bytes,
          duplicates,
          unordered,
          first,
          Duration.ofNanos(System.nanoTime() - started));
    }
  }

  @Override
  public String toString() {
    return "LineCheckJob[%s, %s]".formatted(inputs, order);
  }
}
