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
/// All of them are called through one handle, which passes six 64-bit integers whatever the
/// function takes. The linker makes classes for each kind of signature, and four kinds took a sort
/// of a million records a tenth of its time (docs/decisions/040-start-up.md).
///
/// That is sound where the first six arguments have a register each, and a function looks at
/// nothing but the registers of its own parameters, and of those only at as many bits as they have:
/// so say the calling conventions of Linux and macOS, on x86-64 (System V) and on aarch64
/// (AAPCS64). It is not for variable arguments on macOS, which lie on the stack there, nor for
/// Windows, where nothing here is called.
///
/// Thread rule: any thread.
public final class LibraryFunction {
  private static final int MOST_ARGUMENTS = 6;

  private final String name;
  private final boolean returnsInt;
  private final MemorySegment code;

  private LibraryFunction(String name, boolean returnsInt) {
    this.name = name;
    this.returnsInt = returnsInt;
    this.code = Linker.nativeLinker().defaultLookup().findOrThrow(name);
  }

  /// One that returns an `int`, or nothing.
  public static LibraryFunction ofInt(String name) {
    return new LibraryFunction(name, true);
  }

  /// One that returns an address, or a `long` or `size_t`.
  public static LibraryFunction ofLong(String name) {
    return new LibraryFunction(name, false);
  }

  /// Calls it. Where it returns -1, the result is its `errno`, negated; [Errno#check] tells.
  // What it may be called with, who has it says under a SAFETY comment.
  public long call(long... arguments) {
    long[] all = Arrays.copyOf(arguments, MOST_ARGUMENTS);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Handle.STATE);
      long result =
          (long)
              Handle.CALL.invokeExact(code, state, all[0], all[1], all[2], all[3], all[4], all[5]);
      long whole = returnsInt ? (int) result : result;
      return whole == -1 ? -errno(state) : whole;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) { // a handle might throw anything; this one does not
      throw new IllegalStateException(name + " could not be called", e);
    }
  }

  private static int errno(MemorySegment state) {
    return state.get(
        ValueLayout.JAVA_INT, Handle.STATE.byteOffset(PathElement.groupElement("errno")));
  }

  /// Made at the first call.
  // SAFETY: bounds, lifetime: up to those who call; convention: see the class; thread: each call
  // has a state of its own.
  private static final class Handle {
    static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    static final MethodHandle CALL = link();

    @SuppressWarnings("restricted")
    private static MethodHandle link() {
      MemoryLayout[] arguments = new MemoryLayout[MOST_ARGUMENTS];
      Arrays.fill(arguments, ValueLayout.JAVA_LONG);
      return Linker.nativeLinker()
          .downcallHandle(
              FunctionDescriptor.of(ValueLayout.JAVA_LONG, arguments),
              Linker.Option.captureCallState("errno"));
    }
  }
}
