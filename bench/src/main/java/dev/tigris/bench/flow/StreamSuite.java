package dev.tigris.bench.flow;

import dev.tigris.bench.Scale;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import dev.tigris.flow.Reservoir;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Handing buffers from one thread to another through a memory stream, and through queues with a
/// second queue for the way back.
public final class StreamSuite implements Suite {
  static final List<String> FIGURES = List.of("flow.stream.memory.64B", "flow.stream.memory.64KiB");
  private static final int[] SIZES = {64, 64 * 1024};
  private static final String BLOCKING_QUEUE = "ArrayBlockingQueue";
  private static final String JCTOOLS = "JCTools SPSC";

  /// Buffers on their way at most; what a reservoir's streams have by default.
  private static final int WINDOW = Reservoir.DEFAULT_WINDOW;

  private final ExecutorService sender =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("sender").factory());

  /// Makes a suite; the measuring process calls this.
  public StreamSuite() {}

  @Override
  public List<Contest> contests(Scale scale) {
    List<Contest> contests = new ArrayList<>();
    for (int i = 0; i < SIZES.length; i++) {
      int size = SIZES[i];
      Trial ours = trial(new Channel.Tigris(WINDOW, size));
      contests.add(
          Contest.timed(
              FIGURES.get(i), BLOCKING_QUEUE, 1, ours, trial(new Channel.Blocking(WINDOW, size))));
      contests.add(
          Contest.timed(
              FIGURES.get(i), JCTOOLS, 1, ours, trial(new Channel.JcTools(WINDOW, size))));
    }
    return contests;
  }

  private Trial trial(Channel channel) {
    return count -> {
      Future<?> sending =
          sender.submit(
              () -> {
                channel.send(count);
                return null;
              });
      long start = System.nanoTime();
      long sum = channel.receive(count);
      long nanos = System.nanoTime() - start;
      sending.get();
      WrongResultException.check("sum of what arrived", Channel.sum(count), sum);
      return nanos;
    };
  }
}
