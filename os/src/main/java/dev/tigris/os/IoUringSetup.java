package dev.tigris.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// Makes an io_uring in the best way that the kernel knows, and finds out whether it can do what is
/// needed.
///
/// ```text
///   parameters (120)   sq entries 0 | cq entries 4 | flags 8 | idle 16 | features 20 | beside 24
///                      offsets in the rings: sq 40 | cq 80
///   sq, cq offsets     head 0 | tail 4 | mask 8 | entries 12
///                      sq: flags 16 | array 24      cq: completions 20 | flags 24
/// ```
///
/// @param file the ring
/// @param parameters as the kernel has filled them in
/// @param mode how it was made, for people
record IoUringSetup(OpenFile file, MemorySegment parameters, String mode) {
  private static final long SETUP_CALL = 425;
  private static final long REGISTER_CALL = 427;

  private static final int PARAMETER_BYTES = 120;
  private static final int SQ_OFFSETS = 40;
  private static final int CQ_OFFSETS = 80;

  private static final int SETUP_SQPOLL = 1 << 1;
  private static final int SETUP_CQSIZE = 1 << 3;
  private static final int SETUP_CLAMP = 1 << 4;
  private static final int SETUP_ATTACH = 1 << 5;
  private static final int SETUP_SUBMIT_ALL = 1 << 7;
  private static final int SETUP_COOP_TASKRUN = 1 << 8;
  private static final int SETUP_TASKRUN_FLAG = 1 << 9;
  private static final int SETUP_SINGLE_ISSUER = 1 << 12;
  private static final int SETUP_DEFER_TASKRUN = 1 << 13;
  private static final int SETUP_ALWAYS = SETUP_CQSIZE | SETUP_CLAMP | SETUP_SUBMIT_ALL;

  /// One mapping for both rings, nothing lost when they are full, everything read before submission
  /// returns, sockets waited for without threads.
  private static final int FEATURES_NEEDED = 1 | 1 << 1 | 1 << 2 | 1 << 5;

  /// For how long the kernel's thread looks for operations before it sleeps. A longer time takes a
  /// core from others.
  private static final int POLLING_IDLE_MILLIS = 10;

  private static final int SUBMISSIONS = 256;
  private static final int COMPLETIONS = 4096;

  private static final int REGISTER_PROBE = 8;
  private static final int MOST_OPERATIONS = 64;
  private static final int SUPPORTED = 1;

  /// Tries the ways that this kernel may know, the best first. Deferred work is done when we ask
  /// for it, which costs least, and binds the ring to one thread.
  static IoUringSetup make(Arena arena, IoUring.Polling polling, @Nullable IoUringSetup other)
      throws SystemException {
    if (polling == IoUring.Polling.BY_THE_KERNEL) {
      return polled(arena, other);
    }
    try {
      int deferred = SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN | SETUP_TASKRUN_FLAG;
      return make(arena, deferred, 0, "work deferred");
    } catch (SystemException e) {
      if (e.error() != SystemException.INVALID) {
        throw e;
      }
      return make(arena, SETUP_COOP_TASKRUN | SETUP_TASKRUN_FLAG, 0, "work at system calls");
    }
  }

  /// A ring whose operations the thread of the kernel takes that takes those of the other one, too:
  /// each such thread would want a core. The other may have been closed meanwhile.
  private static IoUringSetup polled(Arena arena, @Nullable IoUringSetup other)
      throws SystemException {
    if (other != null) {
      try {
        int beside = other.file().number();
        return make(
            arena, SETUP_SQPOLL | SETUP_ATTACH, beside, "polled by the kernel, with others");
      } catch (SystemException alone) {
        // it gets a thread of its own, and what is really wrong is found there
      }
    }
    return make(arena, SETUP_SQPOLL, 0, "polled by the kernel");
  }

  private static IoUringSetup make(Arena arena, int more, int beside, String mode)
      throws SystemException {
    MemorySegment parameters = arena.allocate(PARAMETER_BYTES, 8);
    parameters.set(ValueLayout.JAVA_INT, 4, COMPLETIONS);
    parameters.set(ValueLayout.JAVA_INT, 8, SETUP_ALWAYS | more);
    parameters.set(ValueLayout.JAVA_INT, 16, (more & SETUP_SQPOLL) == 0 ? 0 : POLLING_IDLE_MILLIS);
    parameters.set(ValueLayout.JAVA_INT, 24, beside);
    long made = Calls.syscall(SETUP_CALL, SUBMISSIONS, parameters.address(), 0, 0);
    int fd = (int) SystemException.check("make an io_uring", made);
    return new IoUringSetup(new OpenFile(fd), parameters, mode);
  }

  /// @throws SystemException if the kernel is too old
  void requireFeatures() throws SystemException {
    if ((value(20) & FEATURES_NEEDED) != FEATURES_NEEDED) {
      throw new SystemException("use the io_uring of this kernel", SystemException.NO_SUCH_CALL);
    }
  }

  /// The kernel says which operations it knows; it may know fewer than its version would.
  ///
  /// @throws SystemException if one of these is not among them
  void requireOperations(int... operations) throws SystemException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment probe = arena.allocate(16 + 8 * MOST_OPERATIONS, 8);
      register("ask io_uring for its operations", REGISTER_PROBE, probe, MOST_OPERATIONS);
      for (int operation : operations) {
        if ((probe.get(ValueLayout.JAVA_SHORT, 16 + 8L * operation + 2) & SUPPORTED) == 0) {
          throw new SystemException(
              "use operation %d of io_uring".formatted(operation), SystemException.NO_SUCH_CALL);
        }
      }
    }
  }

  /// Tells the kernel something. The memory is read before it returns, unless the caller knows
  /// better.
  void register(String what, int kind, MemorySegment memory, int count) throws SystemException {
    long done = Calls.syscall(REGISTER_CALL, file.number(), kind, memory.address(), count);
    long _ = SystemException.check(what, done);
  }

  /// Returns how many operations there is room for.
  int submissions() {
    return value(0);
  }

  /// Returns how many completions there is room for.
  int completions() {
    return value(4);
  }

  /// Returns where a part of the ring of operations is.
  long submissionsOffset(int part) {
    return Integer.toUnsignedLong(value(SQ_OFFSETS + part));
  }

  /// Returns where a part of the ring of completions is.
  long completionsOffset(int part) {
    return Integer.toUnsignedLong(value(CQ_OFFSETS + part));
  }

  private int value(int at) {
    return parameters.get(ValueLayout.JAVA_INT, at);
  }
}
