package dev.tigris.memory;

import org.jspecify.annotations.Nullable;

/// The right to reach a [Jbuf]'s memory, from its becoming *referenced* until the collector has
/// found that nobody holds it any more.
///
/// Every view, and every object in a container, holds the lease strongly. The Jbuf holds it too
/// while it is referenced; [Jbuf#unreference] drops that, so that the lease then lives exactly as
/// long as the last view. The lease holds its Jbuf, so a Jbuf whose handle has become unreachable
/// has no views either.
///
/// **The check.** Memory that stays with its Jbuf is used again too: a container is cleared, a pool
/// hands out the same slice. With `-Dtigris.check=leases` slices and containers have leases
/// *within* the Jbuf's, which [#end] when that happens; an access through one that has ended, or
/// that lies within such a one, throws. Otherwise there is one lease, and no access looks at it.
///
/// ```
///   Jbuf's lease <- slice (until it is renewed) <- container <- tenancy (until it is cleared)
/// ```
final class Lease {
  static final String PROPERTY = "tigris.check";

  /// A constant of the process: without the check, the compiler leaves out what depends on it.
  static final boolean CHECKED = isChecked(System.getProperty(PROPERTY));

  final Jbuf jbuf;

  /// The lease that this one lies within.
  final @Nullable Lease outer;

  /// The one view of the whole buffer, so that asking for it again costs nothing.
  private @Nullable View view;

  /// Whether its Jbuf holds it: written under that one's lock.
  private volatile boolean held;

  /// Where it ended; null until then.
  private volatile @Nullable Throwable end;

  /// What the property asks for. Whoever misspells it would trust a check that is not made.
  static boolean isChecked(@Nullable String configured) {
    if (configured == null || configured.equals("leases")) {
      return configured != null;
    }
    throw new IllegalArgumentException(
        "-D%s=%s is not a check: the only one is leases".formatted(PROPERTY, configured));
  }

  Lease(Jbuf jbuf) {
    this.jbuf = jbuf;
    this.outer = null;
  }

  private Lease(Lease outer) {
    this.jbuf = outer.jbuf;
    this.outer = outer;
  }

  /// A lease that can end before this one does; without the check, this one.
  Lease within() {
    return CHECKED ? new Lease(this) : this;
  }

  /// Ends it: what happens to the memory, in a word, for the message.
  void end(String what) {
    end = new Throwable("it was " + what + " by " + Thread.currentThread().getName());
  }

  /// Refuses an access if this lease, or one that it lies within, has ended.
  void refuseEnded() {
    for (Lease lease = this; lease != null; lease = lease.outer) {
      Throwable ended = lease.end;
      if (ended != null) {
        throw new RecycledException(
            "the memory was reused since %s: do not keep objects or views of it"
                .formatted(ended.getMessage()),
            ended);
      }
    }
  }

  /// The Jbuf is referenced by this lease.
  void take(View view) {
    this.view = view;
    held = true;
  }

  /// The Jbuf is to be unreferenced.
  void drop() {
    held = false;
  }

  /// Whether the Jbuf is referenced by this lease, or by the one that this lies within.
  boolean isHeld() {
    Lease whole = this;
    if (CHECKED) { // or else there is no other one
      for (Lease next = outer; next != null; next = next.outer) {
        whole = next;
      }
    }
    return whole.held;
  }

  View view() {
    View whole = view;
    if (whole == null) {
      throw new IllegalStateException("a lease without its view");
    }
    return whole;
  }
}
