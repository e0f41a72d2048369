package dev.tigris.flow;

/// Tells an end in another process that the end here has ended before it was used: opens the stream
/// on a thread of its own, ends it, and waits until that is heard.
final class Farewell implements Runnable {
  private final LocalRun run;
  private final StreamTable.Placed placed;
  private final boolean asReceiver;
  private final Parker parker = new Parker();
  private final Thread thread;

  Farewell(LocalRun run, StreamTable.Placed placed, boolean asReceiver) {
    this.run = run;
    this.placed = placed;
    this.asReceiver = asReceiver;
    this.thread =
        Thread.ofPlatform()
            .name("tigris-" + run.flow().name() + "-ends-" + placed.made().name())
            .daemon(false)
            .unstarted(this);
  }

  void start() {
    thread.start();
  }

  /// Gives it up, since the flow is being stopped.
  void stop() {
    parker.stop();
    thread.interrupt();
  }

  @Override
  public void run() {
    try {
      Stream stream = run.streams().open(placed, asReceiver, _ -> run.isStopping());
      if (stream == null) {
        return;
      }
      if (asReceiver) {
        stream.receiver(parker);
        stream.leaveReceiver();
      } else {
        stream.sender(parker, null);
        stream.leaveSender();
      }
    } catch (FlowException e) {
      run.failed(e);
    } catch (Throwable e) { // the other end is lost, or there is no memory
      run.failed(placed, e);
    } finally {
      run.ended();
    }
  }
}
