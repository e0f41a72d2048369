package dev.tigris.memory.differential;

import dev.tigris.memory.differential.Sketch.Kind;
import dev.tigris.memory.differential.Sketch.Member;
import dev.tigris.memory.differential.Sketch.Shape;
import dev.tigris.memory.differential.Sketch.Statement;
import dev.tigris.memory.differential.Sketch.Structure;
import dev.tigris.testing.EveryTier;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/// Programs that nobody wrote compute the same on plain objects and on specialized ones.
class DifferentialProperties {
  @Provide
  Arbitrary<Sketch> sketches() {
    return Sketches.any();
  }

  @Property
  @EveryTier("tries: 12, 40, 5,000")
  void objectsDoWhatPlainObjectsDo(@ForAll("sketches") Sketch sketch) throws Exception {
    Program program = Program.of("sketched", sketch);
    Program.Outcome plain = program.runPlainly();
    program.assertComputes(plain, program.runInterpreted());
    Map<String, byte[]> specialized = program.specialize();
    program.assertComputes(plain, program.runSpecialized(specialized));
    program.assertPatchesGive(specialized);
  }

  /// A superclass has no fields, and an object of it is the first field of the subclass.
  @Example
  void anObjectIsNotWhatItBeginsWith() throws Exception {
    Member inPlace = new Member(Kind.NESTED, false, 3, 0);
    List<Statement> reads =
        IntStream.range(0, Sketch.OBJECTS)
            .mapToObj(object -> new Statement(Shape.READ, object, 0, 0, List.of()))
            .toList();
    objectsDoWhatPlainObjectsDo(
        new Sketch(
            List.of(
                new Structure(0, List.of(), List.of()),
                new Structure(1, List.of(inPlace), List.of())),
            reads));
  }
}
