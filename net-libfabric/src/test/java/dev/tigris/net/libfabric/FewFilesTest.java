// Over 400 lines: the many programs that run out of files, beside the tests that run them.
package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.memory.PageKind;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.net.testing.ClassFolder;
import dev.tigris.net.testing.OpenFiles;
import dev.tigris.os.PollSet;
import dev.tigris.os.SharedMemory;
import dev.tigris.os.SystemException;
import dev.tigris.os.UnixSocket;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
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

  /// What there is to be said while files are few. libfabric calls it an error of input and output,
  /// or says nothing at the side that has accepted.
  private static final Pattern SAID =
      Pattern.compile(
          ": connected$|oo many open files|Input/output error|detail=it has accepted, ");

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

  /// Shares buffers and frees them, more than it may have files open.
  static final class SharingAndFreeing {
    private SharingAndFreeing() {}

    public static void main(String[] arguments) {
      for (int i = 0; i < 2 * MOST_FILES; i++) {
        Jbuf jbuf = Jbuf.allocate(4096, "test", PageKind.SHARED);
        jbuf.asBytes().set(0, (byte) i);
        jbuf.unreference(Jbuf::free);
      }
    }
  }

  /// Makes a connection again and again, with one more file that can be opened each time, until
  /// that is enough; says what became of each attempt, and which files are open in the end.
  static final class OneMoreFile {
    private OneMoreFile() {}

    public static void main(String[] arguments) throws Exception {
      try (Fabric fabric = Fabric.open(arguments[0])) {
        System.out.println(attempt(fabric).getFirst()); // loads what is needed for that
        OpenFiles before = OpenFiles.now();
        List<String> said = List.of();
        for (int left = 0; !said.equals(List.of("connected")); left++) {
          List<FileInputStream> files = new ArrayList<>();
          try {
            while (true) {
              files.add(new FileInputStream("/dev/null"));
            }
          } catch (IOException noMore) {
            for (int i = 0; i < left; i++) {
              files.removeLast().close();
            }
          }
          said = attempt(fabric);
          for (FileInputStream each : files) {
            each.close();
          }
          System.out.println(left + " left: " + String.join("; ", said));
        }
        System.out.println(before.opened());
      }
    }

    /// What has failed at either side, and what became of the connection.
    private static List<String> attempt(Fabric fabric) throws Exception {
      List<String> said = new CopyOnWriteArrayList<>();
      FutureTask<Void> connecting = null;
      try (Listener listener = fabric.listen("127.0.0.1:0")) {
        String address = listener.address();
        connecting = new FutureTask<>(() -> connect(fabric, address, said), null);
        Thread.ofPlatform().start(connecting);
        while (!connecting.isDone()) {
          ConnectionRequest request = listener.next(Duration.ofMillis(10));
          if (request != null) {
            accept(fabric, request, said);
          }
        }
      } catch (NetException e) {
        said.add("listens: " + e.getMessage());
      }
      if (connecting != null) {
        connecting.get(); // the listener is closed, which ends an attempt that it could not hear of
      }
      return said;
    }

    private static void accept(Fabric fabric, ConnectionRequest request, List<String> said) {
      try (CompletionQueue queue = fabric.completionQueue()) {
        VirtualInterface peer = request.accept(queue, Attributes.DEFAULT);
        while (peer.state() == InterfaceState.CONNECTED) {
          Descriptor _ = queue.await(10_000_000L);
        }
      } catch (NetException e) {
        said.add("accepts: " + e.getMessage());
        try {
          request.reject();
        } catch (IllegalStateException answeredAlready) {
          // by the attempt to accept it
        }
      }
    }

    private static void connect(Fabric fabric, String address, List<String> said) {
      try (CompletionQueue queue = fabric.completionQueue()) {
        switch (fabric.connect(address, 7, queue, Attributes.DEFAULT, PATIENCE)) {
          case Connection.Refused refusal -> said.add(refusal.toString());
          case Connection.Established(VirtualInterface made) -> {
            said.add("connected");
            made.close();
          }
        }
      } catch (NetException e) {
        said.add("connects: " + e.getMessage());
      }
    }
  }

  /// Says who comes, and what fails, until it is killed.
  static final class Listening {
    private Listening() {}

    public static void main(String[] arguments) {
      try (Fabric fabric = Fabric.open("shm");
          Listener listener = fabric.listen("*")) {
        System.out.println(listener.address());
        while (true) {
          try {
            ConnectionRequest request = listener.next(PATIENCE);
            if (request != null) {
              System.out.println("asked by " + request.tag());
              request.reject();
            }
          } catch (NetException e) {
            System.out.println(e.getMessage());
          }
        }
      }
    }
  }

  /// Accepts a peer that lends memory when no more files can be opened, and says how it ends.
  static final class Borrowing {
    private Borrowing() {}

    public static void main(String[] arguments) throws Exception {
      List<FileInputStream> files = new ArrayList<>();
      try (Fabric fabric = Fabric.open("shm");
          CompletionQueue queue = fabric.completionQueue();
          Listener listener = fabric.listen("*")) {
        System.out.println(listener.address());
        VirtualInterface peer = listener.next(PATIENCE).accept(queue, Attributes.DEFAULT);
        Descriptor _ = queue.await(1);
        try {
          while (true) {
            files.add(new FileInputStream("/dev/null"));
          }
        } catch (IOException noMore) {
          System.out.println("full");
        }
        while (peer.state() == InterfaceState.CONNECTED) {
          Descriptor _ = queue.await(1_000_000_000L);
        }
        System.out.println(peer.failure());
        for (FileInputStream each : files) {
          each.close();
        }
      }
    }
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
        String.join(
            File.pathSeparator,
            jar(SystemException.class),
            jar(Jbuf.class),
            jar(Fabric.class),
            jar(OpenFiles.class),
            jar(LibfabricProvider.class),
            jar(Child.class)));
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

  @Test
  void sharesAgainWithTheFilesOfBuffersThatAreFree() throws Exception {
    Process child = start(SharingAndFreeing.class);
    List<String> said = child.inputReader(StandardCharsets.UTF_8).lines().toList();
    assertEquals(0, child.waitFor(), said.toString());
  }

  /// Not over libfabric's connected endpoints: without files it forgets a socket now and then, or
  /// to tell a peer that it was rejected.
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "uring", "shm", "libfabric-rdm"})
  void saysWhatIsMissingWhicheverFileItIsAndKeepsNone(String provider) throws Exception {
    try (Fabric fabric = Fabric.open(provider)) {
      assertEquals(provider, fabric.provider());
    } catch (NetException e) {
      abort(e.getMessage());
    }
    Process child = start(OneMoreFile.class, provider);
    List<String> said = child.inputReader(StandardCharsets.UTF_8).lines().toList();
    assertEquals(0, child.waitFor(), String.join("\n", said));
    assertEquals("connected", said.getFirst());
    assertEquals("[]", said.getLast(), String.join("\n", said));
    for (String attempt : said.subList(1, said.size() - 1)) {
      assertTrue(SAID.matcher(attempt).find(), attempt);
      assertFalse(attempt.contains("it did not answer in time"), attempt);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "uring"})
  void thoseWhoSayNothingKeepNobodyOut(String provider) throws Exception {
    assumeTrue(
        !provider.equals("uring") || Fabric.provider("uring").obstacle().isEmpty(),
        "io_uring is not allowed here");
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

  /// The limit is lowered below the files that are open, and not below their number that are waited
  /// for together: a place that is kept for memory is no use.
  @Test
  void whoeverLosesItsMemoryIsSentAwayAlone() throws Exception {
    List<UnixSocket> silent = new ArrayList<>();
    Process child = start(Listening.class);
    try (BufferedReader output = child.inputReader(StandardCharsets.UTF_8);
        Fabric fabric = Fabric.open("shm");
        CompletionQueue queue = fabric.completionQueue();
        SharedMemory memory = SharedMemory.create("tigris-test", 4096)) {
      String address = output.readLine();
      for (int i = 0; i < 17; i++) {
        silent.add(UnixSocket.connect("tigris/%d/%s".formatted(UnixSocket.user(), address)));
      }
      Connection _ = fabric.connect(address, 1, queue, Attributes.DEFAULT, PATIENCE);
      assertEquals("asked by 1", output.readLine()); // so all others were let in before
      limitFiles(child, 24);
      try (UnixSocket loser = silent.removeLast()) {
        loser.send(Hello.request(2, Attributes.DEFAULT).toBytes(), memory.file());
        awaitAnything(loser);
        assertEquals(0, loser.receive().bytes().remaining());
      }
      limitFiles(child, MOST_FILES);
      Connection _ = fabric.connect(address, 3, queue, Attributes.DEFAULT, PATIENCE);
      assertEquals("asked by 3", output.readLine());
      for (UnixSocket each : silent) {
        assertNull(each.receive(), "it was closed too");
      }
    } finally {
      silent.forEach(UnixSocket::close);
      child.destroyForcibly();
    }
  }

  private static void limitFiles(Process process, int files) throws Exception {
    List<String> command =
        List.of("prlimit", "--pid", Long.toString(process.pid()), "--nofile=" + files + ":");
    assumeTrue(new ProcessBuilder(command).inheritIO().start().waitFor() == 0, "needs prlimit");
  }

  private static void awaitAnything(UnixSocket socket) throws SystemException {
    try (PollSet set = new PollSet()) {
      set.add(socket.file());
      set.await(PATIENCE.toNanos());
    }
  }

  @Test
  void saysWhichLimitKeepsItFromBorrowing() throws Exception {
    Process child = start(Borrowing.class);
    try (BufferedReader output = child.inputReader(StandardCharsets.UTF_8);
        Fabric fabric = Fabric.open("shm");
        CompletionQueue queue = fabric.completionQueue()) {
      Connection made = fabric.connect(output.readLine(), 7, queue, Attributes.DEFAULT, PATIENCE);
      VirtualInterface peer = made.get();
      assertEquals("full", output.readLine());
      Bytes lent = Jbuf.allocate(4096, "test", PageKind.SHARED).asBytes();
      peer.deregister(peer.register(lent));
      while (peer.state() == InterfaceState.CONNECTED) {
        Descriptor _ = queue.await(1_000_000_000L);
      }
      String said = output.readLine();
      assertTrue(said.contains("ulimit -n"), said);
      assertFalse(said.contains("protocol"), said);
    } finally {
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
