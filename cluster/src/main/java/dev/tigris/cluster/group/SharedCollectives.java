package dev.tigris.cluster.group;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.View;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The collective operations of members that share memory. Each member writes what others need to
/// its area, and they read it there. Long data goes in parts, so that some are written while others
/// are read.
///
/// | operation | |
/// |---|---|
/// | reduce, all-reduce up to 8 KiB | each member that gets the result combines all |
/// | longer ones | each member combines a block of each part, and others read the result |
/// | all others | the sender writes, and the receivers read |
///
/// In all of them elements are combined in the order of the members.
///
/// Thread rule: the member's thread.
final class SharedCollectives {
  /// The longest data that each member which gets the result combines by itself.
  private static final int SHORT_BYTES = 8192;

  /// A part of longer data. Behind it lie results, which are half as long at the most.
  private static final int PART_BYTES = Area.HALF_BYTES / 2;

  private final Areas areas;
  private final int self;
  private final int size;
  private final Bytes scratch = Jbuf.allocate(SHORT_BYTES, "group").asBytes();
  private final MemorySegment scratchSegment = scratch.segment();

  SharedCollectives(Engine engine, Areas areas) {
    this.areas = areas;
    this.self = engine.self();
    this.size = engine.size();
  }

  void checkInvariants() {
    areas.checkInvariants();
  }

  void barrier(Call call) throws InterruptedException {
    areas.begin(call);
    areas.publish();
    areas.awaitAll();
  }

  void broadcast(Call call, View view) throws InterruptedException {
    Data data = new Data(view);
    long offset = 0;
    do {
      long bytes = Math.min(Area.HALF_BYTES, call.bytes() - offset);
      areas.begin(call);
      long at = areas.place(bytes);
      if (self == call.root()) {
        give(data, offset, at, bytes);
        areas.publish();
      } else {
        areas.publish();
        areas.await(call.root());
        take(call.root(), at, data, offset, bytes);
      }
      offset += bytes;
    } while (offset < call.bytes());
  }

  /// Scatters from the root.
  ///
  /// @param all of the root; not used elsewhere
  void scatter(Call call, @Nullable View all, View part) throws InterruptedException {
    Data from = all == null || self != call.root() ? null : new Data(all);
    Data to = new Data(part);
    long total = call.bytes();
    long offset = 0;
    do {
      long bytes = Math.min(Area.HALF_BYTES / (size - 1), total - offset);
      areas.begin(call);
      long at = areas.place(bytes * (size - 1));
      if (from != null) {
        giveEach(from, total, offset, at, bytes);
        areas.publish();
      } else {
        areas.publish();
        areas.await(call.root());
        take(call.root(), at + place(self, call.root()) * bytes, to, offset, bytes);
      }
      offset += bytes;
    } while (offset < total);
    if (from != null) {
      copy(from, self * total, to, 0, total);
    }
  }

  /// Gathers to the root, or to all.
  ///
  /// @param all of each member that gets them; not used elsewhere
  void gather(Call call, View part, @Nullable View all) throws InterruptedException {
    boolean isToAll = call.kind() == Call.Kind.ALL_GATHER;
    Data from = new Data(part);
    Data to = all == null || !(isToAll || self == call.root()) ? null : new Data(all);
    long total = call.bytes();
    long offset = 0;
    do {
      long bytes = Math.min(Area.HALF_BYTES, total - offset);
      areas.begin(call);
      long at = areas.place(bytes);
      if (isToAll || to == null) {
        give(from, offset, at, bytes);
      }
      areas.publish();
      if (to != null) {
        takeEach(to, total, offset, at, bytes, false);
      }
      offset += bytes;
    } while (offset < total);
    if (to != null) {
      copy(from, 0, to, self * total, total);
    }
  }

  /// Takes a part of what each of the others has given.
  ///
  /// @param isApart whether each of them has given every member something of its own
  private void takeEach(Data to, long total, long offset, long at, long bytes, boolean isApart)
      throws InterruptedException {
    for (int i = 1; i < size; i++) {
      int member = (self + i) % size;
      areas.await(member);
      long its = isApart ? at + place(self, member) * bytes : at;
      take(member, its, to, member * total + offset, bytes);
    }
  }

  void allToAll(Call call, View from, View to) throws InterruptedException {
    Data out = new Data(from);
    Data in = new Data(to);
    long total = call.bytes();
    long offset = 0;
    do {
      long bytes = Math.min(Area.HALF_BYTES / (size - 1), total - offset);
      areas.begin(call);
      long at = areas.place(bytes * (size - 1));
      giveEach(out, total, offset, at, bytes);
      areas.publish();
      if (offset == 0) {
        copy(out, self * total, in, self * total, total);
      }
      takeEach(in, total, offset, at, bytes, true);
      offset += bytes;
    } while (offset < total);
  }

  private void giveEach(Data from, long total, long offset, long at, long bytes) {
    for (int i = 1; i < size; i++) {
      int member = (self + i) % size;
      give(from, member * total + offset, at + place(member, self) * bytes, bytes);
    }
  }

