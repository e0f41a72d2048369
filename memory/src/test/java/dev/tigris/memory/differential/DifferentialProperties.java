package dev.tigris.memory.differential;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.testing.EveryTier;
import java.util.Map;
import net.jqwik.api.Arbitrary;
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
  @EveryTier("tries: 12, 100, 5,000")
  void objectsDoWhatPlainObjectsDo(@ForAll("sketches") Sketch sketch) throws Exception {
    Program program = Program.of("sketched", sketch);
    Program.Outcome plain = program.runPlainly();
    assertEquals(plain, program.runInterpreted());
    Map<String, byte[]> specialized = program.specialize();
    assertEquals(plain, program.runSpecialized(specialized));
    program.assertPatchesGive(specialized);
  }
}
