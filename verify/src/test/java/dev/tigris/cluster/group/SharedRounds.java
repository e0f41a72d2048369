package dev.tigris.cluster.group;

import dev.tigris.net.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The area of one member that gives a number in each round, which follows its number of the round.
final class SharedRounds {
  private static final int BYTES = 512;
  private static final Call CALL =
      new Call(Call.Kind.ALL_GATHER, 0, 0, Integer.BYTES, DataType.INTS, null);

  private final MemorySegment memory = Arena.ofAuto().allocate(BYTES, Long.BYTES);
  private final Area area = Area.over(memory);

  Area area() {
    return area;
  }

  /// Its member.
  void give(long round, int number) {
    memory.set(ValueLayout.JAVA_INT, Area.place(round, Integer.BYTES), number);
    area.publish(round, CALL);
  }

  /// Another one.
  boolean isGiven(long round) {
    return area.published(round) == round;
  }

  /// Returns the number of a round that was given; -1 if it is not of the call.
  int take(long round) {
    int number = memory.get(ValueLayout.JAVA_INT, Area.place(round, Integer.BYTES));
    return area.isOf(round, CALL) ? number : -1;
  }
}
