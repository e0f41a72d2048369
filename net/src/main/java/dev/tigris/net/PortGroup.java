package dev.tigris.net;

import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.WakeRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The ports of a queue that serves several fabrics, as one.
///
/// Waiting: the owner parks in the first port, and a thread for each other one in that, as for a
/// signal. Whichever returns first ends the waits of the rest. Each wait of the owner ends with all
/// of those threads.
final class PortGroup extends Port {
  private final List<Port> ports;
  private final WakeRequest wake = new WakeRequest();

  PortGroup(Port first, Port second) {
    this.ports = new ArrayList<>(List.of(first, second));
  }

  void add(Port port) {
    ports.add(port);
  }

  @Override
  public void flush() {
    for (int i = 0; i < ports.size(); i++) {
      ports.get(i).flush();
    }
  }

  @Override
  public void progress() {
    for (int i = 0; i < ports.size(); i++) {
      ports.get(i).progress();
    }
  }

  @Override
  public boolean isMoving() {
    boolean moving = false;
    for (int i = 0; i < ports.size(); i++) {
      moving |= ports.get(i).isMoving(); // each forgets it when it is asked
    }
    return moving;
  }

  @Override
  public boolean arm() {
    for (int i = 0; i < ports.size(); i++) {
      if (!ports.get(i).arm()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean park(long nanos) {
    Port first = ports.getFirst();
    List<Thread> others = new ArrayList<>();
    try {
      for (Port port : ports.subList(1, ports.size())) {
        others.add(Thread.ofVirtual().name("tigris-net-wait").start(() -> park(port, nanos)));
      }
      boolean _ = first.park(nanos);
    } finally {
      for (int i = 0; i < others.size(); i++) {
        ports.get(i + 1).wake();
      }
      join(others);
      for (Port port : ports) {
        boolean _ = port.wakeRequest().take();
      }
    }
    return wake.take(); // last: what is asked from now on wakes the ports again
  }

  private void park(Port port, long nanos) {
    try {
      boolean _ = port.park(nanos);
    } finally {
      ports.getFirst().wake();
    }
  }

  /// Waits for threads that have been woken, whether this one is interrupted or not.
  private static void join(List<Thread> others) {
    boolean interrupted = false;
    for (Thread other : others) {
      while (other.isAlive()) {
        try {
          other.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void remindBy(Runnable endsWait) {
    super.remindBy(endsWait);
    for (Port port : ports) {
      port.remindBy(endsWait);
    }
  }

  @Override
  public void wake() {
    wake.ask();
    for (Port port : ports) {
      port.wake();
    }
  }

  @Override
  public WakeRequest wakeRequest() {
    return wake;
  }

  @Override
  public boolean canChangeThread() {
    return ports.stream().allMatch(Port::canChangeThread);
  }

  @Override
  public void close() {
    @Nullable RuntimeException failure = null;
    for (Port port : ports) {
      try {
        port.close();
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public boolean hasPostponedInterrupt() {
    return ports.stream().anyMatch(Port::hasPostponedInterrupt);
  }
}
