package dev.tigris.cluster;

import dev.tigris.flow.EndOfStreamException;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.net.Fabric;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;

/// The two ends of a stream in processes of their own, whose modules do what they read from their
/// standard input, and wait there meanwhile. They say when they have begun and how they ended.
final class StreamActors {
  static final int WINDOW = 8;

  /// A water of so many bytes is announced.
  private static final int LARGE_BYTES = 3 * StreamOptions.DEFAULT.slotBytes();

  /// How long a sender asks for a receiver.
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private StreamActors() {}

  private static final BufferedReader INPUT =
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

  private static String read() throws IOException {
    return Objects.requireNonNullElse(INPUT.readLine(), "end");
  }

  /// The optional arguments: the limit of silence in seconds, and the size of a water.
  private static StreamOptions options(String... arguments) {
    StreamOptions options = StreamOptions.DEFAULT;
    return arguments.length > 2
        ? options.withSilence(Duration.ofSeconds(Long.parseLong(arguments[2])))
        : options;
  }

  private static void say(String line) {
    System.out.println(line);
  }

  private static void run(Flow flow) throws InterruptedException {
    String end = endOf(flow);
    StreamMemory.requireNone(); // in whatever way it has ended
    say(end);
  }

  private static String endOf(Flow flow) throws InterruptedException {
    try {
      flow.start().await();
      return "well";
    } catch (FlowException e) {
      return "failed: " + String.valueOf(e.getMessage()).replace('\n', ' ');
    }
  }

  /// Sends: `provider address [silence bytes]`. It reads how many waters to put,
  /// `large` to put one that is announced, or `end`.
  static final class Sender implements Source {
    private final int bytes;
    private long left;
    private long next;
    private boolean isLarge;

    public static void main(String[] arguments) throws Exception {
      try (Fabric fabric = Fabric.open(arguments[0]);
          Exchange exchange = new Exchange(9, 0, options(arguments).withPatience(PATIENCE))) {
        int bytes = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 64;
        say("connects");
        run(
            Flow.named("sends")
                .source("read", () -> new Sender(bytes))
                .drain(
                    "read",
                    Reservoir.roundRobin().withWindow(WINDOW),
                    exchange.sending("acts", fabric, arguments[1]))
                .build());
      }
    }

    Sender(int bytes) {
      this.bytes = bytes;
    }

    @Override
    public void init(ModuleContext context) {
      say("attached");
    }

    @Override
    public boolean produce(Stream out) throws Exception {
      if (left == 0) {
        String line = read();
        if (line.equals("end")) {
          say("ends");
          return false;
        }
        isLarge = line.equals("large");
        left = isLarge ? 1 : Long.parseLong(line);
      }
      Water water = out.spring().createWater(isLarge ? LARGE_BYTES : bytes);
      water.bytes().setLong(0, next++);
      out.put(water);
      if (--left == 0) {
        say("put " + next);
      }
      return true;
    }
  }

  /// Receives: `provider address [silence]`. It reads `listen`, then how many waters to take before
  /// it reads again, or `stop`.
  static final class Receiver implements Module {
    private long left;
    private long seen;

    public static void main(String[] arguments) throws Exception {
      try (Fabric fabric = Fabric.open(arguments[0]);
          Exchange exchange = new Exchange(9, 0, options(arguments))) {
        say(exchange.listen(fabric, arguments[1]));
        String _ = read();
        run(
            Flow.named("receives")
                .stage("count", Receiver::new)
                .feed("count", receiving(exchange))
                .build());
      }
    }

    /// A sender that has not greeted may have given up, and another one may come.
    private static StreamKind receiving(Exchange exchange) {
      return exchange.receiving("acts", () -> say("greeted")).withWindow(WINDOW);
    }

    @Override
    public void process(Water in, Stream out) throws Exception {
      long number = in.bytes().getLong(0);
      if (number != seen) {
        throw new IllegalStateException("water %d came in place of %d".formatted(number, seen));
      }
      seen++;
      if (left == 0) {
        say("holds " + number);
        String line = read();
        if (line.equals("stop")) {
          throw new EndOfStreamException();
        }
        left = Long.parseLong(line);
      }
      left--;
    }

    @Override
    public void finish(Stream out) {
      say("finish " + seen);
    }
  }
}
