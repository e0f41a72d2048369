package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
    long used = container.usedBytes();
    for (Executable each : abstractOnes) {
      assertThrows(IllegalArgumentException.class, each);
    }
    assertEquals(used, container.usedBytes());
  }
}
