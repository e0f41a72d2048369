package dev.tigris.net.libfabric.raw;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// The handlers of the signals that the JVM uses, as they are now: [#close] puts back those that
/// somebody has replaced meanwhile.
///
/// The JVM turns a SIGSEGV into a NullPointerException, a SIGBUS into an InternalError, and parks
/// threads by way of others. A thread that meets one of these between the replacement and the
/// restoration still ends the process: so what is known to replace them is told not to as well.
final class Signals implements AutoCloseable {
  /// SIGHUP, INT, QUIT, ILL, TRAP, ABRT, BUS, FPE, USR1, SEGV, USR2, PIPE, TERM, XCPU, XFSZ: on
  /// Linux the same everywhere that libfabric is used.
  private static final int[] NUMBERS = {1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 15, 24, 25};

  /// No `struct sigaction` is larger: it is 152 bytes on amd64 and aarch64.
  private static final int BYTES = 256;

  private static final MethodHandle SIGACTION =
      link("sigaction", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
  private static final MethodHandle SETENV =
      link("setenv", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment actions = arena.allocate((long) BYTES * NUMBERS.length, 16);

  private Signals() {}

  // SAFETY: bounds: the structures are smaller than BYTES, and the strings end with a zero;
  // lifetime: nothing is kept, and setenv copies; thread: sigaction is thread-safe, setenv is
  // called before the library that reads the environment is loaded.
  @SuppressWarnings("restricted")
  private static MethodHandle link(String name, FunctionDescriptor descriptor) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
  }

  static Signals save() {
    Signals saved = new Signals();
    for (int i = 0; i < NUMBERS.length; i++) {
      sigaction(NUMBERS[i], MemorySegment.NULL, saved.action(i));
    }
    return saved;
  }

  private MemorySegment action(int index) {
    return actions.asSlice((long) index * BYTES, BYTES);
  }

  /// Puts back what was replaced.
  @Override
  public void close() {
    MemorySegment now = arena.allocate(BYTES, 16);
    for (int i = 0; i < NUMBERS.length; i++) {
      sigaction(NUMBERS[i], MemorySegment.NULL, now);
      if (now.mismatch(action(i)) >= 0) {
        sigaction(NUMBERS[i], action(i), MemorySegment.NULL);
      }
    }
    arena.close();
  }

  private static void sigaction(int number, MemorySegment set, MemorySegment get) {
    int result;
    try {
      result = (int) SIGACTION.invokeExact(number, set, get);
    } catch (Throwable e) {
      throw Functions.notCalled(e);
    }
    if (result != 0) {
      throw new IllegalStateException("the handler of signal " + number + " cannot be read or set");
    }
  }

  /// Sets a variable of the environment that native code sees, unless it is set.
  static void environment(String name, String value) {
    try (Arena arena = Arena.ofConfined()) {
      int result = (int) SETENV.invokeExact(arena.allocateFrom(name), arena.allocateFrom(value), 0);
      if (result != 0) {
        throw new IllegalStateException("no memory for the environment");
      }
    } catch (Throwable e) {
      throw Functions.notCalled(e);
    }
  }
}
