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
import dev.tigris.os.PollSet;
import dev.tigris.os.SharedMemory;
import dev.tigris.os.SystemException;
import dev.tigris.os.UnixSocket;
import dev.tigris.testing.Slow;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jars;
import dev.tigris.testing.process.Jvm;
import dev.tigris.testing.process.OpenFiles;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
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
  static final class Accepting {
    private Accepting() {}

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

  /// The classes lie in jars, which are open already: each of those in a folder needs a file to be
  /// loaded.
  private Command command(Class<?> main, String... arguments) throws IOException {
    List<Path> jars = new ArrayList<>();
    for (Class<?> type :
        List.of(
            SystemException.class,
            Jbuf.class,
            Fabric.class,
            OpenFiles.class,
            LibfabricProvider.class,
            Accepting.class)) {
      jars.add(Jars.pack(Jvm.location(type), folder.resolve(type.getSimpleName() + ".jar")));
    }
    return Jvm.onClassPath(main.getName(), jars.toArray(Path[]::new))
        .quick()
        .command(arguments)
        .after("ulimit -n " + MOST_FILES);
  }

  @Test
  void saysWhatToDoWhenNoMoreBuffersCanBeShared() throws Exception {
    List<String> said = command(Sharing.class).run().expect(0).lines();
    assertTrue(said.getLast().contains("oo many open files"), said.toString());
    assertTrue(said.getLast().contains("ulimit -n"), said.toString());
  }

  @Test
  void sharesAgainWithTheFilesOfBuffersThatAreFree() throws Exception {
    assertEquals("", command(SharingAndFreeing.class).output());
  }

  /// Not over libfabric's connected endpoints: without files it forgets a socket now and then, or
  /// to tell a peer that it was rejected.
  @Test
  @Slow("each file of many is the missing one once: seconds")
  void saysWhatIsMissingWhicheverFileOfDatagramsItIsAndKeepsNone() throws Exception {
    saysWhatIsMissingWhicheverFileItIsAndKeepsNone("libfabric-rdm");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "uring", "shm"})
  void saysWhatIsMissingWhicheverFileItIsAndKeepsNone(String provider) throws Exception {
    try (Fabric fabric = Fabric.open(provider)) {
      assertEquals(provider, fabric.provider());
    } catch (NetException e) {
      abort(e.getMessage());
    }
    List<String> said = command(OneMoreFile.class, provider).run().expect(0).lines();
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
    try (Child child = command(Accepting.class, provider).start();
        Fabric fabric = Fabric.open(provider);
        CompletionQueue queue = fabric.completionQueue()) {
      String address = child.nextLine();
      assertNotNull(address);
      InetSocketAddress listens = TcpAddress.parse(address);
      for (int i = 0; i < 2 * MOST_FILES; i++) {
        silent.add(new Socket(listens.getAddress(), listens.getPort()));
      }
      Connection made = fabric.connect(address, 7, queue, Attributes.DEFAULT, PATIENCE);
      child.expectLine("accepted 7");
      assertInstanceOf(Connection.Established.class, made).virtualInterface().close();
      assertEquals(0, child.exitCode());
    } finally {
      for (Socket each : silent) {
        each.close();
      }
    }
  }

  /// The limit is lowered below the files that are open, and not below their number that are waited
  /// for together: a place that is kept for memory is no use.
  @Test
  void whoeverLosesItsMemoryIsSentAwayAlone() throws Exception {
    List<UnixSocket> silent = new ArrayList<>();
    try (Child child = command(Listening.class).start();
        Fabric fabric = Fabric.open("shm");
        CompletionQueue queue = fabric.completionQueue();
        SharedMemory memory = SharedMemory.create("tigris-test", 4096)) {
      String address = child.nextLine();
      for (int i = 0; i < 17; i++) {
        silent.add(UnixSocket.connect("tigris/%d/%s".formatted(UnixSocket.user(), address)));
      }
      Connection _ = fabric.connect(address, 1, queue, Attributes.DEFAULT, PATIENCE);
      child.expectLine("asked by 1"); // so all others were let in before
      limitFiles(child, 24);
      try (UnixSocket loser = silent.removeLast()) {
        loser.send(Hello.request(2, Attributes.DEFAULT).toBytes(), memory.file());
        awaitAnything(loser);
        assertEquals(0, loser.receive().bytes().remaining());
      }
      limitFiles(child, MOST_FILES);
      Connection _ = fabric.connect(address, 3, queue, Attributes.DEFAULT, PATIENCE);
      child.expectLine("asked by 3");
      for (UnixSocket each : silent) {
        assertNull(each.receive(), "it was closed too");
      }
    } finally {
      silent.forEach(UnixSocket::close);
    }
  }

  private static void limitFiles(Child child, int files) {
    String limit = "--nofile=" + files + ":";
    Needs.command("needs prlimit", Command.of("prlimit", "--pid", "" + child.pid(), limit));
  }

  private static void awaitAnything(UnixSocket socket) throws SystemException {
    try (PollSet set = new PollSet()) {
      set.add(socket.file());
      set.await(PATIENCE.toNanos());
    }
  }

  @Test
  void saysWhichLimitKeepsItFromBorrowing() throws Exception {
    try (Child child = command(Borrowing.class).start();
        Fabric fabric = Fabric.open("shm");
        CompletionQueue queue = fabric.completionQueue()) {
      Connection made = fabric.connect(child.nextLine(), 7, queue, Attributes.DEFAULT, PATIENCE);
      VirtualInterface peer = made.get();
      child.expectLine("full");
      Bytes lent = Jbuf.allocate(4096, "test", PageKind.SHARED).asBytes();
      peer.deregister(peer.register(lent));
      while (peer.state() == InterfaceState.CONNECTED) {
        Descriptor _ = queue.await(1_000_000_000L);
      }
      String said = child.nextLine();
      assertTrue(said.contains("ulimit -n"), said);
      assertFalse(said.contains("protocol"), said);
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
    List<String> said = command(Exhausted.class, provider, nobody).run().expect(0).lines();
    assertTrue(said.getFirst().startsWith("NOBODY_LISTENS: "), said.toString());
    assertTrue(said.getLast().startsWith("failed: "), said.toString());
    assertTrue(said.getLast().contains("oo many open files"), said.toString());
  }
}
