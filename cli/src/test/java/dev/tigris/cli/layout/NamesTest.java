package dev.tigris.cli.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.tigris.memory.Container;
import dev.tigris.memory.InPlace;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoLayout;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class NamesTest {
  static final class Inner extends Pso {
    public int x;

    Inner(Container container) {
      super(container);
    }
  }

  /// Two of its fields have the names that types have in C.
  @SuppressWarnings("MemberName") // on purpose
  static final class Outer extends Pso {
    public @InPlace Inner dev_tigris_cli_layout_NamesTest_Inner;
    public int dev_tigris_cli_layout_NamesTest_Outer;
    public int other;

    Outer(Container container) {
      super(container);
    }
  }

  /// Its fields have the names of macros of `complex.h`, which a program may include before ours.
  @SuppressWarnings("MemberName") // on purpose
  static final class Signal extends Pso {
    public float complex;
    public float imaginary;
    public int I;

    Signal(Container container) {
      super(container);
    }
  }

  @Test
  void givesNoFieldTheNameOfAMacroOfComplexNumbers() {
    var fields = new Names().fields(PsoLayout.of(Signal.class)).values();
    assertEquals(List.of("complex_", "imaginary_", "I_"), List.copyOf(fields));
  }

  @Test
  void givesNoFieldTheNameOfATypeInItsStruct() {
    Names names = new Names();
    List<String> types = List.of(names.type(Inner.class), names.type(Outer.class));
    assertEquals("dev_tigris_cli_layout_NamesTest_Inner", types.get(0));
    var fields = List.copyOf(names.fields(PsoLayout.of(Outer.class)).values());
    types.forEach(type -> assertFalse(fields.contains(type), fields::toString));
    assertEquals("other", fields.get(2));
    assertEquals(3, new HashSet<>(fields).size());
  }
}
