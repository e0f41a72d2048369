package dev.tigris.flow;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A source that leaves not a byte of the heap free when it fails.
final class FillsTheHeap implements Source {
  /// What fills the heap: a list of pieces, each with the one before it, ever smaller.
  private Object @Nullable [] pieces;

  private FillsTheHeap() {}

  /// Prints how the flow ended.
  public static void main(String[] args) throws InterruptedException {
    List<Long> taken = new ArrayList<>();
    FlowRun run =
        Flow.named("full")
            .source("fill", FillsTheHeap::new)
            .reservoir(Reservoir.roundRobin())
            .stage("take", () -> (in, out) -> taken.add(Numbers.number(in)))
            .build()
            .start();
    try {
      run.await();
      System.out.println("ended well");
    } catch (FlowException e) {
      System.out.println(e.getMessage() + " " + e.getCause());
    }
  }

  @Override
  public void destroy() {
    pieces = null;
  }

  @Override
  public boolean produce(Stream out) {
    Numbers.put(out, 1);
    int size = 1 << 20;
    while (true) {
      try {
        Object[] piece = new Object[size];
        piece[0] = pieces;
        pieces = piece;
      } catch (OutOfMemoryError e) {
        if (size == 1) {
          throw e;
        }
        size /= 2;
      }
    }
  }
}
