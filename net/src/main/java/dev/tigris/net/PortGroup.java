package dev.tigris.net;

import dev.tigris.net.provider.DescriptorWait;
import dev.tigris.net.provider.Port;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The ports of a queue that serves several fabrics, as one.
///
/// Waiting: one wait is for all ports that name the files to wait for. Where all do, it is the only
/// one. A port that does not is waited for in its own way: the owner parks in the first such port,
/// and a thread for each further one, and a thread for the files. Whichever returns first ends the
/// waits of the rest, and each wait of the owner ends with all of those threads.
final class PortGroup extends Port {
  private final List<Port> ports = new ArrayList<>();

  /// Those that name files.
  private Port[] byDescriptor = {};

  /// The others.
  private final List<Port> apart = new ArrayList<>();

  /// Where those that name files are waited for; null without such ports.
  private @Nullable DescriptorWait wait;

  PortGroup(Port first, Port second) {
    add(first);
    add(second);
  }

  /// Adds a port, while no thread waits.
  void add(Port port) {
    ports.add(port);
    if (!port.waitsByDescriptor()) {
      apart.add(port);
      return;
    }
    if (wait == null) {
      wait = new DescriptorWait();
    }
    byDescriptor = Arrays.copyOf(byDescriptor, byDescriptor.length + 1);
    byDescriptor[byDescriptor.length - 1] = port;
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
  public void disarm() {
    for (int i = 0; i < ports.size(); i++) {
      ports.get(i).disarm();
    }
  }

  @Override
  public void park(long nanos) {
    DescriptorWait files = wait;
    if (apart.isEmpty() && files != null) {
      files.park(nanos, byDescriptor);
      return;
    }
    List<Thread> others = new ArrayList<>();
    try {
      if (files != null) {
        others.add(start(() -> files.park(nanos, byDescriptor)));
      }
      for (Port port : apart.subList(1, apart.size())) {
        others.add(start(() -> port.park(nanos)));
      }
      apart.getFirst().park(nanos);
    } finally {
      if (files != null) {
        files.wake();
      }
      for (Port port : apart.subList(1, apart.size())) {
        port.wake();
      }
      join(others);
      takeWakes();
    }
  }

  /// Takes what has ended the waits of this round and came too late for one: it would end the next
  /// round at once, and that the one after it. A request of [CompletionQueue#wake] is not lost, for
  /// the queue remembers it.
  private void takeWakes() {
    if (wait != null) {
      wait.park(0);
    }
    for (Port port : apart) {
      port.park(0);
    }
  }

  /// Starts a thread that waits. It is no virtual one, which would start another one to poll.
  private Thread start(Runnable waiting) {
    return Thread.ofPlatform()
        .daemon()
        .name("tigris-net-wait")
        .start(
            () -> {
              try {
                waiting.run();
              } finally {
                apart.getFirst().wake();
              }
            });
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
    DescriptorWait files = wait;
    if (apart.isEmpty() && files != null) {
      files.wake();
    } else {
      apart.getFirst().wake();
    }
  }

  @Override
  public boolean canChangeThread() {
    for (int i = 0; i < ports.size(); i++) { // asked before each lending: a stream would be garbage
      if (!ports.get(i).canChangeThread()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    if (wait != null) {
      wait.closeToOthers();
    }
    Closing closing = new Closing();
    for (Port port : ports) {
      closing.attempt(port::close);
    }
    if (wait != null) {
      wait.close();
    }
    closing.finish();
  }

  @Override
  public boolean hasPostponedInterrupt() {
    return ports.stream().anyMatch(Port::hasPostponedInterrupt);
  }
}
