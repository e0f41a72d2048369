// Over 400 lines: the process that is killed, who kills it, and what becomes of the other side.
package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PageKind;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.Posting;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The contract for a peer that is another process, which is killed or stopped. With the
/// kills of every provider, there are about 200; `-Dtigris.test.kills=200` asks for more of each.
@Timeout(value = 1_200, unit = TimeUnit.SECONDS)
public abstract class ProcessContract extends FabricContract {
  private static final int KILLS = Integer.getInteger("tigris.test.kills", 34);

  /// How many kills it takes until peers that connect and peers that listen have died at each.
  private static final int ALL_KINDS = 2 * Moment.values().length;

  /// Where most of the code is that of another provider: so many that files are counted, in the
  /// tiers that do so.
  static final int FEW_KILLS =
      KILLS > ALL_KINDS ? Math.max(Math.ceilDiv(KILLS, 4), ALL_KINDS + 2) : Math.ceilDiv(KILLS, 4);

  private static final long SECOND = 1_000_000_000L;

  /// How long a peer pauses: for longer than a link lingers, and where there are many kills, for as
  /// long as a busy machine may keep a process from a core.
  private static final long PAUSE_NANOS = KILLS > ALL_KINDS ? 3 * SECOND : 5 * SECOND / 4;

  /// How long an attempt to connect to a dead peer may take, on a machine that is so busy that the
  /// thread waits for a core: less than any time-out of the protocol.
  private static final long LATE_NANOS = 4 * SECOND;

  /// Tells an [Echo] to connect.
  public static final String CONNECTS = "connects";
  private static final String LISTENS = "listens";
  /// The longest message that an [Echo] takes.
  public static final int BYTES = 100_000;
  private static final int BUFFERS = 16;
  private static final List<Moment> MOMENTS = List.of(Moment.values());

  /// How long it took to connect; at first a guess.
  private long connectingNanos = SECOND / 10;

  /// How many buffers peers were killed over, and how many of them are free again.
  private int held;

  private final Semaphore freed = new Semaphore(0);

  private final int kills;

  /// Runs on this provider.
  protected ProcessContract(Subject subject) {
    this(subject, KILLS);
  }

  /// Runs on this provider.
  protected ProcessContract(Subject subject, int kills) {
    super(subject);
    this.kills = kills;
  }

  /// Returns the name of the provider that the peers open.
  protected String peersProvider() {
    return fabric.provider();
  }

  /// Returns the class whose `main` a peer runs: [Echo], or one that opens its fabric in another
  /// way.
  Class<?> peersMain() {
    return Echo.class;
  }

  /// Opens a provider, then waits until it is told by a line what to do: to connect, or to listen
  /// and say where. Then it sends back what it receives, until it is killed or the connection ends.
  public static final class Echo {
    private Echo() {}

    /// Serves the provider of the name that is the first argument.
    public static void main(String[] arguments) throws Exception {
      try (Fabric fabric = Fabric.open(arguments[0])) {
        serve(fabric, arguments);
      }
    }

    /// Does so over a fabric that is open.
    ///
    /// @param arguments of `main`
    public static void serve(Fabric fabric, String... arguments) throws Exception {
      PageKind pages = arguments.length > 1 ? PageKind.valueOf(arguments[1]) : PageKind.ORDINARY;
      BufferedReader orders =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      try (CompletionQueue queue = fabric.completionQueue()) {
        String[] order = orders.readLine().split(" ", 3);
        VirtualInterface peer =
            order[0].equals(LISTENS)
                ? accept(fabric, queue, order[2])
                : fabric
                    .connect(
                        order[2], Long.parseLong(order[1]), queue, Attributes.DEFAULT, PATIENCE)
                    .get();
        echo(peer, pages);
      }
    }

    private static void echo(VirtualInterface peer, PageKind pages) {
      for (int i = 0; i < BUFFERS; i++) {
        Ticket memory = peer.register(Jbuf.allocate(BYTES, "echo", pages).asBytes());
        peer.postReceive(memory).orThrow();
      }
      while (peer.state() == InterfaceState.CONNECTED) {
        Ticket next = (Ticket) peer.completionQueue().await(Long.MAX_VALUE);
        if (next.status() == Status.DONE) {
          Posting posting =
              next.isSend()
                  ? peer.postReceive(next.range(0, BYTES))
                  : peer.postSend(next.range(0, next.transferredBytes()));
          assertTrue(posting != Posting.QUEUE_FULL);
        }
      }
    }

