package dev.tigris.net.uring;

import dev.tigris.net.NetException;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.Provider;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.os.IoUring;
import dev.tigris.os.NativeAccess;
import dev.tigris.os.SystemException;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// TCP through io_uring, on Linux 6.0 and later where the system allows it.
///
/// `-Dtigris.net.uring.sqpoll=true` has a thread of the kernel take the operations, which saves the
/// system call and costs a core.
public final class UringProvider implements Provider {
  /// How often to ask for a ring while the memory of closed ones may be locked still, and with what
  /// pauses: for half a second. Attempts are counted and not time: where the processors are busy,
  /// the kernel's thread that gives memory back gets its turns as late as this one.
  private static final int MOST_ATTEMPTS = 500;

  private static final long PAUSE_NANOS = 1_000_000;

  @Override
  public String name() {
    return "uring";
  }

  @Override
  public Kind kind() {
    return Kind.SOCKET;
  }

  @Override
  public int rank() {
    return 1; // before tcp
  }

  static IoUring.Polling polling() {
    return Boolean.getBoolean("tigris.net.uring.sqpoll")
        ? IoUring.Polling.BY_THE_KERNEL
        : IoUring.Polling.NONE;
  }

  /// A ring for the calling thread. What a thread asks for, the kernel cancels when it ends, and
  /// threads that carry virtual ones end when these have been idle for a while. So a virtual thread
  /// gets a ring whose operations a thread of the kernel takes.
  ///
  /// The kernel takes rings apart after they were closed, and counts their memory as locked until
  /// it has. So a ring that there is no room for is asked for again, for a while.
  ///
  /// @param other a ring whose thread of the kernel that of a virtual thread shares; null for none
  static IoUring ring(IoUring.Polling polling, @Nullable IoUring other) throws SystemException {
    for (int attempts = 1; ; attempts++) {
      try {
        return tryRing(polling, other);
      } catch (SystemException e) {
        if (e.error() != SystemException.NO_MEMORY
            || attempts == MOST_ATTEMPTS
            || Thread.currentThread().isInterrupted()) {
          throw e;
        }
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static IoUring tryRing(IoUring.Polling polling, @Nullable IoUring other)
      throws SystemException {
    return Thread.currentThread().isVirtual()
        ? new IoUring(IoUring.Polling.BY_THE_KERNEL, other)
        : new IoUring(polling, null);
  }

  @Override
  public Optional<String> obstacle() {
    return obstacle(false); // a look need not wait for memory
  }

  private static Optional<String> obstacle(boolean waits) {
    if (!System.getProperty("os.name").equals("Linux")) {
      return Optional.of("io_uring is a part of Linux: use tcp here");
    }
    Optional<String> denied = NativeAccess.own().obstacle();
    if (denied.isPresent()) {
      return denied;
    }
    try {
      (waits ? ring(polling(), null) : tryRing(polling(), null)).close();
      return Optional.empty();
    } catch (SystemException refusal) {
      return Optional.of(explain(refusal));
    } catch (LinkageError e) {
      return Optional.of("the C library cannot be called: " + e);
    }
  }

  /// What has kept a ring from being made, and what to do about it.
  static String explain(SystemException refusal) {
    String what = String.valueOf(refusal.getMessage());
    return switch (refusal.error()) {
      case SystemException.FORBIDDEN ->
          what
              + ": io_uring is forbidden, by the seccomp profile of a container or by"
              + " kernel.io_uring_disabled: allow it, or use tcp";
      case SystemException.NO_SUCH_CALL, SystemException.INVALID ->
          what
              + ": this kernel is too old or built without io_uring, or a seccomp filter hides it:"
              + " Linux 6.0 has what it needs";
      case SystemException.NO_MEMORY -> what + ": raise the limit of locked memory (ulimit -l)";
      default -> what;
    };
  }

  @Override
  public Optional<String> obstacleTo(String host) {
    return TcpAddress.obstacleTo(host);
  }

  @Override
  public Carrier open() {
    Optional<String> obstacle = obstacle(true);
    if (obstacle.isPresent()) {
      throw new NetException("open", name(), obstacle.get(), null);
    }
    return new UringCarrier(polling());
  }
}
