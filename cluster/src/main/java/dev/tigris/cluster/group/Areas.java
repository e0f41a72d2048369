package dev.tigris.cluster.group;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.net.DataType;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The [Area]s of all members of one host, as one member uses them, in rounds. In a round each
/// member writes to its area, publishes that, waits for those whose data it needs, and reads.
///
/// **Halves.** A member begins round `r` when all have published `r - 1`, and so have read what was
/// given to `r - 2`, which lies in the same half. So a member is one round ahead of another at the
/// most, and no word tells what was read. A collective call has at least one round, and members
/// make the same rounds.
///
/// **Waiting.** A member looks for a moment, then also moves messages, and sleeps then. It says so
/// in its area before it looks for the last time. A member that publishes reads that afterwards,
/// and sends a message to each that sleeps. So one of the two sees the other.
///
/// Thread rule: the member's thread.
final class Areas {
  /// As many as pass while a member on another processor publishes.
  private static final int MOST_LOOKS = 100;

  private final Engine engine;
  private final int self;
  private final Bytes ownBytes;
  private final Area own;

  /// How often it looks before it also moves messages.
  private final int mostLooks;

  /// By number of the member; this one's, too.
  private final Area[] all;

  private long round;

  /// The call of the round; of round 0, none of the group.
  private Call call = new Call(Call.Kind.BARRIER, -1, 0, 0, DataType.BYTES, null);

  private Areas(Engine engine, Bytes ownBytes, Area[] all) {
    this.engine = engine;
    this.self = engine.self();
    this.ownBytes = ownBytes;
    this.own = all[self];
    this.all = all;
    this.mostLooks = engine.isCrowded() ? 1 : MOST_LOOKS;
  }

  /// Returns the memory that this member can give; null if it can share none.
  static @Nullable Bytes offer(Engine engine) {
    if (!engine.sharesMemory()) {
      return null;
    }
    try {
      return Area.allocate();
    } catch (MemoryBudgetException noRoom) {
      return null;
    }
  }

  /// Shares memory with all others, each of which has some.
  ///
  /// @return null if some of it cannot be shared
  static @Nullable Areas share(Engine engine, Bytes ownBytes) throws InterruptedException {
    Bytes room = Jbuf.allocate(ownBytes.capacityBytes(), "group").asBytes();
    @Nullable MemorySegment[] lent = engine.share(ownBytes, room);
    if (lent == null) {
      return null;
    }
    Area[] all = new Area[lent.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = Area.over(i == engine.self() ? ownBytes.segment() : Objects.requireNonNull(lent[i]));
    }
    return new Areas(engine, ownBytes, all);
  }

  /// Begins the next round, in which this member may write then.
  void begin(Call its) throws InterruptedException {
    for (int i = 0; i < all.length; i++) {
      if (i != self) {
        await(i, round, call);
      }
    }
    call = its;
    round++;
  }

  /// Shows the others what this member has written, and that it has read what came before.
  void publish() {
    own.publish(round, call);
    for (int i = 0; i < all.length; i++) {
      if (i != self && all[i].waitsFor(round)) {
        engine.wake(i);
      }
    }
  }

  /// Waits until a member has published the round.
  void await(int member) throws InterruptedException {
    await(member, round, call);
  }

  /// Waits until all have published the round.
  void awaitAll() throws InterruptedException {
    for (int i = 0; i < all.length; i++) {
      if (i != self) {
        await(i, round, call);
      }
    }
  }

  private void await(int member, long its, Call of) throws InterruptedException {
    Area area = all[member];
    for (int looks = 0; area.published(its) != its; looks++) {
      if (looks == mostLooks) {
        sleep(member, its, of);
        break;
      }
      Thread.onSpinWait();
    }
    if (its > 0 && !area.isOf(its, of)) {
      throw engine.refused(member, area.call(its), of);
    }
  }

  private void sleep(int member, long its, Call of) throws InterruptedException {
    Area area = all[member];
    try {
      engine.await(
          member,
          of,
          sleeps -> {
            if (sleeps) {
              own.sleep(its);
            }
            long published = area.published(its);
            if (published > its) {
              throw engine.refused(member, null, of);
            }
            return published == its;
          });
    } finally {
      own.awake();
    }
  }

  // -- Data.

  /// Returns where data of this round lies in each area.
  long place(long bytes) {
    return Area.place(round, bytes);
  }

  /// Returns where data of the round before lies in each area.
  long placeBefore(long bytes) {
    return Area.place(round - 1, bytes);
  }

  /// Returns what a member has given.
  MemorySegment of(int member) {
    return all[member].memory();
  }

  /// Returns this member's area, for views of few elements.
  Bytes ownBytes() {
    return ownBytes;
  }

  /// Throws if the rounds do not follow each other: for tests.
  void checkInvariants() {
    for (int half = 0; half < 2; half++) {
      long published = own.published(round - half);
      if (published != round - half && published != Math.max(0, round - half - 2)) {
        throw new IllegalStateException(
            "round %d is published in the half of round %d".formatted(published, round - half));
      }
    }
    if (round > 0 && own.waitsFor(round)) {
      throw new IllegalStateException("asleep in round " + round);
    }
  }
}
