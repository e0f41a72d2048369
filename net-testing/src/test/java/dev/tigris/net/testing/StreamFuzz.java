package dev.tigris.net.testing;

import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.ArrayInterface;
import dev.tigris.net.ArrayType;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Delivery;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.socket.TcpAddress;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;

/// A peer of `tcp` or `uring` that has greeted as it should, and the stream of frames that it then
/// sends: to an interface of level II, or to one that makes arrays of them.
public final class StreamFuzz {
  private static final long PATIENCE_NANOS = 10_000_000_000L;
  private static final int SLOT_BYTES = 1000;
  private static final int SLOTS = 3;
  private static final int MOST_BYTES = 1 << 16;
  private static final List<ArrayType<?>> TYPES =
      List.of(
          ArrayType.BOOLEANS,
          ArrayType.BYTES,
          ArrayType.SHORTS,
          ArrayType.CHARS,
          ArrayType.INTS,
          ArrayType.LONGS,
          ArrayType.FLOATS,
          ArrayType.DOUBLES);

  private static final Ints MEMORY = Jbuf.allocate(SLOT_BYTES, "fuzz").asInts();

  private StreamFuzz() {}

  /// One input: a byte, which says who receives what, and the stream.
  ///
  /// ```text
  ///   bit 0   uring, not tcp
  ///   bit 1   level II, not arrays
  ///   bit 2   unreliable
  ///   3 to 5  the type of arrays; of level II, one bit whether types are checked
  /// ```
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    if (input.length < 1 || input.length > MOST_BYTES) {
      return;
    }
    int mode = input[0];
    boolean buffers = (mode & 2) != 0;
    Attributes attributes =
        Attributes.DEFAULT
            .withDelivery((mode & 4) != 0 ? Delivery.UNRELIABLE : Delivery.RELIABLE)
            .withCheckTypes(buffers && (mode & 8) != 0)
            .withMaximumMessageBytes(3 * SLOT_BYTES);
    try (Fabric fabric = fabric((mode & 1) != 0);
        Listener listener = fabric.listen("127.0.0.1:0");
        CompletionQueue queue = fabric.completionQueue();
        SocketChannel peer = SocketChannel.open(TcpAddress.parse(listener.address()))) {
      peer.setOption(StandardSocketOptions.SO_LINGER, 0); // leaves nothing behind when it closes
      peer.write(Hello.request(7, attributes).toBytes());
      peer.write(ByteBuffer.wrap(input, 1, input.length - 1));
      peer.shutdownOutput();
      ConnectionRequest request = listener.next(Duration.ofNanos(PATIENCE_NANOS));
      try (VirtualInterface link = request.accept(queue, attributes)) {
        if (buffers) {
          receiveBuffers(link, queue);
        } else {
          receiveArrays(link, TYPES.get(mode >> 3 & 7));
        }
      }
    }
  }

  private static Fabric fabric(boolean uring) {
    try {
      return Fabric.open(uring ? "uring" : "tcp");
    } catch (NetException notHere) {
      return Fabric.open("tcp");
    }
  }

  private static <A> void receiveArrays(VirtualInterface link, ArrayType<A> type) {
    long start = System.nanoTime();
    ArrayInterface arrays = new ArrayInterface(link, SLOT_BYTES, SLOTS);
    while (link.state() == InterfaceState.CONNECTED) {
      try {
        ArrayInterface.Message<A> message = arrays.receive(type, 1_000_000);
        if (message != null
            && java.lang.reflect.Array.getLength(message.array()) * type.elementBytes()
                > SLOT_BYTES) {
          throw new AssertionError("an array that is longer than a slot");
        }
      } catch (NetException lost) {
        // a message is of another type or too long, or the connection is over
      }
      requireEnd(start);
    }
    arrays.close();
  }

  private static void receiveBuffers(VirtualInterface link, CompletionQueue queue) {
    long start = System.nanoTime();
    Ticket room = link.register(MEMORY);
    while (link.state() == InterfaceState.CONNECTED) {
      if (room.status() != Status.POSTED) {
        link.postReceive(room).orThrow();
      }
      Descriptor next = queue.await(1_000_000);
      if (next != null && next.transferredBytes() > SLOT_BYTES) {
        throw new AssertionError(next + " has gone beyond its memory");
      }
      requireEnd(start);
    }
    while (queue.poll() != null) {
      // it comes back
    }
    link.deregister(room);
  }

  private static void requireEnd(long start) {
    if (System.nanoTime() - start > PATIENCE_NANOS) {
      throw new AssertionError("the peer is gone, and the connection does not end");
    }
  }
}
