package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class EnumCodesTest {
  @Test
  void everyConstantOfALargeEnumIsFoundAgain() {
    EnumCodes codes = EnumCodes.of(Character.UnicodeScript.class);
    for (Character.UnicodeScript script : Character.UnicodeScript.values()) {
      assertSame(script, codes.decode(codes.encode(script)));
    }
    assertNull(codes.decode(0));
    assertThrows(UnknownConstantException.class, () -> codes.decode("no script".hashCode()));
  }

  @Test
  void aConstantIsFoundWhereOthersAreInItsPlace() {
    Thread.State[] states = Thread.State.values();
    for (int multiplier : new int[] {0, 1, -1, 1 << 30}) {
      EnumCodes codes = EnumCodes.of(Thread.State.class, states, multiplier, 5);
      for (Thread.State state : states) {
        assertSame(state, codes.decode(codes.encode(state)));
      }
      assertNull(codes.decode(codes.encode(null)));
      assertThrows(UnknownConstantException.class, () -> codes.decode("SLEEPING".hashCode()));
    }
  }
}
