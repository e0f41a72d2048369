package dev.tigris.net.shm;

import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import dev.tigris.net.provider.HandshakeListener;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.os.LastingMemory;
import dev.tigris.os.OpenFile;
import dev.tigris.os.PollSet;
import dev.tigris.os.SharedMemory;
import dev.tigris.os.Signal;
import dev.tigris.os.SystemException;
import dev.tigris.os.UnixSocket;
import java.util.Iterator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A listening socket, and the connections that have not yet said what they want. A request comes
/// in one packet, with the memory. Closed are other users' processes, and whoever sends no memory
/// as it must be.
final class ShmListener extends HandshakeListener<ShmListener.Unheard> {
  private final String address;
  private final UnixSocket listening;
  private final PollSet set;
  private final int user = UnixSocket.user();

  /// Why memory of a peer was lost since the last [#look] began, if any was.
  private @Nullable NetException lost;

  /// A connection whose request has not arrived.
  static final class Unheard extends Silent {
    final UnixSocket socket;
    final UnixSocket.Peer peer;

    /// Keeps a place for the memory among the files that this process may have open: the system
    /// takes a packet whose file finds none without that.
    final Signal place;

    Unheard(UnixSocket socket, UnixSocket.Peer peer, Signal place) {
      this.socket = socket;
      this.peer = peer;
      this.place = place;
    }

    @Override
    protected void close() {
      place.close();
      socket.close();
    }
  }

  ShmListener(String asked, long handshakeNanos) {
    super(handshakeNanos);
    this.address = ShmAddress.listening(asked);
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
      String advice =
          e.error() == SystemException.ADDRESS_IN_USE
              ? ": choose another name or port, or '*' for any"
              : "";
      throw new NetException("listen at", address, e.getMessage() + advice, e);
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
  protected void look(long nanos) {
    watchAll();
    set.await(nanos);
    lost = null;
    NetException limit = null;
    try {
      greet();
    } catch (SystemException e) {
      limit = failed("listen at", e);
    }
    watchAll();
    set.look();
    hear();
    forgetTheSilent();
    // The system says that no file can be opened to who accepts without a look for who waits.
    if (limit != null && set.isReady(0)) {
      makeRoom(limit);
    }
    // Who has lost it is sent away, which makes room. That is all, unless nobody else is there.
    NetException why = lost;
    if (why != null && silent.isEmpty() && ready.isEmpty()) {
      throw why;
    }
  }

  private void watchAll() {
    set.clear();
    set.add(listening.file());
    silent.forEach(each -> set.add(each.socket.file()));
  }

  /// Accepts the connections that wait.
  private void greet() throws SystemException {
    boolean more = true;
    while (more) {
      Signal place = new Signal();
      boolean kept = false;
      try {
        UnixSocket next = listening.accept();
        kept = next != null && greet(next, place);
        more = next != null;
      } finally {
        if (!kept) {
          place.close();
        }
      }
    }
  }

  /// Lets somebody in, unless that is another user's process, or nobody knows whose it is; returns
  /// whether it has.
  private boolean greet(UnixSocket socket, Signal place) {
    try {
      UnixSocket.Peer peer = socket.peer();
      if (peer.user() == user) {
        silent.add(new Unheard(socket, peer, place));
        return true;
      }
    } catch (SystemException isNotSaid) {
      // as if it were another user's
    }
    socket.close();
    return false;
  }

  /// Takes what has arrived on the connections that are silent still.
  private void hear() {
    int index = 1;
    for (Iterator<Unheard> each = silent.iterator(); each.hasNext(); ) {
      Unheard next = each.next();
      if (set.isReady(index++) && !isSilent(next)) {
        each.remove();
      }
    }
  }

  /// Takes a request, if it is there.
  private boolean isSilent(Unheard connection) {
    connection.place.close();
    UnixSocket.Packet packet = connection.socket.receive();
    if (packet == null) {
      return true;
    }
    if (packet.lost()) {
      lost =
          failed(
              "listen at",
              new SystemException("take the memory of a peer", SystemException.TOO_MANY_FILES));
    }
    OpenFile file = packet.file();
    SharedMemory memory = file == null ? null : adopt(file);
    Hello said = hello(packet);
    boolean isHalf = memory == null && said != null && said.isRequest();
    heard(new Connected(connection.socket, connection.peer, memory), isHalf ? null : said);
    return false;
  }

  private static @Nullable SharedMemory adopt(OpenFile file) {
    try {
      return SharedMemory.adopt(file, Channel::isSize);
    } catch (SystemException notAsItMustBe) {
      return null;
    }
  }

  /// What a packet says; null if it is no hello.
  static @Nullable Hello hello(UnixSocket.Packet packet) {
    return packet.bytes().remaining() == Hello.BYTES ? Hello.from(packet.bytes()) : null;
  }

  @Override
  protected void endWait() {
    set.wake();
  }

  @Override
  public void close() {
    turnAway();
    listening.close();
    set.close();
  }

  /// @param memory null if none came that is as it must be: then no link is asked for
  private record Connected(
      UnixSocket socket, UnixSocket.Peer process, @Nullable SharedMemory memory) implements Caller {
    @Override
    public String name() {
      return "process " + process.process();
    }

    @Override
    public Link link(Port port, Attributes attributes, long peerMaximum) {
      LastingMemory mapped = null;
      try (SharedMemory shared = Objects.requireNonNull(memory)) {
        mapped = shared.mapLasting();
        shared.keep(); // the side that has connected has mapped it before
      } catch (SystemException e) {
        socket.close();
        if (mapped != null) {
          mapped.close();
        }
        throw new NetException("accept", name(), ShmCarrier.explain(e), e);
      }
      Channel channel = Channel.over(mapped, false);
      return new ShmLink((ShmPort) port, socket, mapped, channel, name(), attributes, peerMaximum);
    }

    @Override
    public boolean answer(Hello answer) {
      try {
        socket.send(answer.toBytes(), null);
        return true;
      } catch (SystemException goneAlready) {
        return false;
      }
    }

    @Override
    public void close() {
      socket.close();
      if (memory != null) {
        memory.close();
      }
    }
  }
}
