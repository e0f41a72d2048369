package dev.tigris.os;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/// A function of the C library that takes up to six integers and addresses, and returns one.
///
/// All functions are called through two handles, which pass six 64-bit integers whatever the
/// function takes: one keeps `errno` ([#call]), the other does not ([#callQuietly]). The linker
/// generates classes for each kind of signature, and four kinds took a sort of a million records a
/// tenth of its time. Each handle is linked at its first call, and a short sort
/// needs the first one only.
///
/// Passing six integers is sound where the first six arguments have a register each, and a function
/// reads only the registers of its own parameters, and of those only as many bits as they have. The
/// calling conventions of Linux and macOS say so, on x86-64 (System V) and on aarch64 (AAPCS64).
/// Functions with variable arguments (`fcntl`, `syscall`) are called this way on Linux only: macOS
/// passes variable arguments on the stack. Nothing is called on Windows.
///
/// Arguments that are addresses come from [MemorySegment#address]: the caller keeps the segment
/// reachable, and open, until the call returns ([java.lang.ref.Reference#reachabilityFence], or an
/// arena that it closes later).
///
/// The record makes the address of the code a constant for the compiler, which trusts a record's
/// fields.
///
/// Thread rule: any thread.
///
/// @param name its name in C
/// @param returnsInt whether it returns an `int` or nothing, in place of 64 bits
/// @param code its address; `NULL` where the system does not have it
record LibraryFunction(String name, boolean returnsInt, MemorySegment code) {
  private static final int MOST_ARGUMENTS = 6;

  /// A function that returns an `int`, or nothing.
  static LibraryFunction ofInt(String name) {
    return new LibraryFunction(name, true, find(name));
  }

  /// A function that returns an address, or a `long` or `size_t`.
  static LibraryFunction ofLong(String name) {
    return new LibraryFunction(name, false, find(name));
  }

  private static MemorySegment find(String name) {
    return Linker.nativeLinker().defaultLookup().find(name).orElse(MemorySegment.NULL);
  }

  /// Calls the function. Returns `errno`, negated, where the function returns -1;
  /// [SystemException#check] tells.
  ///
  /// @throws UnsupportedOperationException if this system does not have the function
  // What a function may be called with, its callers say under a SAFETY comment.
  long call(long... arguments) {
    long[] all = Arrays.copyOf(arguments, MOST_ARGUMENTS);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Handle.STATE);
      return call(state, all[0], all[1], all[2], all[3], all[4], all[5]);
    }
  }

  /// As [#call] with up to three arguments, and with a buffer for `errno` that the caller keeps
  /// ([#errnoBuffer]) and that one thread at a time uses. It makes no object once it is compiled.
  long callKeeping(MemorySegment state, long a, long b, long c) {
    return call(state, a, b, c, 0, 0, 0);
  }

  private long call(MemorySegment state, long a, long b, long c, long d, long e, long f) {
    requireCode();
    try {
      long result = (long) Handle.CALL.invokeExact(code, state, a, b, c, d, e, f);
      long whole = returnsInt ? (int) result : result;
      return whole == -1 ? -errno(state) : whole;
    } catch (Throwable thrown) {
      throw notCalled(thrown);
    }
  }

  /// Makes a buffer for [#callKeeping].
  static MemorySegment errnoBuffer() {
    return Arena.ofAuto().allocate(Handle.STATE);
  }

  /// As [#call] with up to three arguments, without an object: returns what the function returns,
  /// and -1 does not say which error it was. For what is called for each message. Keeping `errno`
  /// takes a segment, and the linker a slice of it (40 bytes) wherever the call is not compiled
  /// into one piece.
  long callQuietly(long a, long b, long c) {
    return callQuietly(a, b, c, 0, 0);
  }

  /// As above, with up to five arguments.
  long callQuietly(long a, long b, long c, long d, long e) {
    requireCode();
    try {
      long result = (long) Quiet.CALL.invokeExact(code, a, b, c, d, e, 0L);
      return returnsInt ? (int) result : result;
    } catch (Throwable thrown) {
      throw notCalled(thrown);
    }
  }

  private void requireCode() {
    if (code.address() == 0) {
      throw new UnsupportedOperationException(
          "the C library of %s has no function %s: it is one of Linux"
              .formatted(System.getProperty("os.name"), name));
    }
  }

  private RuntimeException notCalled(Throwable cause) {
    return switch (cause) {
      case RuntimeException e -> e;
      case Error e -> throw e;
      default -> new IllegalStateException(name + " could not be called", cause);
    };
  }

  private static int errno(MemorySegment state) {
    return state.get(ValueLayout.JAVA_INT, Handle.ERRNO);
  }

  // SAFETY: nothing is called here; the holders of the handle say why calling it is safe.
  @SuppressWarnings("restricted")
  private static MethodHandle link(Linker.Option... options) {
    MemoryLayout[] arguments = new MemoryLayout[MOST_ARGUMENTS];
    Arrays.fill(arguments, ValueLayout.JAVA_LONG);
    return Linker.nativeLinker()
        .downcallHandle(FunctionDescriptor.of(ValueLayout.JAVA_LONG, arguments), options);
  }

  /// Linked at the first call.
  // SAFETY: bounds, lifetime: up to those who call; convention: see the class; thread: each call
  // has a state of its own.
  private static final class Handle {
    static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    static final long ERRNO = STATE.byteOffset(PathElement.groupElement("errno"));
    static final MethodHandle CALL = link(Linker.Option.captureCallState("errno"));
  }

  /// Linked at the first call.
  // SAFETY: as above.
  private static final class Quiet {
    static final MethodHandle CALL = link();
  }
}
