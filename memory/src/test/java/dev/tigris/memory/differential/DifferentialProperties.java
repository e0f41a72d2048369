package dev.tigris.memory.differential;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.specializer.patch.TrustedKeys;
import java.util.Map;
import java.util.Optional;
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
  void objectsDoWhatPlainObjectsDo(@ForAll("sketches") Sketch sketch) throws Exception {
    Program program = Program.of("sketched", sketch);
    Program.Outcome plain = program.runPlainly();
    assertEquals(plain, program.runInterpreted());
    Map<String, byte[]> specialized = program.specialize();
    assertEquals(plain, program.runSpecialized(specialized));
    for (Map.Entry<String, byte[]> one : specialized.entrySet()) {
      byte[] original = program.classes().get(one.getKey());
      for (PatchKind kind : PatchKind.values()) {
        byte[] patched = CodePatch.attach(original, one.getValue(), kind, Optional.empty());
        // What the agent gives the JVM to load is to the byte what ran above.
        assertArrayEquals(
            one.getValue(), CodePatch.apply(patched, TrustedKeys.ANYBODY).orElseThrow());
      }
    }
  }
}
