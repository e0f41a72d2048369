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
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.Collections;
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
    Path diff = deliver("diff", Deliveries.DIFF);
    List<Path> folders = List.of(deliver("flat", Deliveries.FLAT), diff, rewritten);
    assertEquals(
        Collections.nCopies(3, expected.output()),
        deliveries.runEachWithAgent("Program", folders, ""));
    assertEquals(expected, runWithAgent(diff, "="), "no options at all");
  }

  /// The jar is all that it needs.
  @Test
  void specializesByTheJarAlone() throws Exception {
    Path folder = temporary.resolve("by-the-jar");
    Outside.copy(compiled, folder);
    String printed =
        Command.of(Jvm.tool("java"), "-jar", agent.toString(), folder.toString()).output();
    assertTrue(printed.contains("accesses replaced"), printed);
    assertEquals(expected, run(folder));
  }

  /// It knows tables, lists and arrays by their names only, and that they have an identity.
  @Test
  void specializesFieldsOfTablesByTheJarAlone() throws Exception {
    Path folder = temporary.resolve("shelves");
    Outside.compile(
        folder,
        "Shelf",
        """
        import dev.tigris.memory.*;

        public class Shelf extends Pso {
          static class Book extends Pso {
            long pages;
            Book(Container container) { super(container); }
          }

          PsoTable<Book> table;
          PsoList<Book> list;
          PsoArray numbers;

          Shelf(Container container) { super(container); }

          public static void main(String[] arguments) {
            Container container = Jbuf.allocate(1 << 16).asContainer();
            Shelf shelf = new Shelf(container);
            shelf.table = new PsoTable<>(container, Book.class, 4);
            shelf.list = new PsoList<>(container, Book.class, 4);
            shelf.table.add().pages = 7;
            shelf.list.add(shelf.table.get(0));
            System.out.println(shelf.list.get(0).pages + " " + shelf.numbers);
          }
        }
        """);
    Command.of(Jvm.tool("java"), "-jar", agent.toString(), folder.toString()).output();
    assertEquals(new Outcome(0, "7 null\n"), deliveries.run("Shelf", folder));
  }

  @Test
  void saysInALineWhatIsWrongWithItsOptions() throws Exception {
    assertEquals(
        new Outcome(1, "tigris agent: trust= has no value: name a file\n"),
        runWithAgent(rewritten, "=trust="));
    assertEquals(
        new Outcome(1, "tigris agent: trust=/no/such/key: there is no '/no/such/key'\n"),
        runWithAgent(rewritten, "=trust=/no/such/key"));
  }

  @Test
  void specializesAnyProgramAsItIsLoaded() throws Exception {
    Path patched = deliver("patched", Deliveries.DIFF);
    Path stripped = deliver("stripped", Deliveries.DIFF);
    for (Path file : List.copyOf(classFiles(stripped))) {
      Files.write(file, CodePatch.strip(Files.readAllBytes(file)));
    }
    String rules = "=rules=" + deliveries.list("pso-field\n");
    assertEquals(
        Collections.nCopies(2, expected.output()),
        deliveries.runEachWithAgent("Program", List.of(patched, stripped), rules));
    assertEquals(expected, runWithAgent(stripped, ""));
    assertNotEquals(0, runWithAgent(stripped, "=rules=none").exitCode());
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
        List.of("tigris-specializer-maven-plugin", "tigris specialize", "-javaagent:")) {
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
    List<Path> folders = List.of(deliver("signed", signed), deliver("unsigned", Deliveries.DIFF));
    List<String> printed = deliveries.runEachWithAgent("Program", folders, trust);
    assertEquals(expected.output(), printed.getFirst());
    assertTrue(printed.getLast().contains("java.lang.ClassFormatError"), printed.getLast());
    assertTrue(printed.getLast().contains("is not signed"), printed.getLast());
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
