package dev.tigris.os;

import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.FieldModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whether the numbers that this package has from C are those of the headers: for the processor of
/// this machine, and for aarch64 where the compiler for that is installed (Debian's
/// `gcc-aarch64-linux-gnu` and `libc6-dev-arm64-cross`).
@Timeout(60)
class HeadersTest {
  private static final String INCLUDES =
      """
      #define _GNU_SOURCE
      #include <errno.h>
      #include <fcntl.h>
      #include <netinet/in.h>
      #include <netinet/tcp.h>
      #include <poll.h>
      #include <stddef.h>
      #include <sys/eventfd.h>
      #include <sys/mman.h>
      #include <sys/socket.h>
      #include <sys/syscall.h>
      #include <sys/uio.h>
      #include <sys/un.h>
      #include <unistd.h>
      """;

  /// By class: names of constants, and what they are in C. A name alone is the same in both.
  private static final Map<Class<?>, List<String>> CONSTANTS =
      Map.ofEntries(
          Map.entry(
              Mappings.class,
              List.of(
                  "MAP_FIXED",
                  "MAP_POPULATE",
                  "MAP_SHARED",
                  "MAP_PRIVATE",
                  "PROT_READ",
                  "PROT_READ_WRITE PROT_READ|PROT_WRITE")),
          Map.entry(
              FileDescriptors.class,
              List.of(
                  "F_OFD_SETLK",
                  "F_RDLCK",
                  "F_WRLCK",
                  "F_UNLCK",
                  "RANGE_BYTES sizeof(struct flock)",
                  "RANGE_START_AT offsetof(struct flock,l_start)",
                  "RANGE_LENGTH_AT offsetof(struct flock,l_len)")),
          Map.entry(
              MemoryFile.class,
              List.of(
                  "CLOSE_ON_EXEC MFD_CLOEXEC",
                  "ALLOW_SEALING MFD_ALLOW_SEALING",
                  "F_ADD_SEALS",
                  "F_GET_SEALS",
                  "F_SEAL_SEAL",
                  "F_SEAL_SHRINK",
                  "F_SEAL_GROW",
                  "F_SEAL_WRITE",
                  "F_SEAL_FUTURE_WRITE")),
          Map.entry(
              IoUring.class,
              List.of(
                  "NO_BUFFERS -ENOBUFS",
                  "CANCELED -ECANCELED",
                  "BAD_FILE -EBADF",
                  "ENTER_CALL SYS_io_uring_enter",
                  "POLLERR",
                  "POLLHUP",
                  "TO_FILL (long)MSG_WAITALL<<32",
                  "TO_SEND (long)(MSG_WAITALL|MSG_NOSIGNAL)<<32")),
          Map.entry(
              IoUringSetup.class,
              List.of("SETUP_CALL SYS_io_uring_setup", "REGISTER_CALL SYS_io_uring_register")),
          Map.entry(
              PollSet.class,
              List.of(
                  "POLLIN",
                  "POLLOUT",
                  "ENTRY_BYTES sizeof(struct pollfd)",
                  "READY offsetof(struct pollfd,revents)")),
          Map.entry(
              SharedMemory.class,
              List.of("SEEK_END", "MAP_SHARED_AND_POPULATE MAP_SHARED|MAP_POPULATE")),
          Map.entry(Signal.class, List.of("FLAGS EFD_NONBLOCK|EFD_CLOEXEC")),
          Map.entry(
              SystemException.class,
              List.of(
                  "FORBIDDEN EPERM",
                  "INTERRUPTED EINTR",
                  "AGAIN EAGAIN",
                  "NO_MEMORY ENOMEM",
                  "NO_ACCESS EACCES",
                  "NO_SUCH_DEVICE ENODEV",
                  "INVALID EINVAL",
                  "NO_LOCKS ENOLCK",
                  "NOT_SUPPORTED EOPNOTSUPP",
                  "TOO_MANY_FILES_OF_ALL ENFILE",
                  "TOO_MANY_FILES EMFILE",
                  "BROKEN_PIPE EPIPE",
                  "NO_SUCH_CALL ENOSYS",
                  "ADDRESS_IN_USE EADDRINUSE",
                  "ADDRESS_NOT_AVAILABLE EADDRNOTAVAIL",
                  "NETWORK_UNREACHABLE ENETUNREACH",
                  "CONNECTION_RESET ECONNRESET",
                  "NO_BUFFERS ENOBUFS",
                  "TIMED_OUT ETIMEDOUT",
                  "CONNECTION_REFUSED ECONNREFUSED",
                  "HOST_DOWN EHOSTDOWN",
                  "HOST_UNREACHABLE EHOSTUNREACH",
                  "IN_PROGRESS EINPROGRESS")),
          Map.entry(
              TcpSocket.class,
              List.of(
                  "AF_INET",
                  "AF_INET6",
                  "SOCK_STREAM",
                  "SOCK_CLOEXEC",
                  "SOCK_NONBLOCK",
                  "IPV4_BYTES sizeof(struct sockaddr_in)",
                  "IPV6_BYTES sizeof(struct sockaddr_in6)",
                  "SCOPE offsetof(struct sockaddr_in6,sin6_scope_id)",
                  "SOL_SOCKET",
                  "SO_REUSEADDR",
                  "SO_ERROR",
                  "SO_LINGER",
                  "F_SETFL",
                  "IPPROTO_TCP",
                  "TCP_NODELAY",
                  "MSG_DONTWAIT",
                  "MSG_NOSIGNAL",
                  "SHUT_WR",
                  "SHUT_RDWR")),
          Map.entry(
              UnixSocket.class,
              List.of(
                  "AF_UNIX",
                  "PACKETS SOCK_SEQPACKET|SOCK_NONBLOCK|SOCK_CLOEXEC",
                  "SOL_SOCKET",
                  "SO_PEERCRED",
                  "SCM_RIGHTS",
                  "MSG_DONTWAIT",
                  "MSG_NOSIGNAL",
                  "MSG_CMSG_CLOEXEC",
                  "MSG_CTRUNC",
                  "SHUT_RDWR",
                  "CREDENTIALS_BYTES sizeof(struct ucred)",
                  "CONTROL_LENGTH offsetof(struct msghdr,msg_controllen)",
                  "FLAGS offsetof(struct msghdr,msg_flags)",
                  "IOVEC sizeof(struct msghdr)",
                  "CONTROL_BYTES CMSG_LEN(sizeof(int))")));

