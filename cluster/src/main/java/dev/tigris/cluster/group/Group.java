package dev.tigris.cluster.group;

import dev.tigris.cluster.Mesh;
import dev.tigris.flow.ModuleResults;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Chars;
import dev.tigris.memory.Doubles;
import dev.tigris.memory.Floats;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Longs;
import dev.tigris.memory.Shorts;
import dev.tigris.memory.View;
import dev.tigris.net.Attributes;
import dev.tigris.net.DataType;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One member's view of a group: the same program in several processes, with a connection between
/// each two of them.
///
/// ```java
/// public final class Pi implements GroupProgram {
///   @Override
///   public void run(Group group, Arguments arguments) throws Exception {
///     Doubles sum = Jbuf.allocate(8).asDoubles();
///     sum.set(0, ownShare(group.rank(), group.size()));
///     group.allReduce(sum, Reduction.SUM);
///   }
/// }
/// ```
///
/// **Data** is a view: of bytes, numbers or a container, of which all is sent. Slice it to send a
/// part. Messages of more than 8 KiB go from the sender's memory into the receiver's, with no copy
/// of the group's own. Collective operations between processes of one host go through memory that
/// those share. Elsewhere a reduction needs memory for what it combines. A message has 1 GiB at
/// most.
///
/// **Collective operations** (all but send and receive) are called by all members, in one order,
/// with equal sizes, types and roots. A difference fails the group, and its message names both
/// members and what they have called.
///
/// **Failures.** A member that is lost, or throws, fails all: their next call, or the one that they
/// wait in, throws [GroupException].
///
/// Thread rule: the member's thread only. Messages move while it is in a call of the group.
public final class Group {
  /// Any member, or any tag, of a receive.
  public static final int ANY = -1;

  private final Engine engine;
  private final Collectives collectives;
  private final @Nullable ModuleResults results;

  private Group(Mesh mesh, @Nullable ModuleResults results) throws InterruptedException {
    this.engine = new Engine(mesh);
    this.collectives = new Collectives(engine);
    this.results = results;
  }

  /// The code of a member.
  @FunctionalInterface
  public interface Body {
    /// Runs the member.
    void run(Group group) throws Exception;
  }

  /// Returns the attributes of the interfaces that a group needs between each two members.
  public static List<Attributes> lanes() {
    return Peer.LANES;
  }

  /// Runs one member over connections that are there, and closes them. Returns when all members
  /// have ended.
  ///
  /// @param mesh made with [#lanes]; its thread is this one
  /// @param results where the member tells results; null if nowhere
  /// @param failing is told a failure of this member before the others can notice it
  /// @throws Exception what the body throws
  public static void run(
      Mesh mesh, @Nullable ModuleResults results, Body body, Consumer<Throwable> failing)
      throws Exception {
    try (mesh) {
      try {
        Group group = new Group(mesh, results);
        body.run(group);
        group.engine.end();
      } catch (Throwable e) { // a program may throw anything
        failing.accept(e);
        mesh.abort();
        throw e;
      }
    }
  }

  /// Returns the number of this member, from 0.
  public int rank() {
    return engine.self();
  }

  /// Returns how many members there are.
  public int size() {
    return engine.size();
  }

  /// Returns where this member tells results of the run.
  ///
  /// @throws IllegalStateException if the group was not started by a run
  public ModuleResults results() {
    if (results == null) {
      throw new IllegalStateException("this group is not of a run, and has no results");
    }
    return results;
  }

  // -- Messages.

  /// Sends a message. It returns when the data can be changed again, which may be before the
  /// message was received.
  ///
  /// @param tag by which the receiver chooses; not negative
  /// @throws IndexOutOfBoundsException if there is no such member
  /// @throws IllegalArgumentException if it is this one, or the tag is negative, or the message is
  ///     too long
  public void send(View data, int to, int tag) throws InterruptedException {
    startSend(data, to, tag).await();
  }

  /// Receives the first message from a member with a tag. It may be shorter than the memory.
  ///
  /// @param from the member, or [#ANY]
  /// @param tag the tag, or [#ANY]
  /// @return the length, the sender and the tag
  /// @throws GroupException if it is of another type, or too long
  public Pending receive(View memory, int from, int tag) throws InterruptedException {
    Pending pending = startReceive(memory, from, tag);
    pending.await();
    return pending;
  }

  /// Starts a [send][#send]. Until it is done, the data must not be changed.
  public Pending startSend(View data, int to, int tag) {
    Objects.checkIndex(to, size());
    if (to == rank() || tag < 0) {
      throw new IllegalArgumentException(
          "member %d sends to %d with tag %d: take another member, and a tag of 0 or more"
              .formatted(rank(), to, tag));
    }
    return engine.send(null, data, 0, bytes(data), to, tag);
  }

