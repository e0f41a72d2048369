package dev.tigris.testing.process;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The processes that tests have started and that were not reaped, each with the test, or the class
/// of tests, that ran when it was started. The end of that one, and of this JVM, is theirs.
final class Children {
  /// Those of this JVM: a process is the system's, so that the list of them is the JVM's.
  static final Children OF_THIS_JVM = new Children();

  private final Map<Child, String> living = new LinkedHashMap<>();
  private final List<String> running = new ArrayList<>();

  private Children() {
    Runtime.getRuntime().addShutdownHook(new Thread(this::killAll, "kills what tests left"));
  }

  /// A test, or a class of tests, begins.
  synchronized void begin(String test) {
    running.add(test);
  }

  /// It ends, and what it started is killed.
  void end(String test) {
    List<Child> left = new ArrayList<>();
    synchronized (this) {
      running.remove(test);
      living.forEach(
          (child, owner) -> {
            if (owner.equals(test)) {
              left.add(child);
            }
          });
    }
    left.forEach(Child::close);
  }

  synchronized void add(Child child) {
    living.keySet().removeIf(other -> !other.isAlive());
    living.put(child, running.isEmpty() ? "" : running.getLast());
  }

  private void killAll() {
    List<Child> left;
    synchronized (this) {
      left = List.copyOf(living.keySet());
    }
    left.forEach(child -> child.handle().destroyForcibly());
  }
}
