package dev.tigris.bench.net;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The bandwidth of a stream between two processes, beside the interface below: waters one way, all
/// of whose bytes are written by their sender and read by their receiver. The peer sends the same
/// bytes as messages, with as many under way.
///
/// A message is under way until the interface has taken it, and a water until it is finished. Over
/// `tcp` and `uring` that tells for small ones: the system takes messages of 64 bytes by the
/// thousand before the receiver reads one, and the stream has 64 waters on their way.
///
/// Source: *Tigris* (Welsh and Culler, 2000, section 2.2).
final class StreamsGroup implements Group {
  private final Wire wire;

  StreamsGroup(Wire wire) {
    this.wire = wire;
  }

  @Override
  public String name() {
    return "cluster.stream." + wire.name();
  }

  private String figure(int bytes) {
    return name() + "." + InterfaceGroup.size(bytes);
  }

  @Override
  public List<String> missing() {
    return wire.obstacle().stream().map(why -> name() + " is left out: " + why).toList();
  }

  @Override
  public List<String> figures() {
    return wire.obstacle().isPresent()
        ? List.of()
        : StreamTransport.SIZES.stream().map(this::figure).toList();
  }

  @Override
  public void measure(Run run) throws Exception {
    Contestant streams = wire.streams();
    Contestant below = wire.subject(Messages.Kind.WHOLE);
    Map<Integer, List<Pairs>> rates = new LinkedHashMap<>();
    int forks = run.scale().pick(1, 1, 3);
    for (int fork = 1; fork <= forks; fork++) {
      run.say("%s, processes %d of %d".formatted(name(), fork, forks));
      try (Place place = wire.place(run.workFolder());
          Session session = Session.start(List.of(streams, below), place, run.scale())) {
        session.warmUp(
            exchange -> {
              exchange.bandwidth(64, 2_000);
              exchange.bandwidth(8 << 10, 2_000);
              exchange.bandwidth(1 << 20, 50);
            });
        for (int bytes : StreamTransport.SIZES) {
          if (run.wants(figure(bytes))) {
            rates
                .computeIfAbsent(bytes, key -> new ArrayList<>())
                .add(session.measure(false, bytes).values(streams, below).orElseThrow());
          }
        }
      }
    }
    rates.forEach(
        (bytes, pairs) ->
            run.emit(Figure.of(figure(bytes), "MB/s", Better.HIGHER, below.name(), pairs)));
  }
}
