package dev.tigris.flow.policy;

import java.util.Arrays;

/// The accounts of one receiver's inputs, behind a [ReceiverView]. The engine keeps one for each
/// module whose stage has an [InputPolicy], and a simulator can do so, too.
///
/// Time is an argument, in nanoseconds from any fixed origin, and must not run backwards.
///
/// Thread rule: one thread.
public final class ReceiverState implements ReceiverView {
  private static final long NOT_READY = Long.MIN_VALUE;

  private String[] from = new String[0];
  private boolean[] open = new boolean[0];
  private long[] readySinceNanos = new long[0];
  private int inputs;
  private int openInputs;
  private int readyInputs;
  private int last = -1;
  private long nowNanos;

  /// Makes accounts without an input.
  public ReceiverState() {}

  /// Adds an input, and returns its number.
  ///
  /// @param name the stage or feed that it comes from
  public int add(String name) {
    if (inputs == from.length) {
      int room = Math.max(4, 2 * inputs);
      from = Arrays.copyOf(from, room);
      open = Arrays.copyOf(open, room);
      readySinceNanos = Arrays.copyOf(readySinceNanos, room);
    }
    from[inputs] = name;
    open[inputs] = true;
    readySinceNanos[inputs] = NOT_READY;
    openInputs++;
    return inputs++;
  }

  /// Sets the time, for how long inputs have been ready.
  public void time(long nanos) {
    nowNanos = nanos;
  }

  /// Sets whether an input has something to take now.
  public void ready(int input, boolean isReady) {
    boolean wasReady = isReady(input);
    if (isReady && !wasReady) {
      readySinceNanos[input] = nowNanos;
      readyInputs++;
    } else if (!isReady && wasReady) {
      readySinceNanos[input] = NOT_READY;
      readyInputs--;
    }
  }

  /// Closes an input, which has been taken to its end.
  public void closed(int input) {
    ready(input, false);
    if (open[input]) {
      open[input] = false;
      openInputs--;
    }
  }

  /// Notes that a water was taken from an input. What the input has next counts as ready from now.
  public void taken(int input) {
    last = input;
    if (isReady(input)) {
      readySinceNanos[input] = nowNanos;
    }
  }

  /// Returns whether any input is open.
  public boolean anyOpen() {
    return openInputs > 0;
  }

  /// Returns whether any input is ready.
  public boolean anyReady() {
    return readyInputs > 0;
  }

  @Override
  public int inputs() {
    return inputs;
  }

  @Override
  public boolean isReady(int input) {
    return readySinceNanos[input] != NOT_READY;
  }

  @Override
  public boolean isOpen(int input) {
    return open[input];
  }

  @Override
  public String from(int input) {
    return from[input];
  }

  @Override
  public long readyNanos(int input) {
    return isReady(input) ? nowNanos - readySinceNanos[input] : 0;
  }

  @Override
  public int last() {
    return last;
  }
}
