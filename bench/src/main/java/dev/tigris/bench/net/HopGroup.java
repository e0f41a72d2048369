package dev.tigris.bench.net;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/// The time of one hop of a stream between two processes: half of the time from the put of a water
/// until its sender knows that the receiver has finished it, while nothing else is under way. The
/// peer has half of a round trip of a message over the interface below.
final class HopGroup implements Group {
  private static final int BYTES = 64;

  private final Wire wire;

  HopGroup(Wire wire) {
    this.wire = wire;
  }

  @Override
  public String name() {
    return "cluster.hop." + wire.name();
  }

  private String figure() {
    return name() + "." + InterfaceGroup.size(BYTES);
  }

  @Override
  public List<String> missing() {
    return wire.obstacle().stream().map(why -> name() + " is left out: " + why).toList();
  }

  @Override
  public List<String> figures() {
    return wire.obstacle().isPresent() ? List.of() : List.of(figure());
  }

  @Override
  public void measure(Run run) throws Exception {
    Contestant streams = wire.streams();
    Contestant below = wire.subject(Messages.Kind.WHOLE);
    List<Pairs> hops = new ArrayList<>();
    int forks = run.scale().pick(1, 1, 3);
    for (int fork = 1; fork <= forks; fork++) {
      run.say("%s, processes %d of %d".formatted(name(), fork, forks));
      try (Place place = wire.place(run.workFolder());
          Session session = Session.start(List.of(streams, below), place, run.scale())) {
        session.warmUp(exchange -> exchange.pingPong(BYTES, 1_000));
        Pairs trips = session.measure(true, BYTES).values(streams, below).orElseThrow();
        hops.add(new Pairs(halves(trips, trips::subject), halves(trips, trips::peer)));
      }
    }
    run.emit(Figure.of(figure(), "ns", Better.LOWER, below.name(), hops));
  }

  private static double[] halves(Pairs trips, IntToDoubleFunction side) {
    return IntStream.range(0, trips.count()).mapToDouble(i -> side.applyAsDouble(i) / 2).toArray();
  }
}
