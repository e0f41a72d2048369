package dev.tigris.net.testing.raw;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.tigris.os.Calls;
import dev.tigris.os.OpenFile;
import dev.tigris.os.SystemException;
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
  private static final long NEW_LISTENER = 8;

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

  /// Has whoever listens decide of each io_uring that the calling thread makes, and those threads
  /// that it starts from now on, for good. A filter alone sees where the parameters are, and not
  /// what they say.
  ///
  /// @return a file of what is to be decided
  static OpenFile askBeforeAnIoUringIsMade() throws SystemException {
    long[][] program = {
      {0x20, 0, 0, 0}, {0x15, 0, 1, 425}, {0x06, 0, 0, 0x7fc00000L}, {0x06, 0, 0, 0x7fff0000L}
    };
    return new OpenFile((int) filter(program, NEW_LISTENER));
  }

  private static void filter(long[][] program) throws SystemException {
    long _ = filter(program, ALL_THREADS);
  }

  private static long filter(long[][] program, long flags) throws SystemException {
    long _ = must("give up privileges", Calls.syscall(PRCTL, NO_NEW_PRIVILEGES, 1, 0, 0));
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
      return must(
          "filter system calls",
          Calls.syscall(SECCOMP, SET_MODE_FILTER, flags, named.address(), 0));
    }
  }

  private static long must(String what, long result) throws SystemException {
    return SystemException.check(what, result);
  }
}
