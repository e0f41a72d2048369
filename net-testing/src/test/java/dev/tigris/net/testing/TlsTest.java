// Over 400 lines: the keys, the relay between two sides, and what both are for.
package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Attributes;
import dev.tigris.net.Connection;
import dev.tigris.net.Connection.Reason;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.Tls;
import dev.tigris.testing.Slow;
import dev.tigris.testing.host.TlsKey;
import dev.tigris.testing.process.Child;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.Security;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509KeyManager;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// TCP with TLS: the contract suite, and who is refused.
class TlsTest {
  static {
    // New keys after every 128 KiB, and not after 128 GiB: so that messages meet it.
    Security.setProperty("jdk.tls.keyLimits", "AES/GCM/NoPadding KeyUpdate 2^17");
  }

  @TempDir private static Path keys;

  private static TlsKey alice;
  private static TlsKey bob;
  private static TlsKey mallory;
  private static TlsKey elsewhere;

  @BeforeAll
  static void makeKeys() throws Exception {
    List<Child> tools =
        List.of(
            TlsKey.begin(keys, "alice", "san=ip:127.0.0.1"),
            TlsKey.begin(keys, "bob", "san=ip:127.0.0.1"),
            TlsKey.begin(keys, "mallory", "san=ip:127.0.0.1"),
            TlsKey.begin(keys, "elsewhere", "san=dns:elsewhere.example"));
    for (Child tool : tools) {
      tool.outcome().expect(0);
    }
    alice = TlsKey.load(keys.resolve("alice"));
    bob = TlsKey.load(keys.resolve("bob"));
    mallory = TlsKey.load(keys.resolve("mallory"));
    elsewhere = TlsKey.load(keys.resolve("elsewhere"));
  }

