package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Outside.Outcome;
import dev.tigris.specializer.Delivery;
import dev.tigris.specializer.RuleList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Programs whose rules say more than the standard ones, delivered and as the agent applies these
/// rules.
class RuleDeliveryTest {
  @TempDir private Path temporary;
  private Deliveries deliveries;

  @BeforeEach
  void packAgent() throws IOException {
    deliveries = new Deliveries(temporary, Outside.agent(temporary));
  }

  /// A program whose methods without a body have their meaning from a restricted rule.
  ///
  /// @param delivery nothing to leave the classes as they are compiled
  private Path deliverPackets(String name, Optional<Delivery> delivery) throws IOException {
    Path folder = temporary.resolve(name);
    Path compiled = temporary.resolve("Packets");
    if (!Files.exists(compiled)) {
      Outside.compile(compiled, "Packets", Deliveries.resource("Packets.java.txt"));
    }
    Outside.copy(compiled, folder);
    Files.writeString(temporary.resolve("packets.rules"), Deliveries.resource("packets.rules"));
    if (delivery.isPresent()) {
      Path list = deliveries.list("pso-field\nrestricted packets.rules\n");
      Outside.specialize(RuleList.read(list, List.of(), List.of()), delivery.get(), folder);
    }
    return folder;
  }

  @Test
  void doesTheSameHoweverARestrictedRuleIsDelivered() throws Exception {
    Outcome rewritten =
        deliveries.run(
            "Packets", deliverPackets("rewritten", Optional.of(Deliveries.REWRITTEN)), "-Xint");
    assertEquals(0, rewritten.exitCode(), rewritten.output());
    assertTrue(rewritten.output().endsWith("end\n"), rewritten.output());
    Path folder = temporary.resolve("rewritten");
    Path flat = deliverPackets("flat", Optional.of(Deliveries.FLAT));
    Path diff = deliverPackets("diff", Optional.of(Deliveries.DIFF));
    assertEquals(
        Collections.nCopies(3, rewritten.output()),
        deliveries.runEachWithAgent("Packets", List.of(folder, flat, diff), ""));
    // What is specialized already is left as it is.
    Path compiled = deliverPackets("compiled", Optional.empty());
    String rules = "=rules=" + temporary.resolve("list");
    assertEquals(
        Collections.nCopies(2, rewritten.output()),
        deliveries.runEachWithAgent("Packets", List.of(compiled, folder), rules));
  }

  @Test
  void failsToLoadAClassThatHasAProblemWithTheRules() throws Exception {
    Path compiled = deliverPackets("compiled", Optional.empty());
    String rules = "=rules=" + deliveries.list("pso-field\n");
    Outcome outcome = deliveries.runWithAgent("Packets", compiled, rules);
    assertNotEquals(0, outcome.exitCode());
    assertTrue(outcome.output().contains("java.lang.ClassFormatError"), outcome.output());
    assertTrue(outcome.output().contains("Packets$Packet.version(Packets.java)"), outcome.output());
    assertTrue(outcome.output().contains("name it in a rule"), outcome.output());
  }

  /// A rule in Java, in a jar that is a module by its name and `META-INF/services`.
  private Path clockRules() throws IOException {
    String rule =
        """
        package clock;
        import dev.tigris.specializer.*;
        import java.lang.classfile.ClassModel;
        import java.lang.classfile.instruction.InvokeInstruction;
        import java.lang.constant.ClassDesc;
        import java.util.List;
        public final class Rule implements dev.tigris.specializer.Rule {
          private static final ClassDesc SYSTEM = ClassDesc.of("java.lang.System");
          public String name() { return "stopped"; }
          public boolean concerns(ClassModel type, ClassHierarchy hierarchy) {
            return Needed.concerns(type);
          }
          public Decision decide(Site site) {
            return site.instruction() instanceof InvokeInstruction call
                    && call.owner().asSymbol().equals(SYSTEM)
                    && call.name().equalsString("nanoTime")
                ? new Decision.Rewrite(1, code -> code.loadConstant(42L), List.of())
                : Decision.PASS;
          }
          // Loaded while the first class of the program waits to be specialized.
          static class Needed {
            static boolean concerns(ClassModel type) {
              return dev.tigris.specializer.Rule.mentions(type, SYSTEM::equals);
            }
          }
        }
        """;
    Path classes = temporary.resolve("clock");
    Outside.compile(classes, "Rule", rule, Outside.specializer());
    Path service = classes.resolve("META-INF/services/dev.tigris.specializer.Rule");
    Files.createDirectories(service.getParent());
    Files.writeString(service, "clock.Rule\n");
    Path jar = temporary.resolve("clock.jar");
    assertEquals(
        0,
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(System.out, System.err, "cf", jar.toString(), "-C", classes.toString(), "."));
    return jar;
  }

  @Test
  void appliesARuleInJavaAsClassesAreLoaded() throws Exception {
    Path folder = temporary.resolve("clocked");
    Outside.compile(
        folder,
        "Clocked",
        """
        public class Clocked {
          public static void main(String[] arguments) { System.out.println(System.nanoTime()); }
        }
        """);
    Path jar = clockRules();
    String rules = "rules=" + deliveries.list("trust clock\n\npso-field\nclock/stopped\n");
    for (String options : List.of(rules + ",rule-path=" + jar, "rule-path=" + jar + "," + rules)) {
      Outcome outcome = deliveries.runWithAgent("Clocked", folder, "=" + options);
      assertEquals(new Outcome(0, "42\n"), outcome);
    }
    Outcome elsewhere = deliveries.runWithAgent("Clocked", folder, "=" + rules);
    assertNotEquals(0, elsewhere.exitCode());
    assertTrue(elsewhere.output().contains("rule-path= of the agent"), elsewhere.output());
  }

  private Outcome runMute(String first) throws Exception {
    Path folder = temporary.resolve("mute");
    Outside.compile(folder, "Mute", Deliveries.resource("Mute.java.txt"));
    String rules = "-javaagent:" + deliveries.agent() + "=rules=" + deliveries.list("pso-field\n");
    return deliveries.run("Mute", folder, "-Dfirst=" + first, rules);
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "objects in the parent"})
  void failsToLoadWhatCannotBeSpecializedBecauseALoaderHidesItsClassFiles(String first)
      throws Exception {
    Outcome outcome = runMute(first);
    assertNotEquals(0, outcome.exitCode(), outcome.output());
    assertTrue(outcome.output().contains("does not give out MutedThing.class"), outcome.output());
  }

  @Test
  void specializesWhatALoaderHidesOnceItHasSeenIt() throws Exception {
    Outcome outcome = runMute("objects");
    assertEquals("end\n", outcome.output());
  }
}
