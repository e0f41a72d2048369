package dev.tigris.cluster;

import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import dev.tigris.net.VirtualInterface;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Connects one member of a group with all others. Of each pair, the higher number connects and the
/// lower one accepts. A member connects to all lower ones first, in their order, and then accepts.
/// So the lowest member that is not done waits for requests only, and nothing deadlocks.
///
/// Thread rule: the member's thread, but for [Lane#ask].
final class MeshMaker {
  private final Exchange exchange;
  private final Requests requests;
  private final int self;
  private final List<Reach> members;
  private final List<Attributes> attributes;
  private final long end;
  private final Set<Fabric> served = new HashSet<>();
  private @Nullable CompletionQueue queue;

  MeshMaker(
      Exchange exchange,
      Requests requests,
      int self,
      List<Reach> members,
      List<Attributes> attributes,
      Duration patience) {
    this.exchange = exchange;
    this.requests = requests;
    this.self = self;
    this.members = List.copyOf(members);
    this.attributes = List.copyOf(attributes);
    this.end = System.nanoTime() + patience.toNanos();
    if (self < 0 || self >= members.size()) {
      throw new IllegalArgumentException(
          "there is no member %d among %d, numbered from 0".formatted(self, members.size()));
    }
  }

  /// One interface that is asked for by a member with a higher number.
  private record Lane(Header.Identity identity, LinkedBlockingQueue<Requests.Asked> asking)
      implements Requests.Receiver {
    @Override
    public void ask(Requests.Asked asked) {
      asking.add(asked);
    }
  }

  private Lane lane(String name, int from, int to, int number) {
    return new Lane(
        exchange.identity("%s/%d-%d.%d".formatted(name, from, to, number)),
        new LinkedBlockingQueue<>());
  }

  Mesh make(String name) throws IOException, InterruptedException {
    List<Lane> awaited = new ArrayList<>();
    boolean isMade = false;
    try {
      for (int from = self + 1; from < members.size(); from++) {
        for (int number = 0; number < attributes.size(); number++) {
          Lane lane = lane(name, from, self, number);
          requests.add(lane);
          awaited.add(lane);
        }
      }
      List<List<VirtualInterface>> all = new ArrayList<>();
      for (int to = 0; to < self; to++) {
        all.add(connected(name, to));
      }
      all.add(List.of());
      for (int from = self + 1; from < members.size(); from++) {
        List<VirtualInterface> its = new ArrayList<>();
        for (int number = 0; number < attributes.size(); number++) {
          Lane lane = awaited.get((from - self - 1) * attributes.size() + number);
          its.add(accepted(lane, from, attributes.get(number)));
        }
        all.add(its);
      }
      boolean isOneHost = served.stream().allMatch(its -> its.provider().equals("shm"));
      Mesh mesh = new Mesh(self, queue(exchange.ways().first()), all, isOneHost);
      isMade = true;
      return mesh;
    } finally {
      awaited.forEach(this::leave);
      if (!isMade && queue != null) {
        queue.close();
      }
    }
  }

  private void leave(Lane lane) {
    requests.remove(lane);
    for (var left = lane.asking.poll(); left != null; left = lane.asking.poll()) {
      left.request().close();
    }
  }

  private List<VirtualInterface> connected(String name, int to)
      throws IOException, InterruptedException {
    Ways.Chosen way = exchange.ways().to(to, members.get(to));
    List<VirtualInterface> its = new ArrayList<>();
    for (int number = 0; number < attributes.size(); number++) {
      long tag = lane(name, self, to, number).identity().hash();
      its.add(connected(way, tag, attributes.get(number), to));
    }
    return its;
  }

  private VirtualInterface connected(Ways.Chosen way, long tag, Attributes its, int to)
      throws IOException, InterruptedException {
    Duration left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    try {
      Connection answer = way.fabric().connect(way.address(), tag, queue(way.fabric()), its, left);
      return answer.get();
    } catch (NetException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while member %d was connected".formatted(to));
      }
      throw new IOException(
          "member %d has no connection to member %d: %s".formatted(self, to, e.getMessage()), e);
    }
  }

  private VirtualInterface accepted(Lane lane, int from, Attributes its)
      throws IOException, InterruptedException {
    Requests.Asked asked =
        lane.asking.poll(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    if (asked == null) {
      throw new IOException(
          "member %d has not connected to member %d in time: look whether it runs"
              .formatted(from, self));
    }
    return asked.request().accept(queue(asked.fabric()), its);
  }

  private CompletionQueue queue(Fabric fabric) {
    CompletionQueue its = queue;
    if (its == null) {
      its = fabric.completionQueue();
      queue = its;
      served.add(fabric);
    } else if (served.add(fabric)) {
      fabric.attach(its);
    }
    return its;
  }
}
