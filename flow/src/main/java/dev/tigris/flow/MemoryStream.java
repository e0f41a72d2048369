package dev.tigris.flow;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A stream between two threads of this JVM: a ring of slots and two counts.
///
/// ```
///         finished        taken         sent
///            |              |             |
///  ... free  | in the       | waiting     |  free ...     sent - finished <= window <= slots
///            | receiver's   |             |
///            | hands        |             |
///
///  finished <= taken <= sent     outstanding = sent - finished     slot of a count = it mod slots
/// ```
///
/// The sender owns the free slots, the receiver the others. The sender fills slot `sent` and
/// advances `sent`; the receiver takes slot `taken`, works, and advances `finished`. Advancing
/// `finished` returns the credit and, without another word, the water too: it still lies in its
/// slot, where the sender finds it when it needs one to fill ([#createWater]). So a hand-over costs
/// one store each way that the other thread reads, and when the ring stays full not even the slots
/// change.
///
/// A receiver that finishes waters in another order than it took them swaps slots that it owns. If
/// a water leaves the stream (it is kept, or put on another one), or belongs to another spring, its
/// slot is emptied. What the receiver gets is the [twin][Water#twin] of what lies in a slot.
///
/// **Ordering.** `sent` is advanced by a release store, partner of the receiver's acquire load in
/// [#isReady] (jcstress: `HandOverTest`): the slot, the water's fields and its data happen before
/// they are taken. `finished` is advanced by a release store, partner of the sender's acquire load
/// in [#outstanding] (jcstress: `CreditTest`): what the receiver read of a water happens before the
/// sender writes to it again. Each side reads the other's count only when its last reading is used
/// up. `ended` is volatile and set after the last `sent`, so a receiver that sees it sees all
/// waters (jcstress: `EndTest`).
final class MemoryStream extends Stream {
  /// The sender publishes `sends.waters` here, for the receiver.
  private final SharedCount sent = new SharedCount();

  /// The receiver publishes `receipts.finished` here, for the sender.
  private final SharedCount finished = new SharedCount();

  private final @Nullable Water[] slots;

  /// By slot, the valid bytes of its water. The receiver reads them here, because the fields of the
  /// water belong to the sender.
  private final int[] sizes;

  /// By slot, the twin of its water that the receiver got. The owner of the slot owns the entry.
  private final @Nullable Water[] twins;

  private final int mask;
  private final BufferSpring home;
  private final Spring spring = this::createWater;
  private volatile boolean ended;

  MemoryStream(StreamKind.Place place) {
    super(place.name(), place.window());
    int size = Math.max(2, Integer.highestOneBit(2 * place.window() - 1));
    slots = new Water[size];
    sizes = new int[size];
    twins = new Water[size];
    mask = size - 1;
    home = new BufferSpring(place.name());
  }

  @Override
  public Spring spring() {
    return spring;
  }

