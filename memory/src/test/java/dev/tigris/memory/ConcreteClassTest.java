package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tigris.memory.schema.Schema;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/// A container has objects of concrete classes only, which may have abstract superclasses.
class ConcreteClassTest {
  abstract static class Figure extends Pso {
    int sides;

    Figure(Container container) {
      super(container);
    }
  }

  static final class Square extends Figure {
    Square(Container container) {
      super(container);
    }
  }

  private final Bytes bytes = Jbuf.allocate(1 << 16).asBytes();
  private final Container container = bytes.asContainer();

  @Test
  void elementsAndRootsAreOfAClassThatObjectsCanBeRecoveredAs() {
    container.root(new Square(container));
    assertEquals(0, bytes.asContainer().root(Square.class).sides);
    List<Executable> abstractOnes =
        List.of(
            () -> bytes.asContainer().root(Figure.class),
            () -> new PsoList<>(container, Figure.class, 1),
            () -> new PsoTable<>(container, Figure.class, 1),
            () -> new PsoList<>(container, Pso.class, 1));
    assertRefused(abstractOnes);
  }

  private void assertRefused(List<Executable> makers) {
    long used = container.usedBytes();
    for (Executable each : makers) {
      assertThrows(IllegalArgumentException.class, each);
    }
    assertEquals(used, container.usedBytes());
  }

  /// The bytes of a list do not say what its elements are: its field does, or whoever opens it.
  @Test
  void nobodyHasElementsOrARootThatCouldNotSayWhatIsInThem() {
    assertRefused(
        List.of(
            () -> new PsoList<>(container, PsoList.class, 1),
            () -> new PsoList<>(container, PsoTable.class, 1),
            () -> new PsoTable<>(container, PsoTable.class, 1),
            () -> new PsoTable<>(container, PsoArray.class, 1),
            () -> container.rootList(PsoTable.class),
            () -> container.rootTable(PsoList.class),
            () -> Schema.of(PsoList.class),
            () -> Schema.of(PsoTable.class),
            () -> Schema.ofList(PsoTable.class),
            () -> Schema.ofTable(PsoList.class),
            () -> Schema.ofTable(PsoArray.class)));
    Schema arrays = Schema.ofList(PsoArray.class);
    assertEquals(arrays, Schema.parse(arrays.toString()));
    assertEquals("TIGRIS SCHEMA 1\nroot 0\narray\n", Schema.of(PsoArray.class).toString());
  }
}
