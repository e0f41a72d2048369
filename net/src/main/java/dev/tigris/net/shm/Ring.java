package dev.tigris.net.shm;

/// Messages in one direction, through memory that two processes share: a ring of slots, one for
/// every message or part of a long one, and a ring of data.
///
/// ```text
///      0 +------------------------------------------------------------------+
///        | freed, 8 bytes: slots that the reader has given back             |
///      8 | withdrawn, 8 bytes: 1 when lent memory is the writer's own again |
///    128 +------------------------------------------------------------------+
///        | slots: 128 of 128 bytes                                          |
///        |   0 length | 4 tag | 8 kind, type | 12 sequence | 16 payload     |
///  16512 +------------------------------------------------------------------+
///        | data: 2097152 bytes, or 262144                                   |
///        +------------------------------------------------------------------+
/// ```
///
/// The data is large so that the reader's cache has forgotten the lines that a message is written
/// to: otherwise each of them has to be taken away from it, at the writer's cost. Half of it is in
/// use at the most: then the slots run out. Where who connects has many connections it is small,
/// for the sake of memory.
///
/// Slot use *n*, from 0 on, is slot *n mod 128*, and has sequence *n + 1 mod 2^32*; its header is
/// otherwise a `Frame`. Sequences stand where nothing else is ever written,
/// so what was written there before can be told from what comes next.
///
/// A message of up to 112 bytes lies in its slot: one or two cache lines travel. A longer one lies
/// in the data, in parts of [#PART_BYTES] with a slot each, so that the reader copies one part out
/// while the writer copies the next one in. The slots of all parts but the first have
/// kind [#CONTINUED] and nothing else. Parts begin at multiples of 64 and do not wrap around:
/// where one would, it begins at 0. So both sides can tell where a part lies by the lengths alone,
/// and no offset is exchanged.
///
/// A long message need not be copied into the data, if it lies in memory that the writer has lent
/// ([Loan]): its one slot has kind [#LENT], and says in its payload where. The reader copies it
/// straight to where it belongs and gives the slot back when it finds no further one, or has copied
/// [#LENT_AT_ONCE]; until then the writer changes nothing there. Whoever breaks the connection off
/// cannot wait for that: it sets `withdrawn` before its messages are its own again, and the reader,
/// who looks behind each copy, throws away what it may have copied too late (RingWithdrawalTest).
///
/// The reader gives other slots back, with the data that belongs to them, when a quarter of either
/// has come together: the line that the writer reads then travels seldom. Three quarters are free
/// at least when the reader has read all, and half of the data is all that one part can need
/// (itself, and what is skipped before it): so no side waits for ever.
///
/// A reader may leave a message where it lies, if all of it lies in one place, for its application
/// to read: then neither that slot nor any later one is given back until the application has given
/// the message back ([RingReader#leave]).
///
/// The lines that a long message is written to were last read by the reader, a lap ago, and its
/// processor still has them: the writer would wait for each. So a writer that has nothing to do,
/// mostly because it waits for an answer, fetches the lines that a message as long as its last one
/// would be written to ([RingWriter#fetch]). They are free: no side reads what it writes there.
///
/// One slot more than the writer's messages may use is kept for the goodbye: it can always be said.
///
/// Memory order: the writer stores a sequence with release after everything else of that use, and
/// the reader loads it with acquire (RingHandOverTest). The reader stores `freed` with release
/// after it has read the slots, and the writer loads it with acquire before it uses them again
/// (RingReuseTest).
public final class Ring {
  /// How many slots it has.
  public static final int SLOTS = 128;

  /// The size of a slot.
  public static final int SLOT_BYTES = 128;

  /// The longest message that lies in its slot.
  static final int INLINE_BYTES = 112;

  /// The size of the data: a power of two.
  public static final int SMALL_DATA = 1 << 18;

  /// The other one.
  public static final int LARGE_DATA = 1 << 21;

  /// The longest part: a quarter of the data or less, see above.
  static final int PART_BYTES = 1 << 13;

  static final long FREED = 0;
  static final long WITHDRAWN = 8;
  static final long FIRST_SLOT = 128;
  static final long DATA = FIRST_SLOT + (long) SLOTS * SLOT_BYTES;

  /// The shortest message that the writer fetches lines for, and how many bytes of them at once:
  /// less than a processor's queue of stores holds, so that it does not wait for them.
  static final int LEAST_FETCHED_BYTES = 1 << 11;

  static final int FETCHED_AT_ONCE = 1 << 10;

  static final int LINE_BYTES = 64;

  /// Where in a slot things are.
  static final int LENGTH_AND_TAG = 0;

  static final int KIND_AND_SEQUENCE = 8;
  static final int PAYLOAD = 16;

  /// The kind of a part that is not the first.
  static final int CONTINUED = 3;

  /// The kind of a message that lies in lent memory, instead of `Frame`'s.
  static final int LENT = 4;

  /// Where in such a slot things are: the number of the loan, and the offset in it.
  static final int LOAN = PAYLOAD;

  static final int LOAN_OFFSET = PAYLOAD + 8;

  private static final long KIND_BITS = 0xff;

  /// The reader gives back a quarter of the slots at once, or of the data.
  static final int AT_ONCE = 4;

  static final int SLOTS_AT_ONCE = SLOTS / AT_ONCE;

  /// How many bytes of lent memory the reader takes before it gives the slots back.
  static final int LENT_AT_ONCE = 1 << 16;

  private Ring() {}

  /// The header's last eight bytes with this kind.
  static long withKind(int kind, long kindAndSequence) {
    return (kindAndSequence & ~KIND_BITS) | kind;
  }

  /// Whether they are those of a message in lent memory.
  static boolean isLent(long kindAndSequence) {
    return (kindAndSequence & KIND_BITS) == LENT;
  }

  /// Which slot use `n` has.
  static int index(long n) {
    return (int) (n & (SLOTS - 1));
  }

  /// Where the slot of use `n` is.
  static long slot(long n) {
    return FIRST_SLOT + (long) index(n) * SLOT_BYTES;
  }

  /// The sequence of use `n`.
  static int sequence(long n) {
    return (int) (n + 1);
  }

  /// The size of all of it.
  static long bytes(int dataBytes) {
    return DATA + dataBytes;
  }

  /// The position, counted without wrapping around, of a part that follows position `end`.
  static long begin(long end, int bytes, int dataBytes) {
    long inLap = end & (dataBytes - 1);
    return inLap + bytes > dataBytes ? end - inLap + dataBytes : end;
  }

  /// The position behind a part.
  static long end(long begin, int bytes) {
    return begin + ((bytes + 63L) & -64L);
  }

  /// Where the data at a position is.
  static long data(long position, int dataBytes) {
    return DATA + (position & (dataBytes - 1));
  }
}
