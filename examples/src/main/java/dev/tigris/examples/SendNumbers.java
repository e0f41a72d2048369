package dev.tigris.examples;

import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.StreamOptions;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.net.Fabric;

/// The sending one of two programs that a stream joins. The other one is [SumNumbers], whose
/// address is the argument.
public final class SendNumbers {
  private static final int NUMBERS = 100_000;

  private SendNumbers() {}

  private static final class Numbers implements Source {
    private int next;

    @Override
    public boolean produce(Stream out) {
      Water water = out.spring().createWater(64);
      water.bytes().setLong(0, next);
      out.put(water);
      return ++next < NUMBERS;
    }
  }

  /// Puts the numbers, and returns when the other program has worked on all of them.
  public static void main(String[] arguments) throws Exception {
    try (Fabric fabric = Fabric.open("tcp");
        Exchange exchange = new Exchange(7, 0, StreamOptions.DEFAULT)) {
      StreamKind numbers = exchange.sending("numbers", fabric, arguments[0]);
      Flow.named("send")
          .source("send", Numbers::new)
          .drain("send", Reservoir.lottery().withWindow(16), numbers)
          .build()
          .start()
          .await();
    }
  }
}
