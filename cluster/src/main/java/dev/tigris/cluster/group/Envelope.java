package dev.tigris.cluster.group;

import dev.tigris.memory.Bytes;
import dev.tigris.net.DataType;
import org.jspecify.annotations.Nullable;

/// The first 64 bytes of each message on the first lane between two members. All numbers are
/// little-endian. The second lane carries long messages, without an envelope.
///
/// ```
///   0      1       2      3       4           5        8     12     16         24      32
///   +------+-------+------+-------+-----------+--------+-----+------+----------+-------+--
///   | kind | class | type | call  | reduction | 0      | tag | root | sequence | bytes |
///   +------+-------+------+-------+-----------+--------+-----+------+----------+-------+--
///    32          40      44            48             52       56     64
///   --+----------+-------+-------------+--------------+--------+------+---------
///     | callBytes| token | freed, user | freed, calls | number | 0    | payload
///   --+----------+-------+-------------+--------------+--------+------+---------
///
///   class      0: a program's message; 1: one of a collective operation, told by call to callBytes
///   kind, type, call: the place in the enumeration; reduction: that and 1, or 0 for none
///   bytes      length of the message
///   token      REQUEST: the sender's number of it; CLEAR: that number again
///   freed      how many slots of each class this end has emptied since it last said so
///   number     how many messages this end has sent before on the lane
/// ```
///
/// A message on the second lane has its token for a tag. So a provider that loses, doubles or
/// reorders messages is noticed.
///
/// @param kind of message
/// @param isCall whether it belongs to a collective operation
/// @param type of the elements
/// @param tag of a program's message
/// @param bytes length of the message
/// @param token see above
/// @param call the operation; null for a program's message
record Envelope(
    Kind kind, boolean isCall, DataType type, int tag, long bytes, int token, @Nullable Call call) {
  static final int BYTES = 64;

  private static final DataType[] TYPES = DataType.values();
  private static final Call.Kind[] CALLS = Call.Kind.values();
  private static final Reduction[] REDUCTIONS = Reduction.values();
  private static final Kind[] KINDS = Kind.values();

  /// The kinds of messages. Its place goes over the wire.
  enum Kind {
    /// A message that follows.
    DATA,
    /// A longer message, which waits for its receiver to name memory.
    REQUEST,
    /// Memory for a longer message is posted on the second lane.
    CLEAR,
    /// Only says how many slots were emptied.
    CREDIT,
    /// Ends a wait for what the sender has published in shared memory.
    WAKE,
    /// The collective call in which the sender waits for this member.
    ASK,
    /// The sender's program has ended: nothing follows. `bytes` is how many calls it has made.
    BYE
  }

  void write(Bytes slot, int number, int freedUser, int freedCalls) {
    slot.set(0, place(kind));
    slot.set(1, (byte) (isCall ? 1 : 0));
    slot.set(2, place(call == null ? type : call.type()));
    slot.setInt(8, tag);
    slot.setLong(24, bytes);
    slot.setInt(40, token);
    slot.setInt(44, freedUser);
    slot.setInt(48, freedCalls);
    slot.setInt(52, number);
    if (call != null) {
      Reduction reduction = call.reduction();
      slot.set(3, place(call.kind()));
      slot.set(4, reduction == null ? 0 : (byte) (place(reduction) + 1));
      slot.setInt(12, call.root());
      slot.setLong(16, call.sequence());
      slot.setLong(32, call.bytes());
    }
  }

  @SuppressWarnings("EnumOrdinal") // the enumerations say that it goes over the wire
  private static byte place(Enum<?> value) {
    return (byte) value.ordinal();
  }

  static int freedUser(Bytes slot) {
    return slot.getInt(44);
  }

  static int freedCalls(Bytes slot) {
    return slot.getInt(48);
  }

  static int number(Bytes slot) {
    return slot.getInt(52);
  }

  /// Reads an envelope.
  ///
  /// @return null if the bytes are none
  static @Nullable Envelope read(Bytes slot, long length) {
    if (length < BYTES) {
      return null;
    }
    int kind = slot.get(0);
    int type = slot.get(2);
    int called = slot.get(3);
    int reduction = slot.get(4);
    boolean isCall = slot.get(1) == 1;
    if (!isWithin(kind, KINDS.length)
        || !isWithin(type, TYPES.length)
        || !isWithin(called, CALLS.length)
        || !isWithin(reduction, REDUCTIONS.length + 1)
        || slot.getLong(24) < 0) {
      return null;
    }
    Call call =
        isCall
            ? new Call(
                CALLS[called],
                slot.getLong(16),
                slot.getInt(12),
                slot.getLong(32),
                TYPES[type],
                reduction == 0 ? null : REDUCTIONS[reduction - 1])
            : null;
    return new Envelope(
        KINDS[kind], isCall, TYPES[type], slot.getInt(8), slot.getLong(24), slot.getInt(40), call);
  }

  private static boolean isWithin(int value, int end) {
    return value >= 0 && value < end;
  }
}
