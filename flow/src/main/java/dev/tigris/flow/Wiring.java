package dev.tigris.flow;

import dev.tigris.flow.policy.Policy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Makes the streams and the workers of a flow from its description: a stream from every replica of
/// a reservoir's upstream stage to every replica of its downstream stage, and one for each feed and
/// drain.
final class Wiring {
  /// One end of a stream: a stage, a feed or a drain, and which replica or stream of it.
  record End(String name, int index) {
    @Override
    public String toString() {
      return name + "[" + index + "]";
    }
  }

  /// A stream with its place in the graph; `module` is the one to name when it fails.
  record Placed(Stream stream, String reservoir, End from, End to, End module) {
    FlowSnapshot.Channel snapshot() {
      return new FlowSnapshot.Channel(
          stream.name(),
          reservoir,
          from.name(),
          from.index(),
          to.name(),
          to.index(),
          stream.window(),
          stream.counters());
    }
  }

  /// What belongs to one replica of a stage.
  private record Replica(
      Flow.Stage stage, int index, Parker parker, List<Inlet.Input> inputs, List<Outlet> outlets) {
    Replica(Flow.Stage stage, int index, Parker parker) {
      this(stage, index, parker, new ArrayList<>(), new ArrayList<>());
    }

    End end() {
      return new End(stage.name(), index);
    }
  }

  /// Which ends of a stream have a module: both, the receiving one, the sending one.
  private enum Use {
    RESERVOIR,
    FEED,
    DRAIN
  }

  private final LocalRun run;
  private final Flow flow;
  private final SplittableRandom random;
  private final Map<String, List<Replica>> stages = new LinkedHashMap<>();
  private final List<Placed> streams = new ArrayList<>();

  Wiring(LocalRun run, Flow flow) {
    this.run = run;
    this.flow = flow;
    this.random = new SplittableRandom(flow.seed());
  }

  /// Returns all streams, as far as they could be opened.
  List<Placed> streams() {
    return streams;
  }

  /// Opens all streams, and makes a worker for each replica.
  ///
  /// @throws FlowException if a stream cannot be opened
  List<Worker> wire() throws FlowException {
    for (Flow.Stage stage : flow.stages()) {
      List<Replica> replicas = new ArrayList<>();
      for (int i = 0; i < stage.replicas(); i++) {
        replicas.add(new Replica(stage, i, new Parker(run::isModule)));
      }
      stages.put(stage.name(), replicas);
    }
    for (Flow.Edge edge : flow.edges()) {
      connect(edge);
    }
    for (Flow.Feed feed : flow.feeds()) {
      feed(feed);
    }
    for (Flow.Drain drain : flow.drains()) {
      drain(drain);
    }
    return stages.values().stream().flatMap(List::stream).map(this::worker).toList();
  }

  private Worker worker(Replica replica) {
    Inlet inlet = new Inlet(replica.inputs());
    Context context =
        new Context(
            run,
            replica.stage(),
            replica.index(),
            replica.parker(),
            inlet,
            replica.outlets(),
            random.split());
    return new Worker(run, replica.stage(), replica.index(), replica.parker(), inlet, context);
  }

  private void connect(Flow.Edge edge) throws FlowException {
    Reservoir reservoir = edge.reservoir();
    for (Replica sender : replicas(edge.from())) {
      List<Stream> row = new ArrayList<>();
      for (Replica receiver : replicas(edge.to())) {
        String name = sender.end() + "->" + receiver.end();
        if (!edge.name().equals(edge.to())) {
          name = name + ":" + edge.name();
        }
        StreamKind.Place place = new StreamKind.Place(name, reservoir.window());
        Stream stream =
            open(Use.RESERVOIR, reservoir.kind(), place, edge.name(), sender.end(), receiver.end());
        stream.sender(sender.parker());
        stream.receiver(receiver.parker());
        receiver.inputs().add(new Inlet.Input(stream, edge.from()));
        row.add(stream);
      }
      sender.outlets().add(outlet(edge.name(), row, reservoir.policy()));
    }
  }

