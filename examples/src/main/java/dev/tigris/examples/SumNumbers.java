package dev.tigris.examples;

import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.StreamOptions;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.net.Fabric;

/// The receiving one of two programs that a stream joins: adds up the numbers of [SendNumbers].
///
/// ```sh
/// ./tigris example SumNumbers                     # prints an address
/// ./tigris example SendNumbers ADDRESS            # in another terminal
/// ```
public final class SumNumbers {
  private SumNumbers() {}

  private static final class Sum implements Module {
    private long total;

    @Override
    public void process(Water in, Stream out) {
      total += in.bytes().getLong(0);
    }
  }

  /// Listens, says where, and prints the sum when the other program has ended its stream.
  public static void main(String[] arguments) throws Exception {
    Sum sum = new Sum();
    try (Fabric fabric = Fabric.open("tcp");
        Exchange exchange = new Exchange(7, 0, StreamOptions.DEFAULT)) { // run 7, attempt 0
      System.out.println(exchange.listen(fabric, "127.0.0.1:0")); // for the other program
      Flow.named("sum")
          .stage("sum", () -> sum)
          .feed("sum", exchange.receiving("numbers").withWindow(16))
          .build()
          .start()
          .await();
    }
    System.out.println(sum.total);
  }
}
