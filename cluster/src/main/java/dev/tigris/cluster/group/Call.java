package dev.tigris.cluster.group;

import dev.tigris.net.DataType;
import org.jspecify.annotations.Nullable;

/// One collective operation, as a member has called it. All members make the same calls in the same
/// order, so calls of one sequence number have to be equal.
///
/// @param kind the operation
/// @param sequence how many the member has called before
/// @param root the member that it begins or ends at; 0 if there is none
/// @param bytes what each member contributes or gets
/// @param type of the elements
/// @param reduction how they are combined; null if they are not
record Call(
    Kind kind, long sequence, int root, long bytes, DataType type, @Nullable Reduction reduction) {
  private static final int TYPE_BIT = 8;
  private static final int REDUCTION_BIT = 16;
  private static final int ROOT_BIT = 32;
  private static final int BYTE = 0xff;
  private static final Kind[] KINDS = Kind.values();
  private static final DataType[] TYPES = DataType.values();
  private static final Reduction[] REDUCTIONS = Reduction.values();

  /// The operations. Its place goes over the wire.
  enum Kind {
    BARRIER("barrier"),
    BROADCAST("broadcast"),
    REDUCE("reduce"),
    ALL_REDUCE("allReduce"),
    GATHER("gather"),
    ALL_GATHER("allGather"),
    SCATTER("scatter"),
    ALL_TO_ALL("allToAll");

    private final String method;

    Kind(String method) {
      this.method = method;
    }
  }

  /// Returns all but the sequence number and the bytes as one number, for memory that members
  /// share:
  ///
  /// ```
  ///   bit 0      8      16          24   32     64
  ///       +------+------+-----------+----+------+
  ///       | kind | type | reduction | 0  | root |
  ///       +------+------+-----------+----+------+
  ///
  ///   kind, type: the place in the enumeration; reduction: that and 1, or 0 for none
  /// ```
  long packed() {
    return place(kind)
        | (long) place(type) << TYPE_BIT
        | (reduction == null ? 0L : place(reduction) + 1L) << REDUCTION_BIT
        | (long) root << ROOT_BIT;
  }

  /// Returns the call that [#packed] has made a number of.
  ///
  /// @return null if it has not made that number
  static @Nullable Call unpacked(long sequence, long packed, long bytes) {
    int kind = (int) (packed & BYTE);
    int type = (int) (packed >> TYPE_BIT & BYTE);
    int reduction = (int) (packed >> REDUCTION_BIT & BYTE);
    if (kind >= KINDS.length || type >= TYPES.length || reduction > REDUCTIONS.length) {
      return null;
    }
    return new Call(
        KINDS[kind],
        sequence,
        (int) (packed >> ROOT_BIT),
        bytes,
        TYPES[type],
        reduction == 0 ? null : REDUCTIONS[reduction - 1]);
  }

  @SuppressWarnings("EnumOrdinal") // members share it
  private static int place(Enum<?> value) {
    return value.ordinal();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(kind.method);
    if (kind != Kind.BARRIER) {
      text.append(" of %,d bytes of %s".formatted(bytes, type));
    }
    if (reduction != null) {
      text.append(" by ").append(reduction);
    }
    if (kind == Kind.BROADCAST
        || kind == Kind.REDUCE
        || kind == Kind.GATHER
        || kind == Kind.SCATTER) {
      text.append(" with root ").append(root);
    }
    return text.append(" (collective call %d)".formatted(sequence + 1)).toString();
  }
}
