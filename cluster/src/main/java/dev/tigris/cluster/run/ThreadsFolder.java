package dev.tigris.cluster.run;

import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowRun;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// The folder of a run on threads, where a thread of its own notes how the flow has ended.
///
/// Thread rule: any thread.
final class ThreadsFolder {
  private static final System.Logger LOG = System.getLogger(ThreadsFolder.class.getName());

  private final RunFolder folder;
  private final CountDownLatch over = new CountDownLatch(1);

  private ThreadsFolder(RunFolder folder) {
    this.folder = folder;
  }

  /// Waits for the end of a flow, and notes it.
  static ThreadsFolder watch(FlowRun flow, RunFolder folder) {
    ThreadsFolder made = new ThreadsFolder(folder);
    Thread _ = Thread.ofVirtual().name("tigris-run-folder").start(() -> made.note(flow));
    return made;
  }

  private void note(FlowRun flow) {
    try (folder) {
      Ending ending = ending(flow);
      folder.over(ending.facts(1, flow.snapshot().elapsedNanos()));
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "the end of the run cannot be noted in " + path(), e);
    } finally {
      over.countDown();
    }
  }

  private static Ending ending(FlowRun flow) {
    try {
      flow.await();
      return new Ending.Done(flow.results());
    } catch (FlowException e) {
      return Ending.of(ThreadsRun.failed(e));
    } catch (CancellationException e) {
      return new Ending.Cancelled();
    } catch (InterruptedException e) {
      throw new IllegalStateException("this thread is interrupted by none", e);
    }
  }

  /// Waits until the end is noted.
  void await() throws InterruptedException {
    over.await();
  }

  boolean await(Duration timeout) throws InterruptedException {
    return over.await(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
  }

  boolean isOver() {
    return over.getCount() == 0;
  }

  Map<String, String> facts() {
    return folder.facts();
  }

  Path path() {
    return folder.path();
  }
}
