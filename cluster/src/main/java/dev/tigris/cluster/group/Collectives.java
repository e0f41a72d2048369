package dev.tigris.cluster.group;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.View;
import dev.tigris.net.DataType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The algorithms of collective operations. Members of one host share memory ([SharedCollectives]).
/// Others send messages, by size: short ones take the fewest steps, long ones the fewest bytes.
///
/// | operation | up to 8 KiB | longer |
/// |---|---|---|
/// | barrier | dissemination | |
/// | broadcast | binomial tree | scattered by the root, then gathered round a ring |
/// | reduce | binomial tree | reduced round a ring, then gathered by the root |
/// | all-reduce | recursive doubling | reduced round a ring, then gathered round it |
/// | all-gather | each to each | round a ring |
/// | all-to-all | each to each | by pairs, one after the other |
/// | gather, scatter | straight to and from the root | |
///
/// Thread rule: the member's thread.
final class Collectives {
  private static final String OWNER = "group";
  private static final long LEAST_SCRATCH = 2L * Peer.SHORT_BYTES;

  private final Engine engine;
  private final int self;
  private final int size;
  private Bytes scratch;
  private MemorySegment scratchSegment;

  /// Null if members send messages.
  private @Nullable SharedCollectives shared;

  Collectives(Engine engine) throws InterruptedException {
    this.engine = engine;
    this.self = engine.self();
    this.size = engine.size();
    this.scratch = Jbuf.allocate(LEAST_SCRATCH, OWNER).asBytes();
    this.scratchSegment = scratch.segment();
    if (size > 1) {
      shared = share();
    }
    engine.isSetUp();
  }

  /// Shares memory if all members can.
  private @Nullable SharedCollectives share() throws InterruptedException {
    Bytes own = Areas.offer(engine);
    if (!areAll(own != null) || own == null) {
      return null;
    }
    Areas areas = Areas.share(engine, own);
    return areAll(areas != null) && areas != null ? new SharedCollectives(engine, areas) : null;
  }

  private boolean areAll(boolean here) throws InterruptedException {
    Ints vote = Jbuf.allocate(Integer.BYTES, OWNER).asInts();
    vote.set(0, here ? 1 : 0);
    allReduce(vote, Integer.BYTES, Integer.BYTES, Reduction.MINIMUM);
    return vote.get(0) == 1;
  }

  void checkInvariants() {
    if (shared != null) {
      shared.checkInvariants();
    }
  }

  /// Makes room for intermediate results.
  private void scratch(long bytes) {
    if (scratch.capacityBytes() < bytes) {
      scratch = Jbuf.allocate(bytes, OWNER).asBytes();
      scratchSegment = scratch.segment();
    }
  }

  private int member(int number) {
    return Math.floorMod(number, size);
  }

  private Pending send(Call call, View view, long offset, long bytes, int to) {
    return engine.send(call, view, offset, bytes, to, 0);
  }

  private Pending receive(Call call, View view, long offset, long bytes, int from) {
    return engine.receive(call, view, offset, bytes, from, 0);
  }

  private static void await(List<Pending> all) throws InterruptedException {
    for (Pending each : all) {
      each.await();
    }
  }

  void barrier() throws InterruptedException {
    Call call = engine.begin(Call.Kind.BARRIER, 0, 0, DataType.BYTES, null);
    if (shared != null) {
      shared.barrier(call);
      return;
    }
    for (int distance = 1; distance < size; distance *= 2) {
      Pending received = receive(call, scratch, 0, 0, member(self - distance));
      Pending sent = send(call, scratch, 0, 0, member(self + distance));
      received.await();
      sent.await();
    }
  }

  // -- From one to all.

  void broadcast(View data, long bytes, int element, int root) throws InterruptedException {
    Call call = engine.begin(Call.Kind.BROADCAST, root, bytes, DataType.of(data), null);
    if (shared != null) {
      shared.broadcast(call, data);
      return;
    }
    if (size <= 2 || bytes <= Peer.SHORT_BYTES) {
      fromTree(call, data, bytes, root);
      return;
    }
    Blocks blocks = new Blocks(bytes, element, size);
    if (self == root) {
      List<Pending> all = new ArrayList<>();
      for (int i = 1; i < size; i++) {
        int to = member(root + i);
        all.add(send(call, data, blocks.start(to), blocks.length(to), to));
      }
      await(all);
    } else {
      receive(call, data, blocks.start(self), blocks.length(self), root).await();
    }
    gatherRound(call, data, blocks, self);
  }