    private static VirtualInterface accept(Fabric fabric, CompletionQueue queue, String address) {
      try (Listener listener = fabric.listen(address)) {
        System.out.println(listener.address());
        ConnectionRequest request = listener.next(PATIENCE);
        if (request == null) {
          throw new IllegalStateException("no request came");
        }
        return request.accept(queue, Attributes.DEFAULT);
      }
    }
  }

  /// Tells a process that echoes what to do.
  public static void order(Process echo, String what, long tag, String address) throws IOException {
    BufferedWriter orders = echo.outputWriter();
    orders.write(what + " " + tag + " " + address + "\n");
    orders.flush();
  }

  /// A process that echoes.
  private static final class Peer {
    private final Process process;
    private final long tag;
    private volatile long diedNanos;

    /// Starts it, and does not wait until it has.
    Peer(Class<?> main, String provider, PageKind pages, long tag) throws IOException {
      this.process =
          new ProcessBuilder(command(main, provider, pages.name()))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      this.tag = tag;
    }

    void order(String what, String address) throws IOException {
      ProcessContract.order(process, what, tag, address);
    }

    /// Where it listens; null if it has died before it could say so.
    String address() throws IOException {
      return process.inputReader().readLine();
    }

    /// Kills it after some time, and then does something.
    Thread killAfter(long nanos, Runnable then) {
      return Thread.ofPlatform()
          .start(
              () -> {
                try {
                  boolean _ = process.waitFor(nanos, TimeUnit.NANOSECONDS);
                  kill();
                  process.waitFor();
                  diedNanos = System.nanoTime();
                  then.run();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
    }

    /// Kills it, and leaves its output to whoever reads that: [Process#destroyForcibly] would close
    /// it under the reader.
    void kill() {
      process.toHandle().destroyForcibly();
    }
  }

  /// When a peer is killed.
  private enum Moment {
    /// While it connects, or is connected to.
    CONNECTING,
    /// While nothing is sent.
    IDLE,
    /// While messages go both ways.
    TALKING
  }

  /// Returns the command of a JVM that runs a class with what this one has on its class path.
  public static List<String> command(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("-cp");
    command.add(
        String.join(
            File.pathSeparator,
            System.getProperty("surefire.real.class.path", System.getProperty("java.class.path")),
            System.getProperty("jdk.module.path", ""), // the provider may be a module
            ClassFolder.of(Jbuf.class),
            ClassFolder.of(Fabric.class),
            ClassFolder.of(Echo.class),
            ClassFolder.of(main)));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return command;
  }

  @Test
  @Tag("every") // each tier has its own number of kills
  void noticesWithinASecondThatThePeerWasKilledAndGivesAllMemoryBack() throws Exception {
    long seed = System.nanoTime();
    try {
      killPeers(new SplittableRandom(seed));
    } catch (Exception | AssertionError e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  /// Kills one peer after the other, each of which was started while the one before it was killed.
  private void killPeers(SplittableRandom random) throws Exception {
    int openFiles = 0;
    long mappings = 0;
    Peer next = new Peer(peersMain(), peersProvider(), subject.pages(), TAG);
    try {
      for (int kill = 0; kill < kills; kill++) {
        Peer peer = next;
        next = new Peer(peersMain(), peersProvider(), subject.pages(), TAG + kill + 1);
        killPeer(peer, MOMENTS.get(kill % MOMENTS.size()), kill / MOMENTS.size() % 2 == 0, random);
        if (kill == ALL_KINDS - 1) {
          // From here on, one of each for a peer that is gone is too many.
          openFiles = OpenFiles.now().count();
          mappings = mappings();
        }
      }
      next.order(CONNECTS, listener.address());
      assertNotNull(accept(next)); // and the listener goes on
    } finally {
      next.kill();
    }
    if (subject.pages() == PageKind.ORDINARY && kills > ALL_KINDS) { // shared ones are files, too
      int files = OpenFiles.now().count();
      assertTrue(files <= openFiles + kills / 2, openFiles + " files, then " + files);
      assertTrue(mappings() <= mappings + kills / 2, mappings + " mappings, then " + mappings());
    }
    for (int i = 0; i < 100 && !freed.tryAcquire(held, 50, TimeUnit.MILLISECONDS); i++) {
      System.gc(); // which finds out that nobody can look at the memory any more
    }
    assertEquals(0, Jbuf.use().bytesByOwner().getOrDefault("killed", 0L));
  }

  private void killPeer(Peer peer, Moment moment, boolean connects, SplittableRandom random)
      throws Exception {
    long start = System.nanoTime();
    peer.order(connects ? CONNECTS : LISTENS, connects ? listener.address() : subject.anyAddress());
    Thread killer = null;
    if (moment == Moment.CONNECTING) {
      killer = peer.killAfter(random.nextLong(2 * connectingNanos), listener::wake);
    }
    VirtualInterface link = connects ? accept(peer) : connectTo(peer);
    long connected = System.nanoTime();
    if (killer == null) {
      connectingNanos = connected - start;
      killer = peer.killAfter(random.nextLong(SECOND / 50), () -> {});
    }
    if (link != null) {
      SplittableRandom sizes = moment == Moment.IDLE ? null : random.split();
      left.run(() -> talkUntilBroken(peer, left.link(link), sizes));
    }
    killer.join();
    assertEquals(128 + 9, peer.process.exitValue(), "not killed");
    assertTrue(
        connected - peer.diedNanos < LATE_NANOS,
        "it took %,d us to see that no peer connects"
            .formatted((connected - peer.diedNanos) / 1000));
  }

  /// Accepts a peer; null if it dies before it has asked.
  private VirtualInterface accept(Peer peer) {
    while (true) {
      ConnectionRequest request = listener.next(PATIENCE);
      if (request == null) {
        if (peer.process.isAlive()) {
          continue; // woken by the end of the one before
        }
        return null;
      }
      if (request.tag() == peer.tag) {
        return left.call(() -> request.accept(left.queue(), Attributes.DEFAULT));
      }
      request.reject(); // of one before, which had asked when it died
    }
  }

  /// Connects to a peer; null if it dies before it has accepted.
  private VirtualInterface connectTo(Peer peer) throws IOException {
    String address = peer.address();
    if (address == null) {
      return null;
    }
    return switch (left.call(
        () -> fabric.connect(address, TAG, left.queue(), Attributes.DEFAULT, PATIENCE))) {
      case Connection.Established(var made) -> made;
      case Connection.Refused _ -> null;
    };
  }

  /// How often memory that a connection shares with its peer is mapped.
  private static long mappings() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains("memfd:tigris (") || line.contains(" r--s "))
        .count();
  }

  /// Receives, and sends messages of random sizes if there are any, until the peer is gone; then
  /// gives everything back.
  private void talkUntilBroken(Peer peer, VirtualInterface link, @Nullable SplittableRandom sizes) {
    Jbuf[] jbufs = new Jbuf[BUFFERS];
    Ticket[] tickets = new Ticket[jbufs.length];
    for (int i = 0; i < tickets.length; i++) {
      jbufs[i] = left.allocate(BYTES, "killed");
      tickets[i] = link.register(jbufs[i].asBytes());
      // not posted if it has ended already
      Posting _ =
          sizes == null || i % 2 == 0
              ? link.postReceive(tickets[i])
              : link.postSend(tickets[i].range(0, sizes.nextInt(BYTES)));
    }
    long died = 0; // when this thread has seen it: on a busy machine, it may get no core before
    while (link.state() == InterfaceState.CONNECTED || link.outstanding() > 0) {
      Ticket ticket = (Ticket) left.queue().await(SECOND / 10);
      if (died == 0 && !peer.process.isAlive()) {
        died = System.nanoTime();
      }
      assertTrue(
          died == 0 || System.nanoTime() - died < SECOND,
          "a second after its peer's death it is " + link.state());
      if (ticket != null && ticket.status() == Status.DONE) {
        Posting posting =
            ticket.isSend()
                ? link.postSend(ticket.range(0, sizes.nextInt(BYTES)))
                : link.postReceive(ticket);
        assertTrue(posting != Posting.QUEUE_FULL);
      }
    }
    assertEquals(InterfaceState.BROKEN, link.state());
    held += tickets.length;
    for (int i = 0; i < tickets.length; i++) {
      link.deregister(tickets[i]);
      jbufs[i].unreference(
          verified -> {
            verified.free();
            freed.release();
          });
    }
    link.close();
    assertEquals(0, link.counters().registeredBytes());
    assertEquals(0, link.outstanding());
  }

  @Test
  @Tag("every") // each tier has its own length of the pause
  void keepsAConnectionThroughAPauseOfThePeer() throws Exception {
    Peer peer = new Peer(peersMain(), peersProvider(), subject.pages(), TAG);
    Process echo = peer.process;
    try {
      peer.order(CONNECTS, listener.address());
      left.link(accept(peer));
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
      assertNull(left.call(() -> left.queue().await(PAUSE_NANOS))); // as long as the pause
      assertEquals(InterfaceState.CONNECTED, left.link().state());
      signal(echo, "CONT");
      expect(left, memory, Status.DONE);
      expectContent(text("during"), memory);
      left.run(left.link()::close);
      assertTrue(echo.waitFor(20, TimeUnit.SECONDS));
      assertEquals(0, echo.exitValue());
    } finally {
      peer.kill(); // one that is stopped would hold this process's output open for ever
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
