package dev.tigris.examples;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Container;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Adds up trades on several processes of this host. Each process makes trades, and its waters go
/// to whichever adder has room, here or elsewhere. The adders tell their sums as results of the
/// run.
///
/// ```sh
/// ./tigris example ManyTrades                # a million trades, four processes
/// ./tigris example ManyTrades 5000000 2
/// ```
public final class ManyTrades implements FlowProgram {
  private static final int WATER_BYTES = 8 * 1024;
  private static final int ROOM_BYTES = 64; // more than a trade takes
  private static final double PRICE = 0.5;

  /// Makes the program, as each process of a run does.
  public ManyTrades() {}

  @Override
  public Flow describe(Arguments arguments) {
    int trades = Integer.parseInt(arguments.word(0, "1000000"));
    int makers = arguments.processes();
    return Flow.named("trades")
        .source("make", () -> new Maker(trades, makers), makers)
        .reservoir(Reservoir.leastOutstanding())
        .stage("add", Adder::new, arguments.processors())
        .build();
  }

  /// Adds up so many trades on so many processes.
  public static void main(String[] arguments) throws Exception {
    String trades = arguments.length > 0 ? arguments[0] : "1000000";
    int processes = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 4;
    System.out.println(
        Cluster.processes(processes).start(ManyTrades.class, trades).await().numbers());
  }

  /// Makes each trade whose number belongs to this replica, as many in a water as it takes. Trade
  /// `i` is of `i` modulo 7 pieces.
  private static final class Maker implements Source {
    private final int trades;
    private final int makers;
    private int next;

    Maker(int trades, int makers) {
      this.trades = trades;
      this.makers = makers;
    }

    @Override
    public void init(ModuleContext context) {
      next = context.replica();
    }

    @Override
    public boolean produce(Stream out) {
      Water water = out.spring().createWater(WATER_BYTES);
      Container container = water.container();
      @Nullable Trade latest = null;
      while (next < trades && container.remainingBytes() >= ROOM_BYTES) {
        Trade trade = new Trade(container);
        trade.account = next % 10;
        trade.quantity = next % 7;
        trade.price = PRICE;
        trade.next = latest;
        latest = trade;
        next += makers;
      }
      container.root(latest);
      water.setSize(Math.toIntExact(container.usedBytes()));
      out.put(water);
      return next < trades;
    }
  }

  /// Adds up the trades of each water.
  private static final class Adder implements Module {
    private @Nullable ModuleContext context;
    private long trades;
    private double value;

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public void process(Water in, Stream out) {
      for (Trade trade = in.container().root(Trade.class); trade != null; trade = trade.next) {
        trades++;
        value += trade.quantity * trade.price;
      }
    }

    @Override
    public void finish(Stream out) {
      ModuleContext its = Objects.requireNonNull(context);
      its.results().add("trades", trades);
      its.results().add("value in cents", Math.round(value * 100));
    }
  }
}
