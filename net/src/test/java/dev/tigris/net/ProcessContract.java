package dev.tigris.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PageKind;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What every provider does when the peer is another process, which is killed or stopped.
/// `-Dtigris.test.kills=200` lengthens it.
@Timeout(value = 1_200, unit = TimeUnit.SECONDS)
abstract class ProcessContract extends FabricContract {
  private static final int KILLS = Integer.getInteger("tigris.test.kills", 5);
  private static final long SECOND = 1_000_000_000L;
  static final int BYTES = 100_000;

  ProcessContract(Subject subject) {
    super(subject);
  }

  private static final String CONNECTS = "connects";
  private static final String LISTENS = "listens";

  /// Connects, or listens and says where, and sends back what it receives until it is killed or the
  /// connection ends.
  static final class Echo {
    public static void main(String[] arguments) {
      try (Fabric fabric = Fabric.open(arguments[0]);
          CompletionQueue queue = fabric.completionQueue()) {
        VirtualInterface peer =
            arguments.length > 3 && arguments[3].equals(LISTENS)
                ? accept(fabric, queue, arguments[1])
                : fabric.connect(arguments[1], TAG, queue, Attributes.DEFAULT, PATIENCE).get();
        PageKind pages = arguments.length > 2 ? PageKind.valueOf(arguments[2]) : PageKind.ORDINARY;
        for (int i = 0; i < 16; i++) {
          Ticket memory = peer.register(Jbuf.allocate(BYTES, "echo", pages).asBytes());
          peer.postReceive(memory).orThrow();
        }
        while (peer.state() == InterfaceState.CONNECTED) {
          Ticket next = (Ticket) queue.await(Long.MAX_VALUE);
          if (next.status() == Status.DONE) {
            Posting posting =
                next.isSend()
                    ? peer.postReceive(next.range(0, BYTES))
                    : peer.postSend(next.range(0, next.transferredBytes()));
            assertTrue(posting != Posting.QUEUE_FULL);
          }
        }
      }
    }

    private static VirtualInterface accept(Fabric fabric, CompletionQueue queue, String address) {
      try (Listener listener = fabric.listen(address)) {
        System.out.println(listener.address());
        ConnectionRequest request = listener.next(PATIENCE);
        if (request == null) {
          throw new IllegalStateException("nobody has come");
        }
        return request.accept(queue, Attributes.DEFAULT);
      }
    }
  }

  private ProcessBuilder echo(String address, String what) {
    return new ProcessBuilder(
            command(Echo.class, fabric.provider(), address, subject.pages().name(), what))
        .inheritIO();
  }

  /// Starts a process that echoes, and connects one side to it.
  private Process connectTo(Side side) throws IOException {
    ProcessBuilder builder = echo(subject.anyAddress(), LISTENS);
    Process echo = builder.redirectOutput(ProcessBuilder.Redirect.PIPE).start();
    try (BufferedReader said = echo.inputReader()) {
      String address = said.readLine();
      assertNotNull(address, "the process does not listen");
      side.link(
          side.call(
              () ->
                  fabric.connect(address, TAG, side.queue(), Attributes.DEFAULT, PATIENCE).get()));
    }
    return echo;
  }

  /// Starts a process that echoes, and accepts it at one side.
  private Process accept(Side side) throws IOException {
    Process echo = echo(listener.address(), CONNECTS).start();
    ConnectionRequest request = listener.next(Duration.ofSeconds(60));
    assertNotNull(request, "the process does not connect");
    side.link(side.call(() -> request.accept(side.queue(), Attributes.DEFAULT)));
    return echo;
  }

  /// A JVM with what this one has.
  static List<String> command(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(
        String.join(
            File.pathSeparator,
            System.getProperty("surefire.real.class.path", System.getProperty("java.class.path")),
            ClassFolder.of(Jbuf.class),
            ClassFolder.of(Fabric.class),
            ClassFolder.of(Echo.class)));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return command;
  }

