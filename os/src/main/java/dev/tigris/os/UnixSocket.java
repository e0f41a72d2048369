package dev.tigris.os;

import static dev.tigris.os.SystemException.check;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A socket between processes of this host. It keeps the boundaries of packets, can hand over an
/// open file with one, names the process at its other end, and ends when that process does: the
/// kernel sees to all of that.
///
/// Its name is an *abstract* one and not a file, so that no name is left when a process is killed.
/// It never blocks: [PollSet] waits.
///
/// Thread rule: one thread at a time, except for methods that say otherwise. Linux.
public final class UnixSocket implements AutoCloseable {
  private static final int AF_UNIX = 1;
  private static final int SOCK_NONBLOCK = 0x800;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int PACKETS = 5 | SOCK_NONBLOCK | SOCK_CLOEXEC;
  private static final int SOL_SOCKET = 1;
  private static final int SO_PEERCRED = 17;
  private static final int SCM_RIGHTS = 1;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int MSG_CMSG_CLOEXEC = 0x40000000;
  private static final int MSG_CTRUNC = 8;
  private static final int SHUT_RDWR = 2;
  private static final int CREDENTIALS_BYTES = 12;
  private static final int LONGEST_NAME_BYTES = 107;

  private static final int PACKET_BYTES = 64;

  // struct msghdr, struct iovec and one struct cmsghdr with a descriptor, one after the other:
  //
  //    0 name | 8 its length | 16 iovec | 24 their count | 32 control | 40 its length | 48 flags
  //   56 iovec: base | 64 its length
  //   72 cmsghdr: length of it all | 80 level | 84 type | 88 descriptor
  //   96 the packet
  private static final int CONTROL_LENGTH = 40;
  private static final int FLAGS = 48;
  private static final int IOVEC = 56;
  private static final int CONTROL = 72;
  private static final int CONTROL_BYTES = 20;
  private static final int PACKET = 96;

  private final OpenFile file;
  private final MemorySegment errno = LibraryFunction.errnoBuffer();
  private final MemorySegment header = Arena.ofAuto().allocate(PACKET + PACKET_BYTES, 8);
  private @Nullable Packet heard;

  /// The process at the other end of a connection.
  ///
  /// @param process its number
  /// @param user its effective user
  public record Peer(int process, int user) {}

  /// A packet that has arrived.
  ///
  /// @param bytes what it consists of, little-endian
  /// @param file the open file that came with it; the receiver closes it
  /// @param lost whether a file came with it that this process could not take: mostly because too
  ///     many are open already
  public record Packet(ByteBuffer bytes, @Nullable OpenFile file, boolean lost) {
    /// Closes the file, if one came unasked.
    public void refuseFile() {
      if (file != null) {
        file.close();
      }
    }
  }

  /// The kinds of things that [#hear] comes across.
  public enum Heard {
    NOTHING,
    /// A packet of one byte: [#nudge].
    NUDGE,
    /// A longer packet: [#heard] has it.
    PACKET,
    /// The end of the connection.
    END
  }

  private UnixSocket(OpenFile file) {
    this.file = file;
  }

  private static UnixSocket open() throws SystemException {
    int fd = (int) check("open a socket", Calls.socket(AF_UNIX, PACKETS));
    return new UnixSocket(new OpenFile(fd));
  }

  /// A socket that listens under a name.
  ///
  /// @throws SystemException if that is not possible: somebody else does, for example
  public static UnixSocket listen(String name, int backlog) throws SystemException {
    UnixSocket socket = open();
    try (Arena arena = Arena.ofConfined()) {
      int fd = socket.file.number();
      check("take the name", Calls.bind(fd, address(arena, name)));
      check("listen", Calls.listen(fd, backlog));
      return socket;
    } catch (SystemException e) {
      socket.close();
      throw e;
    }
  }

  /// A socket that is connected to the listener of a name, which need not have accepted yet.
  ///
  /// @throws SystemException if no socket does ([SystemException#CONNECTION_REFUSED]), or too many
  ///     are waiting there ([SystemException#AGAIN])
  public static UnixSocket connect(String name) throws SystemException {
    UnixSocket socket = open();
    try (Arena arena = Arena.ofConfined()) {
      int fd = socket.file.number();
      check("connect", Calls.connect(fd, address(arena, name)));
      return socket;
    } catch (SystemException e) {
      socket.close();
      throw e;
    }
  }

  /// struct sockaddr_un with a zero before the name, which makes it an abstract one.
  private static MemorySegment address(Arena arena, String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    if (bytes.length == 0 || bytes.length > LONGEST_NAME_BYTES) {
      throw new IllegalArgumentException("the name has %d bytes".formatted(bytes.length));
    }
    MemorySegment address = arena.allocate(Short.BYTES + 1 + bytes.length, Short.BYTES);
    address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
    MemorySegment.copy(bytes, 0, address, ValueLayout.JAVA_BYTE, Short.BYTES + 1, bytes.length);
    return address;
  }

  /// The next connection to a socket that listens; null if there is none.
  public @Nullable UnixSocket accept() throws SystemException {
    int fd = Calls.accept(file.number(), SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd == -SystemException.AGAIN || fd == -SystemException.INTERRUPTED) {
      return null;
    }
    return new UnixSocket(new OpenFile((int) check("accept", fd)));
  }

