package dev.tigris.flow;

import dev.tigris.flow.Operation.CreateStream;
import dev.tigris.flow.Operation.Use;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The streams of a flow in this process: what was said when each was created, and the stream
/// itself once a module has opened it. The engine closes them when no module runs any more.
///
/// Thread rule: any thread.
final class StreamTable {
  /// A stream with its place in the graph.
  static final class Placed {
    private final CreateStream made;
    private volatile @Nullable Stream stream;
    private boolean failed;

    // The modules at its ends had ended before it was attached to them.
    private boolean isWithoutSender;
    private boolean isWithoutReceiver;

    Placed(CreateStream made) {
      this.made = made;
    }

    CreateStream made() {
      return made;
    }

    /// The module to name when the stream fails.
    Operation.End module() {
      boolean comesFromElsewhere = made.use() == Use.FEED || made.use() == Use.INBOUND;
      return comesFromElsewhere ? made.to() : made.from();
    }

    /// Returns whether an end in another process waits for the end here, which is not open.
    private boolean isMissedElsewhere() {
      return stream == null && made.use() != Use.RESERVOIR && made.kind().isBetweenProcesses();
    }

    /// Returns the stream, if it is open.
    @Nullable Stream stream() {
      return stream;
    }

    /// Ends an open stream for the end that nobody will use.
    private void tellOtherEnd() {
      Stream opened = stream;
      if (opened != null && isWithoutSender) {
        opened.end();
      }
      if (opened != null && isWithoutReceiver) {
        opened.stop();
      }
    }

    FlowSnapshot.Channel snapshot() {
      Stream opened = stream;
      return new FlowSnapshot.Channel(
          made.name(),
          made.reservoir(),
          made.from().name(),
          made.from().index(),
          made.to().name(),
          made.to().index(),
          opened == null ? made.window() : opened.window(),
          opened == null ? StreamCounters.NONE : opened.counters());
    }
  }

  /// The flow, to which guests are added while it runs.
  private final Supplier<Flow> described;

  private final List<Placed> all = new ArrayList<>();
  private final Map<String, Placed> byName = new HashMap<>();
  private final Set<Integer> numbers = new HashSet<>();

  /// The streams that write, by what they write.
  private final Map<String, Stream> outputs = new HashMap<>();

  private final @Nullable OutputOwner owner;

  StreamTable(Supplier<Flow> described, @Nullable OutputOwner owner) {
    this.described = described;
    this.owner = owner;
  }

  synchronized void create(CreateStream stream) {
    refuseMisplaced(stream);
    if (numbers.contains(stream.number())) {
      throw new IllegalArgumentException(
          "flow %s has a stream of number %d already: give the new one another number"
              .formatted(flow().name(), stream.number()));
    }
    Placed placed = new Placed(stream);
    if (byName.putIfAbsent(stream.name(), placed) != null) {
      throw new IllegalArgumentException(
          "flow %s has a stream %s already: give the new one another name"
              .formatted(flow().name(), stream.name()));
    }
    numbers.add(stream.number());
    all.add(placed);
  }

  /// Refuses a stream of a reservoir, feed or drain that the flow does not have, or that does not
  /// join what this one does.
  private void refuseMisplaced(CreateStream stream) {
    String name = stream.reservoir();
    boolean isKnown =
        switch (stream.use()) {
          case RESERVOIR, INBOUND, OUTBOUND ->
              flow().edges().stream()
                  .anyMatch(
                      edge ->
                          edge.name().equals(name)
                              && edge.from().equals(stream.from().name())
                              && edge.to().equals(stream.to().name()));
          case FEED ->
              flow().feeds().stream()
                  .anyMatch(
                      feed ->
                          feed.name().equals(name)
                              && feed.name().equals(stream.from().name())
                              && feed.stage().equals(stream.to().name()));
          case DRAIN ->
              flow().drains().stream()
                  .anyMatch(
                      drain ->
                          drain.name().equals(name)
                              && drain.stage().equals(stream.from().name())
                              && drain.name().equals(stream.to().name()));
        };
    if (!isKnown) {
      throw new IllegalArgumentException(
          "stream %s: flow %s has no %s %s from %s to %s"
              .formatted(
                  stream.name(),
                  flow().name(),
                  stream.use().name().toLowerCase(Locale.ROOT),
                  name,
                  stream.from().name(),
                  stream.to().name()));
    }
  }

  private Flow flow() {
    return described.get();
  }

  synchronized boolean has(String name) {
    return byName.containsKey(name);
  }

  synchronized Placed find(String name) {
    Placed found = byName.get(name);
    if (found == null) {
      throw new IllegalArgumentException(
          "flow %s has no stream %s: create it first".formatted(flow().name(), name));
    }
    return found;
  }