  /// What has no name in Java.
  private static final String LAYOUTS =
      """
      _Static_assert(offsetof(struct msghdr, msg_iov) == 16, "");
      _Static_assert(offsetof(struct msghdr, msg_iovlen) == 24, "");
      _Static_assert(offsetof(struct msghdr, msg_control) == 32, "");
      _Static_assert(sizeof(struct iovec) == 16, "");
      _Static_assert(offsetof(struct cmsghdr, cmsg_level) == 8, "");
      _Static_assert(offsetof(struct cmsghdr, cmsg_type) == 12, "");
      _Static_assert(sizeof(struct linger) == 8, "");
      _Static_assert(sizeof(nfds_t) == 8, "");
      """;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"gcc", "aarch64-linux-gnu-gcc"})
  void numbersAreThoseOfTheHeaders(String compiler) throws Exception {
    Needs.program(compiler, "gcc libc6-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross");
    StringBuilder program = new StringBuilder(INCLUDES).append(LAYOUTS);
    for (Map.Entry<Class<?>, List<String>> entry : CONSTANTS.entrySet()) {
      for (String constant : entry.getValue()) {
        int space = constant.indexOf(' ');
        String name = space < 0 ? constant : constant.substring(0, space);
        String inC = constant.substring(space + 1);
        long value = value(entry.getKey(), name);
        program.append("_Static_assert((%s) == %d, \"%s\");\n".formatted(inC, value, name));
      }
    }
    Path source = Files.writeString(folder.resolve("numbers.c"), program);
    String _ = Command.of(compiler, "-fsyntax-only", source.toString()).output();
  }

  /// The value that the compiler has written into the class file, which is read since the constants
  /// are private.
  private static long value(Class<?> type, String name) throws IOException {
    try (InputStream file = type.getResourceAsStream(type.getSimpleName() + ".class")) {
      byte[] bytes = Objects.requireNonNull(file, name).readAllBytes();
      for (FieldModel field : ClassFile.of().parse(bytes).fields()) {
        if (field.fieldName().equalsString(name)) {
          return switch (field
              .findAttribute(Attributes.constantValue())
              .orElseThrow()
              .constant()
              .constantValue()) {
            case Integer value -> value;
            case Long value -> value;
            default -> throw new IllegalArgumentException(name);
          };
        }
      }
      throw new IllegalArgumentException("%s has no %s".formatted(type, name));
    }
  }
}
