package dev.tigris.cluster.run;

import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Tap;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLSocket;

/// Sends the copies of one process to a [TapReader]. The end of either closes the line, and a line
/// that is closed detaches the tap. It never fails the run.
///
/// ```
///   line:   magic (8 bytes) | token (text) | process (int) | frame ...
///   frame:  length (int, >= 0) | size (int) | number (long) | stage (text) | replica (int) | bytes
///           -1                                            nothing has come for a second
///           -2 | complete (boolean) | left out (long)     the last one
/// ```
///
/// A line that ends without a last frame is lost: its process has died, or gave up the attempt.
///
/// Thread rule: a virtual thread of its own.
final class TapLine {
  static final long MAGIC = 0x5447_5441_5030_3031L; // TGTAP001
  static final int ALIVE = -1;
  static final int END = -2;
  private static final int CONNECT_MILLIS = 10_000;
  private static final int BUFFER_BYTES = 1 << 16;
  private static final Duration IDLE = Duration.ofSeconds(1);
  private static final long SECOND_NANOS = 1_000_000_000;

  /// A grant is for so long at least, so that many copies a second do not need as many grants.
  private static final long GRANT_NANOS = 50_000_000;

  private final TapOrder order;
  private final int process;
  private final Tap tap;
  private final CompletableFuture<Void> attached = new CompletableFuture<>();
  private final CompletableFuture<Void> gone = new CompletableFuture<>();

  private TapLine(TapOrder order, int process) {
    this.order = order;
    this.process = process;
    this.tap = new Tap(order.reservoir(), order.terms());
  }

  /// Begins to connect, and to tap a flow.
  static TapLine open(TapOrder order, int process, FlowRun flow) {
    TapLine line = new TapLine(order, process);
    Thread _ = Thread.ofVirtual().name("tigris-tap").start(() -> line.run(flow));
    return line;
  }

  /// Returns what completes when all senders of this process know the tap, and fails if nothing is
  /// tapped.
  CompletableFuture<Void> attached() {
    return attached;
  }

  /// Returns what completes when nothing more is sent.
  CompletableFuture<Void> gone() {
    return gone;
  }

  private void run(FlowRun flow) {
    try (tap;
        Socket socket = connected()) {
      var out =
          new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES));
      out.writeLong(MAGIC);
      Wire.writeText(out, order.token());
      out.writeInt(process);
      out.flush();
      CompletableFuture<?> _ =
          flow.tap(tap)
              .whenComplete(
                  (nothing, thrown) -> {
                    if (thrown == null) {
                      boolean _ = attached.complete(null);
                    } else {
                      tap.close();
                      boolean _ = attached.completeExceptionally(thrown);
                    }
                  });
      send(out);
      if (socket instanceof SSLSocket) {
        socket.setSoTimeout(CONNECT_MILLIS);
        int _ = socket.getInputStream().read(); // what is left unread would cut off the last frame
      }
    } catch (IOException | RuntimeException e) { // the reader has gone, or was never there
      boolean _ = attached.completeExceptionally(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      boolean _ = gone.complete(null);
    }
  }

  /// Connects to the reader: to another host only by the key that came with the order.
  private Socket connected() throws IOException {
    int colon = order.address().lastIndexOf(':');
    InetAddress host = InetAddress.getByName(order.address().substring(0, Math.max(0, colon)));
    boolean hasKey = !order.key().isEmpty();
    if (!hasKey && !host.isLoopbackAddress()) {
      throw new IOException(order.address() + " is not on this host");
    }
    var listener =
        new InetSocketAddress(host, Integer.parseInt(order.address().substring(colon + 1)));
    Socket socket =
        hasKey ? TapReader.context(order.key()).getSocketFactory().createSocket() : new Socket();
    try {
      socket.connect(listener, CONNECT_MILLIS);
      return socket;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private void send(DataOutputStream out) throws IOException, InterruptedException {
    long everyNanos =
        order.perSecond() == 0
            ? Long.MAX_VALUE
            : Math.max(GRANT_NANOS, SECOND_NANOS / order.perSecond());
    int grant = (int) Math.max(1, order.perSecond() * everyNanos / SECOND_NANOS);
    long granted = System.nanoTime() - everyNanos;
    while (!tap.isOver()) {
      long since = System.nanoTime() - granted;
      if (order.perSecond() > 0 && since >= everyNanos) {
        tap.grant(grant);
        granted += since;
      }
      int count =
          tap.read(
              (from, number, size, bytes, length) -> write(out, from, number, size, bytes, length));
      if (count == 0) {
        out.flush();
        await(out, everyNanos);
      }
    }
    out.writeInt(END);
    out.writeBoolean(tap.isComplete());
    out.writeLong(tap.leftOut());
    out.flush();
  }

  private void await(DataOutputStream out, long everyNanos)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    tap.await(Duration.ofNanos(Math.min(everyNanos, IDLE.toNanos())));
    if (System.nanoTime() - start >= IDLE.toNanos()) {
      out.writeInt(ALIVE); // which tells whether the reader is there
      out.flush();
    }
  }

  private static void write(
      DataOutputStream out, End from, long number, int size, byte[] bytes, int length)
      throws IOException {
    out.writeInt(length);
    out.writeInt(size);
    out.writeLong(number);
    Wire.writeText(out, from.name());
    out.writeInt(from.index());
    out.write(bytes, 0, length);
  }
}