  /// Returns the process that is at the other end, or was when the connection was made, as the
  /// kernel says.
  public Peer peer() throws SystemException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(CREDENTIALS_BYTES, Integer.BYTES);
      MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, CREDENTIALS_BYTES);
      int fd = file.number();
      check("ask who it is", Calls.getsockopt(fd, SOL_SOCKET, SO_PEERCRED, value, length));
      return new Peer(
          value.get(ValueLayout.JAVA_INT, 0), value.get(ValueLayout.JAVA_INT, Integer.BYTES));
    }
  }

  /// The effective user of this process.
  public static int user() {
    return Calls.geteuid();
  }

  /// Sends a packet of up to 64 bytes, and an open file with it, of which this process keeps its
  /// own descriptor.
  ///
  /// @throws SystemException if it cannot be sent now ([SystemException#AGAIN]) or ever
  public void send(ByteBuffer packet, @Nullable OpenFile attached) throws SystemException {
    int length = packet.remaining();
    prepare(length, attached != null);
    MemorySegment.copy(MemorySegment.ofBuffer(packet), 0, header, PACKET, length);
    if (attached != null) {
      header.set(ValueLayout.JAVA_LONG, CONTROL, CONTROL_BYTES);
      header.set(ValueLayout.JAVA_INT, CONTROL + 8, SOL_SOCKET);
      header.set(ValueLayout.JAVA_INT, CONTROL + 12, SCM_RIGHTS);
      header.set(ValueLayout.JAVA_INT, CONTROL + 16, attached.number());
    }
    long sent = Calls.sendmsg(file.number(), header, MSG_DONTWAIT | MSG_NOSIGNAL);
    check("send", sent);
  }

  /// Sends a packet of one byte if it can be sent. Any thread, one at a time.
  public void nudge() {
    prepare(1, false);
    header.set(ValueLayout.JAVA_BYTE, PACKET, (byte) 1);
    // If there is no room, the other side has packets enough to wake up for; if it is gone, that
    // shows elsewhere.
    long _ = Calls.sendmsgQuietly(file.number(), header, MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  /// Takes the next packet; one of no bytes stands for the end of the connection. What is longer
  /// than 64 bytes loses the rest.
  ///
  /// @return null if there is none now
  public @Nullable Packet receive() {
    int length = next();
    if (length < 0) {
      return null;
    }
    return packet(length);
  }

  private Packet packet(int length) {
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    MemorySegment.copy(header, PACKET, MemorySegment.ofBuffer(bytes), 0, length);
    OpenFile attached = attached();
    boolean cut = (header.get(ValueLayout.JAVA_INT, FLAGS) & MSG_CTRUNC) != 0;
    return new Packet(bytes, attached, cut && attached == null);
  }

  /// Takes the next packet. Allocates nothing if it is a nudge without a file; a file that came
  /// with a nudge is closed.
  public Heard hear() {
    int length = next();
    if (length < 0) {
      return Heard.NOTHING;
    }
    if (length > 1) {
      heard = packet(length);
      return Heard.PACKET;
    }
    OpenFile attached = attached();
    if (attached != null) {
      attached.close();
    }
    return length == 0 ? Heard.END : Heard.NUDGE;
  }

  /// The packet that [#hear] has taken last.
  public Packet heard() {
    return Objects.requireNonNull(heard);
  }

  /// Takes the next packet into [#header]; returns its length, or -1 if there is none now.
  private int next() {
    int flags = MSG_DONTWAIT | MSG_CMSG_CLOEXEC;
    prepare(PACKET_BYTES, true);
    long received = Calls.recvmsgQuietly(file.number(), header, flags);
    if (received >= 0) {
      return (int) received;
    }
    prepare(PACKET_BYTES, true); // and ask again: why is there none?
    received = Calls.recvmsg(errno, file.number(), header, flags);
    if (received == -SystemException.AGAIN || received == -SystemException.INTERRUPTED) {
      return -1;
    }
    if (received < 0) { // whatever the error is, the connection has ended
      header.set(ValueLayout.JAVA_LONG, CONTROL_LENGTH, 0);
      return 0;
    }
    return (int) received;
  }

  /// The file that came with the packet that [#next] has taken.
  private @Nullable OpenFile attached() {
    boolean there =
        header.get(ValueLayout.JAVA_LONG, CONTROL_LENGTH) == CONTROL_BYTES
            && header.get(ValueLayout.JAVA_INT, CONTROL + 8) == SOL_SOCKET
            && header.get(ValueLayout.JAVA_INT, CONTROL + 12) == SCM_RIGHTS;
    return there ? new OpenFile(header.get(ValueLayout.JAVA_INT, CONTROL + 16)) : null;
  }

  /// Prepares the header for a packet. The room for control data is for one descriptor exactly: the
  /// kernel installs no others.
  private void prepare(int bytes, boolean control) {
    if (bytes > PACKET_BYTES) {
      throw new IllegalArgumentException("a packet has up to 64 bytes");
    }
    for (int at = 0; at < PACKET; at += Long.BYTES) {
      header.set(ValueLayout.JAVA_LONG, at, 0);
    }
    header.set(ValueLayout.JAVA_LONG, 16, header.address() + IOVEC);
    header.set(ValueLayout.JAVA_LONG, 24, 1);
    header.set(ValueLayout.JAVA_LONG, 32, control ? header.address() + CONTROL : 0);
    header.set(ValueLayout.JAVA_LONG, CONTROL_LENGTH, control ? CONTROL_BYTES : 0);
    header.set(ValueLayout.JAVA_LONG, IOVEC, header.address() + PACKET);
    header.set(ValueLayout.JAVA_LONG, IOVEC + 8, bytes);
  }

  /// Returns the file to wait for.
  public OpenFile file() {
    return file;
  }

  /// Ends the connection, at once even while another thread waits for it, and closes the socket.
  @Override
  public void close() {
    Calls.shutdown(file.number(), SHUT_RDWR);
    file.close();
  }
}
