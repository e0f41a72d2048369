package dev.tigris.examples;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Container;
import java.util.concurrent.atomic.DoubleAdder;
import org.jspecify.annotations.Nullable;

/// Sends objects through a dataflow. A source fills waters with linked [Trade]s, and the next stage
/// reads them in place: they are not serialized, copied or parsed on the way. Objects in waters are
/// Tigris's use of pre-serialized objects (Welsh, MS thesis, 1999, sections 5 and 6).
///
/// ```sh
/// ./tigris example TradeTotals
/// ```
public final class TradeTotals {
  private static final int WATER_BYTES = 8 * 1024;
  private static final int ROOM_BYTES = 64; // more than a trade takes
  private static final int ACCOUNTS = 10;

  private TradeTotals() {}

  /// Adds up the value of made-up trades. Trade `i` is of `i` modulo 7 pieces at 0.5.
  ///
  /// @throws FlowException if the flow fails
  /// @throws InterruptedException if the calling thread is interrupted
  public static double of(int trades, int adders) throws FlowException, InterruptedException {
    var total = new DoubleAdder();
    Flow.named("trades")
        .source("make", () -> new Maker(trades))
        .reservoir(Reservoir.leastOutstanding())
        .stage("add", () -> new Adder(total), adders)
        .build()
        .start()
        .await();
    return total.sum();
  }

  /// Adds up a million trades.
  public static void main(String[] arguments) throws FlowException, InterruptedException {
    int adders = Runtime.getRuntime().availableProcessors();
    System.out.println("the value of a million trades is " + of(1_000_000, adders));
  }

  /// Fills one water with as many trades as it takes.
  private static final class Maker implements Source {
    private final int trades;
    private int made;

    Maker(int trades) {
      this.trades = trades;
    }

    @Override
    public boolean produce(Stream out) {
      Water water = out.spring().createWater(WATER_BYTES);
      Container container = water.container();
      @Nullable Trade latest = null;
      while (made < trades && container.remainingBytes() >= ROOM_BYTES) {
        Trade trade = new Trade(container);
        trade.account = made % ACCOUNTS;
        trade.quantity = made % 7;
        trade.price = 0.5;
        trade.next = latest;
        latest = trade;
        made++;
      }
      container.root(latest);
      water.setSize(Math.toIntExact(container.usedBytes()));
      out.put(water);
      return made < trades;
    }
  }

  /// Adds up the trades of each water.
  private static final class Adder implements Module {
    private final DoubleAdder total;

    Adder(DoubleAdder total) {
      this.total = total;
    }

    @Override
    public void process(Water in, Stream out) {
      double sum = 0;
      for (Trade trade = in.container().root(Trade.class); trade != null; trade = trade.next) {
        sum += trade.quantity * trade.price;
      }
      total.add(sum);
    }
  }
}