  /// Starts a [receive][#receive]. Messages go into receives in the order in which those were
  /// started.
  public Pending startReceive(View memory, int from, int tag) {
    if (from != ANY) {
      Objects.checkIndex(from, size());
    }
    if (from == rank() || tag < ANY) {
      throw new IllegalArgumentException(
          "member %d receives from %d with tag %d: take another member, and a tag of 0 or more"
              .formatted(rank(), from, tag));
    }
    return engine.receive(null, memory, 0, bytes(memory), from, tag);
  }

  // -- Collective operations.

  /// Waits until all members have called it.
  public void barrier() throws InterruptedException {
    collectives.barrier();
  }

  /// Gives all members the data of one.
  public void broadcast(View data, int root) throws InterruptedException {
    Objects.checkIndex(root, size());
    collectives.broadcast(data, bytes(data), element(data), root);
  }

  /// Combines the elements of all members at one of them, place by place. The data of the others
  /// stays what it was.
  ///
  /// @param data of doubles, floats, longs or ints
  public void reduce(View data, Reduction how, int root) throws InterruptedException {
    Objects.checkIndex(root, size());
    Reducer.require(DataType.of(data), how);
    collectives.reduce(data, bytes(data), element(data), how, root);
  }

  /// Combines the elements of all members, place by place: all get the result.
  ///
  /// @param data of doubles, floats, longs or ints
  public void allReduce(View data, Reduction how) throws InterruptedException {
    Reducer.require(DataType.of(data), how);
    collectives.allReduce(data, bytes(data), element(data), how);
  }

  /// Brings the parts of all members to one, in the order of their numbers.
  ///
  /// @param all has room for all parts at the root; it is not used elsewhere, and may be null
  public void gather(View part, @Nullable View all, int root) throws InterruptedException {
    Objects.checkIndex(root, size());
    if (rank() == root) {
      requireAll(part, all);
    }
    collectives.gather(part, all, bytes(part), root);
  }

  /// Brings the parts of all members to all, in the order of their numbers.
  ///
  /// @param all has room for all parts
  public void allGather(View part, View all) throws InterruptedException {
    requireAll(part, all);
    collectives.allGather(part, all, bytes(part));
  }

  /// Deals the data of one member out to all, in the order of their numbers.
  ///
  /// @param all has all parts at the root; it is not used elsewhere, and may be null
  public void scatter(@Nullable View all, View part, int root) throws InterruptedException {
    Objects.checkIndex(root, size());
    if (rank() == root) {
      requireAll(part, all);
    }
    collectives.scatter(all, part, bytes(part), root);
  }

  /// Sends a part to each member, and receives one from each, both in the order of their numbers.
  ///
  /// @param from has a part for each member, all of one size
  /// @param to is as long, and of one type with `from`
  public void allToAll(View from, View to) throws InterruptedException {
    long bytes = bytes(from);
    if (bytes != bytes(to) || DataType.of(from) != DataType.of(to)) {
      throw new IllegalArgumentException(
          "%,d bytes of %s go to %,d of %s: both have to be alike"
              .formatted(bytes, DataType.of(from), bytes(to), DataType.of(to)));
    }
    if (bytes / element(from) % size() != 0) {
      throw new IllegalArgumentException(
          "%d elements are no equal parts for %d members".formatted(bytes / element(from), size()));
    }
    collectives.allToAll(from, to, bytes / size());
  }

  private void requireAll(View part, @Nullable View all) {
    if (all == null
        || DataType.of(all) != DataType.of(part)
        || bytes(all) / size() != bytes(part)
        || bytes(all) % size() != 0) {
      throw new IllegalArgumentException(
          "the parts of %d members have %,d bytes of %s each: give memory of that type for just all of them, not %s"
              .formatted(size(), bytes(part), DataType.of(part), all));
    }
  }

  private static long bytes(View view) {
    int element = element(view);
    long bytes = view.capacityBytes() / element * element;
    if (bytes > Attributes.LARGEST_MESSAGE_BYTES) {
      throw new IllegalArgumentException(
          "%,d bytes are more than a message of a group has, %,d: take slices"
              .formatted(bytes, Attributes.LARGEST_MESSAGE_BYTES));
    }
    return bytes;
  }

  private static int element(View view) {
    return switch (view) {
      case Doubles _ -> Double.BYTES;
      case Longs _ -> Long.BYTES;
      case Floats _ -> Float.BYTES;
      case Ints _ -> Integer.BYTES;
      case Shorts _ -> Short.BYTES;
      case Chars _ -> Character.BYTES;
      case Bytes _ -> 1;
      default -> 1;
    };
  }

  /// Throws if what is counted does not add up: for tests.
  void checkInvariants() {
    engine.checkInvariants();
    collectives.checkInvariants();
  }

  @Override
  public String toString() {
    return "Group[member %d of %d]".formatted(rank(), size());
  }
}
