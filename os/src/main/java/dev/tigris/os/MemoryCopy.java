package dev.tigris.os;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.util.Objects;

/// Copies memory outside the heap whose pages cannot vanish, by the C library's own routine, which
/// knows the processor better than HotSpot's does.
///
/// Where a page may vanish, as those of a file that others cut, only the JDK's copying will do: it
/// turns the signal into an `InternalError`, which here ends the process.
///
/// The one call that does not go through [LibraryFunction]: it is *critical*, which takes 3 ns
/// where a call that lets collections go on takes several times as much.
public final class MemoryCopy {
  /// *Critical*: a collection waits until it returns, as for the JDK's own copying.
  // SAFETY: nothing is called here; `copy` says why calling it is safe.
  @SuppressWarnings("restricted")
  private static final MethodHandle MEMCPY =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("memcpy"),
              FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
              Linker.Option.critical(false));

  private MemoryCopy() {}

  /// Copies `bytes` that do not overlap. Called by the thread that closes the segments' scopes, if
  /// anybody does.
  ///
  /// @throws IndexOutOfBoundsException if they are not inside the segments
  /// @throws IllegalStateException if one of these is closed
  // SAFETY: bounds: checked here; lifetime: both scopes are alive here, nobody else closes them,
  // and the fences keep them reachable; thread: plain memory, as for MemorySegment.copy.
  public static void copy(
      MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes) {
    Objects.checkFromIndexSize(fromOffset, bytes, from.byteSize());
    Objects.checkFromIndexSize(toOffset, bytes, to.byteSize());
    if (!from.isNative() || !to.isNative() || to.isReadOnly()) {
      throw new IllegalArgumentException("only from memory outside the heap to writable such");
    }
    if (!from.scope().isAlive() || !to.scope().isAlive()) {
      throw new IllegalStateException("the memory is closed");
    }
    try {
      long _ =
          (long) MEMCPY.invokeExact(to.address() + toOffset, from.address() + fromOffset, bytes);
    } catch (Throwable e) {
      throw new IllegalStateException("memcpy could not be called", e);
    } finally {
      Reference.reachabilityFence(from);
      Reference.reachabilityFence(to);
    }
  }
}
