package dev.tigris.net.shm;

import dev.tigris.net.Attributes;
import dev.tigris.net.Connection.Reason;
import dev.tigris.net.NetException;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.CloseOnFailure;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Deadline;
import dev.tigris.net.provider.HandshakeListener;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.ProviderListener;
import dev.tigris.os.LastingMemory;
import dev.tigris.os.PollSet;
import dev.tigris.os.SharedMemory;
import dev.tigris.os.SystemException;
import dev.tigris.os.UnixSocket;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Connects and listens. The side that connects makes the memory, and sends it with the request: so
/// a request that is refused costs a listener nothing.
final class ShmCarrier implements Carrier {
  /// How long to wait when too many others wait for the same listener.
  private static final long RETRY_NANOS = 1_000_000;

  @Override
  public Port port() {
    return new ShmPort();
  }

  @Override
  public ProviderListener listen(String address) {
    return new ShmListener(address, HandshakeListener.HANDSHAKE_NANOS);
  }

  @Override
  public ConnectResult connect(
      String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
    String name = ShmAddress.socketName(address);
    Deadline deadline = Deadline.in(timeoutNanos);
    try {
      UnixSocket socket = open(name, deadline);
      if (socket == null) {
        return ConnectResult.refused(Reason.TIMED_OUT, "it has too many requests to answer");
      }
      ConnectResult result = null;
      try {
        Request request = new Request(address, tag, attributes, deadline);
        result = ask(socket, (ShmPort) port, request);
        return result;
      } finally {
        if (!(result instanceof ConnectResult.Connected)) {
          socket.close();
        }
      }
    } catch (SystemException e) {
      return switch (e.error()) {
        case SystemException.CONNECTION_REFUSED ->
            ConnectResult.nobodyListens(String.valueOf(e.getMessage()));
        case SystemException.CONNECTION_RESET, SystemException.BROKEN_PIPE ->
            ConnectResult.closedWithoutAnswer();
        default -> throw new NetException("connect to", address, explain(e), e);
      };
    }
  }

  /// What is asked for.
  private record Request(String address, long tag, Attributes attributes, Deadline deadline) {}

  /// Returns null if too many others want the same for too long.
  private static @Nullable UnixSocket open(String name, Deadline deadline) throws SystemException {
    while (true) {
      try {
        return UnixSocket.connect(name);
      } catch (SystemException e) {
        if (e.error() != SystemException.AGAIN) {
          throw e;
        }
      }
      if (deadline.leftNanos() <= 0 || Thread.currentThread().isInterrupted()) {
        return null;
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
  }

  private static ConnectResult ask(UnixSocket socket, ShmPort port, Request request)
      throws SystemException {
    UnixSocket.Peer peer = socket.peer();
    int user = UnixSocket.user();
    if (peer.user() != user) {
      return ConnectResult.refused(
          Reason.INCOMPATIBLE,
          "it belongs to user %d, and this process to user %d".formatted(peer.user(), user));
    }
    Rings rings = ringsFor(port);
    LastingMemory mapped = rings.mapped();
    boolean kept = false;
    try (SharedMemory memory = rings.memory()) {
      Hello hello = Hello.request(request.tag(), request.attributes());
      socket.send(hello.toBytes(), memory.file());
      UnixSocket.Packet packet = await(socket, request.deadline());
      Hello answer = packet == null ? null : ShmListener.hello(packet);
      if (packet == null) {
        return ConnectResult.timedOut();
      }
      if (!packet.bytes().hasRemaining()) {
        return ConnectResult.closedWithoutAnswer();
      }
      String who = "process %d at %s".formatted(peer.process(), request.address());
      ConnectResult result =
          ConnectResult.answered(
              request.tag(),
              answer,
              "a Tigris listener does",
              most ->
                  new ShmLink(
                      port,
                      socket,
                      mapped,
                      Channel.over(mapped, true),
                      who,
                      request.attributes(),
                      most));
      if (result instanceof ConnectResult.Connected) {
        memory.keep(); // the listener has mapped it, or it would not have answered
        kept = true;
      }
      return result;
    } finally {
      if (!kept) {
        mapped.close();
      }
    }
  }

  /// Memory for a link, and where it is mapped.
  private record Rings(SharedMemory memory, LastingMemory mapped) {
    static Rings of(long bytes) throws SystemException {
      try (CloseOnFailure opened = new CloseOnFailure()) {
        SharedMemory memory = opened.add(SharedMemory.create("tigris", bytes));
        Rings rings = new Rings(memory, memory.mapLasting());
        opened.keep();
        return rings;
      }
    }
  }

  /// Memory for another link of a port, large if that has few, unless a limit forbids it.
  private static Rings ringsFor(ShmPort port) throws SystemException {
    if (port.hasFew()) {
      try {
        return Rings.of(Channel.LARGE_BYTES);
      } catch (SystemException tooLarge) {
        // the other size may be possible, and says what is wrong if it is not
      }
    }
    return Rings.of(Channel.SMALL_BYTES);
  }

  /// What the system has said, and what can be done about it.
  static String explain(SystemException refusal) {
    String what = String.valueOf(refusal.getMessage());
    return refusal.error() == SystemException.NO_MEMORY
        ? what + ": close connections, or raise the limit of memory or addresses (ulimit -v)"
        : what;
  }

  /// The next packet, without a file; null if none comes in time.
  private static UnixSocket.@Nullable Packet await(UnixSocket socket, Deadline deadline)
      throws SystemException {
    try (PollSet set = new PollSet()) {
      set.add(socket.file());
      while (true) {
        UnixSocket.Packet packet = socket.receive();
        long left = deadline.leftNanos();
        if (packet != null) {
          packet.refuseFile();
          return packet;
        }
        if (left <= 0 || Thread.currentThread().isInterrupted()) {
          return null;
        }
        set.await(left);
      }
    }
  }

  @Override
  public void close() {}
}
