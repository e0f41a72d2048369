package dev.tigris.net.testing.raw;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.CountDownLatch;

/// A call of the C library that has been given memory, and lasts until this is closed: `bsearch`,
/// with a comparison that waits.
// SAFETY: bounds: the element that is searched is one byte, which nothing reads; lifetime: the call
// holds its memory, and the stub's arena is closed behind it; thread: one of its own.
@SuppressWarnings("restricted")
public final class LongCall implements AutoCloseable {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle SEARCH =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("bsearch"),
          FunctionDescriptor.of(
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS));

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch over = new CountDownLatch(1);

  /// Calls with this memory; returns when the call has begun.
  public LongCall(MemorySegment memory) throws InterruptedException {
    Thread.ofPlatform().daemon().start(() -> search(memory));
    begun.await();
  }

  private void search(MemorySegment memory) {
    try (Arena arena = Arena.ofConfined()) {
      MethodHandle pause =
          MethodHandles.lookup().bind(this, "pause", MethodType.methodType(int.class));
      MemorySegment comparison =
          LINKER.upcallStub(
              MethodHandles.dropArguments(pause, 0, MemorySegment.class, MemorySegment.class),
              FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS),
              arena);
      MemorySegment _ = (MemorySegment) SEARCH.invokeExact(memory, memory, 1L, 1L, comparison);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  int pause() throws InterruptedException {
    begun.countDown();
    over.await();
    return 0; // as things compare that are the same
  }

  /// Lets the call end.
  @Override
  public void close() {
    over.countDown();
  }
}