  private void feed(Flow.Feed feed) throws FlowException {
    List<Replica> replicas = replicas(feed.stage());
    for (int i = 0; i < feed.kinds().size(); i++) {
      Replica receiver = replicas.get(i % replicas.size());
      End from = new End(feed.name(), i);
      StreamKind.Place place =
          new StreamKind.Place(from + "->" + receiver.end(), Reservoir.DEFAULT_WINDOW);
      Stream stream = open(Use.FEED, feed.kinds().get(i), place, feed.name(), from, receiver.end());
      stream.receiver(receiver.parker());
      receiver.inputs().add(new Inlet.Input(stream, feed.name()));
    }
  }

  private void drain(Flow.Drain drain) throws FlowException {
    List<Replica> replicas = replicas(drain.stage());
    for (Replica sender : replicas) {
      List<Stream> row = new ArrayList<>();
      for (int i = sender.index(); i < drain.kinds().size(); i += replicas.size()) {
        End to = new End(drain.name(), i);
        StreamKind.Place place =
            new StreamKind.Place(sender.end() + "->" + to, drain.reservoir().window());
        Stream stream =
            open(Use.DRAIN, drain.kinds().get(i), place, drain.name(), sender.end(), to);
        stream.sender(sender.parker());
        row.add(stream);
      }
      sender.outlets().add(outlet(drain.name(), row, drain.reservoir().policy()));
    }
  }

  private Outlet outlet(String name, List<Stream> row, @Nullable Policy policy) {
    return new Outlet(name, row, policy, random.split());
  }

  private List<Replica> replicas(String stage) {
    List<Replica> found = stages.get(stage);
    if (found == null) {
      throw new IllegalStateException("no stage " + stage);
    }
    return found;
  }

  /// Refuses a file stream in the wrong direction: it would look like an empty input, or replace
  /// the file that was to be read.
  private static void refuseWrongWay(Use use, FileStream file) {
    @Nullable String wrong =
        switch (use) {
          case RESERVOIR ->
              "joins two stages: drain the first into the file, and feed the second from it in a later flow";
          case FEED ->
              file.isWriting() ? "feeds a stage but writes its file: use FileStream.reading" : null;
          case DRAIN ->
              file.isWriting() ? null : "drains a stage but reads its file: use FileStream.writing";
        };
    if (wrong != null) {
      throw new IllegalArgumentException(
          "stream %s over file %s %s".formatted(file.name(), file.file(), wrong));
    }
  }

  private void refuseClashes(FileStream file) throws IOException {
    for (Placed placed : streams.subList(0, streams.size() - 1)) {
      if (placed.stream() instanceof FileStream other && file.clashesWith(other)) {
        throw new IOException(
            "stream %s writes file %s too: name another file for one of them"
                .formatted(other.name(), other.file()));
      }
    }
  }

  private Stream open(
      Use use, StreamKind kind, StreamKind.Place place, String reservoir, End from, End to)
      throws FlowException {
    End module = use == Use.FEED ? to : from;
    try {
      Stream stream =
          Objects.requireNonNull(
              kind.open(place), "the stream kind returned null instead of a stream");
      stream.source(streams.size());
      if (flow.checksums()) {
        stream.useChecksums();
      }
      streams.add(new Placed(stream, reservoir, from, to, module));
      if (stream instanceof FileStream file) {
        refuseWrongWay(use, file);
        refuseClashes(file);
      } else if (stream instanceof MemoryStream && use != Use.RESERVOIR) {
        throw new IllegalArgumentException(
            "stream %s is a memory stream whose other end is outside the flow. To move data into or out of a flow, use a queue of your own, and a Source or Module that reads or fills it"
                .formatted(stream.name()));
      }
      return stream;
    } catch (Throwable e) { // a kind may be anybody's, and those that are open are to be closed
      throw FlowException.of(flow.name(), module, FlowException.Phase.OPEN, place.name(), e);
    }
  }
}
