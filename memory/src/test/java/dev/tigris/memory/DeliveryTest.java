package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Outside.Outcome;
import dev.tigris.specializer.Delivery;
import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.specializer.patch.PatchSigner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// One program, delivered in every way, in a plain `java` with the agent as a user has it.
class DeliveryTest {
  /// The program as it was compiled, the agent, and what the rewritten program prints.
  @TempDir private static Path common;

  private static Path compiled;
  private static Path agent;
  private static Path rewritten;
  private static Outcome expected;

  @TempDir private Path temporary;
  private Deliveries deliveries;

  @BeforeAll
  static void compile() throws IOException {
    compiled = common.resolve("compiled");
    String many = "a.big += b.count; b.count ^= a.tiny;\n".repeat(100);
    String source = Deliveries.resource("Program.java.txt").replace("LONG", many);
    Outside.compile(compiled, "Program", source);
    agent = Outside.agent(common);
    rewritten = common.resolve("rewritten");
    Outside.copy(compiled, rewritten);
    Outside.specialize(Deliveries.REWRITTEN, rewritten);
    expected = new Deliveries(common, agent).run("Program", rewritten);
    assertEquals(0, expected.exitCode(), expected.output());
    assertTrue(expected.output().endsWith("end\n"), expected.output());
  }

  @BeforeEach
  void useOwnFolder() {
    deliveries = new Deliveries(temporary, agent);
  }

  /// The program's classes, delivered to a folder of their own.
  private Path deliver(String name, Delivery delivery) throws IOException {
    Path folder = temporary.resolve(name);
    Outside.copy(compiled, folder);
    Outside.specialize(delivery, folder);
    return folder;
  }

  private Outcome run(Path folder, String... options) {
    return deliveries.run("Program", folder, options);
  }

  private Outcome runWithAgent(Path folder, String options) {
    return deliveries.runWithAgent("Program", folder, options);
  }

  @Test
  void doesTheSameHoweverItIsDelivered() throws Exception {
    assertEquals(expected, runWithAgent(deliver("flat", Deliveries.FLAT), ""));
    assertEquals(expected, runWithAgent(deliver("diff", Deliveries.DIFF), ""));
    assertEquals(expected, runWithAgent(rewritten, ""));
  }

  @Test
  void saysInALineWhatIsWrongWithItsOptions() throws Exception {
    Path folder = deliver("patched", Deliveries.FLAT);
    assertEquals(0, runWithAgent(folder, "=").exitCode(), "no options at all");
    assertEquals(
        new Outcome(1, "tigris agent: trust= has no value: name a file\n"),
        runWithAgent(folder, "=trust="));
    assertEquals(
        new Outcome(1, "tigris agent: trust=/no/such/key: there is no '/no/such/key'\n"),
        runWithAgent(folder, "=trust=/no/such/key"));
  }

  @Test
  void specializesAnyProgramAsItIsLoaded() throws Exception {
    Path folder = deliver("patched", Deliveries.DIFF);
    String rules = "=rules=" + deliveries.list("pso-field\n");
    assertEquals(expected, runWithAgent(folder, rules));
    for (Path file : List.copyOf(classFiles(folder))) {
      Files.write(file, CodePatch.strip(Files.readAllBytes(file)));
    }
    assertEquals(expected, runWithAgent(folder, rules));
    assertNotEquals(0, runWithAgent(folder, "").exitCode());
  }

  private static List<Path> classFiles(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".class")).toList();
    }
  }

  @Test
  void refusesToRunPatchedClassesWithoutTheAgent() throws Exception {
    Outcome outcome = run(deliver("diff", Deliveries.DIFF));
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
    Path folder = deliver("diff", Deliveries.DIFF);
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

    Outcome unsigned = runWithAgent(deliver("unsigned", Deliveries.DIFF), trust);
    assertNotEquals(0, unsigned.exitCode());
    assertTrue(unsigned.output().contains("is not signed"), unsigned.output());
    KeyPair stranger = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    Path other = pem("other.pub", "PUBLIC KEY", stranger.getPublic().getEncoded());
    Outcome strange = runWithAgent(temporary.resolve("signed"), "=trust=" + other);
    assertNotEquals(0, strange.exitCode());
    assertTrue(strange.output().contains("none of the trusted keys"), strange.output());
  }

  private Path pem(String name, String label, byte[] key) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key);
    return Files.writeString(
        temporary.resolve(name),
        "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(label, text));
  }
}
