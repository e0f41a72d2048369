package dev.tigris.memory;

/// The right to reach a [Jbuf]'s memory, from its becoming *referenced* until the collector has
/// found that nobody holds it any more.
///
/// Every view, and every object in a container, holds the lease strongly. The Jbuf holds it too
/// while it is referenced; [Jbuf#unreference] drops that, so that the lease then lives exactly as
/// long as the last view. The lease holds its Jbuf, so a Jbuf whose handle has become unreachable
/// has no views either.
final class Lease {
  final Jbuf jbuf;

  /// The one view of the whole buffer, so that asking for it again costs nothing.
  private @org.jspecify.annotations.Nullable View view;

  Lease(Jbuf jbuf) {
    this.jbuf = jbuf;
  }

  void view(View view) {
    this.view = view;
  }

  View view() {
    View whole = view;
    if (whole == null) {
      throw new IllegalStateException("a lease without its view");
    }
    return whole;
  }
}
