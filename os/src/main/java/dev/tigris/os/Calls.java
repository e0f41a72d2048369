package dev.tigris.os;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/// The functions of the C library that sockets and rings need, by their own names: Linux. Each
/// returns what the function does, or the number of the error below zero, as the kernel itself
/// does; those that are called `quietly` keep no error, and return something below zero.
// SAFETY: bounds: every buffer is a segment, and the length that is passed is its own or less;
// lifetime: none of these functions keeps an address beyond its call, but for those of `syscall`,
// whose callers say how long that is all right. Segments are fenced here; those of the callers are
// of automatic arenas, of arenas that they close after the call, or of memory that is never
// unmapped; thread: all are thread-safe.
public final class Calls {
  private static final LibraryFunction SOCKET = LibraryFunction.ofInt("socket");
  private static final LibraryFunction BIND = LibraryFunction.ofInt("bind");
  private static final LibraryFunction CONNECT = LibraryFunction.ofInt("connect");
  private static final LibraryFunction LISTEN = LibraryFunction.ofInt("listen");
  private static final LibraryFunction ACCEPT = LibraryFunction.ofInt("accept4");
  private static final LibraryFunction SENDMSG = LibraryFunction.ofLong("sendmsg");
  private static final LibraryFunction RECVMSG = LibraryFunction.ofLong("recvmsg");
  private static final LibraryFunction SEND = LibraryFunction.ofLong("send");
  private static final LibraryFunction RECV = LibraryFunction.ofLong("recv");
  private static final LibraryFunction GETSOCKOPT = LibraryFunction.ofInt("getsockopt");
  private static final LibraryFunction SETSOCKOPT = LibraryFunction.ofInt("setsockopt");
  private static final LibraryFunction GETSOCKNAME = LibraryFunction.ofInt("getsockname");
  private static final LibraryFunction GETPEERNAME = LibraryFunction.ofInt("getpeername");
  private static final LibraryFunction SHUTDOWN = LibraryFunction.ofInt("shutdown");
  private static final LibraryFunction POLL = LibraryFunction.ofInt("poll");
  private static final LibraryFunction EVENTFD = LibraryFunction.ofInt("eventfd");
  private static final LibraryFunction EVENTFD_READ = LibraryFunction.ofInt("eventfd_read");
  private static final LibraryFunction EVENTFD_WRITE = LibraryFunction.ofInt("eventfd_write");
  private static final LibraryFunction GETEUID = LibraryFunction.ofInt("geteuid");
  private static final LibraryFunction FCNTL = LibraryFunction.ofInt("fcntl");
  private static final LibraryFunction LSEEK = LibraryFunction.ofLong("lseek");
  private static final LibraryFunction SYSCALL = LibraryFunction.ofLong("syscall");

  private Calls() {}

  static int socket(int family, int type) {
    return (int) SOCKET.call(family, type, 0);
  }

  static int bind(int fd, MemorySegment address) {
    try {
      return (int) BIND.call(fd, address.address(), address.byteSize());
    } finally {
      Reference.reachabilityFence(address);
    }
  }

  static int connect(int fd, MemorySegment address) {
    try {
      return (int) CONNECT.call(fd, address.address(), address.byteSize());
    } finally {
      Reference.reachabilityFence(address);
    }
  }

  static int listen(int fd, int backlog) {
    return (int) LISTEN.call(fd, backlog);
  }

  static int accept(int fd, int flags) {
    return (int) ACCEPT.call(fd, 0, 0, flags);
  }

  static long sendmsg(int fd, MemorySegment header, int flags) {
    try {
      return SENDMSG.call(fd, header.address(), flags);
    } finally {
      Reference.reachabilityFence(header);
    }
  }

  static long recvmsg(MemorySegment errno, int fd, MemorySegment header, int flags) {
    try {
      return RECVMSG.callKeeping(errno, fd, header.address(), flags);
    } finally {
      Reference.reachabilityFence(header);
    }
  }

