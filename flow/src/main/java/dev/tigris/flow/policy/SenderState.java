package dev.tigris.flow.policy;

import java.util.Arrays;

/// The accounts of one sender's streams, behind a [SenderView]. The engine keeps one for each
/// reservoir of each module, a simulator one for each simulated sender.
///
/// Time is an argument everywhere, in nanoseconds from any fixed origin, and must not run
/// backwards. For every stream, at all times:
///
/// ```
/// sent = finished + outstanding        0 <= outstanding <= window, where the window is obeyed
/// credits = window - outstanding       while the stream is open, 0 afterwards
/// ```
///
/// **The service time** of a stream is estimated from the moments at which its credits come back,
/// which a sender sees without being told. While waters are outstanding the consumer is busy, so
/// `d` credits that came back in the time since the last ones (or since the stream was idle) say
/// that it took that time divided by `d` for each. Where the stream ran idle in between, that is
/// only an upper bound, and is used only to lower the estimate. Samples are averaged exponentially
/// over about [#MEMORY] waters. A consumer that has stopped sends no samples at all; so the view
/// gives the time for which it has been silent when that is longer.
///
/// Thread rule: one thread.
public final class SenderState implements SenderView {
  /// Over how many waters the estimate of the service time remembers.
  private static final int MEMORY = 8;

  private int[] window;
  private long[] sent;
  private long[] finished;
  private boolean[] open;
  private long[] busySinceNanos;
  private double[] serviceNanos;
  private int openStreams;
  private int last = -1;
  private long nowNanos;

  /// Makes accounts for as many streams as windows are given, each with nothing sent.
  public SenderState(int... windows) {
    int streams = windows.length;
    for (int stream = 0; stream < streams; stream++) {
      refuseNoWindow(stream, windows[stream]);
    }
    window = windows.clone();
    sent = new long[streams];
    finished = new long[streams];
    open = new boolean[streams];
    Arrays.fill(open, true);
    openStreams = streams;
    busySinceNanos = new long[streams];
    serviceNanos = new double[streams];
  }

  private static void refuseNoWindow(int stream, int waters) {
    if (waters < 1) {
      throw new IllegalArgumentException(
          "stream %d has a window of %d waters: it needs at least 1".formatted(stream, waters));
    }
  }

  /// Adds a stream, with nothing sent, and returns its number. The accounts of one sender are
  /// copied for each, since streams are few and seldom added.
  public int add(int waters) {
    int stream = window.length;
    refuseNoWindow(stream, waters);
    window = Arrays.copyOf(window, stream + 1);
    sent = Arrays.copyOf(sent, stream + 1);
    finished = Arrays.copyOf(finished, stream + 1);
    open = Arrays.copyOf(open, stream + 1);
    busySinceNanos = Arrays.copyOf(busySinceNanos, stream + 1);
    serviceNanos = Arrays.copyOf(serviceNanos, stream + 1);
    window[stream] = waters;
    open[stream] = true;
    openStreams++;
    return stream;
  }

  /// Sets the time, for estimates that depend on how long nothing has happened.
  public void time(long nanos) {
    nowNanos = nanos;
  }

  /// Sets how many waters have been sent on a stream in all.
  public void sent(int stream, long waters) {
    if (sent[stream] == finished[stream] && waters > sent[stream]) {
      busySinceNanos[stream] = nowNanos;
    }
    sent[stream] = waters;
  }

  /// Sets how many waters of a stream its receiver has finished in all.
  public void finished(int stream, long waters) {
    long newly = waters - finished[stream];
    if (newly <= 0) {
      return;
    }
    finished[stream] = waters;
    double sample = Math.max(1.0, (double) (nowNanos - busySinceNanos[stream]) / newly);
    double known = serviceNanos[stream];
    boolean stayedBusy = sent[stream] > waters;
    if (known == 0.0) {
      serviceNanos[stream] = sample;
    } else if (stayedBusy || sample < known) {
      double weight = Math.min(1.0, (double) newly / MEMORY);
      serviceNanos[stream] = known + weight * (sample - known);
    }
    busySinceNanos[stream] = nowNanos;
  }

  /// Closes a stream: its receiver takes no more waters.
  public void closed(int stream) {
    if (open[stream]) {
      open[stream] = false;
      openStreams--;
    }
  }

  /// Notes that a stream was chosen and used.
  public void used(int stream) {
    last = stream;
  }

  /// Returns whether any stream is open.
  public boolean anyOpen() {
    return openStreams > 0;
  }

  @Override
  public int streams() {
    return window.length;
  }

  @Override
  public int credits(int stream) {
    return open[stream] ? window[stream] - outstanding(stream) : 0;
  }

  @Override
  public int outstanding(int stream) {
    return (int) (sent[stream] - finished[stream]);
  }

  @Override
  public long serviceNanos(int stream) {
    double known = serviceNanos[stream];
    if (sent[stream] > finished[stream]) {
      return (long) Math.max(known, known == 0.0 ? 0.0 : nowNanos - busySinceNanos[stream]);
    }
    return (long) known;
  }

  @Override
  public boolean isOpen(int stream) {
    return open[stream];
  }

  @Override
  public int last() {
    return last;
  }
}
