package dev.tigris.cluster.group;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PageKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// Memory that one member writes, and all members on its host read. It tells of rounds, which are
/// numbered from 1. What a member gives to round `r` lies in the half of that round: the second one
/// if `r` is odd.
///
/// ```
///      0   +-------+-------------+------+-------+---------------------+
///          | round | call number | call | bytes | up to 32 bytes      |  half of even rounds
///    128   +-------+-------------+------+-------+---------------------+
///          | round | call number | call | bytes | up to 32 bytes      |  half of odd rounds
///    256   +-------+-------------+------+-------+---------------------+
///          | round that it waits for; 0 if it does not                |
///   4096   +----------------------------------------------------------+
///          | 256 KiB: data of even rounds                             |
///          | 256 KiB: data of odd rounds                              |
///          +----------------------------------------------------------+
///
///   round        the last one of this half that was published
///   call number, call, bytes: the collective call ([Call#packed])
/// ```
///
/// Members can map it for reading only, and what they read is checked: a call against their own,
/// and no offset or length comes from there.
///
/// Thread rule: the member's thread writes, others read.
final class Area {
  /// How much fits beside the number of a round.
  static final int SHORT_BYTES = 32;

  /// How much one round can have.
  static final int HALF_BYTES = 256 << 10;

  private static final long LINE_BYTES = 128;
  private static final long CALL_NUMBER = 8;
  private static final long CALL = 16;
  private static final long CALL_BYTES = 24;
  private static final long PAYLOAD = 32;
  private static final long WAITING = 2 * LINE_BYTES;
  private static final long DATA = 4096;
  private static final long BYTES = DATA + 2L * HALF_BYTES;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final VarHandle WORD = LONG.varHandle().withInvokeExactBehavior();

  private final MemorySegment memory;

  private Area(MemorySegment memory) {
    this.memory = memory;
  }

  /// Allocates the memory of one.
  static Bytes allocate() {
    return Jbuf.allocate(BYTES, "group", PageKind.SHARED).asBytes();
  }

  /// Returns the one that lies in some memory, from its beginning on.
  static Area over(MemorySegment memory) {
    return new Area(memory);
  }

  /// Returns all of it, where [#place] says where something lies.
  MemorySegment memory() {
    return memory;
  }

  /// Returns where data of a round lies.
  ///
  /// @param bytes how much there is
  static long place(long round, long bytes) {
    return bytes <= SHORT_BYTES ? line(round) + PAYLOAD : DATA + (round & 1) * HALF_BYTES;
  }

  private static long line(long round) {
    return (round & 1) * LINE_BYTES;
  }

  // -- Its own member.

  /// Shows all that was written for a round, and tells that this member no longer reads what others
  /// gave to the round before.
  void publish(long round, Call call) {
    long line = line(round);
    memory.set(LONG, line + CALL_NUMBER, call.sequence());
    memory.set(LONG, line + CALL, call.packed());
    memory.set(LONG, line + CALL_BYTES, call.bytes());
    // Release: pairs with the acquire of published() (jcstress: AreaHandOverTest).
    WORD.setRelease(memory, line, round);
    // Before waitsFor() of the others: pairs with the fence of sleep() (jcstress: AreaWakeUpTest).
    VarHandle.fullFence();
  }

  /// Says that this member is about to sleep until others have published a round. It looks once
  /// more before it does.
  void sleep(long round) {
    WORD.setOpaque(memory, WAITING, round);
    // Before published() of the others: pairs with the fence of publish() (jcstress:
    // AreaWakeUpTest).
    VarHandle.fullFence();
  }

  /// Says that it sleeps no longer.
  void awake() {
    WORD.setOpaque(memory, WAITING, 0L);
  }

  // -- The others.

  /// Returns the last published round of the half of this one.
  long published(long round) {
    // Acquire: pairs with the release of publish() (jcstress: AreaHandOverTest).
    return (long) WORD.getAcquire(memory, line(round));
  }

  /// Returns whether a published round is of this call.
  boolean isOf(long round, Call call) {
    long line = line(round);
    return memory.get(LONG, line + CALL_NUMBER) == call.sequence()
        && memory.get(LONG, line + CALL) == call.packed()
        && memory.get(LONG, line + CALL_BYTES) == call.bytes();
  }

  /// Returns the call of a published round; null if it says none.
  @Nullable Call call(long round) {
    long line = line(round);
    return Call.unpacked(
        memory.get(LONG, line + CALL_NUMBER),
        memory.get(LONG, line + CALL),
        memory.get(LONG, line + CALL_BYTES));
  }

  /// Returns whether it sleeps until this round is published.
  boolean waitsFor(long round) {
    return (long) WORD.getOpaque(memory, WAITING) == round;
  }
}