  /// Returns a water that has come back in its slot, else one from the spring's other places.
  private Water createWater(int bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("a water of " + bytes + " bytes");
    }
    for (Water water = harvest(); water != null; water = harvest()) {
      if (water.capacity() >= bytes) {
        return water.begin(bytes);
      }
      home.retire(water);
    }
    return home.createWater(bytes);
  }

  private @Nullable Water harvest() {
    long harvested = sends.harvested;
    if (harvested >= sends.finishedSeen) {
      outstanding();
    }
    long finished = sends.finishedSeen;
    Water water = null;
    while (water == null && harvested < finished) {
      water = slots[(int) harvested++ & mask];
    }
    sends.harvested = harvested;
    return water;
  }

  @Override
  public int outstanding() {
    long finished = this.finished.get();
    sends.finishedSeen = finished;
    return (int) (sends.waters - finished);
  }

  /// Uses the last reading of `finished` as long as it leaves credit, so that a sender that is
  /// ahead does not touch the receiver's cache line for every water.
  @Override
  protected boolean hasCredit() {
    return sends.waters - sends.finishedSeen < window() || outstanding() < window();
  }

  @Override
  protected boolean canCarry(Water water) {
    return true;
  }

  @Override
  protected void send(Water water) {
    long sent = sends.waters;
    int slot = (int) sent & mask;
    Water before = slots[slot];
    long lastUse = sent - slots.length;
    if (sends.harvested <= lastUse) {
      // The sender has not reused the water that lies here from the slot's last use: it goes back
      // to the spring.
      sends.harvested = lastUse + 1;
      if (before != null) {
        home.takeBack(before);
      }
    }
    if (before != water) {
      slots[slot] = water;
      // The twin is that of the water before, and its views would keep that buffer in use.
      twins[slot] = null;
    }
    if (sizes[slot] != water.size()) { // without a store, the receiver's cache keeps the line
      sizes[slot] = water.size();
    }
    this.sent.advanceTo(sent + 1);
  }

  @Override
  protected void sendEnd() {
    ended = true;
  }

  @Override
  public boolean isReady() {
    long taken = receipts.received;
    if (taken < receipts.sentSeen) {
      return true;
    }
    long sent = this.sent.get();
    receipts.sentSeen = sent;
    return taken < sent;
  }

  @Override
  public boolean isDrained() {
    return ended && !isReady();
  }

  @Override
  protected @Nullable Water receive() {
    if (!isReady()) {
      return null;
    }
    long taken = receipts.received;
    int slot = (int) taken & mask;
    Water sent = slots[slot];
    if (sent == null) {
      throw new IllegalStateException("stream " + name() + " lost water " + taken);
    }
    Water water = twins[slot];
    if (water == null || !water.isTwinOf(sent)) {
      water = sent.twin();
      twins[slot] = water;
    }
    receipts.received = taken + 1;
    water.slot = taken;
    return water.arrive(sizes[slot]);
  }

  @Override
  protected void release(Water water) {
    if (home.owns(water)) {
      finish(water, water.original());
    } else {
      finish(water, null);
      water.returnHome();
    }
  }

  @Override
  protected void leave(Water water) {
    finish(water, null);
  }

  /// Advances `finished` over a water, which need not be the oldest in the receiver's hands.
  private void finish(Water water, @Nullable Water remaining) {
    long finished = receipts.finished;
    int slot = (int) water.slot & mask;
    int first = (int) finished & mask;
    if (slot != first) {
      Water oldest = twins[first];
      if (oldest == null || twins[slot] != water) {
        throw new IllegalStateException("stream " + name() + " did not lend this water");
      }
      slots[slot] = slots[first];
      twins[slot] = oldest;
      oldest.slot = water.slot;
      twins[first] = water;
    }
    if (slots[first] != remaining) { // slots hold originals, whichever of the two was sent
      slots[first] = remaining;
    }
    if (remaining == null) {
      twins[first] = null;
    }
    receipts.finished = finished + 1;
    this.finished.advanceTo(finished + 1);
    wakeSender();
  }

  @Override
  protected void dispose(boolean complete) {
    Arrays.fill(slots, null);
    Arrays.fill(twins, null);
    home.close();
  }

  /// Only for tests, when no other thread uses the stream.
  void checkInvariants() {
    long sent = sends.waters;
    long taken = receipts.received;
    long finished = receipts.finished;
    require(this.sent.get() == sent, "the receiver can see what was sent");
    require(this.finished.get() == finished, "the sender can see what was finished");
    require(finished <= taken && taken <= sent, "finished <= taken <= sent");
    require(sent - finished <= window(), "outstanding <= window");
    require(outstanding() == sent - finished, "outstanding = sent - finished");
    require(sends.finishedSeen <= finished, "finished seen <= finished");
    require(receipts.sentSeen <= sent, "sent seen <= sent");
    require(sends.harvested <= sends.finishedSeen, "harvested <= finished seen");
    for (long count = finished; count < sent; count++) {
      require(slots[(int) count & mask] != null, "every owned slot holds a water");
    }
    for (long count = Math.max(sends.harvested, sent - slots.length); count < finished; count++) {
      Water back = slots[(int) count & mask];
      require(back == null || back.original() == back, "originals come back");
    }
    home.checkInvariants();
  }

  private void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException(
          "%s: not %s; sent %d, taken %d, finished %d"
              .formatted(name(), what, sends.waters, receipts.received, receipts.finished));
    }
  }
}
