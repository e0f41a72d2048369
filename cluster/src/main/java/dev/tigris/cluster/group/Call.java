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