  static long sendmsgQuietly(int fd, MemorySegment header, int flags) {
    try {
      return SENDMSG.callQuietly(fd, header.address(), flags);
    } finally {
      Reference.reachabilityFence(header);
    }
  }

  static long recvmsgQuietly(int fd, MemorySegment header, int flags) {
    try {
      return RECVMSG.callQuietly(fd, header.address(), flags);
    } finally {
      Reference.reachabilityFence(header);
    }
  }

  static int getsockopt(int fd, int level, int name, MemorySegment value, MemorySegment length) {
    try {
      return (int) GETSOCKOPT.call(fd, level, name, value.address(), length.address());
    } finally {
      Reference.reachabilityFence(value);
      Reference.reachabilityFence(length);
    }
  }

  static int setsockopt(int fd, int level, int name, MemorySegment value) {
    try {
      return (int) SETSOCKOPT.call(fd, level, name, value.address(), value.byteSize());
    } finally {
      Reference.reachabilityFence(value);
    }
  }

  static int getsockname(int fd, MemorySegment address, MemorySegment length) {
    return name(GETSOCKNAME, fd, address, length);
  }

  static int getpeername(int fd, MemorySegment address, MemorySegment length) {
    return name(GETPEERNAME, fd, address, length);
  }

  private static int name(
      LibraryFunction function, int fd, MemorySegment address, MemorySegment length) {
    try {
      return (int) function.call(fd, address.address(), length.address());
    } finally {
      Reference.reachabilityFence(address);
      Reference.reachabilityFence(length);
    }
  }

  static long send(int fd, MemorySegment from, long count, int flags) {
    try {
      return SEND.call(fd, from.address(), count, flags);
    } finally {
      Reference.reachabilityFence(from);
    }
  }

  static long recv(int fd, MemorySegment to, long count, int flags) {
    try {
      return RECV.call(fd, to.address(), count, flags);
    } finally {
      Reference.reachabilityFence(to);
    }
  }

  static long sendQuietly(int fd, MemorySegment from, long count, int flags) {
    try {
      return SEND.callQuietly(fd, from.address(), count, flags, 0);
    } finally {
      Reference.reachabilityFence(from);
    }
  }

  static long recvQuietly(int fd, MemorySegment to, long count, int flags) {
    try {
      return RECV.callQuietly(fd, to.address(), count, flags, 0);
    } finally {
      Reference.reachabilityFence(to);
    }
  }

  static void shutdown(int fd, int how) {
    long _ = SHUTDOWN.callQuietly(fd, how, 0);
  }

  static int poll(MemorySegment entries, long count, int millis) {
    try {
      return (int) POLL.callQuietly(entries.address(), count, millis);
    } finally {
      Reference.reachabilityFence(entries);
    }
  }

  static int eventfd(int flags) {
    return (int) EVENTFD.call(0, flags);
  }

  static int eventfdRead(int fd, MemorySegment value) {
    try {
      return (int) EVENTFD_READ.callQuietly(fd, value.address(), 0);
    } finally {
      Reference.reachabilityFence(value);
    }
  }

  static int eventfdWrite(int fd, long value) {
    return (int) EVENTFD_WRITE.callQuietly(fd, value, 0);
  }

  static int geteuid() {
    return (int) GETEUID.callQuietly(0, 0, 0);
  }

  static int fcntl(int fd, int command, int argument) {
    return (int) FCNTL.call(fd, command, argument);
  }

  static long lseek(int fd, int whence) {
    return LSEEK.call(fd, 0, whence);
  }

  /// A system call without a function of its own, of up to five arguments. Those that are made this
  /// way keep addresses: the caller says how long that is all right.
  public static long syscall(long number, long a, long b, long c, long d) {
    return SYSCALL.call(number, a, b, c, d);
  }

  /// As [#syscall]. The sixth argument of `io_uring_enter`, the size of a mask of signals, is not
  /// passed: the kernel does not read it where there is no mask, which is the fifth.
  static long syscallQuietly(long number, long a, long b, long c, long d) {
    return SYSCALL.callQuietly(number, a, b, c, d);
  }
}
