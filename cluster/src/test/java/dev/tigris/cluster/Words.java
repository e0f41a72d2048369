package dev.tigris.cluster;

import dev.tigris.flow.EndOfStreamException;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.net.Fabric;

/// Two processes that tests start: one puts numbered waters, the other one adds them up.
final class Words {
  static final long RUN = 7;
  static final String STREAM = "words";

  private Words() {}

  /// Puts waters: `provider address count bytes`.
  static final class Reader {
    private Reader() {}

    public static void main(String[] arguments) throws Exception {
      long count = Long.parseLong(arguments[2]);
      int bytes = Integer.parseInt(arguments[3]);
      try (Fabric fabric = Fabric.open(arguments[0]);
          Exchange exchange = new Exchange(RUN, 0, StreamOptions.DEFAULT)) {
        Flow.named("read")
            .source("read", () -> new Numbers(count, bytes))
            .drain(
                "read",
                Reservoir.roundRobin().withWindow(16),
                exchange.sending(STREAM, fabric, arguments[1]))
            .build()
            .start()
            .await();
      }
      System.out.println("sent");
    }
  }

  /// Takes waters: `provider address most`, and stops early after `most`.
  static final class Counter {
    private Counter() {}

    public static void main(String[] arguments) throws Exception {
      Sum sum = new Sum(Long.parseLong(arguments[2]));
      try (Fabric fabric = Fabric.open(arguments[0]);
          Exchange exchange = new Exchange(RUN, 0, StreamOptions.DEFAULT)) {
        System.out.println(exchange.listen(fabric, arguments[1]));
        Flow.named("count")
            .stage("count", () -> sum)
            .feed("count", exchange.receiving(STREAM).withWindow(16))
            .build()
            .start()
            .await();
      }
      System.out.println(sum.waters + " " + sum.total);
    }
  }

  private static final class Numbers implements Source {
    private final long count;
    private final int bytes;
    private long next;

    Numbers(long count, int bytes) {
      this.count = count;
      this.bytes = bytes;
    }

    @Override
    public boolean produce(Stream out) {
      if (next == count) {
        return false;
      }
      Water water = out.spring().createWater(bytes);
      water.bytes().setLong(0, next);
      water.bytes().setLong(bytes - 8, next);
      out.put(water);
      next++;
      return true;
    }
  }

  private static final class Sum implements Module {
    private final long most;
    long waters;
    long total;

    Sum(long most) {
      this.most = most;
    }

    @Override
    public void process(Water in, Stream out) {
      long number = in.bytes().getLong(0);
      if (number != waters || in.bytes().getLong(in.size() - 8) != number) {
        throw new IllegalStateException("water %d came in place of %d".formatted(number, waters));
      }
      waters++;
      total += number;
      if (waters == 1) {
        System.out.println("first");
      }
      if (waters == most) {
        throw new EndOfStreamException();
      }
    }
  }
}
