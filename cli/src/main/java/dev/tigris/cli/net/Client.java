package dev.tigris.cli.net;

import dev.tigris.cli.net.Server.Buffers;
import dev.tigris.memory.Bytes;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import dev.tigris.net.Posting;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/// The client of `tigris net`, which measures.
public final class Client {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /// How long a byte may be on its way: a megabyte a second is a slow network, or a busy machine.
  private static final long NANOS_PER_BYTE = 1_000;

  private static final long LONGEST_NANOS = 60_000_000_000L;
  private static final int DIGITS = 3;

  private final Fabric fabric;
  private final String address;

  /// Makes a client of the server at an address.
  public Client(Fabric fabric, String address) {
    this.fabric = fabric;
    this.address = address;
  }

  /// The result of a measurement of bandwidth.
  ///
  /// @param messages how many
  /// @param bytes of all together
  /// @param nanos how long it took until the last one was answered
  public record Bandwidth(long messages, long bytes, long nanos) {
    /// Returns the gigabytes (1e9 bytes) a second.
    public double gigabytesPerSecond() {
      return (double) bytes / nanos;
    }

    /// Returns the messages a second.
    public double messagesPerSecond() {
      return messages * 1e9 / nanos;
    }
  }

  /// Sends messages one after the other, and waits for each to come back.
  ///
  /// @return the round trips in nanoseconds, without the first tenth
  /// @throws NetException if there is no such server, or the connection is lost
  /// @throws MisuseException if it is no address
  /// @throws InterruptedException if the thread is interrupted
  public Histogram pingPong(int bytes, long roundTrips) throws InterruptedException {
    Histogram histogram = new Histogram(LONGEST_NANOS, DIGITS);
    try (CompletionQueue queue = fabric.completionQueue();
        VirtualInterface peer = connect(Mode.PING_PONG, bytes, queue);
        Buffers buffers = new Buffers(peer, bytes, 2)) {
      Ticket message = buffers.ticket(0).range(0, bytes);
      Ticket memory = buffers.ticket(1);
      fill(buffers.jbuf(0).asBytes());
      long unmeasured = roundTrips / 10;
      for (long i = 0; i < unmeasured + roundTrips; i++) {
        long start = System.nanoTime();
        expectPosted(peer.postReceive(memory), peer);
        expectPosted(peer.postSend(message.tag((int) i)), peer);
        next(queue, peer, bytes);
        next(queue, peer, bytes);
        if (i >= unmeasured) {
          histogram.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - start));
        }
        if (memory.transferredBytes() != bytes || memory.tag() != (int) i) {
          throw new NetException(
              "measure", address, "a message other than the one sent came back", null);
        }
      }
      check(buffers.jbuf(1).asBytes(), bytes);
    }
    return histogram;
  }

  /// Sends messages as fast as the peer takes them.
  ///
  /// @return what was measured, without a tenth as many that went before
  /// @throws NetException if there is no such server, or the connection is lost
  /// @throws MisuseException if it is no address
  /// @throws InterruptedException if the thread is interrupted
  public Bandwidth bandwidth(int bytes, long messages) throws InterruptedException {
    try (CompletionQueue queue = fabric.completionQueue();
        VirtualInterface peer = connect(Mode.BANDWIDTH, bytes, queue);
        Buffers buffers = new Buffers(peer, bytes, Buffers.countFor(bytes));
        Buffers answer = new Buffers(peer, 1, 1)) {
      long unmeasured = messages / 10;
      if (unmeasured > 0) {
        sendAll(queue, peer, buffers, answer.ticket(0), bytes, unmeasured);
      }
      long start = System.nanoTime();
      sendAll(queue, peer, buffers, answer.ticket(0), bytes, messages);
      return new Bandwidth(messages, messages * bytes, System.nanoTime() - start);
    }
  }

  /// Sends messages, and waits until the last one is answered and none is under way.
  private void sendAll(
      CompletionQueue queue,
      VirtualInterface peer,
      Buffers buffers,
      Ticket answer,
      int bytes,
      long messages)
      throws InterruptedException {
    expectPosted(peer.postReceive(answer), peer);
    for (long sent = 0; sent < messages; sent++) {
      Ticket next =
          sent < buffers.count() ? buffers.ticket((int) sent) : (Ticket) next(queue, peer, bytes);
      Posting posting =
          peer.postSend(next.range(0, bytes).tag(sent == messages - 1 ? Server.LAST : 0));
      expectPosted(posting, peer);
    }
    long underWay = Math.min(messages, buffers.count()) + 1;
    for (; underWay > 0; underWay--) {
      next(queue, peer, bytes);
    }
  }

  private VirtualInterface connect(Mode mode, int bytes, CompletionQueue queue) {
    long tag = mode.tag(bytes);
    return switch (MisuseException.asWritten(
        () -> fabric.connect(address, tag, queue, Attributes.DEFAULT, PATIENCE))) {
      case Connection.Established(VirtualInterface made) -> made;
      case Connection.Refused refused ->
          throw new NetException(
              "connect to",
              address,
              "%s. Does 'tigris net serve --provider %s' run there? It prints its address"
                  .formatted(refused.detail(), fabric.provider()),
              null);
    };
  }

  /// Returns how long to wait for a message: a message that is under way cannot be seen, so a large
  /// one gets longer.
  static long patienceNanos(long bytes) {
    return PATIENCE.toNanos() + bytes * NANOS_PER_BYTE;
  }

  private Descriptor next(CompletionQueue queue, VirtualInterface peer, int bytes)
      throws InterruptedException {
    long patienceNanos = patienceNanos(bytes);
    Descriptor next = queue.await(patienceNanos);
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    if (next == null) {
      throw new NetException(
          "measure",
          address,
          "no message came for " + Duration.ofNanos(patienceNanos).toSeconds() + " seconds",
          peer.failure());
    }
    if (next.status() != Status.DONE) {
      throw connectionLost(peer);
    }
    return next;
  }

  /// The end of the connection may have come with the last message, and is met by the next post.
  private void expectPosted(Posting posting, VirtualInterface peer) {
    if (posting == Posting.NOT_CONNECTED) {
      throw connectionLost(peer);
    }
    posting.orThrow();
  }

  private NetException connectionLost(VirtualInterface peer) {
    NetException why = peer.failure();
    String detail = why == null ? "" : ": " + why.what();
    return new NetException("measure", address, "the connection is " + peer.state() + detail, why);
  }

  private static void fill(Bytes bytes) {
    for (long i = 0; i < bytes.length(); i++) {
      bytes.set(i, (byte) (i * 31 + 7));
    }
  }

  private void check(Bytes bytes, int count) {
    for (int i = 0; i < count; i++) {
      if (bytes.get(i) != (byte) (i * 31 + 7)) {
        throw new NetException(
            "measure", address, "byte " + i + " of a message came back changed", null);
      }
    }
  }
}
