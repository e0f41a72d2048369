package dev.tigris.flow;

import dev.tigris.memory.Bytes;
import org.jspecify.annotations.Nullable;

/// A module with the mistake that every user of buffers makes once: it keeps what it read from a
/// water, and looks at it again when the water has been handed on.
final class KeepsTooLong implements Module {
  private @Nullable Bytes first;

  private KeepsTooLong() {}

  /// Prints how the flow ended.
  public static void main(String[] args) throws InterruptedException {
    try {
      Flow.named("kept")
          .source("count", Numbers.counting(0, 1000), 1)
          .reservoir(Reservoir.roundRobin().withWindow(2))
          .stage("keep", KeepsTooLong::new, 1)
          .build()
          .start()
          .await();
      System.out.println("ended well");
    } catch (FlowException e) {
      System.out.println(e.getCause());
    }
  }

  @Override
  public void process(Water in, Stream out) {
    Bytes kept = first;
    if (kept == null) {
      first = in.bytes();
    } else {
      kept.get(0);
    }
  }
}
