package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.Provider;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Providers that an application adds, good ones and others.
class ProvidersTest {
  @TempDir private Path folder;

  /// One that can be loaded.
  public static class Added implements Provider {
    @Override
    public String name() {
      return "added";
    }

    @Override
    public Kind kind() {
      return Kind.SOCKET;
    }

    @Override
    public Optional<String> obstacleTo(String host) {
      return Optional.empty();
    }

    @Override
    public Carrier open() {
      throw new NetException("open", name(), "it is a test", null);
    }
  }

  /// Has a name that is taken.
  public static final class Twin extends Added {
    @Override
    public String name() {
      return "tcp";
    }
  }

  /// Cannot be made.
  public static final class Broken extends Added {
    /// Fails.
    public Broken() {
      throw new IllegalStateException("no driver");
    }
  }

  /// Can be made, and fails when it is asked.
  public static final class Throwing extends Added {
    @Override
    public String name() {
      return "throwing";
    }

    @Override
    public Optional<String> obstacleTo(String host) {
      throw new IllegalStateException("no idea");
    }
  }

  /// Adds these to the class path of the test while it looks.
  private <T> T with(List<String> classes, Callable<T> look) throws Exception {
    Path services = folder.resolve("META-INF/services/" + Provider.class.getName());
    Files.createDirectories(services.getParent());
    Files.write(services, classes);
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader added = new URLClassLoader(new URL[] {folder.toUri().toURL()}, before)) {
      thread.setContextClassLoader(added);
      return look.call();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private List<Fabric.Candidate> candidates(String... classes) throws Exception {
    return with(List.of(classes), () -> Fabric.candidates("127.0.0.1"));
  }

  private static Fabric.Candidate of(List<Fabric.Candidate> all, Class<?> implementation) {
    return all.stream()
        .filter(each -> each.implementation().equals(implementation.getName()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void findsWhatAnApplicationAdds() throws Exception {
    assertEquals(Optional.empty(), of(candidates(Added.class.getName()), Added.class).obstacle());
    Provider found = with(List.of(Added.class.getName()), () -> Fabric.provider("added"));
    assertEquals(Added.class, found.getClass());
  }

  /// Cannot be opened, although nothing keeps it from that.
  public static final class Vain extends Added {
    @Override
    public String name() {
      return "vain";
    }

    @Override
    public int rank() {
      return Integer.MAX_VALUE;
    }

    @Override
    public Kind kind() {
      return Kind.MEMORY;
    }
  }

  @Test
  void opensTheNextOneWhereTheBestCannotBeOpened() throws Exception {
    List<String> classes = List.of(Vain.class.getName());
    assertEquals("vain", candidates(Vain.class.getName()).getFirst().name());
    try (Fabric best = with(classes, () -> Fabric.best("127.0.0.1"))) {
      assertNotEquals("vain", best.provider());
    }
  }

  @Test
  void tellsOfASecondProviderOfOneName() throws Exception {
    Fabric.Candidate second = candidates(Twin.class.getName()).getLast();
    assertEquals("tcp", second.name());
    assertEquals(Twin.class.getName(), second.implementation());
    String first = "dev.tigris.net.tcp.TcpProvider";
    assertTrue(second.obstacle().orElseThrow().startsWith(first), second::toString);
    Provider used = with(List.of(Twin.class.getName()), () -> Fabric.provider("tcp"));
    assertEquals(first, used.getClass().getName());
  }

  @Test
  void tellsOfProvidersThatCannotBeLoaded() throws Exception {
    List<String> classes =
        List.of("org.example.Absent", Broken.class.getName(), Added.class.getName());
    List<Fabric.Candidate> all = candidates(classes.toArray(String[]::new));
    String broken = of(all, Broken.class).obstacle().orElseThrow();
    assertTrue(broken.contains("cannot be loaded") && broken.contains("no driver"), broken);
    assertTrue(
        all.stream().anyMatch(each -> each.obstacle().orElse("").contains("org.example.Absent")),
        all::toString);
    assertEquals(Optional.empty(), of(all, Added.class).obstacle());
    String refusal =
        with(
            classes,
            () ->
                assertThrows(IllegalArgumentException.class, () -> Fabric.provider("broken"))
                    .getMessage());
    assertTrue(refusal.contains("no driver") && refusal.contains("added"), refusal);
  }

  @Test
  void doesNotUseAProviderThatThrowsWhenItIsAsked() throws Exception {
    List<Fabric.Candidate> all = candidates(Throwing.class.getName());
    String why = of(all, Throwing.class).obstacle().orElseThrow();
    assertTrue(why.contains("no idea"), why);
  }
}
