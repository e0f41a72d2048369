package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.tigris.memory.schema.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Lists and tables whose elements have type arguments, which are not stored.
class GenericElementsTest {
  static class Node<T> extends Pso {
    int number;
    @HeapOnly @Nullable T note;

    Node(Container container) {
      super(container);
    }
  }

  static final class Graph extends Pso {
    PsoList<Node<String>> list;
    PsoTable<Node<?>> table;

    Graph(Container container) {
      super(container);
    }
  }

  @SuppressWarnings("unchecked") // a class has no arguments
  private static <T> Class<T> nodes() {
    return (Class<T>) Node.class;
  }

  @Test
  void elementsAreOfTheirClassWhateverItsArguments() {
    Bytes bytes = Jbuf.allocate(4096).asBytes();
    Container container = bytes.asContainer();
    Graph graph = new Graph(container);
    container.root(graph);
    graph.list = new PsoList<Node<String>>(container, nodes(), 4);
    Node<String> node = new Node<>(container);
    node.number = 5;
    node.note = "five";
    graph.list.add(node);
    graph.table = new PsoTable<Node<?>>(container, nodes(), 4);
    graph.table.add().number = 7;

    assertEquals("five", graph.list.get(0).note);
    Graph again = bytes.asContainer().root(Graph.class);
    Node<String> recovered = again.list.get(0);
    assertEquals(5, recovered.number);
    assertNull(recovered.note);
    for (PsoCursor<Node<?>> cursor = again.table.cursor(); cursor.next(); ) {
      assertEquals(7, cursor.element().number);
    }
    Schema.of(Graph.class).validate(container);
  }
}
