package dev.tigris.net.provider;

/// A link whose network reads and writes memory of the peer implements this as well.
///
/// Transfers with a [Transfer.Remote] are posted to it as sends. They are in order with messages:
/// what was written is there when a message arrives that was posted afterwards.
public interface RemoteLink {
  /// The description of exposed memory that a peer needs.
  ///
  /// @param registration what it is here
  /// @param address where it begins, as the peer says it
  /// @param key what the peer proves with that it may
  record Exposed(long registration, long address, long key) {}

  /// Lets the peer read a part of a region, and write to it if `writable`.
  Exposed expose(Region region, long offset, long length, boolean writable);

  /// Ends that, when the interface is closed. A link that an access may still be under way on holds
  /// the memory itself.
  void withdraw(Exposed exposed);
}
