package dev.tigris.flow;

/// The sender's side of a stream: what its thread counts and notes with every water.
///
/// They are fields between two pairs of unused cache lines, so that writing them disturbs no other
/// thread (processors fetch lines in pairs; a JVM keeps fields of one size in their order, and if
/// one does not, that costs time and nothing else):
///
/// ```
/// 16 longs, unused | the notes | 16 longs, unused
/// ```
///
/// They are plain, where [Counters] are opaque. The compiler must not move or merge an opaque
/// store, and hardly optimizes the code around it: that takes a fifth of a hand-over. Other threads
/// see a count late, but never torn (a JVM that runs this code has 64 bits), and soon: the sender
/// passes a release store with each water, and every earlier store is visible with it.
///
/// Thread rule: the sender's; others may read the counts, in no order.
final class SenderSide {
  long before0, before1, before2, before3, before4, before5, before6, before7;
  long before8, before9, before10, before11, before12, before13, before14, before15;

  /// How many waters were put. A stream sends one, and then counts it.
  long waters;

  long bytes;
  long copies;
  long discarded;
  long rerouted;
  long creditWaits;
  long creditWaitNanos;
  long serviceNanos;

  /// In a memory stream: the receiver's count of finished waters when the sender last looked.
  long finishedSeen;

  /// In a memory stream: how many finished waters the sender has taken out of their slots.
  long harvested;

  long after0, after1, after2, after3, after4, after5, after6, after7;
  long after8, after9, after10, after11, after12, after13, after14, after15;
}
