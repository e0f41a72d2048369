package dev.tigris.bench.net;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Run;
import dev.tigris.bench.objects.ListCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A linked list of 128 objects, written to, sent to another process, read there and answered
/// (Welsh, MS thesis, 1999, figure 9): pre-serialized objects beside serialization, over the same
/// provider.
final class ObjectsGroup implements Group {
  private static final String NAME = "net.objects";

  /// Only a name for the size: the transport sends lists.
  private static final int BYTES = 4 << 10;

  private final Wire wire;

  /// Lists over one provider.
  ObjectsGroup(Wire wire) {
    this.wire = wire;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> missing() {
    return wire.obstacle().stream().map(why -> NAME + " is left out: " + why).toList();
  }

  @Override
  public List<String> figures() {
    return missing().isEmpty() ? List.of(NAME) : List.of();
  }

  @Override
  public void measure(Run run) throws Exception {
    List<Contestant> all = Arrays.stream(ListCodec.Kind.values()).map(wire::lists).toList();
    List<Session.Samples> forks = new ArrayList<>();
    int count = run.scale().pick(1, 1, 4);
    for (int fork = 1; fork <= count; fork++) {
      run.say("%s, processes %d of %d".formatted(NAME, fork, count));
      try (Place place = wire.place(run.workFolder());
          Session session = Session.start(all, place, run.scale())) {
        session.warmUp(exchange -> exchange.pingPong(BYTES, 500));
        forks.add(session.measure(true, BYTES));
      }
    }
    Contestant objects = all.getFirst();
    for (Contestant rival : all.subList(1, all.size())) {
      run.emit(
          Figure.of(
                  NAME,
                  "ns",
                  Better.LOWER,
                  rival.name(),
                  forks.stream().map(fork -> fork.values(objects, rival).orElseThrow()).toList())
              .withNote("over " + wire.name()));
    }
  }
}
