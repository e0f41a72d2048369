package dev.tigris.net.testing;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;

/// Wraps a port, and looks after the messages that are held back.
final class FaultyPort extends Port {
  private final Port inner;
  private final List<FaultyLink> links = new ArrayList<>();

  /// When the first message that is held back is due. Written by the owner, read by any.
  private volatile long dueNanos = Long.MAX_VALUE;

  FaultyPort(Port inner) {
    this.inner = inner;
  }

  Port inner() {
    return inner;
  }

  FaultyLink add(Link link, Attributes attributes, Faults faults, SplittableRandom random) {
    FaultyLink made = new FaultyLink(this, link, attributes, faults, random);
    links.add(made);
    made.follow();
    return made;
  }

  void remove(FaultyLink link) {
    links.remove(link);
  }

  @Override
  public void flush() {
    inner.flush();
    follow();
  }

  /// Has each link follow its own, whose end may have been found while another one was rung.
  private void follow() {
    for (int i = links.size() - 1; i >= 0; i--) {
      links.get(i).follow();
    }
  }

  @Override
  public void progress() {
    inner.progress();
    long due = Long.MAX_VALUE;
    for (int i = links.size() - 1; i >= 0; i--) {
      due = Math.min(due, links.get(i).progress());
    }
    follow();
    if (due != dueNanos) {
      boolean isSooner = due < dueNanos;
      dueNanos = due;
      if (isSooner) {
        remind();
      }
    }
  }

  @Override
  public boolean isMoving() {
    return inner.isMoving();
  }

  @Override
  public boolean arm() {
    return inner.arm();
  }

  @Override
  public void disarm() {
    inner.disarm();
  }

  @Override
  public void park(long nanos) {
    inner.park(untilDue(nanos));
  }

  /// How long a wait may take.
  private long untilDue(long nanos) {
    long due = dueNanos;
    return due == Long.MAX_VALUE || nanos == 0
        ? nanos
        : Math.clamp(due - System.nanoTime(), 1, nanos);
  }

  @Override
  public boolean waitsByDescriptor() {
    return inner.waitsByDescriptor();
  }

  @Override
  public long beginWait(IntConsumer files) {
    return untilDue(inner.beginWait(files));
  }

  @Override
  public boolean hasWork() {
    return inner.hasWork();
  }

  @Override
  public void endWait() {
    inner.endWait();
  }

  @Override
  public void remindBy(Runnable endsWait) {
    super.remindBy(endsWait);
    inner.remindBy(endsWait);
  }

  @Override
  public void wake() {
    inner.wake();
  }

  @Override
  public boolean canChangeThread() {
    return inner.canChangeThread();
  }

  @Override
  public void close() {
    inner.close();
  }

  @Override
  public boolean hasPostponedInterrupt() {
    return inner.hasPostponedInterrupt();
  }
}