  private void fromTree(Call call, View data, long bytes, int root) throws InterruptedException {
    int place = member(self - root);
    int step = 1;
    while (step < size && (place & step) == 0) {
      step *= 2;
    }
    if (place != 0) {
      receive(call, data, 0, bytes, member(self - step)).await();
    }
    List<Pending> all = new ArrayList<>();
    for (int below = step / 2; below > 0; below /= 2) {
      if (place + below < size) {
        all.add(send(call, data, 0, bytes, member(self + below)));
      }
    }
    await(all);
  }

  void scatter(@Nullable View all, View part, long bytes, int root) throws InterruptedException {
    Call call = engine.begin(Call.Kind.SCATTER, root, bytes, DataType.of(part), null);
    if (shared != null) {
      shared.scatter(call, all, part);
      return;
    }
    if (all == null || self != root) {
      receive(call, part, 0, bytes, root).await();
      return;
    }
    List<Pending> sent = new ArrayList<>();
    for (int i = 1; i < size; i++) {
      int to = member(root + i);
      sent.add(send(call, all, to * bytes, bytes, to));
    }
    copy(all, self * bytes, part, 0, bytes);
    await(sent);
  }

  // -- From all to one.

  void gather(View part, @Nullable View all, long bytes, int root) throws InterruptedException {
    Call call = engine.begin(Call.Kind.GATHER, root, bytes, DataType.of(part), null);
    if (shared != null) {
      shared.gather(call, part, all);
      return;
    }
    if (all == null || self != root) {
      send(call, part, 0, bytes, root).await();
      return;
    }
    List<Pending> received = new ArrayList<>();
    for (int i = 1; i < size; i++) {
      int from = member(root + i);
      received.add(receive(call, all, from * bytes, bytes, from));
    }
    copy(part, 0, all, self * bytes, bytes);
    await(received);
  }

  void reduce(View data, long bytes, int element, Reduction how, int root)
      throws InterruptedException {
    DataType type = DataType.of(data);
    Call call = engine.begin(Call.Kind.REDUCE, root, bytes, type, how);
    if (shared != null) {
      shared.reduce(call, data, how, element);
      return;
    }
    if (size == 1) {
      return;
    }
    Blocks blocks = new Blocks(bytes, element, size);
    if (bytes > Peer.SHORT_BYTES) {
      scratch(bytes + blocks.longest());
    }
    Copies.out(data, 0, scratch, 0, bytes);
    if (bytes <= Peer.SHORT_BYTES) {
      toTree(call, bytes, how, root);
      if (self == root) {
        Copies.in(scratch, 0, data, 0, bytes);
      }
      return;
    }
    int own = reduceRound(call, scratch, scratchSegment, bytes, blocks, how);
    if (self != root) {
      send(call, scratch, blocks.start(own), blocks.length(own), root).await();
      return;
    }
    List<Pending> all = new ArrayList<>();
    for (int i = 1; i < size; i++) {
      int from = member(self + i);
      int block = ownAfterRound(from);
      all.add(receive(call, data, blocks.start(block), blocks.length(block), from));
    }
    await(all);
    Copies.in(scratch, blocks.start(own), data, blocks.start(own), blocks.length(own));
  }

  private void toTree(Call call, long bytes, Reduction how, int root) throws InterruptedException {
    int place = member(self - root);
    for (int step = 1; step < size; step *= 2) {
      if ((place & step) != 0) {
        send(call, scratch, 0, bytes, member(self - step)).await();
        return;
      }
      if (place + step < size) {
        receive(call, scratch, bytes, bytes, member(self + step)).await();
        combine(0, bytes, bytes, call.type(), how);
      }
    }
  }

  private void combine(long into, long other, long bytes, DataType type, Reduction how) {
    Reducer.combine(scratchSegment, into, scratchSegment, other, bytes, type, how);
  }

  // -- From all to all.

  void allReduce(View data, long bytes, int element, Reduction how) throws InterruptedException {
    DataType type = DataType.of(data);
    Call call = engine.begin(Call.Kind.ALL_REDUCE, 0, bytes, type, how);
    if (shared != null) {
      shared.reduce(call, data, how, element);
      return;
    }
    if (size == 1) {
      return;
    }
    if (bytes <= Peer.SHORT_BYTES) {
      Copies.out(data, 0, scratch, 0, bytes);
      doubleUp(call, bytes, how);
      Copies.in(scratch, 0, data, 0, bytes);
      return;
    }
    Blocks blocks = new Blocks(bytes, element, size);
    scratch(blocks.longest());
    int own = reduceRound(call, data, data.segment(), 0, blocks, how);
    gatherRound(call, data, blocks, own);
  }

