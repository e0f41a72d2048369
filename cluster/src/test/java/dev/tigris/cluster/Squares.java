package dev.tigris.cluster;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.net.Fabric;
import dev.tigris.net.Tls;
import dev.tigris.testing.host.TlsKey;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;

/// A flow of three stages that several processes run together: sources count, modules square what
/// comes, and the squares of even and of odd numbers are added up by a module each, to which they
/// are routed. It checks that each water comes once, in the order of its source.
final class Squares {
  static final int SOURCES = 2;
  static final int WORKERS = 3;

  private Squares() {}

  /// Returns the flow.
  ///
  /// @param count how many numbers each source puts
  /// @param bytes the size of each water
  /// @param sums where the sum of the even squares is added up, and that of the odd ones
  static Flow flow(long count, int bytes, AtomicLong[] sums) {
    return Flow.named("squares")
        .source("count", () -> new Numbers(count, bytes), SOURCES)
        .reservoir(Reservoir.roundRobin().withWindow(8))
        .stage("square", Square::new, WORKERS)
        .reservoir(Reservoir.routed().withName("parity").withWindow(4))
        .stage("add", () -> new Add(sums), 2)
        .build();
  }

  /// Returns the sum of the squares of the even or odd numbers below `count`, for all sources.
  static long expected(long count, int parity) {
    long sum = 0;
    for (long number = parity; number < count; number += 2) {
      sum += number * number;
    }
    return sum * SOURCES;
  }

  /// Returns a module that puts what it takes.
  static Module pass() {
    return (in, out) -> out.put(in);
  }

  private static final class Numbers implements Source {
    private final long count;
    private final int bytes;
    private int replica;
    private long next;

    Numbers(long count, int bytes) {
      this.count = count;
      this.bytes = bytes;
    }

    @Override
    public void init(ModuleContext context) {
      replica = context.replica();
    }

    @Override
    public boolean produce(Stream out) {
      if (next == count) {
        return false;
      }
      Water water = out.spring().createWater(bytes);
      water.bytes().setLong(0, next++);
      water.bytes().setLong(8, replica);
      out.put(water);
      return true;
    }
  }

  private static final class Square implements Module {
    private final long[] latest = new long[SOURCES];
    private ModuleContext context;

    @Override
    public void init(ModuleContext its) {
      context = its;
      Arrays.fill(latest, -1);
    }

    @Override
    public void process(Water in, Stream out) {
      long number = in.bytes().getLong(0);
      int source = (int) in.bytes().getLong(8);
      if (number <= latest[source]) {
        throw new IllegalStateException(
            "number %d of source %d after %d".formatted(number, source, latest[source]));
      }
      latest[source] = number;
      Stream route = context.route((int) (number % 2));
      Water square = route.spring().createWater(in.size());
      square.bytes().setLong(0, number * number);
      route.put(square);
    }
  }

  private static final class Add implements Module {
    private final AtomicLong[] sums;
    private int parity;

    Add(AtomicLong[] sums) {
      this.sums = sums;
    }

    @Override
    public void init(ModuleContext context) {
      parity = context.replica();
    }

    @Override
    public void process(Water in, Stream out) {
      long square = in.bytes().getLong(0);
      if (square % 2 != parity) {
        throw new IllegalStateException("%d came to replica %d".formatted(square, parity));
      }
      sums[parity].addAndGet(square);
    }
  }

  /// One of the processes: `self processes count bytes way...`, where a way is the name of a
  /// provider, or `tls,HOST,KEY,TRUSTED`, two files of keys. It prints where it listens, reads
  /// where all do, and prints its sums.
  static final class Part {
    private Part() {}

    public static void main(String[] arguments) throws Exception {
      int self = Integer.parseInt(arguments[0]);
      int processes = Integer.parseInt(arguments[1]);
      AtomicLong[] sums = {new AtomicLong(), new AtomicLong()};
      Flow flow = flow(Long.parseLong(arguments[2]), Integer.parseInt(arguments[3]), sums);
      List<Fabric> fabrics = new ArrayList<>();
      try (Exchange exchange = new Exchange(54, 0, StreamOptions.DEFAULT)) {
        for (int i = 4; i < arguments.length; i++) {
          fabrics.add(listen(exchange, arguments[i]));
        }
        System.out.println(exchange.reach());
        Scanner input = new Scanner(System.in, StandardCharsets.UTF_8);
        List<Reach> all = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
          all.add(Reach.of(input.nextLine()));
        }
        Placement placement = Placement.spread(flow.graph(), processes);
        flow.start(exchange.part(flow, placement, self, all)).await();
      }
      fabrics.forEach(Fabric::close);
      System.out.println("sums " + sums[0] + " " + sums[1]);
    }

    private static Fabric listen(Exchange exchange, String way) throws Exception {
      String[] parts = way.split(",", -1);
      boolean isTls = parts.length > 1;
      Fabric fabric =
          isTls
              ? Fabric.openTls("tcp", tls(Path.of(parts[2]), Path.of(parts[3])))
              : Fabric.open(way);
      String address = way.equals("shm") ? "*" : (isTls ? parts[1] : "127.0.0.1") + ":0";
      String _ = exchange.listen(fabric, address);
      return fabric;
    }
  }

  /// Returns TLS with a key of its own, for a peer that has the other one.
  static Tls tls(Path key, Path trusted) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(TlsKey.load(key).keys(), TlsKey.trusting(TlsKey.load(trusted)), null);
    return Tls.of(context);
  }
}
