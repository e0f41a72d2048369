package dev.tigris.flow;

/// The receiver's side of a stream: what its thread counts and notes with every water. These are
/// plain fields, in cache lines apart from what other threads use, for the reasons that
/// [SenderSide] gives. The receiver's release store is the one that advances what its sender
/// reads.
///
/// Thread rule: the receiver's; others may read the counts, in no order.
final class ReceiverSide {
  long before0, before1, before2, before3, before4, before5, before6, before7;
  long before8, before9, before10, before11, before12, before13, before14, before15;

  long taken;
  long settled;
  long dropped;

  /// Where the sender is elsewhere: how many waters have come from there. Its mover counts them.
  long arrived;

  /// Which water a module works on that is still lent to it, by [Water#turn]; 0 if none is. It lies
  /// here, where it disturbs no sender.
  long turn;

  /// A memory stream's: how many waters were taken out of it, dropped ones too.
  long received;

  /// A memory stream's: over how many of those it has advanced.
  long finished;

  /// A memory stream's: how many waters had been sent when the receiver looked last.
  long sentSeen;

  long after0, after1, after2, after3, after4, after5, after6, after7;
  long after8, after9, after10, after11, after12, after13, after14, after15;
}
