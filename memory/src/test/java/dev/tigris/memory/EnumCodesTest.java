package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class EnumCodesTest {
  private enum Alike {
    Aa,
    BB
  }

  private enum None {}

  private enum One {
    SINGLE
  }

  private enum Zero {
    f5a5a608
  }

  @Test
  void everyConstantOfALargeEnumIsFoundAgain() {
    EnumCodes codes = EnumCodes.of(Character.UnicodeScript.class);
    for (Character.UnicodeScript script : Character.UnicodeScript.values()) {
      assertSame(script, codes.decode(codes.encode(script)));
      int own = (EnumCodes.code(script) * codes.multiplier()) >>> codes.shift();
      assertSame(script, codes.places()[own]); // where it is looked for first
    }
    assertNull(codes.decode(0));
    assertThrows(UnknownConstantException.class, () -> codes.decode("no script".hashCode()));
  }

  @Test
  void anEnumMayHaveOneConstantOrNone() {
    EnumCodes none = EnumCodes.of(None.class);
    assertNull(none.decode(none.encode(null)));
    assertThrows(UnknownConstantException.class, () -> none.decode(1));
    EnumCodes one = EnumCodes.of(One.class);
    assertSame(One.SINGLE, one.decode(one.encode(One.SINGLE)));
    assertThrows(UnknownConstantException.class, () -> one.decode(1));
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

  /// The specializer refuses them too, where it finds the enum.
  @Test
  void refusesConstantsWhoseNamesDoNotTellThemApart() {
    var alike = assertThrows(IllegalArgumentException.class, () -> EnumCodes.of(Alike.class));
    assertTrue(String.valueOf(alike.getMessage()).endsWith("Rename one"), alike::toString);
    var zero = assertThrows(IllegalArgumentException.class, () -> EnumCodes.of(Zero.class));
    assertTrue(String.valueOf(zero.getMessage()).endsWith("Rename it"), zero::toString);
  }
}
