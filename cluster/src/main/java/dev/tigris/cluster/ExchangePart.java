package dev.tigris.cluster;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.StreamKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// The part of a flow that runs in one of several processes, and its streams to the others. A
/// module is made when each stream that comes in from another process is connected: until then the
/// receivers' threads wait for their senders, and no `init` keeps a sender waiting.
///
/// Thread rule: as for [FlowPart].
final class ExchangePart implements ProcessPart {
  /// How long an end waits that joins while the flow runs: the other one's module may be in a call
  /// that takes long. A process that has died is told by its connections, or by its coordinator.
  static final Duration WHILE_IT_RUNS = Duration.ofDays(1);

  /// How long a guest that takes part may take to be there. One that is to take waters makes other
  /// changes wait.
  static final Duration FOR_A_GUEST = Duration.ofSeconds(10);

  /// A process of a guest.
  private record Far(Reach reach, long key) {}

  private final Exchange exchange;
  private final Flow flow;
  private final Placement placement;
  private final int self;
  private final List<Reach> processes;
  private final Ways.Chosen[] ways;
  private final Map<Integer, Far> guests = new ConcurrentHashMap<>();

  /// How many streams come in that are not connected, and one until all are known.
  private final AtomicInteger awaited = new AtomicInteger(1);

  private final CompletableFuture<Void> joined = new CompletableFuture<>();

  /// How the streams work that are made from now on.
  private volatile StreamOptions options;

  ExchangePart(Exchange exchange, Flow flow, Placement placement, int self, List<Reach> processes) {
    this.exchange = exchange;
    this.flow = flow;
    this.placement = placement;
    this.self = self;
    this.processes = List.copyOf(processes);
    this.ways = new Ways.Chosen[processes.size()];
    this.options = exchange.options();
    if (self < 0 || self >= processes.size()) {
      throw new IllegalArgumentException(
          "there is no process %d among %d, numbered from 0".formatted(self, processes.size()));
    }
  }

  @Override
  public boolean isHere(End replica) {
    return place(replica) == self;
  }

  private int place(End replica) {
    int place = placement.process(replica);
    boolean isThere = place < processes.size() ? place >= 0 : guests.containsKey(place);
    if (!isThere) {
      throw new IllegalArgumentException(
          "replica %s of flow %s is placed in process %d, but there are %d, numbered from 0"
              .formatted(replica, flow.name(), place, processes.size()));
    }
    return place;
  }

  @Override
  public void meet(int process, Reach reach, long key) {
    guests.put(process, new Far(reach, key));
  }

  /// Returns where this process listens.
  Reach reach() {
    return processes.get(self);
  }

  Exchange exchange() {
    return exchange;
  }

  @Override
  public StreamKind kind(Link link) {
    int receiver = place(link.to());
    Far from = guests.get(place(link.from()));
    Far to = guests.get(receiver);
    if (from != null) {
      return exchange.receiving(
          GuestStreams.identity(from.key, link.to().name()),
          exchange.options().withPatience(WHILE_IT_RUNS),
          () -> {},
          InterfaceReceiver::mayBeMissing);
    }
    if (to != null) {
      return new GuestStreams.Reaching(
          () ->
              exchange.sending(
                  GuestStreams.identity(to.key, link.from().name()),
                  exchange.ways().to(receiver, to.reach),
                  exchange.options().withPatience(FOR_A_GUEST)));
    }
    String name = flow.name() + "/" + link.stream();
    if (isHere(link.to())) {
      awaited.incrementAndGet();
      return exchange.receiving(name, options, this::connected);
    }
    Ways.Chosen way = wayTo(receiver);
    return exchange.sending(name, way.fabric(), way.address(), options);
  }

  @Override
  public StreamKind outward(StreamKind kind) {
    return kind instanceof GuestStreams.Outward its ? its.in(this) : kind;
  }

  private Ways.Chosen wayTo(int process) {
    Ways.Chosen known = ways[process];
    if (known == null) {
      known = exchange.ways().to(process, processes.get(process));
      ways[process] = known;
    }
    return known;
  }

  private void connected() {
    if (awaited.decrementAndGet() == 0) {
      joined.complete(null);
    }
  }

  @Override
  public CompletionStage<Void> joined() {
    options = options.withPatience(WHILE_IT_RUNS);
    connected(); // all are known
    return joined;
  }
}
