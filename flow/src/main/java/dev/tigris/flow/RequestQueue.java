package dev.tigris.flow;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The operations that wait for one module's thread, in the order in which they came. The queue is
/// closed when the module ends, and takes nothing from then on: so each operation is either applied
/// or answered as one that came too late.
///
/// ```
/// offered = taken + waiting        waiting = 0 once it is closed and the rest was taken
/// ```
///
/// It is bounded by its callers: a plan has a number of operations for each module, and each is
/// answered before the next step begins. A program that applies operations itself waits for their
/// answers, or answers for the memory of those that wait.
///
/// Thread rule: any thread offers, the module's thread takes and closes. A lock is good enough,
/// since operations are rare.
final class RequestQueue {
  private final ArrayDeque<Request> waiting = new ArrayDeque<>();
  private boolean closed;

  /// Adds a request. Returns false if the module has ended.
  synchronized boolean offer(Request request) {
    if (!closed) {
      waiting.addLast(request);
    }
    return !closed;
  }

  /// Takes the first request, null if there is none.
  synchronized @Nullable Request take() {
    return waiting.pollFirst();
  }

  /// Takes no more requests from now on. Those that wait are still to be taken.
  synchronized void close() {
    closed = true;
  }
}
