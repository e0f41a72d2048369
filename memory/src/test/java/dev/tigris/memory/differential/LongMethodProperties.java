package dev.tigris.memory.differential;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.differential.LongMethod.Block;
import dev.tigris.specializer.Problem;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/// A method can become longer than the JVM takes when it is specialized.
class LongMethodProperties {
  @Provide
  Arbitrary<LongMethod> methods() {
    int usualBytes = Tier.choose(8_000, LongMethod.MAX_BYTES, LongMethod.MAX_BYTES);
    Arbitrary<Integer> lengths =
        Arbitraries.frequencyOf(
            Tuple.of(Tier.choose(2, 1, 1), Arbitraries.integers().between(100, usualBytes)),
            Tuple.of(1, Arbitraries.integers().between(100, LongMethod.MAX_BYTES)),
            Tuple.of(
                Tier.choose(1, 2, 2),
                Arbitraries.integers().between(LongMethod.MAX_BYTES - 20, LongMethod.MAX_BYTES)));
    Arbitrary<List<Block>> patterns = Arbitraries.of(Block.class).list().ofMinSize(1).ofMaxSize(6);
    return Combinators.combine(patterns, lengths).as(LongMethod::new);
  }

  @Property
  @EveryTier("tries: 12, 40, 5,000")
  void doesWhatItDidOrIsRefusedByName(@ForAll("methods") LongMethod method) throws Exception {
    Program program = method.program();
    Program.Outcome plain = program.runPlainly();
    List<Problem> problems = program.problems("lengthy.Steps");
    if (problems.isEmpty()) {
      program.assertComputes(plain, program.runInterpreted());
      Map<String, byte[]> specialized = program.specialize();
      program.assertComputes(plain, program.runSpecialized(specialized));
      program.assertPatchesGive(specialized);
    } else {
      String said = problems.toString();
      assertTrue(said.contains("lengthy.Steps.steps") && said.contains("too long"), said);
      assertTrue(method.codeBytes() > LongMethod.MAX_BYTES / 2, said);
    }
  }
}