  /// The context of somebody, or of nobody, who trusts others.
  private static SSLContext context(TlsKey self, TlsKey... trusted) throws Exception {
    KeyManager[] managers = {};
    if (self != null) {
      managers = new KeyManager[] {new Insistent(self.name(), (X509KeyManager) self.keys()[0])};
    }
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers, TlsKey.trusting(trusted), null);
    return context;
  }

  /// Shows its certificate although the other side says that it will not be trusted.
  private static final class Insistent extends X509ExtendedKeyManager {
    private final String alias;
    private final X509KeyManager keys;

    Insistent(String alias, X509KeyManager keys) {
      this.alias = alias;
      this.keys = keys;
    }

    @Override
    public String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
      return alias;
    }

    @Override
    public String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
      return alias;
    }

    @Override
    public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
      return alias;
    }

    @Override
    public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
      return alias;
    }

    @Override
    public String[] getClientAliases(String type, Principal[] issuers) {
      return new String[] {alias};
    }

    @Override
    public String[] getServerAliases(String type, Principal[] issuers) {
      return new String[] {alias};
    }

    @Override
    public X509Certificate[] getCertificateChain(String name) {
      return keys.getCertificateChain(alias(name));
    }

    @Override
    public PrivateKey getPrivateKey(String name) {
      return keys.getPrivateKey(alias(name));
    }

    /// The one under which it is in the store, which the factory's manager wants with a prefix.
    private String alias(String name) {
      String[] known = keys.getServerAliases("EC", null);
      return known == null ? name : known[0];
    }
  }

  private static Tls tls(TlsKey self, TlsKey... trusted) throws Exception {
    return Tls.of(context(self, trusted));
  }

  private static final FabricContract.Subject TLS =
      new FabricContract.Subject() {
        @Override
        public Fabric open() {
          try {
            return Fabric.openTls("tcp", tls(alice, alice));
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        }

        @Override
        public String anyAddress() {
          return "127.0.0.1:0";
        }

        @Override
        public int manyConnections() {
          return 50; // each takes a handshake
        }
      };

  @Nested
  class Messages extends MessageContract {
    Messages() {
      super(TLS);
    }
  }

  @Nested
  @Slow("what TLS changes is in messages, completions and connections")
  class Memory extends MemoryContract {
    Memory() {
      super(TLS);
    }
  }

  @Nested
  @Slow("what TLS changes is in messages, completions and connections")
  class FileMemory extends FileMemoryContract {
    FileMemory() {
      super(TLS);
    }
  }

  @Nested
  class Completions extends CompletionContract {
    private static final int RECORD_BYTES = 1 << 14;
    private static final long MOST_BYTES_FOR_RECORD = 24 << 10;

    Completions() {
      super(TLS);
    }

    /// See [#allocatesSomeKilobytesForEachRecord].
    @Override
    void allocatesNothingPerMessage(int bytes) {}

    /// The JDK's engine does, 4 to 15 KB where it is compiled: for the record or records of each
    /// message that goes, and those of each that comes.
    @ParameterizedTest
    @MethodSource("dev.tigris.net.testing.CompletionContract#messageSizes")
    @Timeout(value = LONG_MINUTES, unit = TimeUnit.MINUTES)
    @Tag("every") // each tier has its own length of a stretch
    void allocatesSomeKilobytesForEachRecord(int bytes) {
      connectSpinning();
      long records = 2L * (bytes / RECORD_BYTES + 1);
      Allocations allocations = new Allocations(2, Math.min(10_000, 4 * Allocations.STRETCH));
      expectAllocated(records * MOST_BYTES_FOR_RECORD * Allocations.STRETCH, bytes, allocations);
    }
  }

  @Nested
  @Slow("what TLS changes is in messages, completions and connections")
  class Arrays extends ArrayContract {
    Arrays() {
      super(TLS);
    }
  }

  @Nested
  class Processes extends ProcessContract {
    Processes() {
      super(TLS, FEW_KILLS);
    }

    @Override
    protected String peersProvider() {
      return keys.resolve(alice.name()).toString();
    }

    @Override
    Class<?> peersMain() {
      return EncryptedEcho.class;
    }
  }

  /// Echoes over TLS.
  static final class EncryptedEcho {
    public static void main(String[] arguments) throws Exception {
      try (Fabric fabric = openAs(Path.of(arguments[0]))) {
        ProcessContract.Echo.serve(fabric, arguments);
      }
    }
  }

  /// What both sides have, one of which is another process: who it is says the name of the file.
  static Fabric openAs(Path store) throws Exception {
    TlsKey self = TlsKey.load(store);
    return open(self, self);
  }

  @Nested
  class Connections extends ConnectionContract {
    Connections() {
      super(TLS);
    }
  }

  /// What becomes of connecting from one fabric to a listener of another, at `port` or its own; an
  /// interface that is made sends a message, and closes.
  private static Connection connect(Fabric from, Fabric to) throws Exception {
    try (Listener listener = to.listen("127.0.0.1:0")) {
      Side side = new Side(from);
      Future<Connection> asked = ask(side, listener.address());
      FutureTask<ConnectionRequest> listening =
          new FutureTask<>(() -> listener.next(FabricContract.PATIENCE));
      Thread.ofVirtual().start(listening);
      Connection connection = FabricContract.get(asked);
      listener.wake();
      assertNull(FabricContract.get(listening), "who is refused does not get to the application");
      FabricContract.get(side.startClosing());
      return connection;
    } finally {
      from.close();
      to.close();
    }
  }

  private static Future<Connection> ask(Side side, String address) {
    return side.start(
        () ->
            side.queue()
                .fabric()
                .connect(address, 7, side.queue(), Attributes.DEFAULT, FabricContract.PATIENCE));
  }

  private static void expectRefusal(Reason reason, String detail, Fabric from, Fabric to)
      throws Exception {
    Connection.Refused refusal = assertInstanceOf(Connection.Refused.class, connect(from, to));
    assertEquals(reason, refusal.reason(), refusal.detail());
    assertTrue(refusal.detail().contains(detail), refusal.detail());
    assertTrue(refusal.address().contains("127.0.0.1:"), refusal.address());
  }

  private static Fabric open(TlsKey self, TlsKey... trusted) throws Exception {
    return Fabric.openTls("tcp", tls(self, trusted));
  }

  private static int port(String address) {
    return Integer.parseInt(address, address.lastIndexOf(':') + 1, address.length(), 10);
  }

  @Test
  void refusesAPeerThatItDoesNotTrust() throws Exception {
    expectRefusal(Reason.NOT_TRUSTED, "certificate_unknown", open(mallory, bob), open(bob, alice));
  }

  @Test
  void refusesAPeerWithoutACertificate() throws Exception {
    expectRefusal(Reason.NOT_TRUSTED, "certificate", open(null, bob), open(bob, alice));
  }

  @Test
  void isRefusedByAPeerThatDoesNotTrustTheListener() throws Exception {
    expectRefusal(
        Reason.NOT_TRUSTED, "valid certification path", open(alice, bob), open(mallory, alice));
  }

  @Test
  void saysThatItTrustsNobody() throws Exception {
    expectRefusal(Reason.NOT_TRUSTED, "trustAnchors", open(alice), open(bob, alice));
  }

  @Test
  void refusesAListenerWhoseCertificateNamesAnotherHost() throws Exception {
    expectRefusal(Reason.NOT_TRUSTED, "127.0.0.1", open(alice, elsewhere), open(elsewhere, alice));
  }

  @Test
  void doesNotConnectToWhoeverDoesNotEncrypt() throws Exception {
    expectRefusal(Reason.NOBODY_LISTENS, "expects no TLS", open(alice, bob), Fabric.open("tcp"));
    expectRefusal(Reason.INCOMPATIBLE, "expects TLS", Fabric.open("tcp"), open(bob, alice));
  }

  @Test
  void refusesOlderVersions() throws Exception {
    SSLContext old = context(alice, bob);
    try (Fabric fabric = open(bob, alice);
        Listener listener = fabric.listen("127.0.0.1:0")) {
      FutureTask<ConnectionRequest> listening =
          new FutureTask<>(() -> listener.next(FabricContract.PATIENCE));
      Thread.ofVirtual().start(listening);
      int port = port(listener.address());
      try (SSLSocket socket = (SSLSocket) old.getSocketFactory().createSocket("127.0.0.1", port)) {
        socket.setEnabledProtocols(new String[] {"TLSv1.2"});
        assertThrows(SSLException.class, socket::startHandshake);
      }
      listener.wake();
      assertNull(FabricContract.get(listening));
    }
  }

  @Test
  void doesNotGoOnWithoutWhomToTrust() {
    assertThrows(NullPointerException.class, () -> Fabric.openTls("tcp", null));
  }

  @Test
  void saysThatAProviderHasNoTls() {
    assertThrows(
        IllegalArgumentException.class, () -> Fabric.openTls("telepathy", tls(alice, bob)));
  }

  /// Hands bytes over in both directions, keeps those that go one way, and may damage them.
  private static final class Relay implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final List<Socket> sockets = new ArrayList<>();
    private volatile boolean damages;
    private volatile boolean cuts;

    Relay(String target) throws IOException {
      int port = port(target);
      FutureTask<String> accepting =
          new FutureTask<>(
              () -> {
                Socket near = server.accept();
                Socket far = new Socket(InetAddress.getLoopbackAddress(), port);
                sockets.add(near);
                sockets.add(far);
                Thread.ofVirtual().start(() -> pump(near, far, true));
                Thread.ofVirtual().start(() -> pump(far, near, false));
                return "connected";
              });
      Thread.ofVirtual().start(accepting);
    }

    String address() {
      return "127.0.0.1:" + server.getLocalPort();
    }

    private void pump(Socket from, Socket to, boolean forward) {
      byte[] buffer = new byte[10_000];
      try (InputStream in = from.getInputStream();
          OutputStream out = to.getOutputStream()) {
        for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
          if (forward) {
            if (cuts) {
              return;
            }
            if (damages) {
              buffer[n / 2] ^= 1;
            }
            synchronized (kept) {
              kept.write(buffer, 0, n);
            }
          }
          out.write(buffer, 0, n);
        }
      } catch (IOException closed) {
        // by one of the ends
      }
    }

    String kept() {
      synchronized (kept) {
        return kept.toString(StandardCharsets.ISO_8859_1);
      }
    }

    @Override
    public void close() throws IOException {
      server.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  /// Two sides that are connected through a relay.
  private static final class Pair implements AutoCloseable {
    final Fabric fabric;
    final Fabric other;
    final Listener listener;
    final Relay relay;
    final Side left;
    final Side right;
    final ConnectionRequest request;

    Pair(Fabric from, Fabric to) throws IOException {
      fabric = from;
      other = to;
      listener = to.listen("127.0.0.1:0");
      relay = new Relay(listener.address());
      left = new Side(from);
      right = new Side(to);
      Future<Connection> asked = ask(left, relay.address());
      request = listener.next(FabricContract.PATIENCE);
      assertNotNull(request);
      right.link(right.call(() -> request.accept(right.queue(), Attributes.DEFAULT)));
      left.link(FabricContract.get(asked).get());
    }

    @Override
    public void close() throws IOException {
      Future<?> first = left.startClosing();
      FabricContract.get(right.startClosing());
      FabricContract.get(first);
      relay.close();
      listener.close();
      fabric.close();
      other.close();
    }
  }

  @Test
  void provesToEachSideWhoTheOtherIs() throws Exception {
    try (Pair pair = new Pair(open(alice, bob), open(bob, alice))) {
      assertEquals("CN=alice", name(pair.request.principal()));
      assertEquals("CN=alice", name(pair.right.link().principal()));
      assertEquals("CN=bob", name(pair.left.link().principal()));
    }
  }

  private static String name(Principal principal) {
    assertNotNull(principal);
    return principal.getName();
  }

  @Test
  void connectsToAListenerAnywhereIfHostsAreNotChecked() throws Exception {
    Tls anywhere = tls(alice, elsewhere).withoutHosts();
    try (Pair pair = new Pair(Fabric.openTls("tcp", anywhere), open(elsewhere, alice))) {
      assertEquals("CN=elsewhere", name(pair.left.link().principal()));
    }
  }

  @Test
  void encryptsWhatItSendsAndOthersDoNot() throws Exception {
    String secret = "a secret that anybody can read";
    for (boolean encrypted : new boolean[] {true, false}) {
      Fabric from = encrypted ? open(alice, bob) : Fabric.open("tcp");
      Fabric to = encrypted ? open(bob, alice) : Fabric.open("tcp");
      try (Pair pair = new Pair(from, to)) {
        Ticket memory = pair.right.receive(pair.right.memory(100));
        Ticket message = pair.left.send(pair.left.memory(FabricContract.text(secret)));
        FabricContract.expect(pair.left, message, Status.DONE);
        FabricContract.expect(pair.right, memory, Status.DONE);
        FabricContract.expectContent(FabricContract.text(secret), memory);
        assertEquals(!encrypted, pair.relay.kept().contains(secret));
        assertEquals(!encrypted, pair.relay.kept().contains("TIGRISVI"));
      }
    }
  }

  @Test
  void breaksWhenABitIsChangedOnTheWay() throws Exception {
    try (Pair pair = new Pair(open(alice, bob), open(bob, alice))) {
      pair.relay.damages = true;
      Ticket memory = pair.right.receive(pair.right.memory(100));
      pair.left.send(pair.left.memory(FabricContract.text("hello")));
      FabricContract.expectBroken(pair.right);
      assertEquals(Status.FLUSHED, memory.status());
      assertInstanceOf(SSLException.class, pair.right.link().failure().getCause());
      pair.left.receive(pair.left.memory(100));
      FabricContract.expectBroken(pair.left);
      String reason = pair.left.link().failure().getMessage();
      assertTrue(reason.contains("bad_record_mac"), "it is told why: " + reason);
    }
  }

  @Test
  void breaksWhenTheStreamIsCutInTheMiddle() throws Exception {
    try (Pair pair = new Pair(open(alice, bob), open(bob, alice))) {
      pair.relay.cuts = true;
      Ticket memory = pair.right.receive(pair.right.memory(100));
      pair.left.send(pair.left.memory(FabricContract.text("hello")));
      FabricContract.expectBroken(pair.right);
      assertEquals(Status.FLUSHED, memory.status());
    }
  }

  @Test
  void survivesGarbageAtItsDoor() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    try (Fabric fabric = open(bob, alice);
        Listener listener = fabric.listen("127.0.0.1:0")) {
      int port = port(listener.address());
      for (int i = 0; i < 200; i++) {
        byte[] garbage = new byte[random.nextInt(1, 600)];
        random.nextBytes(garbage);
        if (random.nextBoolean()) { // it looks like the beginning of a handshake
          System.arraycopy(new byte[] {22, 3, 1, 0}, 0, garbage, 0, Math.min(4, garbage.length));
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
          socket.getOutputStream().write(garbage);
          assertNull(listener.next(Duration.ofMillis(1)), "seed " + seed);
        }
      }
      assertFalse(Thread.currentThread().isInterrupted());
    }
  }
}
