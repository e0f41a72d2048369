package dev.tigris.memory.differential;

import dev.tigris.memory.differential.Sketch.Kind;
import dev.tigris.memory.differential.Sketch.Member;
import dev.tigris.memory.differential.Sketch.Shape;
import dev.tigris.memory.differential.Sketch.Statement;
import dev.tigris.memory.differential.Sketch.Structure;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/// Any [Sketch].
final class Sketches {
  private static final int NESTING = 3;

  private Sketches() {}

  static Arbitrary<Sketch> any() {
    Arbitrary<List<Structure>> types = types().list().ofMinSize(1).ofMaxSize(3);
    return Combinators.combine(types, statements(NESTING, 10)).as(Sketch::new);
  }

  private static Arbitrary<Structure> types() {
    Arbitrary<Member> members =
        Combinators.combine(
                Arbitraries.of(Kind.class),
                Arbitraries.of(false, true),
                Arbitraries.integers().between(0, 3),
                Arbitraries.integers().between(0, 2))
            .as(Member::new);
    return Combinators.combine(
            Arbitraries.integers().between(0, 2), members.list().ofMaxSize(7), statements(1, 4))
        .as(Structure::new);
  }

  private static Arbitrary<List<Statement>> statements(int nesting, int most) {
    Arbitrary<Statement> simple = statement(false, Arbitraries.just(List.of()));
    if (nesting == 0) {
      return simple.list().ofMaxSize(most);
    }
    Arbitrary<Statement> compound = statement(true, statements(nesting - 1, 3));
    return Arbitraries.frequencyOf(Tuple.of(2, simple), Tuple.of(1, compound))
        .list()
        .ofMaxSize(most);
  }

  private static Arbitrary<Statement> statement(boolean compound, Arbitrary<List<Statement>> body) {
    List<Shape> shapes =
        Arrays.stream(Shape.values()).filter(shape -> shape.hasBody() == compound).toList();
    return Combinators.combine(
            Arbitraries.of(shapes),
            Arbitraries.integers().between(0, Sketch.OBJECTS),
            Arbitraries.integers().between(0, 20),
            Arbitraries.integers().between(0, 15),
            body)
        .as(Statement::new);
  }
}