  /// Returns the place of what one member gets among what another gives.
  private static int place(int member, int giver) {
    return member < giver ? member : member - 1;
  }

  /// Reduces to the root, or to all.
  void reduce(Call call, View view, Reduction how, int element) throws InterruptedException {
    Data data = new Data(view);
    boolean isToAll = call.kind() == Call.Kind.ALL_REDUCE;
    Data to = isToAll || self == call.root() ? data : null;
    if (call.bytes() <= SHORT_BYTES) {
      reduceByEach(call, data, to, how);
    } else {
      reduceByBlocks(call, data.segment(), to != null, how, element);
    }
  }

  private void reduceByEach(Call call, Data data, @Nullable Data to, Reduction how)
      throws InterruptedException {
    long bytes = call.bytes();
    areas.begin(call);
    long at = areas.place(bytes);
    give(data, 0, at, bytes);
    areas.publish();
    if (to == null) {
      return;
    }
    areas.awaitAll();
    MemorySegment sum = areas.of(0);
    long sumAt = at;
    for (int i = 1; i < size; i++) {
      Reducer.combine(scratchSegment, 0, sum, sumAt, areas.of(i), at, bytes, call.type(), how);
      sum = scratchSegment;
      sumAt = 0;
    }
    if (to.isShort()) {
      Copies.in(scratch, 0, to.view, 0, bytes);
    } else {
      MemorySegment.copy(scratchSegment, 0, to.segment(), 0, bytes);
    }
  }

  /// Reduces part after part. In one round, each member gives one part, combines its block of the
  /// part before, which all have given, and gives that, too.
  private void reduceByBlocks(
      Call call, MemorySegment data, boolean gets, Reduction how, int element)
      throws InterruptedException {
    long total = call.bytes();
    Blocks before = new Blocks(0, element, size);
    long offsetBefore = 0;
    long offset = 0;
    while (offset < total || before.bytes() > 0) {
      long bytes = Math.min(PART_BYTES, total - offset);
      Blocks blocks = new Blocks(bytes, element, size);
      areas.begin(call);
      MemorySegment own = areas.of(self);
      long at = areas.place(Area.HALF_BYTES);
      long end = blocks.start(self) + blocks.length(self);
      MemorySegment.copy(data, offset, own, at, blocks.start(self));
      MemorySegment.copy(data, offset + end, own, at + end, bytes - end);
      combine(call, data, offsetBefore, before, how);
      areas.publish();
      areas.awaitAll();
      for (int i = 0; gets && i < size; i++) {
        MemorySegment.copy(
            areas.of(i), at + PART_BYTES, data, offsetBefore + before.start(i), before.length(i));
      }
      before = blocks;
      offsetBefore = offset;
      offset += bytes;
    }
  }

  /// Combines this member's block of a part that was given in the round before.
  private void combine(Call call, MemorySegment data, long offset, Blocks blocks, Reduction how) {
    long start = blocks.start(self);
    long given = areas.placeBefore(Area.HALF_BYTES) + start;
    MemorySegment own = areas.of(self);
    long result = areas.place(Area.HALF_BYTES) + PART_BYTES;
    MemorySegment sum = self == 0 ? data : areas.of(0);
    long sumAt = self == 0 ? offset + start : given;
    for (int i = 1; i < size; i++) {
      Reducer.combine(
          own,
          result,
          sum,
          sumAt,
          i == self ? data : areas.of(i),
          i == self ? offset + start : given,
          blocks.length(self),
          call.type(),
          how);
      sum = own;
      sumAt = result;
    }
  }

  // -- Data.

  /// The view of a call. A segment of it takes a microsecond to make, so a short one is reached by
  /// its elements.
  private static final class Data {
    private final View view;
    private @Nullable MemorySegment segment;

    Data(View view) {
      this.view = view;
    }

    boolean isShort() {
      return view.capacityBytes() <= Copies.SHORT_BYTES;
    }

    MemorySegment segment() {
      MemorySegment its = segment;
      if (its == null) {
        its = view.segment();
        segment = its;
      }
      return its;
    }
  }

  private void give(Data from, long offset, long at, long bytes) {
    if (from.isShort()) {
      Copies.out(from.view, offset, areas.ownBytes(), at, bytes);
    } else {
      MemorySegment.copy(from.segment(), offset, areas.of(self), at, bytes);
    }
  }

  private void take(int member, long at, Data to, long offset, long bytes) {
    if (to.isShort()) {
      MemorySegment.copy(areas.of(member), at, scratchSegment, 0, bytes);
      Copies.in(scratch, 0, to.view, offset, bytes);
    } else {
      MemorySegment.copy(areas.of(member), at, to.segment(), offset, bytes);
    }
  }

  private void copy(Data from, long offset, Data to, long at, long bytes) {
    if (from.isShort() || to.isShort()) {
      Copies.out(from.view, offset, scratch, 0, bytes);
      Copies.in(scratch, 0, to.view, at, bytes);
    } else {
      MemorySegment.copy(from.segment(), offset, to.segment(), at, bytes);
    }
  }
}
