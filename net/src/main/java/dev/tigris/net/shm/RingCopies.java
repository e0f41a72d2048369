package dev.tigris.net.shm;

import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.Transfer;
import dev.tigris.os.LastingMemory;
import org.jspecify.annotations.Nullable;

/// Copies messages to a ring and from it the shortest way. Memory of one range that is neither an
/// array nor a file does without the checks of a [java.lang.foreign.MemorySegment], which take some
/// 25 instructions.
///
/// Only providers of this module can do that. [Region] and [Transfer], which other providers see,
/// have segments that hold the lease. [LastingMemory] does not: it stays with the region that it is
/// registered for, and that is registered as long as a transfer of it is posted.
public final class RingCopies {
  private RingCopies() {}

  /// Registers a region's memory for copies, if it has addresses that stay.
  public static void register(Region region) {
    region.registration(memory(region));
  }

  /// The memory of a region; null if it is an array, which the collector moves, or a file, which
  /// may be cut.
  static @Nullable LastingMemory memory(Region region) {
    return region.isSteady() ? LastingMemory.of(region.segment()) : null;
  }

  /// Copies bytes `[from, from + size)` of a message to a ring. Throws as [Transfer#copyTo].
  static void toRing(Transfer message, LastingMemory ring, long at, long from, long size) {
    if (message.registration() instanceof LastingMemory here) {
      here.copyTo(message.offset(0) + from, ring, at, size);
    } else {
      lentToRing(message, ring, at, from, size);
    }
  }

  /// Copies what is in a ring to where bytes `[from, from + size)` of a message belong. Throws as
  /// [Transfer#copyFrom].
  static void fromRing(Transfer message, LastingMemory ring, long at, long from, long size) {
    if (message.registration() instanceof LastingMemory here) {
      ring.copyTo(at, here, message.offset(0) + from, size);
    } else {
      ringToLent(message, ring, at, from, size);
    }
  }

  private static void lentToRing(
      Transfer message, LastingMemory ring, long at, long from, long size) {
    if (message.registration() instanceof LentRegion(Loan _, LastingMemory here)) {
      here.copyTo(message.offset(0) + from, ring, at, size);
    } else {
      message.copyTo(ring.segment(), at, from, size);
    }
  }

  private static void ringToLent(
      Transfer message, LastingMemory ring, long at, long from, long size) {
    if (message.registration() instanceof LentRegion(Loan _, LastingMemory here)) {
      ring.copyTo(at, here, message.offset(0) + from, size);
    } else {
      message.copyFrom(ring.segment(), at, from, size);
    }
  }
}