  @Test
  void noticesWithinASecondThatThePeerWasKilledAndGivesAllMemoryBack() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    CountDownLatch freed = new CountDownLatch(KILLS * 16);
    int openFiles = 0;
    long mappings = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      Process echo = kill % 2 == 0 ? accept(left) : connectTo(left);
      int micros = random.nextInt(20_000);
      Thread killer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      boolean _ = echo.waitFor(micros, TimeUnit.MICROSECONDS);
                      echo.destroyForcibly().waitFor();
                    } catch (InterruptedException e) {
                      throw new AssertionError(e);
                    }
                  });
      SplittableRandom sizes = random.split();
      left.run(() -> talkUntilBroken(left, sizes, echo, freed));
      killer.join();
      assertEquals(InterfaceState.BROKEN, left.link().state(), "seed " + seed);
      left.run(left.link()::close);
      Counters counters = left.call(left.link()::counters);
      assertEquals(0, counters.registeredBytes(), "seed " + seed);
      assertEquals(0, left.link().outstanding());
      if (kill == 1) { // from here on, one of each for a peer that is gone would be too many
        openFiles = OpenFiles.now().count();
        mappings = mappings();
      }
    }
    if (subject.pages() == PageKind.ORDINARY) { // shared ones are files themselves
      assertTrue(
          OpenFiles.now().count() <= openFiles + KILLS / 2,
          openFiles + " files, then " + OpenFiles.now().count());
      assertTrue(mappings() <= mappings + KILLS / 2, mappings + " mappings, then " + mappings());
    }
    for (int round = 0; round < 100 && !freed.await(50, TimeUnit.MILLISECONDS); round++) {
      System.gc();
    }
    assertEquals(0, Jbuf.use().bytesByOwner().getOrDefault("killed", 0L));
    connect(); // and the listener goes on
  }

  /// How often memory that a connection shares with its peer is mapped.
  private static long mappings() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains("memfd:tigris (") || line.contains(" r--s "))
        .count();
  }

  private static void talkUntilBroken(
      Side side, SplittableRandom sizes, Process echo, CountDownLatch freed) {
    VirtualInterface link = side.link();
    Jbuf[] jbufs = new Jbuf[16];
    Ticket[] tickets = new Ticket[jbufs.length];
    for (int i = 0; i < tickets.length; i++) {
      jbufs[i] = side.allocate(BYTES, "killed");
      tickets[i] = link.register(jbufs[i].asBytes());
      if (i % 2 == 0) {
        link.postReceive(tickets[i]).orThrow();
      } else {
        link.postSend(tickets[i].range(0, sizes.nextInt(BYTES))).orThrow();
      }
    }
    long died = 0;
    while (link.state() == InterfaceState.CONNECTED || link.outstanding() > 0) {
      Descriptor next = side.queue().await(SECOND / 100);
      if (died == 0 && !echo.isAlive()) {
        died = System.nanoTime();
      }
      assertTrue(
          died == 0 || System.nanoTime() - died < SECOND,
          "a second after its peer's death it is " + link.state());
      if (next != null && next.status() == Status.DONE) {
        Ticket ticket = (Ticket) next;
        Posting posting =
            ticket.isSend()
                ? link.postSend(ticket.range(0, sizes.nextInt(BYTES)))
                : link.postReceive(ticket);
        assertTrue(posting != Posting.QUEUE_FULL);
      }
    }
    for (int i = 0; i < tickets.length; i++) {
      link.deregister(tickets[i]);
      jbufs[i].unreference(
          verified -> {
            verified.free();
            freed.countDown();
          });
    }
  }

  @Test
  void keepsAConnectionThroughAPauseOfThePeer() throws Exception {
    Process echo = accept(left);
    try {
      Ticket memory = left.memory(BYTES);
      Ticket message = left.memory(text("before"));
      left.receive(memory);
      left.send(message);
      left.next(2);
      expectContent(text("before"), memory);

      stop(echo);
      left.receive(memory);
      Ticket during = left.send(left.memory(text("during")));
      expect(left, during, Status.DONE);
      assertNull(left.call(() -> left.queue().await(3 * SECOND))); // as long as the pause
      assertEquals(InterfaceState.CONNECTED, left.link().state());
      signal(echo, "CONT");
      expect(left, memory, Status.DONE);
      expectContent(text("during"), memory);
      left.run(left.link()::close);
      assertTrue(echo.waitFor(20, TimeUnit.SECONDS));
      assertEquals(0, echo.exitValue());
    } finally {
      echo.destroyForcibly(); // one that is stopped would hold this process's output open for ever
    }
  }

  /// Returns when no thread of a process runs any more.
  private static void stop(Process process) throws Exception {
    signal(process, "STOP");
    Path threads = Path.of("/proc", String.valueOf(process.pid()), "task");
    boolean running = Files.exists(threads);
    while (running) {
      running = false;
      try (var all = Files.list(threads)) {
        for (Path thread : all.toList()) {
          String stat = Files.readString(thread.resolve("stat"));
          running |= stat.charAt(stat.lastIndexOf(')') + 2) != 'T';
        }
      }
    }
  }

  private static void signal(Process process, String name) throws Exception {
    Process kill =
        new ProcessBuilder(List.of("kill", "-" + name, String.valueOf(process.pid()))).start();
    assertEquals(0, kill.waitFor());
  }
}
