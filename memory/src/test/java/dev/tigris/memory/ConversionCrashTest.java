package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import dev.tigris.testing.Wait;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// A file whose converter is killed is the old one, to the byte, or the new one.
class ConversionCrashTest {
  private static final int NODES = 200_000;
  private static final int KILLS = Tier.choose(2, 6, 200);

  private static final String APP =
      """
      import dev.tigris.memory.*;
      import dev.tigris.memory.schema.*;
      import java.nio.file.Path;
      public class App {
        public static void main(String[] arguments) throws Exception {
          Path file = Path.of(arguments[0]);
          Jbuf jbuf = Jbuf.map(file, Mapping.SHARED, 64 + 24 * %1$d, Schema.of(Node.class));
          Container container = jbuf.asContainer();
          if (container.root(Node.class) == null) {
            Node first = null;
            for (int number = %1$d; number > 0; number--) {
              Node node = new Node(container);
              node.number = number; node.next = first;
              first = node;
            }
            container.root(first);
            jbuf.flush();
          }
          long sum = 0;
          for (Node node = container.root(Node.class); node != null; node = node.next) {
            sum += node.number;
          }
          System.out.println(sum);
        }
      }
      """
          .formatted(NODES);

  @TempDir private Path folder;

  private Path version(String name, String type, String more) throws Exception {
    Path classes = folder.resolve(name);
    String node =
        """
        import dev.tigris.memory.*;
        public class Node extends Pso {
          public %s number; public Node next;%s
          public Node(Container container) { super(container); }
        }
        """
            .formatted(type, more);
    Outside.compile(classes, "Node", node, classes);
    Outside.compile(classes, "App", APP, classes);
    Outside.specialize(classes);
    return classes;
  }

  private static void assertPrintsTheSum(Path version, Path file) throws Exception {
    assertPrintsTheSum(Outside.command(List.of(), List.of("App", file.toString()), version));
  }

  private static void assertPrintsTheSum(Command app) {
    assertEquals(NODES * (NODES + 1L) / 2 + "\n", app.errorsApart().output());
  }

  @Test
  @Slow("compiles two programs")
  @EnabledOnOs(OS.LINUX)
  void convertsInAFolderThatMayNotBeRead() throws Exception {
    Needs.root("a process that is bound by permissions");
    Path older = version("older", "int", "");
    Path newer = version("newer", "long", " public double price;");
    Path closed = Files.createDirectory(folder.resolve("closed"));
    List<String> app = List.of("App", closed.resolve("nodes").toString());
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("-wx------"));
    assertPrintsTheSum(Outside.command(List.of(), app, older).bound());
    assertPrintsTheSum(Outside.command(List.of(), app, newer).bound());
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
    try (Stream<Path> left = Files.list(closed)) {
      assertEquals(
          List.of("nodes", "nodes.journal"),
          left.map(each -> each.getFileName().toString()).sorted().toList());
    }
  }

  @Test
  @EveryTier("kills: 2, 6, 200")
  void leavesTheOldFileOrTheNewOneWhenItIsKilled() throws Exception {
    Path older = version("older", "int", "");
    Path newer = version("newer", "long", " public double price;");
    Path file = folder.resolve("nodes");
    assertPrintsTheSum(older, file);
    byte[] old = Files.readAllBytes(file);
    Set<PosixFilePermission> mine = PosixFilePermissions.fromString("rw-------");
    Files.setPosixFilePermissions(file, mine);
    Path unfinished = folder.resolve(".nodes.converting");
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int interrupted = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      try (Child converter =
          Outside.command(List.of(), List.of("App", file.toString()), newer).start()) {
        Wait.until("it converts, or has", () -> Files.exists(unfinished) || !converter.isAlive());
        boolean _ = converter.endsWithin(Duration.ofNanos(random.nextInt(20_000_000)));
        converter.kill();
      }
      if (Files.exists(unfinished)) {
        interrupted++;
        assertArrayEquals(old, Files.readAllBytes(file), "seed " + seed);
        assertEquals(mine, Files.getPosixFilePermissions(unfinished));
      }
      assertPrintsTheSum(newer, file);
      assertFalse(Files.exists(unfinished), "seed " + seed);
      assertEquals(mine, Files.getPosixFilePermissions(file));
      Files.write(file, old);
    }
    System.out.printf("%d of %d kills left a conversion unfinished%n", interrupted, KILLS);
    assertTrue(interrupted > 0, "no conversion was interrupted");
  }
}
