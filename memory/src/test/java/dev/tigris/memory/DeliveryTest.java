package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Outside.Outcome;
import dev.tigris.specializer.Delivery;
import dev.tigris.specializer.RuleList;
import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.specializer.patch.PatchSigner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// One program, delivered in every way, in a plain `java` with the agent as a user has it.
class DeliveryTest {
  private static final Delivery REWRITTEN = new Delivery.Rewritten();
  private static final Delivery FLAT = new Delivery.Patched(PatchKind.FLAT, Optional.empty());
  private static final Delivery DIFF = new Delivery.Patched(PatchKind.DIFF, Optional.empty());

  @TempDir private Path temporary;
  private Path agent;

  @BeforeEach
  void packAgent() throws IOException {
    agent = Outside.agent(temporary);
  }

  /// The program's classes, delivered to a folder of their own.
  private Path deliver(String name, Delivery delivery) throws IOException {
    Path folder = temporary.resolve(name);
    String many = "a.big += b.count; b.count ^= a.tiny;\n".repeat(100);
    Outside.compile(folder, "Program", resource("Program.java.txt").replace("LONG", many));
    Outside.specialize(delivery, folder);
    return folder;
  }

  /// A program whose methods without a body have their meaning from a restricted rule.
  ///
  /// @param delivery nothing to leave the classes as they are compiled
  private Path deliverPackets(String name, Optional<Delivery> delivery) throws IOException {
    Path folder = temporary.resolve(name);
    Outside.compile(folder, "Packets", resource("Packets.java.txt"));
    Files.writeString(temporary.resolve("packets.rules"), resource("packets.rules"));
    if (delivery.isPresent()) {
      Path list = list("pso-field\nrestricted packets.rules\n");
      Outside.specialize(RuleList.read(list, List.of(), List.of()), delivery.get(), folder);
    }
    return folder;
  }

  private Path list(String rules) throws IOException {
    return Files.writeString(temporary.resolve("list"), rules);
  }