  /// Members whose numbers differ in one bit exchange what they have, for each bit in turn. Where
  /// the size is no power of two, the first ones hand theirs to their neighbours, and get the
  /// result from them.
  private void doubleUp(Call call, long bytes, Reduction how) throws InterruptedException {
    int power = Integer.highestOneBit(size);
    int more = size - power;
    boolean isPaired = self < 2 * more;
    if (isPaired && self % 2 == 0) {
      send(call, scratch, 0, bytes, self + 1).await();
      receive(call, scratch, 0, bytes, self + 1).await();
      return;
    }
    if (isPaired) {
      receive(call, scratch, bytes, bytes, self - 1).await();
      combine(0, bytes, bytes, call.type(), how);
    }
    int place = isPaired ? self / 2 : self - more;
    for (int bit = 1; bit < power; bit *= 2) {
      int other = place ^ bit;
      int peer = other < more ? 2 * other + 1 : other + more;
      Pending received = receive(call, scratch, bytes, bytes, peer);
      send(call, scratch, 0, bytes, peer).await();
      received.await();
      combine(0, bytes, bytes, call.type(), how);
    }
    if (isPaired) {
      send(call, scratch, 0, bytes, self - 1).await();
    }
  }

  private int ownAfterRound(int of) {
    return member(of + 1);
  }

  /// Passes each block round the ring, to which each member adds its own, and returns which block
  /// is complete here.
  ///
  /// @param at where in the scratch memory a block may be received
  private int reduceRound(
      Call call, View data, MemorySegment segment, long at, Blocks blocks, Reduction how)
      throws InterruptedException {
    for (int step = 0; step < size - 1; step++) {
      int given = member(self - step);
      int taken = member(self - step - 1);
      Pending received = receive(call, scratch, at, blocks.length(taken), member(self - 1));
      send(call, data, blocks.start(given), blocks.length(given), member(self + 1)).await();
      received.await();
      Reducer.combine(
          segment, blocks.start(taken), scratchSegment, at, blocks.length(taken), call.type(), how);
    }
    return ownAfterRound(self);
  }

  /// Passes each block round the ring.
  ///
  /// @param own the block that is here; the next member has the next one
  private void gatherRound(Call call, View data, Blocks blocks, int own)
      throws InterruptedException {
    for (int step = 0; step < size - 1; step++) {
      int given = member(own - step);
      int taken = member(own - step - 1);
      Pending received =
          receive(call, data, blocks.start(taken), blocks.length(taken), member(self - 1));
      send(call, data, blocks.start(given), blocks.length(given), member(self + 1)).await();
      received.await();
    }
  }

  void allGather(View part, View all, long bytes) throws InterruptedException {
    Call call = engine.begin(Call.Kind.ALL_GATHER, 0, bytes, DataType.of(part), null);
    if (shared != null) {
      shared.gather(call, part, all);
      return;
    }
    copy(part, 0, all, self * bytes, bytes);
    if (bytes > Peer.SHORT_BYTES) {
      gatherRound(call, all, new Blocks(bytes * size, 1, size), self);
      return;
    }
    List<Pending> pending = new ArrayList<>();
    for (int i = 1; i < size; i++) {
      int from = member(self - i);
      pending.add(receive(call, all, from * bytes, bytes, from));
    }
    for (int i = 1; i < size; i++) {
      pending.add(send(call, part, 0, bytes, member(self + i)));
    }
    await(pending);
  }

  void allToAll(View from, View to, long bytes) throws InterruptedException {
    Call call = engine.begin(Call.Kind.ALL_TO_ALL, 0, bytes, DataType.of(from), null);
    if (shared != null) {
      shared.allToAll(call, from, to);
      return;
    }
    copy(from, self * bytes, to, self * bytes, bytes);
    List<Pending> pending = new ArrayList<>();
    for (int i = 1; i < size; i++) {
      int source = member(self - i);
      int target = member(self + i);
      pending.add(receive(call, to, source * bytes, bytes, source));
      pending.add(send(call, from, target * bytes, bytes, target));
      if (bytes > Peer.SHORT_BYTES) {
        await(pending);
        pending.clear();
      }
    }
    await(pending);
  }

  private static void copy(View from, long offset, View to, long at, long bytes) {
    MemorySegment.copy(from.segment(), offset, to.segment(), at, bytes);
  }
}
