package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.DataType;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// A listener over libfabric, and the port of a peer that speaks libfabric and not our protocol.
abstract class HostileContract {
  static final long PATIENCE_NANOS = 20_000_000_000L;
  static final Duration PATIENCE = Duration.ofNanos(PATIENCE_NANOS);
  static final Attributes SMALL = Attributes.DEFAULT.withMaximumMessageBytes(100_000);

  final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final String provider;
  private final String address;
  Fabric fabric;
  Listener listener;
  LibfabricPort port;

  /// The peer's, if it has got so far.
  Channel channel;

  /// What has become of the peer at the other side, in words.
  Future<String> served;

  /// Of the peer's next packet.
  int sequence;

  HostileContract(String provider, String address) {
    this.provider = provider;
    this.address = address;
  }

  @BeforeEach
  void listen() {
    fabric = Fabric.open(provider);
    listener = fabric.listen(address);
    port = new LibfabricPort();
  }

  @AfterEach
  void close() {
    if (channel != null) {
      closeChannel();
    }
    port.progress();
    port.close();
    thread.shutdown();
    listener.close();
    fabric.close();
  }

  void closeChannel() {
    channel.close();
  }

  static byte[] garbage(int bytes) {
    byte[] garbage = new byte[bytes];
    RandomGenerator.of("SplittableRandom").nextBytes(garbage);
    return garbage;
  }

  /// The buffer that packets of the peer are written to.
  MemorySegment packet() {
    return channel.deviceQueue.scratch().memory();
  }

  void putGarbage(int bytes) {
    MemorySegment.copy(MemorySegment.ofArray(garbage(bytes)), 0, packet(), 0, bytes);
  }

  /// Writes the header of the next packet.
  void putHeader(int kind, long length, int tag, int credits) {
    Packet.put(packet(), kind, length, tag, DataType.BYTES, credits, sequence++);
  }

  /// Goes on with the peer's port until the other side is done with it; returns what it says.
  String outcome() throws Exception {
    while (!served.isDone()) {
      port.progress();
    }
    return served.get();
  }

  /// Asks for a connection from the side that keeps to the protocol.
  Connection ask(String whom, Duration patience) {
    try (CompletionQueue queue = fabric.completionQueue()) {
      return fabric.connect(whom, 42, queue, SMALL, patience);
    }
  }

  /// Expects that no request has reached the program.
  void expectNobody() throws Exception {
    listener.wake();
    assertEquals("nobody asked", served.get(20, TimeUnit.SECONDS));
  }
}
