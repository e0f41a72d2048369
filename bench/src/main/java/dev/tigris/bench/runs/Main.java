package dev.tigris.bench.runs;

import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.StreamOptions;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Module;
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
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A process that writes into a reservoir, or reads out of it. Argument: its IP address. It answers
/// each line of its standard input by one on its standard output, and ends with that input.
///
/// ```text
///   receive RUN SELF SENDERS           ADDRESS
///   send RUN SELF POLICY ADDRESS...    sending
///   count                              BYTES NANOS
///   end                                BYTES        a sender first
/// ```
final class Main {
  /// As in the paper.
  private static final int WATER_BYTES = 8 << 10;

  private static final int WINDOW = 16;

  private final String self;
  private final Fabric fabric = Fabric.open("tcp");
  private @Nullable Exchange exchange;
  private @Nullable FlowRun run;
  private AtomicLong bytes = new AtomicLong();
  private AtomicBoolean isOver = new AtomicBoolean();

  private Main(String self) {
    this.self = self;
  }

  public static void main(String[] arguments) throws Exception {
    Main node = new Main(arguments[0]);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println(node.answer(line.split(" ", -1)));
    }
    Runtime.getRuntime().halt(0); // whatever is under way
  }

  private String answer(String[] words) throws Exception {
    return switch (words[0]) {
      case "receive" -> receive(Long.parseLong(words[1]), words[2], Integer.parseInt(words[3]));
      case "send" ->
          send(
              Long.parseLong(words[1]),
              words[2],
              words[3],
              Arrays.copyOfRange(words, 4, words.length));
      case "count" -> bytes.get() + " " + System.nanoTime();
      case "end" -> end();
      default -> throw new IOException("no such command: " + words[0]);
    };
  }

  private Exchange exchange(long number) {
    Exchange made = new Exchange(number, 0, StreamOptions.DEFAULT);
    exchange = made;
    bytes = new AtomicLong();
    isOver = new AtomicBoolean();
    return made;
  }

  private String receive(long number, String index, int senders) {
    Exchange to = exchange(number);
    String address = to.listen(fabric, self + ":0");
    StreamKind[] streams = new StreamKind[senders];
    for (int sender = 0; sender < senders; sender++) {
      streams[sender] = to.receiving(name(String.valueOf(sender), index)).withWindow(WINDOW);
    }
    run = Flow.named("receive").stage("count", Count::new).feed("count", streams).build().start();
    return address;
  }

  private String send(long number, String index, String policy, String[] addresses) {
    Exchange from = exchange(number);
    StreamKind[] streams = new StreamKind[addresses.length];
    for (int receiver = 0; receiver < addresses.length; receiver++) {
      streams[receiver] =
          from.sending(name(index, String.valueOf(receiver)), fabric, addresses[receiver]);
    }
    Reservoir reservoir =
        switch (policy) {
          case "round-robin" -> Reservoir.roundRobin();
          case "random" -> Reservoir.random();
          case "lottery" -> Reservoir.lottery();
          default -> throw new IllegalArgumentException("no such policy: " + policy);
        };
    run =
        Flow.named("send")
            .source("make", Maker::new)
            .drain("make", reservoir.withWindow(WINDOW), streams)
            .build()
            .start();
    return "sending";
  }

  private static String name(String sender, String receiver) {
    return sender + " to " + receiver;
  }

  private String end() throws Exception {
    isOver.set(true);
    FlowRun its = run;
    Exchange used = exchange;
    if (its == null || used == null) {
      throw new IOException("nothing has begun");
    }
    its.await();
    used.close();
    return String.valueOf(bytes.get());
  }

  private final class Maker implements Source {
    private final AtomicLong sent = bytes;
    private final AtomicBoolean ends = isOver;

    @Override
    public boolean produce(Stream out) {
      Water water = out.spring().createWater(WATER_BYTES);
      out.put(water);
      sent.addAndGet(WATER_BYTES);
      return !ends.get();
    }
  }

  private final class Count implements Module {
    private final AtomicLong received = bytes;

    @Override
    public void process(Water water, Stream out) {
      received.addAndGet(water.size());
    }
  }
}
