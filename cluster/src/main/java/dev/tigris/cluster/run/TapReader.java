package dev.tigris.cluster.run;

import dev.tigris.cluster.run.host.RunKey;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.jspecify.annotations.Nullable;

/// Listens for the copies that the processes of a run send by a [TapOrder]: on the loopback
/// interface, or for processes of other hosts over TLS, with a key that the order takes to them.
///
/// ```java
/// try (TapReader reader = TapReader.listen(4)) {
///   run.tap(new TapOrder("work", terms, 10, reader.address(), reader.token())).get();
///   while (!reader.isOver()) {
///     TapReader.Copy copy = reader.poll(Duration.ofSeconds(1));
///   }
/// }
/// ```
///
/// Thread rule: one thread polls; the others are for any.
public final class TapReader implements AutoCloseable {
  private static final int TOKEN_BYTES = 16;
  private static final int WAITING = 64;
  private static final int HELLO_MILLIS = 10_000;
  private static final int MOST_BYTES = 64 << 20;
  private static final int MOST_TEXT = 1 << 16;
  private static final SecureRandom SECRETS = new SecureRandom();

  /// A copy of a water.
  ///
  /// @param process the sender's process, from 0
  /// @param stage the sender's stage
  /// @param replica which replica of it
  /// @param number how many waters that replica had put before on the reservoir since it was
  ///     tapped: numbers that are missing were left out
  /// @param size how many bytes the water had
  /// @param bytes its first ones, which belong to the caller
  @SuppressWarnings("ArrayRecordComponent") // a copy for one reader, which compares none
  public record Copy(int process, String stage, int replica, long number, int size, byte[] bytes) {}

  private final ServerSocket server;
  private final String host;
  private final String key;
  private final String token;
  private final int lines;
  private final BlockingQueue<Copy> copies = new ArrayBlockingQueue<>(WAITING);
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicLong leftOut = new AtomicLong();
  private volatile @Nullable IOException lost;
  private volatile boolean isClosed;

  private TapReader(ServerSocket server, String host, String key, int lines) {
    this.server = server;
    this.host = host;
    this.key = key;
    this.lines = lines;
    byte[] secret = new byte[TOKEN_BYTES];
    SECRETS.nextBytes(secret);
    this.token = HexFormat.of().formatHex(secret);
  }

  /// Begins to listen.
  ///
  /// @param processes how many processes the run has
  public static TapReader listen(int processes) throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    return started(
        new TapReader(
            new ServerSocket(0, processes, loopback), loopback.getHostAddress(), "", processes));
  }

  /// Begins to listen for processes of other hosts, too.
  ///
  /// @param processes how many processes the run has
  /// @param host a name or address by which they reach this host
  /// @throws IOException if it is none of this host, or no key can be made
  public static TapReader listen(int processes, String host) throws IOException {
    byte[] secret = RunKey.make().bytes();
    String key = Base64.getEncoder().encodeToString(secret);
    SSLServerSocket server =
        (SSLServerSocket)
            context(key)
                .getServerSocketFactory()
                .createServerSocket(0, processes, InetAddress.getByName(host));
    server.setNeedClientAuth(true);
    return started(new TapReader(server, host, key, processes));
  }

  /// Returns what knows the owners of a key, and shows it to them.
  static SSLContext context(String key) throws IOException {
    try {
      return RunKey.of(Base64.getDecoder().decode(key)).context();
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new IOException("the key of the tap is damaged", e);
    }
  }

  private static TapReader started(TapReader made) {
    Thread _ = Thread.ofVirtual().name("tigris-tap-reader").start(made::accept);
    return made;
  }

  /// Returns `HOST:PORT`.
  public String address() {
    return host + ":" + server.getLocalPort();
  }

  /// Returns the key of the lines between hosts; empty on this one.
  public String key() {
    return key;
  }

  /// Returns the word that lets lines in.
  public String token() {
    return token;
  }

  private void accept() {
    while (!isClosed) {
      try {
        Socket line = server.accept();
        boolean _ = open.add(line);
        Thread _ = Thread.ofVirtual().name("tigris-tap-line").start(() -> receive(line));
      } catch (IOException e) {
        if (!isClosed) {
          lost = e;
        }
        return;
      }
    }
  }

  private void receive(Socket line) {
    try (line) {
      line.setSoTimeout(HELLO_MILLIS); // a line that is alive says so each second
      var in = new DataInputStream(new BufferedInputStream(line.getInputStream()));
      if (in.readLong() != TapLine.MAGIC || !isToken(text(in))) {
        return; // a stranger
      }
      int process = in.readInt();
      try {
        while (receive(process, in)) {}
        int _ = ended.incrementAndGet();
      } catch (IOException e) {
        if (!isClosed) {
          lost =
              new IOException("process %d sends no copies any more: %s".formatted(process, e), e);
        }
      }
    } catch (IOException e) {
      // a stranger that has said nothing
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      boolean _ = open.remove(line);
    }
  }

  private boolean isToken(String said) {
    return MessageDigest.isEqual(
        said.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8));
  }

  /// Receives a frame, and returns whether another follows.
  private boolean receive(int process, DataInputStream in)
      throws IOException, InterruptedException {
    int length = in.readInt();
    if (length == TapLine.ALIVE) {
      return true;
    }
    if (length == TapLine.END) {
      if (!in.readBoolean()) {
        throw new IOException("its flow has failed, or was cancelled");
      }
      long _ = leftOut.addAndGet(in.readLong());
      return false;
    }
    int size = in.readInt();
    if (length < 0 || length > MOST_BYTES || size < length) {
      throw new IOException("a copy of %d bytes of %d".formatted(length, size));
    }
    long number = in.readLong();
    String stage = text(in);
    int replica = in.readInt();
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("in a copy");
    }
    copies.put(new Copy(process, stage, replica, number, size, bytes));
    return true;
  }

  private static String text(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > MOST_TEXT) {
      throw new IOException("a text of %d bytes".formatted(length));
    }
    return new String(in.readNBytes(length), StandardCharsets.UTF_8);
  }

  /// Returns the next copy; null if none has come in time, or none will come.
  ///
  /// @throws IOException if a process is lost, or its flow has failed: all that came before was
  ///     returned
  public @Nullable Copy poll(Duration longest) throws IOException, InterruptedException {
    Copy copy = copies.poll(longest.toNanos(), TimeUnit.NANOSECONDS);
    IOException why = lost;
    if (copy == null && why != null && copies.isEmpty()) {
      throw new IOException(why.getMessage(), why);
    }
    return copy;
  }

  /// Returns whether the flow has come to a good end in all processes, and all copies were taken.
  public boolean isOver() {
    return ended.get() == lines && copies.isEmpty();
  }

  /// Returns how many waters were left out. It is known when all has come to its end.
  public long leftOut() {
    return leftOut.get();
  }

  /// Ends the lines, which detaches the taps.
  @Override
  public void close() throws IOException {
    isClosed = true;
    server.close();
    for (Socket each : open) {
      each.close();
    }
    copies.clear(); // lets those go on that wait for room, whose lines are closed
  }
}
