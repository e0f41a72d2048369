package dev.tigris.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.memory.PageKind;
import dev.tigris.net.socket.TcpAddress;
import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A listener in a process that may open few files, and peers that connect and say nothing until
/// there are no more: they keep nobody else out.
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FewFilesTest {
  private static final int MOST_FILES = 200;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /// Accepts one peer, and says at which address, and with which tag it has come.
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) {
      try (Fabric fabric = Fabric.open(arguments[0]);
          CompletionQueue queue = fabric.completionQueue();
          Listener listener = fabric.listen("127.0.0.1:0")) {
        System.out.println(listener.address());
        ConnectionRequest request = listener.next(PATIENCE);
        if (request == null) {
          throw new IllegalStateException("nobody has come");
        }
        VirtualInterface peer = request.accept(queue, Attributes.DEFAULT);
        System.out.println("accepted " + request.tag());
        while (peer.state() == InterfaceState.CONNECTED) {
          Descriptor _ = queue.await(1_000_000_000L);
        }
      }
    }
  }

  /// Says what becomes of connecting when no more files can be opened.
  static final class Exhausted {
    private Exhausted() {}

    public static void main(String[] arguments) throws Exception {
      String address = arguments[1];
      List<FileInputStream> files = new ArrayList<>();
      try (Fabric fabric = Fabric.open(arguments[0]);
          CompletionQueue queue = fabric.completionQueue()) {
        System.out.println(outcome(fabric, queue, address)); // loads what is needed for that
        try {
          while (true) {
            files.add(new FileInputStream("/dev/null"));
          }
        } catch (IOException noMore) {
          System.out.println(outcome(fabric, queue, address));
        }
        for (FileInputStream each : files) {
          each.close();
        }
      }
    }

    private static String outcome(Fabric fabric, CompletionQueue queue, String address) {
      try {
        return switch (fabric.connect(address, 7, queue, Attributes.DEFAULT, PATIENCE)) {
          case Connection.Refused(Connection.Reason reason, String _, String detail) ->
              reason + ": " + detail;
          case Connection.Established _ -> "connected";
        };
      } catch (NetException e) {
        return "failed: " + e.getMessage();
      }
    }
  }

  /// Says what becomes of a shared buffer when no more files can be opened.
  static final class Sharing {
    private Sharing() {}

    public static void main(String[] arguments) {
      try {
        while (true) {
          HELD.add(Jbuf.allocate(4096, "test", PageKind.SHARED));
        }
      } catch (MemoryBudgetException e) {
        System.out.println(e.getMessage());
      }
    }

    private static final List<Jbuf> HELD = new ArrayList<>();
  }

  @TempDir Path folder;

  /// Classes in a jar, which is open already: each of those in a folder needs a file to be loaded.
  private String jar(Class<?> of) throws Exception {
    String classes = ClassFolder.of(of);
    if (Files.isRegularFile(Path.of(classes))) {
      return classes;
    }
    Path jar = folder.resolve(of.getSimpleName() + ".jar");
    String tool = Path.of(System.getProperty("java.home"), "bin", "jar").toString();
    Process packing =
        new ProcessBuilder(tool, "--create", "--file", jar.toString(), "-C", classes, ".")
            .inheritIO()
            .start();
    assertEquals(0, packing.waitFor());
    return jar.toString();
  }

  private Process start(Class<?> main, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("sh", "-c"));
    command.add("ulimit -n %d && exec \"$@\"".formatted(MOST_FILES));
    command.add("sh");
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:-UsePerfData", "-cp"));
    command.add(
        String.join(File.pathSeparator, jar(Jbuf.class), jar(Fabric.class), jar(Child.class)));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  @Test
  void saysWhatToDoWhenNoMoreBuffersCanBeShared() throws Exception {
    Process child = start(Sharing.class);
    List<String> said = child.inputReader(StandardCharsets.UTF_8).lines().toList();
    assertEquals(0, child.waitFor(), said.toString());
    assertTrue(said.getLast().contains("oo many open files"), said.toString());
    assertTrue(said.getLast().contains("ulimit -n"), said.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "uring"})
  void thoseWhoSayNothingKeepNobodyOut(String provider) throws Exception {
    assumeTrue(!provider.equals("uring") || UringTest.isAllowed(), "io_uring is not allowed here");
    List<Socket> silent = new ArrayList<>();
    Process child = start(Child.class, provider);
    try (BufferedReader output = child.inputReader(StandardCharsets.UTF_8);
        Fabric fabric = Fabric.open(provider);
        CompletionQueue queue = fabric.completionQueue()) {
      String address = output.readLine();
      assertNotNull(address);
      InetSocketAddress listens = TcpAddress.parse(address);
      for (int i = 0; i < 2 * MOST_FILES; i++) {
        silent.add(new Socket(listens.getAddress(), listens.getPort()));
      }
      Connection made = fabric.connect(address, 7, queue, Attributes.DEFAULT, PATIENCE);
      assertEquals("accepted 7", output.readLine());
      assertInstanceOf(Connection.Established.class, made).virtualInterface().close();
      assertEquals(0, child.waitFor());
    } finally {
      for (Socket each : silent) {
        each.close();
      }
      child.destroyForcibly();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "uring", "shm", "libfabric", "libfabric-rdm"})
  void saysThatTooManyFilesAreOpenAndNotThatNobodyListens(String provider) throws Exception {
    String nobody;
    try (Fabric fabric = Fabric.open(provider);
        Listener gone = fabric.listen("127.0.0.1:0")) {
      nobody = gone.address();
    } catch (NetException e) {
      abort(e.getMessage());
      return;
    }
    Process child = start(Exhausted.class, provider, nobody);
    List<String> said = child.inputReader(StandardCharsets.UTF_8).lines().toList();
    assertEquals(0, child.waitFor(), said.toString());
    assertTrue(said.getFirst().startsWith("NOBODY_LISTENS: "), said.toString());
    assertTrue(said.getLast().startsWith("failed: "), said.toString());
    assertTrue(said.getLast().contains("oo many open files"), said.toString());
  }
}
