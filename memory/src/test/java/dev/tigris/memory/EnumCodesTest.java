package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

  static final class Holder extends Pso {
    Holder(Container container) {
      super(container);
    }
  }

  private static final PsoClass READER = PsoClass.of(Holder.class);

  @Test
  void everyConstantOfALargeEnumIsFoundAgain() {
    EnumCodes codes = EnumCodes.of(Character.UnicodeScript.class);
    for (Character.UnicodeScript script : Character.UnicodeScript.values()) {
      assertSame(script, codes.decode(codes.encode(script), READER));
      int own = (EnumCodes.code(script) * codes.multiplier()) >>> codes.shift();
      assertSame(script, codes.places()[own]); // where it is looked for first
    }
    assertNull(codes.decode(0, READER));
    assertThrows(
        UnknownConstantException.class, () -> codes.decode("no script".hashCode(), READER));
  }

  @Test
  @SuppressWarnings("unchecked") // it is one
  void anEnumMayHaveAFieldOfAClassThatIsMissing(@TempDir Path folder) throws Exception {
    Outside.compile(
        folder,
        "Part",
        """
        class Part {}
        enum Whole { ONE, TWO; static Part part; }
        """);
    Files.delete(folder.resolve("Part.class"));
    try (var loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      Class<?> whole = loader.loadClass("Whole");
      assertThrows(NoClassDefFoundError.class, whole::getDeclaredFields);
      EnumCodes codes = EnumCodes.of((Class<? extends Enum<?>>) whole);
      for (Object constant : whole.getEnumConstants()) {
        Enum<?> each = (Enum<?>) constant;
        assertSame(each, codes.decode(codes.encode(each), READER));
      }
    }
  }

  @Test
  void anEnumMayHaveOneConstantOrNone() {
    EnumCodes none = EnumCodes.of(None.class);
    assertNull(none.decode(none.encode(null), READER));
    assertThrows(UnknownConstantException.class, () -> none.decode(1, READER));
    EnumCodes one = EnumCodes.of(One.class);
    assertSame(One.SINGLE, one.decode(one.encode(One.SINGLE), READER));
    assertThrows(UnknownConstantException.class, () -> one.decode(1, READER));
  }

  @Test
  void aConstantIsFoundWhereOthersAreInItsPlace() {
    List<String> names = Arrays.stream(Thread.State.values()).map(Enum::name).toList();
    for (int multiplier : new int[] {0, 1, -1, 1 << 30}) {
      EnumCodes codes = EnumCodes.of(Thread.State.class, names, multiplier, 5);
      for (Thread.State state : Thread.State.values()) {
        assertSame(state, codes.decode(codes.encode(state), READER));
      }
      assertNull(codes.decode(codes.encode(null), READER));
      assertThrows(
          UnknownConstantException.class, () -> codes.decode("SLEEPING".hashCode(), READER));
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
