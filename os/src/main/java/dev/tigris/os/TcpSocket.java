package dev.tigris.os;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A TCP socket with a descriptor, which the JDK does not tell of its own: made and connected here,
/// for others to move messages through.
///
/// ```text
///   IPv4:  family 2 | port 2, big-endian | address 4 | 0
///   IPv6:  family 2 | port 2, big-endian | flow 4 | address 16 | scope 4
/// ```
///
/// Thread rule: one at a time.
public final class TcpSocket implements AutoCloseable {
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;
  private static final int SOCK_STREAM = 1;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int SOCK_NONBLOCK = 0x800;
  private static final int IPV4_BYTES = 16;
  private static final int IPV6_BYTES = 28;
  private static final int SCOPE = 24;
  private static final int SOL_SOCKET = 1;
  private static final int SO_REUSEADDR = 2;
  private static final int SO_ERROR = 4;
  private static final int SO_KEEPALIVE = 9;
  private static final int SO_LINGER = 13;
  private static final int F_SETFL = 4;
  private static final int F_DUPFD_CLOEXEC = 1030;
  private static final int IPPROTO_TCP = 6;
  private static final int TCP_NODELAY = 1;
  private static final int TCP_KEEPIDLE = 4;
  private static final int TCP_KEEPINTVL = 5;
  private static final int TCP_KEEPCNT = 6;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int SHUT_WR = 1;
  private static final int SHUT_RDWR = 2;

  private static final ValueLayout.OfShort PORT =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

  private final OpenFile file;

  private TcpSocket(OpenFile file) {
    this.file = file;
  }

  private static TcpSocket open(InetSocketAddress address, int flags) throws SystemException {
    int family = address.getAddress() instanceof Inet6Address ? AF_INET6 : AF_INET;
    int type = SOCK_STREAM | SOCK_CLOEXEC | flags;
    int fd = Calls.socket(family, type);
    return new TcpSocket(new OpenFile((int) SystemException.check("open a socket", fd)));
  }

  /// Makes one that is connected.
  ///
  /// @param nanos how long that may take
  /// @throws SystemException with [SystemException#TIMED_OUT] if it takes longer, and with
  ///     [SystemException#INTERRUPTED] if the thread is interrupted
  public static TcpSocket connect(InetSocketAddress to, long nanos) throws SystemException {
    TcpSocket socket = open(to, SOCK_NONBLOCK);
    boolean connected = false;
    try (Arena arena = Arena.ofConfined()) {
      int result = Calls.connect(socket.fd(), encode(arena, to));
      if (result == -SystemException.IN_PROGRESS) {
        socket.await(true, nanos);
        result = -socket.error(arena);
      }
      check("connect", result);
      check("connect", Calls.fcntl(socket.fd(), F_SETFL, 0));
      connected = true;
      return socket;
    } finally {
      if (!connected) {
        socket.close();
      }
    }
  }

  /// Takes the connection of a channel over, and closes the channel.
  ///
  /// The JDK does not tell the descriptor of a channel, so it is looked for: among the sockets of
  /// this process, the one with the same two addresses is the same connection, since the system has
  /// no two of them. It is copied, and its addresses are looked at again: the number may have
  /// become another file's meanwhile, and the copy cannot. The connection stays open when the
  /// channel, with the other descriptor, is closed.
  ///
  /// @throws IOException if the channel is not connected, or registered with a selector: to close
  ///     such a channel ends its connection
  public static TcpSocket adopt(SocketChannel channel) throws IOException, SystemException {
    Platform.requireLinux("adopting a socket");
    if (channel.isRegistered()) {
      throw new IOException(
          "the channel is registered with a selector: cancel its key, and select once more");
    }
    TcpPeer peer = TcpPeer.of(channel);
    TcpPeer.find(List.of(peer));
    if (!peer.isUnknown()) {
      int copy = check("copy a descriptor", Calls.fcntl(peer.number(), F_DUPFD_CLOEXEC, 0));
      TcpSocket socket = new TcpSocket(new OpenFile(copy));
      if (peer.isOf(copy)) {
        check("adopt a socket", Calls.fcntl(copy, F_SETFL, 0)); // the JDK may have it not block
        channel.close();
        return socket;
      }
      socket.close();
    }
    throw new IOException("the descriptor of the channel is not found in /proc/self/fd");
  }

  /// The address of the other side of a file; null if it is no connected socket.
  static @Nullable InetSocketAddress remoteAddress(int number) {
    return addressOf(number, Calls::getpeername);
  }

  /// The address of this side of a file; null if it is no socket.
  static @Nullable InetSocketAddress localAddress(int number) {
    return addressOf(number, Calls::getsockname);
  }

