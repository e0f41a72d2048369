package dev.tigris.net.shm;

import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import dev.tigris.net.linux.OpenFile;
import dev.tigris.net.linux.PollSet;
import dev.tigris.net.linux.SharedMemory;
import dev.tigris.net.linux.SystemException;
import dev.tigris.net.linux.UnixSocket;
import dev.tigris.net.provider.Door;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A listening socket, and the connections that have not yet said what they want. A request comes
/// in one packet, with the memory.
///
/// ```text
///                  a request
///   connected ----------------------> ready ----> returned to the application
///       |
///       '--> closed: another user, garbage, no memory, end, or no request in five seconds
/// ```
final class ShmDoor implements Door {
  /// How long a peer may take for its request.
  static final long HANDSHAKE_NANOS = 5_000_000_000L;

  /// How many connections may be without a request. When there are more, the oldest is closed: so
  /// that those who say nothing keep nobody else out.
  private static final int MOST_SILENT = 1024;

  private final String address;
  private final long handshakeNanos;
  private final UnixSocket listening;
  private final PollSet set;
  private final int user = UnixSocket.user();
  private final ArrayDeque<Request> ready = new ArrayDeque<>();
  private ArrayDeque<Silent> silent = new ArrayDeque<>();
  private volatile boolean woken;

  /// A connection whose request has not arrived.
  private record Silent(UnixSocket socket, UnixSocket.Peer peer, long since) {}

  ShmDoor(String asked, long handshakeNanos) {
    this.address = ShmAddress.listening(asked);
    this.handshakeNanos = handshakeNanos;
    String socketName = ShmAddress.socketName(address);
    try {
      this.set = new PollSet();
    } catch (SystemException e) {
      throw failed("listen at", e);
    }
    try {
      this.listening = UnixSocket.listen(socketName, MOST_SILENT);
    } catch (SystemException e) {
      set.close();
      throw failed("listen at", e);
    }
  }

  private NetException failed(String operation, SystemException cause) {
    return new NetException(operation, address, String.valueOf(cause.getMessage()), cause);
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public @Nullable Knock next(long timeoutNanos) {
    long start = System.nanoTime();
    while (true) {
      Request first = ready.poll();
      if (first != null) {
        return first;
      }
      long left = timeoutNanos - (System.nanoTime() - start);
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        return null;
      }
      if (woken) {
        woken = false;
        return null;
      }
      set.clear();
      set.add(listening.file());
      silent.forEach(each -> set.add(each.socket.file()));
      set.await(Math.min(left, untilForgotten()));
      hear();
      try {
        greet();
      } catch (SystemException e) {
        throw failed("listen at", e);
      }
      forgetTheSilent();
    }
  }

  private long untilForgotten() {
    Silent oldest = silent.peek();
    return oldest == null
        ? Long.MAX_VALUE
        : Math.max(0, handshakeNanos - (System.nanoTime() - oldest.since));
  }

  private void forgetTheSilent() {
    for (Silent oldest = silent.peek(); oldest != null; oldest = silent.peek()) {
      if (silent.size() <= MOST_SILENT && System.nanoTime() - oldest.since < handshakeNanos) {
        return;
      }
      silent.poll();
      oldest.socket.close();
    }
  }

  /// Accepts those who wait, unless they are other users' processes.
  private void greet() throws SystemException {
    for (UnixSocket next = listening.accept(); next != null; next = listening.accept()) {
      UnixSocket.Peer peer = next.peer();
      if (peer.user() == user) {
        Silent greeted = new Silent(next, peer, System.nanoTime());
        if (isSilent(greeted)) {
          silent.add(greeted);
        }
      } else {
        next.close();
      }
    }
  }

  /// Takes what has arrived on the connections that are silent still.
  private void hear() {
    ArrayDeque<Silent> still = new ArrayDeque<>();
    int index = 1;
    for (Silent each : silent) {
      if (!set.isReady(index++) || isSilent(each)) {
        still.add(each);
      }
    }
    silent = still;
  }

  /// Takes a request, if it is there.
  private boolean isSilent(Silent connection) {
    UnixSocket.Packet packet = connection.socket.receive();
    if (packet == null) {
      return true;
    }
    Hello request = hello(packet);
    if (request != null && request.version() != Hello.VERSION) {
      answer(connection.socket, request.answered(Hello.Answer.OTHER_VERSION, 0));
      request = null;
    }
    OpenFile file = packet.file();
    SharedMemory memory = request == null || file == null ? null : adopt(file);
    if (request == null || memory == null) {
      if (file != null) {
        file.close();
      }
      connection.socket.close();
    } else {
      ready.add(new Request(connection.socket, connection.peer, request, memory));
    }
    return false;
  }

  private static @Nullable SharedMemory adopt(OpenFile file) {
    try {
      return SharedMemory.adopt(file, Channel.BYTES);
    } catch (SystemException notAsItMustBe) {
      return null;
    }
  }

  /// What a packet says; null if it is no hello.
  static @Nullable Hello hello(UnixSocket.Packet packet) {
    return packet.bytes().remaining() == Hello.BYTES ? Hello.from(packet.bytes()) : null;
  }

  /// Whether the answer could be sent.
  private static boolean answer(UnixSocket socket, Hello answer) {
    try {
      socket.send(answer.toBytes(), null);
      return true;
    } catch (SystemException goneAlready) {
      return false;
    }
  }

  @Override
  public void wake() {
    woken = true;
    set.wake();
  }

  @Override
  public void close() {
    List<Silent> left = new ArrayList<>(silent);
    silent.clear();
    left.forEach(each -> each.socket.close());
    for (Request request = ready.poll(); request != null; request = ready.poll()) {
      request.reject();
    }
    listening.close();
    set.close();
  }

  /// A whole request.
  private record Request(
      UnixSocket socket, UnixSocket.Peer process, Hello hello, SharedMemory memory)
      implements Knock {
    @Override
    public long tag() {
      return hello.tag();
    }

    @Override
    public String peer() {
      return "process " + process.process();
    }

    @Override
    public Link accept(Port port, Attributes attributes) {
      Arena arena = Arena.ofShared();
      Channel channel;
      try (memory) {
        channel = Channel.over(memory.map(arena), false);
      } catch (SystemException e) {
        socket.close();
        arena.close();
        throw new NetException("accept", peer(), String.valueOf(e.getMessage()), e);
      }
      boolean answered =
          answer(socket, hello.answered(Hello.Answer.ACCEPTED, attributes.maximumMessageBytes()));
      long maximum = hello.maximumMessageBytes();
      ShmLink link =
          new ShmLink((ShmPort) port, socket, arena, channel, peer(), attributes, maximum);
      if (!answered) {
        link.fail("the peer has given up connecting", null);
      }
      return link;
    }

    @Override
    public void reject() {
      answer(socket, hello.answered(Hello.Answer.REJECTED, 0));
      socket.close();
      memory.close();
    }
  }
}
