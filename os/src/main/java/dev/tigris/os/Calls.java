// Over 400 lines: one function after the other, each in the same few lines.
package dev.tigris.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/// The functions of the C library by their own names. Each returns what the function does, or the
/// number of the error below zero, as the kernel itself does.
///
/// A buffer for `errno` comes first; one thread at a time uses it. Where nobody asks which error it
/// was there is none, and the result is below zero: keeping it costs an object until the call is
/// compiled.
// SAFETY: bounds: every buffer is a segment, and the length that is passed is its own or less;
// lifetime: buffers outlive the call, since none of these functions keeps an address; `mmap` picks
// fresh addresses, and whoever has called it takes them off, or lays something else over them;
// thread: all are thread-safe.
public final class Calls {
  private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final Linker LINKER = Linker.nativeLinker();
  private static final int LONGEST_DESCRIPTION_BYTES = 256;
  private static final int MAP_FIXED = 0x10;

  private static final FunctionDescriptor MESSAGE =
      FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);

  private static final MethodHandle SOCKET = ints("socket", 3);
  private static final MethodHandle BIND = link("bind", JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle CONNECT = link("connect", JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle LISTEN = ints("listen", 2);
  private static final MethodHandle ACCEPT = link("accept4", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
  private static final MethodHandle SENDMSG = link("sendmsg", MESSAGE);
  private static final MethodHandle RECVMSG = link("recvmsg", MESSAGE);
  private static final MethodHandle SENDMSG_QUIETLY = linkQuietly("sendmsg", MESSAGE);
  private static final MethodHandle RECVMSG_QUIETLY = linkQuietly("recvmsg", MESSAGE);
  private static final MethodHandle GETSOCKOPT =
      link("getsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
  private static final MethodHandle SETSOCKOPT =
      link("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle GETSOCKNAME = link("getsockname", JAVA_INT, ADDRESS, ADDRESS);
  private static final MethodHandle GETPEERNAME = link("getpeername", JAVA_INT, ADDRESS, ADDRESS);
  private static final FunctionDescriptor BYTES =
      FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
  private static final MethodHandle SEND = link("send", BYTES);
  private static final MethodHandle RECV = link("recv", BYTES);
  private static final MethodHandle SEND_QUIETLY = linkQuietly("send", BYTES);
  private static final MethodHandle RECV_QUIETLY = linkQuietly("recv", BYTES);
  private static final MethodHandle SHUTDOWN = intsQuietly("shutdown", 2);
  private static final MethodHandle CLOSE = intsQuietly("close", 1);
  private static final MethodHandle POLL =
      linkQuietly("poll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
  private static final MethodHandle EVENTFD = ints("eventfd", 2);
  private static final MethodHandle EVENTFD_READ =
      linkQuietly("eventfd_read", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle EVENTFD_WRITE =
      linkQuietly("eventfd_write", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final MethodHandle GETEUID = intsQuietly("geteuid", 0);
  private static final MethodHandle MEMFD_CREATE = link("memfd_create", ADDRESS, JAVA_INT);
  private static final MethodHandle FCNTL =
      link(
          "fcntl",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle FALLOCATE =
      link("fallocate", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle LSEEK =
      link("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
  private static final MethodHandle MMAP =
      link(
          "mmap",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final FunctionDescriptor SYSCALL_DESCRIPTOR =
      FunctionDescriptor.of(
          JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle SYSCALL =
      link("syscall", SYSCALL_DESCRIPTOR, Linker.Option.firstVariadicArg(1));
  private static final MethodHandle SYSCALL_QUIETLY =
      linkQuietly("syscall", SYSCALL_DESCRIPTOR, Linker.Option.firstVariadicArg(1));
  private static final MethodHandle MUNMAP =
      linkQuietly("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

  private Calls() {}

  /// A buffer for the errors of one object's calls.
  public static MemorySegment errno() {
    return Arena.ofAuto().allocate(STATE);
  }

  static int socket(MemorySegment errno, int family, int type) {
    try {
      return result((int) SOCKET.invokeExact(errno, family, type, 0), errno);
    } catch (Throwable e) {
      throw notCalled("socket", e);
    }
  }

  static int bind(MemorySegment errno, int fd, MemorySegment address) {
    try {
      int length = (int) address.byteSize();
      return result((int) BIND.invokeExact(errno, fd, address, length), errno);
    } catch (Throwable e) {
      throw notCalled("bind", e);
    }
  }

  static int connect(MemorySegment errno, int fd, MemorySegment address) {
    try {
      int length = (int) address.byteSize();
      return result((int) CONNECT.invokeExact(errno, fd, address, length), errno);
    } catch (Throwable e) {
      throw notCalled("connect", e);
    }
  }

  static int listen(MemorySegment errno, int fd, int backlog) {
    try {
      return result((int) LISTEN.invokeExact(errno, fd, backlog), errno);
    } catch (Throwable e) {
      throw notCalled("listen", e);
    }
  }

  static int accept(MemorySegment errno, int fd, int flags) {
    try {
      MemorySegment nobody = MemorySegment.NULL;
      return result((int) ACCEPT.invokeExact(errno, fd, nobody, nobody, flags), errno);
    } catch (Throwable e) {
      throw notCalled("accept4", e);
    }
  }

  static long sendmsg(MemorySegment errno, int fd, MemorySegment header, int flags) {
    try {
      return result((long) SENDMSG.invokeExact(errno, fd, header, flags), errno);
    } catch (Throwable e) {
      throw notCalled("sendmsg", e);
    }
  }

  static long recvmsg(MemorySegment errno, int fd, MemorySegment header, int flags) {
    try {
      return result((long) RECVMSG.invokeExact(errno, fd, header, flags), errno);
    } catch (Throwable e) {
      throw notCalled("recvmsg", e);
    }
  }

  static long sendmsgQuietly(int fd, MemorySegment header, int flags) {
    try {
      return (long) SENDMSG_QUIETLY.invokeExact(fd, header, flags);
    } catch (Throwable e) {
      throw notCalled("sendmsg", e);
    }
  }

  static long recvmsgQuietly(int fd, MemorySegment header, int flags) {
    try {
      return (long) RECVMSG_QUIETLY.invokeExact(fd, header, flags);
    } catch (Throwable e) {
      throw notCalled("recvmsg", e);
    }
  }

  static int getsockopt(
      MemorySegment errno, int fd, int level, int name, MemorySegment value, MemorySegment length) {
    try {
      return result((int) GETSOCKOPT.invokeExact(errno, fd, level, name, value, length), errno);
    } catch (Throwable e) {
      throw notCalled("getsockopt", e);
    }
  }

  static int setsockopt(MemorySegment errno, int fd, int level, int name, MemorySegment value) {
    try {
      int length = (int) value.byteSize();
      return result((int) SETSOCKOPT.invokeExact(errno, fd, level, name, value, length), errno);
    } catch (Throwable e) {
      throw notCalled("setsockopt", e);
    }
  }

  static int getsockname(MemorySegment errno, int fd, MemorySegment address, MemorySegment length) {
    try {
      return result((int) GETSOCKNAME.invokeExact(errno, fd, address, length), errno);
    } catch (Throwable e) {
      throw notCalled("getsockname", e);
    }
  }

  static int getpeername(MemorySegment errno, int fd, MemorySegment address, MemorySegment length) {
    try {
      return result((int) GETPEERNAME.invokeExact(errno, fd, address, length), errno);
    } catch (Throwable e) {
      throw notCalled("getpeername", e);
    }
  }

  static long send(MemorySegment errno, int fd, MemorySegment from, long count, int flags) {
    try {
      return result((long) SEND.invokeExact(errno, fd, from, count, flags), errno);
    } catch (Throwable e) {
      throw notCalled("send", e);
    }
  }

  static long recv(MemorySegment errno, int fd, MemorySegment to, long count, int flags) {
    try {
      return result((long) RECV.invokeExact(errno, fd, to, count, flags), errno);
    } catch (Throwable e) {
      throw notCalled("recv", e);
    }
  }

  static long sendQuietly(int fd, MemorySegment from, long count, int flags) {
    try {
      return (long) SEND_QUIETLY.invokeExact(fd, from, count, flags);
    } catch (Throwable e) {
      throw notCalled("send", e);
    }
  }

  static long recvQuietly(int fd, MemorySegment to, long count, int flags) {
    try {
      return (long) RECV_QUIETLY.invokeExact(fd, to, count, flags);
    } catch (Throwable e) {
      throw notCalled("recv", e);
    }
  }

  static void shutdown(int fd, int how) {
    try {
      int _ = (int) SHUTDOWN.invokeExact(fd, how);
    } catch (Throwable e) {
      throw notCalled("shutdown", e);
    }
  }

  static void close(int fd) {
    try {
      int _ = (int) CLOSE.invokeExact(fd);
    } catch (Throwable e) {
      throw notCalled("close", e);
    }
  }

  static int poll(MemorySegment entries, long count, int millis) {
    try {
      return (int) POLL.invokeExact(entries, count, millis);
    } catch (Throwable e) {
      throw notCalled("poll", e);
    }
  }

  static int eventfd(MemorySegment errno, int flags) {
    try {
      return result((int) EVENTFD.invokeExact(errno, 0, flags), errno);
    } catch (Throwable e) {
      throw notCalled("eventfd", e);
    }
  }

  static int eventfdRead(int fd, MemorySegment value) {
    try {
      return (int) EVENTFD_READ.invokeExact(fd, value);
    } catch (Throwable e) {
      throw notCalled("eventfd_read", e);
    }
  }

  static int eventfdWrite(int fd, long value) {
    try {
      return (int) EVENTFD_WRITE.invokeExact(fd, value);
    } catch (Throwable e) {
      throw notCalled("eventfd_write", e);
    }
  }

  static int geteuid() {
    try {
      return (int) GETEUID.invokeExact();
    } catch (Throwable e) {
      throw notCalled("geteuid", e);
    }
  }

  public static int memfdCreate(MemorySegment errno, MemorySegment name, int flags) {
    try {
      return result((int) MEMFD_CREATE.invokeExact(errno, name, flags), errno);
    } catch (Throwable e) {
      throw notCalled("memfd_create", e);
    }
  }

  public static int fcntl(MemorySegment errno, int fd, int command, int argument) {
    try {
      return result((int) FCNTL.invokeExact(errno, fd, command, argument), errno);
    } catch (Throwable e) {
      throw notCalled("fcntl", e);
    }
  }

  static int fallocate(MemorySegment errno, int fd, long bytes) {
    try {
      return result((int) FALLOCATE.invokeExact(errno, fd, 0, 0L, bytes), errno);
    } catch (Throwable e) {
      throw notCalled("fallocate", e);
    }
  }

  static long lseek(MemorySegment errno, int fd, int whence) {
    try {
      return result((long) LSEEK.invokeExact(errno, fd, 0L, whence), errno);
    } catch (Throwable e) {
      throw notCalled("lseek", e);
    }
  }

  static long mmap(MemorySegment errno, int fd, long bytes, int protection, int flags) {
    return mmap(errno, fd, 0, bytes, protection, flags);
  }

  static long mmap(
      MemorySegment errno, int fd, long offset, long bytes, int protection, int flags) {
    return mmap(errno, 0, fd, offset, bytes, protection, flags);
  }

  private static long mmap(
      MemorySegment errno,
      long address,
      int fd,
      long offset,
      long bytes,
      int protection,
      int flags) {
    try {
      return result(
          (long) MMAP.invokeExact(errno, address, bytes, protection, flags, fd, offset), errno);
    } catch (Throwable e) {
      throw notCalled("mmap", e);
    }
  }

  /// Maps a file, or zeros where `fd` is -1, over addresses that the caller has mapped before.
  static long mmapOver(
      MemorySegment errno, long address, int fd, long bytes, int protection, int flags) {
    return mmap(errno, address, fd, 0, bytes, protection, flags | MAP_FIXED);
  }

  static void munmap(long address, long bytes) {
    try {
      int _ = (int) MUNMAP.invokeExact(address, bytes);
    } catch (Throwable e) {
      throw notCalled("munmap", e);
    }
  }

  /// A system call without a function of its own. Those that are made this way keep addresses: who
  /// makes them says how long that is all right.
  public static long syscall(MemorySegment errno, long number, long a, long b, long c, long d) {
    try {
      return result((long) SYSCALL.invokeExact(errno, number, a, b, c, d, 0L, 0L), errno);
    } catch (Throwable e) {
      throw notCalled("syscall", e);
    }
  }

  /// As [#syscall].
  static long syscallQuietly(long number, long a, long b, long c, long d) {
    try {
      return (long) SYSCALL_QUIETLY.invokeExact(number, a, b, c, d, 0L, 0L);
    } catch (Throwable e) {
      throw notCalled("syscall", e);
    }
  }

  /// What the C library calls an error.
  static String describe(int error) {
    try {
      return Describing.text(error);
    } catch (Throwable e) {
      throw notCalled("strerror", e);
    }
  }

  /// Linked only when something has failed.
  private static final class Describing {
    @SuppressWarnings("restricted")
    private static final MethodHandle STRERROR =
        LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("strerror"),
            FunctionDescriptor.of(ADDRESS, JAVA_INT));

    // SAFETY: bounds: the string ends with a zero before that; lifetime: it is read at once;
    // thread: it is a constant, or belongs to the thread if the number is unknown.
    @SuppressWarnings("restricted")
    static String text(int error) throws Throwable {
      MemorySegment text = (MemorySegment) STRERROR.invokeExact(error);
      return text.reinterpret(LONGEST_DESCRIPTION_BYTES).getString(0);
    }
  }

  private static int result(int result, MemorySegment errno) {
    return result < 0 ? -(int) ERRNO.get(errno, 0L) : result;
  }

  private static long result(long result, MemorySegment errno) {
    return result < 0 ? -(int) ERRNO.get(errno, 0L) : result;
  }

  /// What to throw for what a call has thrown: the same, as far as that need not be declared.
  private static RuntimeException notCalled(String name, Throwable cause) {
    return switch (cause) {
      case RuntimeException e -> e;
      case Error e -> throw e;
      default -> new IllegalStateException(name + " could not be called", cause);
    };
  }

  private static MethodHandle ints(String name, int count) {
    return link(name, intsOf(count));
  }

  private static MethodHandle intsQuietly(String name, int count) {
    return linkQuietly(name, intsOf(count));
  }

  private static FunctionDescriptor intsOf(int count) {
    MemoryLayout[] arguments = new MemoryLayout[count];
    Arrays.fill(arguments, JAVA_INT);
    return FunctionDescriptor.of(JAVA_INT, arguments);
  }

  /// A function whose result is an `int`.
  private static MethodHandle link(String name, MemoryLayout... arguments) {
    return link(name, FunctionDescriptor.of(JAVA_INT, arguments));
  }

  /// A function that leaves its error in the first argument.
  private static MethodHandle link(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    Linker.Option[] all = Arrays.copyOf(options, options.length + 1);
    all[options.length] = Linker.Option.captureCallState("errno");
    return linkQuietly(name, descriptor, all);
  }

  /// A function whose error nobody asks for.
  @SuppressWarnings("restricted")
  private static MethodHandle linkQuietly(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, options);
  }
}