  private static @Nullable InetSocketAddress addressOf(int number, Asking asking) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(IPV6_BYTES, 8);
      MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, IPV6_BYTES);
      if (asking.ask(number, address, length) < 0) {
        return null;
      }
      int family = address.get(ValueLayout.JAVA_SHORT, 0);
      return family == AF_INET || family == AF_INET6 ? decode(address) : null;
    }
  }

  /// What has become of an attempt to connect.
  private int error(Arena arena) throws SystemException {
    MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
    MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, Integer.BYTES);
    check("connect", Calls.getsockopt(fd(), SOL_SOCKET, SO_ERROR, value, length));
    return value.get(ValueLayout.JAVA_INT, 0);
  }

  /// Waits until something can be received, or sent.
  private void await(boolean toSend, long nanos) throws SystemException {
    long start = System.nanoTime();
    try (PollSet set = new PollSet()) {
      if (toSend) {
        set.addForSending(file);
      } else {
        set.add(file);
      }
      do {
        long left = nanos - (System.nanoTime() - start);
        if (left <= 0) {
          throw new SystemException("wait", SystemException.TIMED_OUT);
        }
        if (Thread.currentThread().isInterrupted()) {
          throw new SystemException("wait", SystemException.INTERRUPTED);
        }
        set.await(left);
      } while (!set.isReady(0));
    }
  }

  /// Makes one that listens, and whose [#accept] does not wait.
  public static TcpSocket listen(InetSocketAddress at, int backlog) throws SystemException {
    TcpSocket socket = open(at, SOCK_NONBLOCK);
    boolean listens = false;
    try (Arena arena = Arena.ofConfined()) {
      socket.setOption(SOL_SOCKET, SO_REUSEADDR, 1);
      check("bind", Calls.bind(socket.fd(), encode(arena, at)));
      check("listen", Calls.listen(socket.fd(), backlog));
      listens = true;
      return socket;
    } finally {
      if (!listens) {
        socket.close();
      }
    }
  }

  /// Takes a connection that waits.
  ///
  /// @throws SystemException with [SystemException#AGAIN] if none does
  public TcpSocket accept() throws SystemException {
    return new TcpSocket(new OpenFile(check("accept", Calls.accept(fd(), SOCK_CLOEXEC))));
  }

  /// The address of this side.
  public InetSocketAddress localAddress() throws SystemException {
    return address("ask for the address", Calls::getsockname);
  }

  /// The address of the other side.
  public InetSocketAddress remoteAddress() throws SystemException {
    return address("ask for the address of the peer", Calls::getpeername);
  }

  /// What fills in an address, and its length.
  private interface Asking {
    int ask(int fd, MemorySegment address, MemorySegment length);
  }

  private InetSocketAddress address(String what, Asking asking) throws SystemException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(IPV6_BYTES, 8);
      MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, IPV6_BYTES);
      check(what, asking.ask(fd(), address, length));
      return decode(address);
    }
  }

  private static MemorySegment encode(Arena arena, InetSocketAddress from) {
    byte[] host = from.getAddress().getAddress();
    Inet6Address six = from.getAddress() instanceof Inet6Address a ? a : null;
    MemorySegment address = arena.allocate(six == null ? IPV4_BYTES : IPV6_BYTES, 8);
    address.set(ValueLayout.JAVA_SHORT, 0, (short) (six == null ? AF_INET : AF_INET6));
    address.set(PORT, 2, (short) from.getPort());
    MemorySegment.copy(host, 0, address, ValueLayout.JAVA_BYTE, six == null ? 4 : 8, host.length);
    if (six != null) {
      address.set(ValueLayout.JAVA_INT, SCOPE, six.getScopeId());
    }
    return address;
  }

  private static InetSocketAddress decode(MemorySegment address) {
    boolean six = address.get(ValueLayout.JAVA_SHORT, 0) == AF_INET6;
    byte[] host = address.asSlice(six ? 8 : 4, six ? 16 : 4).toArray(ValueLayout.JAVA_BYTE);
    int scope = six ? address.get(ValueLayout.JAVA_INT, SCOPE) : 0;
    try {
      return new InetSocketAddress(
          scope == 0
              ? InetAddress.getByAddress(host)
              : Inet6Address.getByAddress(null, host, scope),
          Short.toUnsignedInt(address.get(PORT, 2)));
    } catch (UnknownHostException otherLength) {
      throw new IllegalStateException(otherLength);
    }
  }

  /// Has what is short leave at once.
  public void sendAtOnce() throws SystemException {
    setOption(IPPROTO_TCP, TCP_NODELAY, 1);
  }

  /// Has the kernel ask the other one whether it is there, while nothing else is under way.
  ///
  /// @param idleSeconds after which time
  /// @param intervalSeconds how long it waits for an answer
  /// @param probes how often it asks before the connection breaks
  public void keepAlive(int idleSeconds, int intervalSeconds, int probes) throws SystemException {
    setOption(SOL_SOCKET, SO_KEEPALIVE, 1);
    setOption(IPPROTO_TCP, TCP_KEEPIDLE, idleSeconds);
    setOption(IPPROTO_TCP, TCP_KEEPINTVL, intervalSeconds);
    setOption(IPPROTO_TCP, TCP_KEEPCNT, probes);
  }

  /// Has [#close] tell the peer that the connection is broken, and drop what it has not received.
  public void resetOnClose() throws SystemException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment linger = arena.allocate(8, 4);
      linger.set(ValueLayout.JAVA_INT, 0, 1);
      setOption(SOL_SOCKET, SO_LINGER, linger);
    }
  }

  private void setOption(int level, int name, int value) throws SystemException {
    try (Arena arena = Arena.ofConfined()) {
      setOption(level, name, arena.allocateFrom(ValueLayout.JAVA_INT, value));
    }
  }

  private void setOption(int level, int name, MemorySegment value) throws SystemException {
    check("set an option of a socket", Calls.setsockopt(fd(), level, name, value));
  }

  /// Sends what the socket takes without waiting; returns how many bytes.
  public int send(ByteBuffer bytes) throws SystemException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(Math.max(1, bytes.remaining()));
      from.copyFrom(MemorySegment.ofBuffer(bytes));
      int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
      return check("send", Calls.send(fd(), from, bytes.remaining(), flags));
    }
  }

  /// Receives into `to[from, to.length)` what is there; returns how many bytes, and 0 at the end of
  /// the stream.
  ///
  /// @throws SystemException with [SystemException#AGAIN] if there is nothing
  public int receive(byte[] to, int from) throws SystemException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment into = arena.allocate(Math.max(1, to.length - from));
      int n = check("receive", Calls.recv(fd(), into, to.length - from, MSG_DONTWAIT));
      MemorySegment.copy(into, ValueLayout.JAVA_BYTE, 0, to, from, n);
      return n;
    }
  }

  /// Receives so many bytes, and waits for them.
  ///
  /// @return as many as came before the peer closed; null if it closed without any
  /// @throws SystemException with [SystemException#TIMED_OUT] if it takes longer, and with
  ///     [SystemException#INTERRUPTED] if the thread is interrupted
  public byte @Nullable [] receiveAll(int count, long nanos) throws SystemException {
    long start = System.nanoTime();
    byte[] bytes = new byte[count];
    for (int read = 0; read < count; ) {
      await(false, nanos - (System.nanoTime() - start));
      int n = 0;
      try {
        n = receive(bytes, read);
      } catch (SystemException e) {
        if (e.error() != SystemException.CONNECTION_RESET) {
          throw e;
        }
      }
      if (n == 0) {
        return read == 0 ? null : Arrays.copyOf(bytes, read);
      }
      read += n;
    }
    return bytes;
  }

  /// Receives into the first bytes of memory what is there, without waiting, and without an object:
  /// so an error is not told of. The stream has ended behind it.
  ///
  /// @return how many bytes, 0 at the end of the stream, or -1 if there is nothing
  public int receive(MemorySegment to, int most) {
    Objects.checkFromIndexSize(0, most, to.byteSize());
    return (int) Calls.recvQuietly(fd(), to, most, MSG_DONTWAIT);
  }

  /// Receives like [#receive(MemorySegment, int)], into ranges.
  public int receive(Ranges to) {
    return (int) Calls.recvmsgQuietly(fd(), to.header(), MSG_DONTWAIT);
  }

  /// Sends the first bytes of memory, as many of them as the socket takes without waiting; returns
  /// how many, and 0 if that has failed.
  public int send(MemorySegment from, int count) {
    Objects.checkFromIndexSize(0, count, from.byteSize());
    return (int) Math.max(0, Calls.sendQuietly(fd(), from, count, MSG_DONTWAIT | MSG_NOSIGNAL));
  }

  /// Sends like [#send(MemorySegment, int)], out of ranges, and at most this many bytes.
  public int send(Ranges from, long most) {
    from.limit(most);
    long sent = Calls.sendmsgQuietly(fd(), from.header(), MSG_DONTWAIT | MSG_NOSIGNAL);
    from.endLimit();
    return (int) Math.max(0, sent);
  }

  /// Says that nothing more will be sent. Without effect on a connection that is gone.
  public void shutdownOutput() {
    Calls.shutdown(fd(), SHUT_WR);
  }

  /// Ends both directions: operations that wait for the socket complete.
  public void shutdown() {
    Calls.shutdown(fd(), SHUT_RDWR);
  }

  /// For waiting, and for the kernel to know it by.
  public OpenFile file() {
    return file;
  }

  private int fd() {
    return file.number();
  }

  @Override
  public void close() {
    file.close();
  }

  private static int check(String what, long result) throws SystemException {
    return (int) SystemException.check(what, result);
  }
}
