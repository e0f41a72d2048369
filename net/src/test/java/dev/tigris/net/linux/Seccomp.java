package dev.tigris.net.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// A filter of system calls, as containers have one.
public final class Seccomp {
  private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
  private static final long PRCTL = ARM ? 167 : 157;
  private static final long SECCOMP = ARM ? 277 : 317;
  private static final long NO_NEW_PRIVILEGES = 38;
  private static final long SET_MODE_FILTER = 1;
  private static final long ALL_THREADS = 1;

  private Seccomp() {}

  /// Has the kernel answer all calls of io_uring with an error: in all threads of this process, for
  /// good.
  public static void forbidIoUring(int error) throws SystemException {
    // Loads the number of the call. Each of three jumps to the last instruction.
    filter(
        new long[][] {
          {0x20, 0, 0, 0},
          {0x15, 3, 0, 425},
          {0x15, 2, 0, 426},
          {0x15, 1, 0, 427},
          {0x06, 0, 0, 0x7fff0000L},
          {0x06, 0, 0, 0x00050000L | error}
        });
  }

  /// The same for one kind of what io_uring is told (`io_uring_register`), as if the kernel did not
  /// know it.
  public static void forbidTellingIoUring(int kind, int error) throws SystemException {
    // Loads the number of the call, and then the lower half of its second argument.
    filter(
        new long[][] {
          {0x20, 0, 0, 0},
          {0x15, 0, 2, 427},
          {0x20, 0, 0, 24},
          {0x15, 1, 0, kind},
          {0x06, 0, 0, 0x7fff0000L},
          {0x06, 0, 0, 0x00050000L | error}
        });
  }

  private static void filter(long[][] program) throws SystemException {
    MemorySegment errno = Calls.errno();
    must("give up privileges", Calls.syscall(errno, PRCTL, NO_NEW_PRIVILEGES, 1, 0, 0));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment filter = arena.allocate(8L * program.length, 8);
      for (int i = 0; i < program.length; i++) {
        filter.set(JAVA_SHORT, 8L * i, (short) program[i][0]);
        filter.set(JAVA_BYTE, 8L * i + 2, (byte) program[i][1]);
        filter.set(JAVA_BYTE, 8L * i + 3, (byte) program[i][2]);
        filter.set(JAVA_INT, 8L * i + 4, (int) program[i][3]);
      }
      MemorySegment named = arena.allocate(16, 8);
      named.set(JAVA_SHORT, 0, (short) program.length);
      named.set(ADDRESS, 8, filter);
      must(
          "filter system calls",
          Calls.syscall(errno, SECCOMP, SET_MODE_FILTER, ALL_THREADS, named.address(), 0));
    }
  }

  private static void must(String what, long result) throws SystemException {
    SystemException.check(what, (int) result);
  }
}