  /// Gives back what the streams between a module that has ended and other processes hold.
  void dispose(Operation.End module) {
    for (Placed each : list()) {
      Use use = each.made.use();
      boolean isOwn =
          (use == Use.INBOUND && each.made.to().equals(module))
              || (use == Use.OUTBOUND && each.made.from().equals(module));
      Stream stream = each.stream;
      if (isOwn && stream != null) {
        stream.dispose(true);
      }
    }
  }

  synchronized int count() {
    return all.size();
  }

  synchronized Placed get(int index) {
    return all.get(index);
  }

  synchronized List<Placed> list() {
    return List.copyOf(all);
  }

  /// Opens a stream, unless its other end has. Returns null if that has failed for the other end,
  /// which tells it, or if the module that opens it was dropped meanwhile. The caller abandons the
  /// stream then.
  ///
  /// @param asReceiver whether the caller is at the receiving end
  /// @param isEchoOfDrop tells whether an exception comes of the caller's being dropped
  /// @throws FlowException if the stream cannot be opened
  @Nullable Stream open(Placed placed, boolean asReceiver, Predicate<Throwable> isEchoOfDrop)
      throws FlowException {
    synchronized (placed) { // and not the table: to open a stream may take long
      Stream opened = placed.stream;
      if (opened != null || placed.failed) {
        return opened;
      }
      CreateStream made = placed.made;
      try {
        refuseMissingEnd(made, asReceiver);
        opened =
            Objects.requireNonNull(
                made.kind().open(new StreamKind.Place(made.name(), made.window(), owner)),
                "the stream kind returned null instead of a stream");
        opened.ofFlow();
        opened.source(made.number());
        if (flow().checksums()) {
          opened.useChecksums();
        }
        placed.stream = opened;
        refuseClash(opened);
        placed.tellOtherEnd();
        return opened;
      } catch (Throwable e) { // a kind may be anybody's, and those that are open are to be closed
        if (placed.stream == null && isEchoOfDrop.test(e)) {
          return null;
        }
        placed.failed = true;
        throw FlowException.of(
            flow().name(), placed.module(), FlowException.Phase.OPEN, made.name(), e);
      }
    }
  }

  /// Notes that the module at one end of a stream has ended before it was attached there: to the
  /// other end that is as if it had been attached, and then ended. Returns whether the caller has
  /// to tell that end, which is in another process and waits for this one.
  boolean abandon(Placed placed, boolean asReceiver) {
    synchronized (placed) {
      boolean isNew = !placed.isWithoutReceiver && !placed.isWithoutSender;
      if (asReceiver) {
        placed.isWithoutReceiver = true;
      } else {
        placed.isWithoutSender = true;
      }
      placed.tellOtherEnd();
      return isNew && placed.isMissedElsewhere();
    }
  }

  private synchronized void refuseClash(Stream stream) throws IOException {
    String output = stream.output();
    Stream other = output == null ? null : outputs.putIfAbsent(output, stream);
    if (other != null) {
      throw new IOException(
          "stream %s writes %s too: give one of them another name".formatted(other.name(), output));
    }
  }

  /// Refuses a stream in the wrong place: a file that is written and gives nothing would look like
  /// an empty input, and no engine would end the waits of an end that is in no flow.
  private static void refuseMissingEnd(CreateStream made, boolean asReceiver) {
    StreamKind.Ends ends = made.kind().ends();
    boolean isMissing =
        switch (ends) {
          case ANY -> false;
          case BOTH -> made.use() != Use.RESERVOIR;
          case SENDER -> asReceiver || made.use() == Use.RESERVOIR;
          case RECEIVER -> !asReceiver || made.use() == Use.RESERVOIR;
        };
    if (isMissing) {
      String wrong =
          ends == StreamKind.Ends.BOTH
              ? "has its other end outside the flow. To move data into or out of a flow, use a queue of your own, and a Source or Module that reads or fills it"
              : switch (made.use()) {
                case RESERVOIR ->
                    "joins two stages: drain the first into it, and feed the second from it in a later flow";
                case INBOUND ->
                    "comes from another process but gives no waters: use the receiving end of a stream between processes";
                case OUTBOUND ->
                    "goes to another process but takes no waters: use the sending end of a stream between processes";
                case FEED ->
                    "feeds a stage but gives no waters: use FileStream.reading, or another kind that does";
                case DRAIN ->
                    "drains a stage but takes no waters: use FileStream.writing, or another kind that does";
              };
      throw new IllegalArgumentException(
          "stream %s (%s) %s".formatted(made.name(), made.kind().description(), wrong));
    }
  }
}
