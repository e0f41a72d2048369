package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.specializer.Delivery;
import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Our agent beside one that rewrites all classes of the application too: JaCoCo's, which counts
/// what is run.
class OtherAgentsTest {
  private static final String OBJECT =
      """
      import dev.tigris.memory.*;
      public class Node extends Pso {
        public int number; public double price; public Node next;
        public Node(Container container) { super(container); }
      }
      """;

  private static final String PROGRAM =
      """
      import dev.tigris.memory.*;
      public class Main {
        public static void main(String[] arguments) {
          Jbuf jbuf = Jbuf.allocate(4096);
          Container container = jbuf.asContainer();
          Node first = null;
          for (int number = 1; number <= 100; number++) {
            Node node = new Node(container);
            node.number = number; node.price += 0.5; node.next = first;
            first = node;
          }
          double sum = 0;
          for (Node node = first; node != null; node = node.next) { sum += node.number * node.price; }
          System.out.println(sum + " in " + container.usedBytes());
        }
      }
      """;

  private static final String PRINTED = "2525.0 in 2464\n";

  @TempDir private static Path common;
  private static Path compiled;
  private static String ours;

  @TempDir private Path temporary;
  private Path classes;
  private Path counts;
  private String jacoco;

  @BeforeAll
  static void compile() throws IOException {
    compiled = common.resolve("classes");
    Outside.compile(compiled, Map.of("Node", OBJECT, "Main", PROGRAM));
    ours = "-javaagent:" + Outside.agent(common);
  }

  @BeforeEach
  void copy() throws Exception {
    classes = temporary.resolve("classes");
    Outside.copy(compiled, classes);
    counts = temporary.resolve("counts");
    Path jar = Jvm.location(Class.forName("org.jacoco.agent.rt.RT"));
    jacoco = "-javaagent:%s=destfile=%s,output=file".formatted(jar, counts);
  }

  private void requireBothWork(String... agents) throws Exception {
    Files.deleteIfExists(counts);
    Outside.Outcome outcome = Outside.run(Outside.quick(agents), List.of("Main"), classes);
    assertEquals(new Outside.Outcome(0, PRINTED), outcome);
    String counted = Files.readString(counts, StandardCharsets.ISO_8859_1);
    assertTrue(counted.contains("Main") && counted.contains("Node"), "JaCoCo saw no classes");
  }

  @Test
  void specializesBeforeAndBehindAnother() throws Exception {
    Path list = Files.writeString(temporary.resolve("list"), "pso-field\n");
    String rules = ours + "=rules=" + list;
    requireBothWork(rules, jacoco);
    requireBothWork(jacoco, rules);
  }

  @Test
  void leavesRewrittenClassesToAnother() throws Exception {
    Outside.specialize(classes);
    requireBothWork(jacoco);
    requireBothWork(ours, jacoco);
    requireBothWork(jacoco, ours);
  }

  @Test
  void appliesPatchesBeforeAnotherAndRefusesThemBehindIt() throws Exception {
    Outside.specialize(new Delivery.Patched(PatchKind.DIFF, Optional.empty()), classes);
    requireBothWork(ours, jacoco);
    Outside.Outcome behind = Outside.run(Outside.quick(jacoco, ours), List.of("Main"), classes);
    assertNotEquals(0, behind.exitCode());
    String refusal = "Main.main(String[])void: a tool has changed the class";
    assertTrue(behind.output().contains(refusal), behind.output());
  }
}