  private static String resource(String name) throws IOException {
    try (var in = DeliveryTest.class.getClassLoader().getResourceAsStream("delivery/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private Outcome run(Path folder, String... options) {
    return runMain("Program", folder, options);
  }

  /// In the first compiler's code: what is checked is the delivery, and each of many runs is short.
  private Outcome runMain(String main, Path folder, String... options) {
    return Outside.run(Outside.quick(options), List.of(main), folder);
  }

  private Outcome runWithAgent(Path folder, String options) {
    return run(folder, "-javaagent:" + agent + options);
  }

  @Test
  void doesTheSameHoweverItIsDelivered() throws Exception {
    Outcome rewritten = run(deliver("rewritten", REWRITTEN));
    assertEquals(0, rewritten.exitCode(), rewritten.output());
    assertTrue(rewritten.output().endsWith("end\n"), rewritten.output());
    assertEquals(rewritten, runWithAgent(deliver("flat", FLAT), ""));
    assertEquals(rewritten, runWithAgent(deliver("diff", DIFF), ""));
    assertEquals(rewritten, runWithAgent(temporary.resolve("rewritten"), ""));
  }

  @Test
  void saysInALineWhatIsWrongWithItsOptions() throws Exception {
    Path folder = deliver("patched", FLAT);
    assertEquals(0, runWithAgent(folder, "=").exitCode(), "no options at all");
    assertEquals(
        new Outcome(1, "tigris agent: trust= has no value: name a file\n"),
        runWithAgent(folder, "=trust="));
  }

  @Test
  void doesTheSameHoweverARestrictedRuleIsDelivered() throws Exception {
    Outcome rewritten =
        runMain("Packets", deliverPackets("rewritten", Optional.of(REWRITTEN)), "-Xint");
    assertEquals(0, rewritten.exitCode(), rewritten.output());
    assertTrue(rewritten.output().endsWith("end\n"), rewritten.output());
    assertEquals(rewritten, runMain("Packets", temporary.resolve("rewritten")));
    for (Delivery patched : List.of(FLAT, DIFF)) {
      Path folder = deliverPackets("patched" + patched.hashCode(), Optional.of(patched));
      assertEquals(rewritten, runMain("Packets", folder, "-javaagent:" + agent));
    }
    Path compiled = deliverPackets("compiled", Optional.empty());
    String rules = "-javaagent:" + agent + "=rules=" + temporary.resolve("list");
    assertEquals(rewritten, runMain("Packets", compiled, rules));
    // What is specialized already is left as it is.
    assertEquals(rewritten, runMain("Packets", temporary.resolve("rewritten"), rules));
  }

  @Test
  void specializesAnyProgramAsItIsLoaded() throws Exception {
    Outcome rewritten = run(deliver("rewritten", REWRITTEN));
    Path compiled = deliver("compiled", DIFF);
    String rules = "=rules=" + list("pso-field\n");
    assertEquals(rewritten, runWithAgent(compiled, rules));
    for (Path file : List.copyOf(classFiles(compiled))) {
      Files.write(file, CodePatch.strip(Files.readAllBytes(file)));
    }
    assertEquals(rewritten, runWithAgent(compiled, rules));
    assertNotEquals(0, runWithAgent(compiled, "").exitCode());
  }

  private static List<Path> classFiles(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".class")).toList();
    }
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
    String rules = "rules=" + list("trust clock\n\npso-field\nclock/stopped\n");
    for (String options : List.of(rules + ",rule-path=" + jar, "rule-path=" + jar + "," + rules)) {
      Outcome outcome = runMain("Clocked", folder, "-javaagent:" + agent + "=" + options);
      assertEquals(new Outcome(0, "42\n"), outcome);
    }
    Outcome elsewhere = runMain("Clocked", folder, "-javaagent:" + agent + "=" + rules);
    assertNotEquals(0, elsewhere.exitCode());
    assertTrue(elsewhere.output().contains("rule-path= of the agent"), elsewhere.output());
  }

  @Test
  void failsToLoadAClassThatHasAProblemWithTheRules() throws Exception {
    Path compiled = deliverPackets("compiled", Optional.empty());
    String rules = "-javaagent:" + agent + "=rules=" + list("pso-field\n");
    Outcome outcome = runMain("Packets", compiled, rules);
    assertNotEquals(0, outcome.exitCode());
    assertTrue(outcome.output().contains("java.lang.ClassFormatError"), outcome.output());
    assertTrue(outcome.output().contains("Packets$Packet.version(Packets.java)"), outcome.output());
    assertTrue(outcome.output().contains("name it in a rule"), outcome.output());
  }

  private Outcome runMute(String first) throws Exception {
    Path folder = temporary.resolve("mute");
    Outside.compile(folder, "Mute", resource("Mute.java.txt"));
    String rules = "-javaagent:" + agent + "=rules=" + list("pso-field\n");
    return runMain("Mute", folder, "-Dfirst=" + first, rules);
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

  @Test
  void refusesToRunPatchedClassesWithoutTheAgent() throws Exception {
    Outcome outcome = run(deliver("diff", DIFF));
    assertNotEquals(0, outcome.exitCode());
    assertTrue(outcome.output().contains("UnspecializedClassException"), outcome.output());
    for (String way :
        List.of("tigris-specializer-maven-plugin", "tigris specialize", "-javaagent:", "=rules=")) {
      assertTrue(outcome.output().contains(way), outcome.output());
    }
  }

  /// Changes a byte of the patch, which is the last thing in the file.
  private static void tamper(Path classFile) throws IOException {
    byte[] bytes = Files.readAllBytes(classFile);
    bytes[bytes.length - 50] ^= 1;
    Files.write(classFile, bytes);
  }

  @Test
  void failsToLoadAClassWhosePatchDoesNotFit() throws Exception {
    Path folder = deliver("diff", DIFF);
    tamper(folder.resolve("Program$Uses.class"));
    Outcome outcome = runWithAgent(folder, "");
    assertNotEquals(0, outcome.exitCode());
    assertTrue(outcome.output().contains("java.lang.ClassFormatError"), outcome.output());
    assertTrue(outcome.output().contains("Program$Uses."), outcome.output());
    assertTrue(outcome.output().contains("run it again"), outcome.output());
    // Without checks of class files it loads, and can still not be used.
    Outcome unchecked = run(folder, "-XX:-BytecodeVerificationRemote", "-javaagent:" + agent);
    assertNotEquals(0, unchecked.exitCode());
    assertFalse(unchecked.output().endsWith("end\n"), unchecked.output());
  }

  @Test
  void runsSignedClassesWhereSignaturesAreRequired() throws Exception {
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    Path secret = pem("key.pem", "PRIVATE KEY", pair.getPrivate().getEncoded());
    String trust = "=trust=" + pem("key.pub", "PUBLIC KEY", pair.getPublic().getEncoded());
    Delivery signed = new Delivery.Patched(PatchKind.DIFF, Optional.of(PatchSigner.of(secret)));
    Outcome trusted = runWithAgent(deliver("signed", signed), trust);
    assertEquals(0, trusted.exitCode(), trusted.output());
    assertTrue(trusted.output().endsWith("end\n"), trusted.output());

    Outcome unsigned = runWithAgent(deliver("unsigned", DIFF), trust);
    assertNotEquals(0, unsigned.exitCode());
    assertTrue(unsigned.output().contains("is not signed"), unsigned.output());
    KeyPair stranger = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    Path other = pem("other.pub", "PUBLIC KEY", stranger.getPublic().getEncoded());
    Outcome strange = runWithAgent(temporary.resolve("signed"), "=trust=" + other);
    assertNotEquals(0, strange.exitCode());
    assertTrue(strange.output().contains("none of the trusted keys"), strange.output());
  }

  @Test
  void endsTheJvmOverOptionsThatItDoesNotKnow() throws Exception {
    Outcome typo = runWithAgent(deliver("diff", DIFF), "=thrust=key.pub");
    assertNotEquals(0, typo.exitCode());
    assertTrue(typo.output().contains("use trust=FILE"), typo.output());
    Outcome missing = runWithAgent(temporary.resolve("diff"), "=trust=/no/such/key");
    assertNotEquals(0, missing.exitCode());
    assertTrue(missing.output().contains("/no/such/key"), missing.output());
    Outcome wrong = runWithAgent(temporary.resolve("diff"), "=rules=" + list("pso-fields\n"));
    assertNotEquals(0, wrong.exitCode());
    assertTrue(wrong.output().contains("list:1:1: unknown rule 'pso-fields'"), wrong.output());
  }

  private Path pem(String name, String label, byte[] key) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key);
    return Files.writeString(
        temporary.resolve(name),
        "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(label, text));
  }
}
