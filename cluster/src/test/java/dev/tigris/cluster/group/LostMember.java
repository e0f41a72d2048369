package dev.tigris.cluster.group;

import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.Reach;
import dev.tigris.cluster.StreamOptions;
import dev.tigris.net.Fabric;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/// A process that has member 1 of one group for each collective call, and makes one call in each.
/// It is given a provider, prints where it listens for each group, reads where the others do, and
/// prints a line after each call.
final class LostMember {
  /// It prints this for each group.
  static final String LEFT = "left";

  private LostMember() {}

  public static void main(String[] arguments) throws Exception {
    Fabric fabric = Fabric.open(arguments[0]); // open until the process is killed
    List<Exchange> exchanges = exchanges(fabric);
    exchanges.forEach(its -> IO.println(its.reach()));
    for (int i = 0; i < exchanges.size(); i++) {
      Reach others = Reach.of(IO.readln());
      Exchange exchange = exchanges.get(i);
      String call = CollectiveCalls.ALL.get(i);
      GroupThreads group = new GroupThreads(exchange, List.of(others, exchange.reach(), others));
      Thread _ = Thread.ofPlatform().start(() -> member(group, call));
    }
  }

  private static void member(GroupThreads group, String call) {
    try {
      group.member(1, null, its -> leave(its, call));
    } catch (Exception e) {
      throw new IllegalStateException(call, e);
    }
  }

  private static void leave(Group group, String call) throws InterruptedException {
    CollectiveCalls.call(group, call);
    IO.println(LEFT);
    new CountDownLatch(1).await();
  }

  /// Makes an exchange for the group of each call.
  static List<Exchange> exchanges(Fabric fabric) {
    List<Exchange> exchanges = new ArrayList<>();
    for (int i = 0; i < CollectiveCalls.ALL.size(); i++) {
      Exchange exchange = new Exchange(i + 1L, 0, StreamOptions.DEFAULT);
      String _ = exchange.listen(fabric, fabric.provider().equals("shm") ? "*" : "127.0.0.1:0");
      exchanges.add(exchange);
    }
    return exchanges;
  }
}
