package dev.tigris.memory.differential;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.memory.Outside;
import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

/// Programs that nobody wrote compute the same in a JVM of their own, however it runs code and
/// however the specialized classes get there.
class DifferentialModesProperties {
  private static final String MAIN =
      """
      import dev.tigris.memory.*;
      public class Main {
        public static void main(String[] homes) throws Exception {
          for (String home : homes) {
            var run = Class.forName(home + ".Program").getMethod("run", Container.class);
            Container container = Jbuf.allocate(1 << 16).asContainer();
            Object first = run.invoke(null, container);
            for (int round = 0; round < 220; round++) {
              container.clear();
              Object now = run.invoke(null, container);
              if (!now.equals(first)) {
                throw new AssertionError(now + " in round " + round + " after " + first);
              }
            }
            System.out.println(first);
          }
        }
      }
      """;

  private Path folder;

  @BeforeTry
  void makeFolder() throws IOException {
    folder = Files.createTempDirectory("tigris-modes");
  }

  @AfterTry
  void deleteFolder() throws IOException {
    Compiled.delete(folder);
  }

  @Provide
  Arbitrary<List<Sketch>> manySketches() {
    return Sketches.any().list().ofSize(Tier.choose(1, 6, 500));
  }

  /// Not shrunk: that would start hundreds of JVMs. The sketch itself can be tried by
  /// [DifferentialProperties].
  @Property(tries = 1, shrinking = ShrinkingMode.OFF)
  @EveryTier("programs: 1, 6, 500")
  void doTheSameInterpretedAndCompiled(@ForAll("manySketches") List<Sketch> sketches)
      throws Exception {
    Path rewritten = folder.resolve("rewritten");
    Path patched = folder.resolve("patched");
    Path agent = Outside.agent(folder);
    Outside.compile(rewritten, "Main", MAIN);
    Files.createDirectories(patched);
    Files.copy(rewritten.resolve("Main.class"), patched.resolve("Main.class"));
    StringBuilder expected = new StringBuilder();
    List<String> command = new ArrayList<>(List.of("Main"));
    for (int number = 0; number < sketches.size(); number++) {
      Program program = Program.of("sketched" + number, sketches.get(number));
      command.add(program.home());
      expected.append(program.runPlainly().result()).append('\n');
      for (Map.Entry<String, byte[]> one : program.specialize().entrySet()) {
        byte[] original = program.classes().get(one.getKey());
        write(rewritten, one.getKey(), one.getValue());
        write(
            patched,
            one.getKey(),
            CodePatch.attach(original, one.getValue(), PatchKind.DIFF, Optional.empty()));
      }
    }
    Outside.Outcome outcome = new Outside.Outcome(0, expected.toString());
    String apply = "-javaagent:" + agent;
    assertEquals(outcome, Outside.run(List.of("-Xint", apply), command, patched));
    assertEquals(
        outcome,
        Outside.run(
            List.of("-XX:TieredStopAtLevel=1", "-Xbatch", "-XX:CompileThresholdScaling=0.05"),
            command,
            rewritten));
    assertEquals(
        outcome,
        Outside.run(
            List.of("-XX:-TieredCompilation", "-Xbatch", "-XX:CompileThresholdScaling=0.02", apply),
            command,
            patched));
  }

  private static void write(Path folder, String name, byte[] classFile) throws IOException {
    Path file = folder.resolve(name.replace('.', '/') + ".class");
    Files.createDirectories(file.getParent());
    Files.write(file, classFile);
  }
}
