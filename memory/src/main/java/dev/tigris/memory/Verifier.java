package dev.tigris.memory;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// Learns from the collector which leases and which handles are dead, and acts on it: the paper's
/// transition *GC\**.
///
/// One daemon thread, `tigris-jbuf-verifier`, takes references from one queue. It calls back
/// without holding a lock; what a callback throws goes to the thread's uncaught exception handler,
/// and the thread goes on.
final class Verifier {
  static final Verifier PROCESS = new Verifier();

  private final ReferenceQueue<Object> queue = new ReferenceQueue<>();

  /// Claims that are not verified yet. A reference must itself be reachable to be enqueued.
  private final Set<Claim> claims = ConcurrentHashMap.newKeySet();

  private final AtomicLong awaitingBytes = new AtomicLong();

  /// Says that no view is left; true once the collector has found the lease unreachable. It holds
  /// the handle, so that a callback can be given it, but nothing that leads to the lease.
  private static final class Claim extends PhantomReference<Lease> {
    final Jbuf jbuf;
    final Consumer<Jbuf> callback;

    Claim(Lease lease, Jbuf jbuf, Consumer<Jbuf> callback, ReferenceQueue<Object> queue) {
      super(lease, queue);
      this.jbuf = jbuf;
      this.callback = callback;
    }
  }

  private final Thread thread;

  private Verifier() {
    // It outlives whoever allocates the first Jbuf. The class loader and the thread locals that it
    // would inherit from that one could never be collected.
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("tigris-jbuf-verifier")
            .inheritInheritableThreadLocals(false)
            .unstarted(this::run);
    thread.start();
  }

  ReferenceQueue<Object> queue() {
    return queue;
  }

  /// What Jbufs whose claim is not verified yet take of the budget.
  long awaitingBytes() {
    return awaitingBytes.get();
  }

  void await(Lease lease, Jbuf jbuf, Consumer<Jbuf> callback) {
    claims.add(new Claim(lease, jbuf, callback, queue));
    awaitingBytes.addAndGet(jbuf.budgetBytes());
    // The claim must be in the set before the lease can die, or it might be lost with it.
    Reference.reachabilityFence(lease);
  }

  /// Whether the calling thread is the verifier's own, which must not wait for itself.
  boolean isCurrentThread() {
    return Thread.currentThread().equals(thread);
  }

  private void run() {
    while (true) {
      try {
        act(queue.remove());
      } catch (Throwable e) {
        // An interrupt comes this way too: nobody has a reason to stop this thread, which ends
        // with the process.
        report(e);
      }
    }
  }

  private static void report(Throwable thrown) {
    Thread thread = Thread.currentThread();
    try {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    } catch (Throwable e) {
      // As the JVM does. Without this thread nothing would ever be verified or reclaimed again.
    }
  }

  private void act(Reference<?> dead) {
    // No class is loaded here: there may be no file for it, and then none for any other block.
    if (dead instanceof Block block) {
      Budget.PROCESS.reclaim(block);
    } else if (dead instanceof Claim claim) {
      claims.remove(claim);
      awaitingBytes.addAndGet(-claim.jbuf.budgetBytes());
      try {
        claim.jbuf.verified();
      } finally { // it tells of an event, for which there may be no memory
        claim.callback.accept(claim.jbuf);
      }
    } else {
      throw new IllegalStateException("a foreign reference in the queue: " + dead);
    }
  }
}
