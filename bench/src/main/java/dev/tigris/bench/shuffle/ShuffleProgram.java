package dev.tigris.bench.shuffle;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Records that makers give to takers, one of each in every process. The words are the size of a
/// record, the number of all records, and how many a taker takes in a second.
///
/// Without a rate, each record goes to the taker of its key. With one, any taker may get it, and
/// the first taker has [#SLOW_SHARE] of the rate.
///
/// ```
///   0      8                         record size
///   +------+-------- ... --------+
///   | key  | number, repeated    |   a record
///   +------+-------- ... --------+
/// ```
public final class ShuffleProgram implements FlowProgram {
  static final String COUNT = "count";
  static final String KEYS = "keys";
  static final String NUMBERS = "numbers";
  static final String BEGIN = "begin.micros";
  static final String END = "end.micros";

  /// What a slow taker keeps of its rate: 34.27 of 295.39 Mbit/s (Welsh and Culler, 2000, figure
  /// 5).
  static final double SLOW_SHARE = 0.116;

  private static final int KEYED_WATER_BYTES = 64 << 10;
  private static final int KEYED_WINDOW = 8;

  /// Takers with a rate take so much at a time, and have at most two of these from each maker.
  static final int BLOCK_RECORDS = 500;

  private static final int PACED_WINDOW = 2;
  private static final long FACTOR = 2_654_435_761L;
  private static final int KEY_BITS = 32;

  /// Makes the program.
  public ShuffleProgram() {}

  @Override
  public Flow describe(Arguments arguments) {
    int size = Integer.parseInt(arguments.word(0));
    long records = Long.parseLong(arguments.word(1));
    long rate = Long.parseLong(arguments.word(2));
    boolean isKeyed = rate == 0;
    int processes = arguments.processes();
    int replicas = isKeyed ? arguments.processors() / processes * processes : processes;
    Reservoir between =
        isKeyed
            ? Reservoir.routed().withWindow(KEYED_WINDOW)
            : Reservoir.leastOutstanding().withWindow(PACED_WINDOW);
    return Flow.named("shuffle")
        .source("make", () -> new Maker(size, records, isKeyed), replicas)
        .reservoir(between)
        .stage("take", () -> new Taker(size, rate), replicas)
        .build();
  }

  /// Returns the key of a record.
  static long key(long number) {
    return (number * FACTOR) & ((1L << KEY_BITS) - 1);
  }

  private static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  private static ModuleContext known(@Nullable ModuleContext context) {
    return Objects.requireNonNull(context, "init comes first");
  }

  /// Makes its share of the records.
  private static final class Maker implements Source {
    private final int size;
    private final long records;
    private final boolean isKeyed;
    private final int fullBytes;
    private Water[] open = {};
    private int[] filled = {};
    private long next;
    private long end;
    private boolean hasBegun;
    private @Nullable ModuleContext context;

    Maker(int size, long records, boolean isKeyed) {
      this.size = size;
      this.records = records;
      this.isKeyed = isKeyed;
      int fitting = isKeyed ? (KEYED_WATER_BYTES - Water.HEADER_BYTES) / size : BLOCK_RECORDS;
      this.fullBytes = fitting * size;
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
      int makers = given.replicas();
      next = records * given.replica() / makers;
      end = records * (given.replica() + 1) / makers;
      int routes = isKeyed ? given.routes() : 1;
      open = new Water[routes];
      filled = new int[routes];
    }

    @Override
    public boolean produce(Stream out) {
      if (!hasBegun) {
        hasBegun = true;
        known(context).results().min(BEGIN, micros());
      }
      long until = Math.min(end, next + BLOCK_RECORDS);
      for (; next < until; next++) {
        long key = key(next);
        int route = isKeyed ? (int) ((key * open.length) >>> KEY_BITS) : 0;
        Stream to = isKeyed ? known(context).route(route) : out;
        if (filled[route] == 0) {
          open[route] = to.spring().createWater(fullBytes);
        }
        write(open[route].bytes(), filled[route], key, next);
        filled[route] += size;
        if (filled[route] == fullBytes) {
          put(route, to);
        }
      }
      return next < end;
    }

    private void write(Bytes to, int at, long key, long number) {
      to.setLong(at, key);
      int word = Long.BYTES;
      for (; word + Long.BYTES <= size; word += Long.BYTES) {
        to.setLong(at + word, number);
      }
      for (; word < size; word++) {
        to.set(at + word, (byte) number);
      }
    }

    private void put(int route, Stream to) {
      Water water = open[route];
      water.setSize(filled[route]);
      filled[route] = 0;
      to.put(water);
    }

    @Override
    public void finish(Stream out) {
      for (int route = 0; route < filled.length; route++) {
        if (filled[route] > 0) {
          put(route, isKeyed ? known(context).route(route) : out);
        }
      }
    }
  }

  /// Counts and sums what it gets.
  private static final class Taker implements Module {
    private final int size;
    private final long rate;
    private long count;
    private long keys;
    private long numbers;
    private long nanosPerBlock;
    private long due;
    private @Nullable ModuleContext context;

    Taker(int size, long rate) {
      this.size = size;
      this.rate = rate;
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
      double own = given.replica() == 0 ? rate * SLOW_SHARE : rate;
      nanosPerBlock = rate == 0 ? 0 : (long) (BLOCK_RECORDS * TimeUnit.SECONDS.toNanos(1) / own);
    }

    @Override
    public void process(Water in, Stream out) {
      Bytes bytes = in.bytes();
      int end = in.size();
      for (int at = 0; at < end; at += size) {
        keys += bytes.getLong(at);
        numbers += bytes.getLong(at + Long.BYTES);
      }
      count += end / size;
      if (rate > 0) {
        keepPace();
      }
    }

    /// Takes the time of a block. A wake-up that was late is made up for in the next one.
    private void keepPace() {
      long now = System.nanoTime();
      due = Math.max(due, now - nanosPerBlock) + nanosPerBlock;
      while (now < due && !known(context).isStopping()) {
        LockSupport.parkNanos(due - now);
        now = System.nanoTime();
      }
    }

    @Override
    public void finish(Stream out) {
      var results = known(context).results();
      results.add(COUNT, count);
      results.add(KEYS, keys);
      results.add(NUMBERS, numbers);
      results.max(END, micros());
    }
  }
}
