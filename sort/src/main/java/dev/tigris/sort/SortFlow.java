package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.HostEngine;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowRun;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryUse;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/// What sorts of records and of lines share: the memory that they plan with, and the wait for
/// their flow.
final class SortFlow {
  /// So much of the process's budget is left for what is not in the plan.
  static final long SPARE_BYTES = 128 << 20;

  /// The waits for the collector double up to this: a tenth of a second in all.
  private static final int MOST_WAIT_MILLIS = 64;

  private SortFlow() {}

  /// Returns how much memory the sort may use; more would be refused in the middle of it. What
  /// waits for the collector, or was dropped, comes back if nothing refers to it, which only the
  /// collector knows: where the rest is less than wanted, it is asked, and given a moment. What was
  /// dropped does not say that it waits, and is asked for once, where there is less than it takes
  /// to sort at all.
  static long mostMemoryBytes(long least, long wanted) throws InterruptedException {
    MemoryUse use = Jbuf.use();
    long most = mostMemoryBytes(use);
    for (int millis = 1; millis <= MOST_WAIT_MILLIS && most < wanted; millis *= 2) {
      boolean awaits = use.awaitingBytes() > 0;
      if (!awaits && (most >= least || millis > MOST_WAIT_MILLIS / 4)) {
        break;
      }
      if (awaits || millis == 1) {
        System.gc();
      }
      Thread.sleep(millis);
      use = Jbuf.use();
      most = mostMemoryBytes(use);
    }
    return most;
  }

  /// Returns how much memory each process of a sort may use.
  ///
  /// @param cluster of the processes; null for this one alone
  /// @param least how much each needs
  /// @param wanted how much each would use
  static long mostMemoryBytes(@Nullable Cluster cluster, long least, long wanted)
      throws InterruptedException {
    long given = cluster == null ? 0 : cluster.engine().map(HostEngine::memoryBytes).orElse(0L);
    if (given > 0) {
      return mostOf(given);
    }
    int processes = cluster == null ? 1 : SortProcesses.onOneHost(cluster);
    return mostMemoryBytes(processes * least, processes * wanted) / processes;
  }

  private static long mostMemoryBytes(MemoryUse use) {
    return mostOf(use.budgetBytes() - use.usedBytes());
  }

  private static long mostOf(long free) {
    return Math.max(1, Math.max(free / 3 * 2, free - SPARE_BYTES));
  }

  /// Waits for a flow of this package's modules.
  static void await(FlowRun flow) throws SortException, InterruptedException {
    try {
      flow.await();
    } catch (FlowException e) {
      throw failure(e);
    } catch (InterruptedException e) {
      flow.cancel();
      awaitEnd(flow);
      throw e;
    }
  }

  /// The files may be closed and deleted only when no module uses them any more.
  private static void awaitEnd(FlowRun flow) {
    boolean interrupted = false;
    while (!flow.isDone()) {
      try {
        flow.await();
      } catch (FlowException | CancellationException e) {
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static SortException failure(FlowException failed) {
    return switch (failed.getCause()) {
      case SortException e -> e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null -> throw new IllegalStateException(failed);
      default -> throw new IllegalStateException(failed.getCause());
    };
  }
}
