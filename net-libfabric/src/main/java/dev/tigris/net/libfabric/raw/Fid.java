package dev.tigris.net.libfabric.raw;

import static dev.tigris.net.libfabric.raw.Functions.failed;
import static dev.tigris.net.libfabric.raw.Functions.notCalled;

import dev.tigris.net.libfabric.raw.Layout.Constant;
import dev.tigris.net.libfabric.raw.Layout.Slot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/// An object of the library. It is closed once; whatever was opened with it is closed before.
public abstract class Fid implements AutoCloseable {
  private static final int LONGEST_NAME_BYTES = 200;

  final Library library;
  private final long address;
  private boolean closed;

  Fid(Library library, long address) {
    this.library = library;
    this.address = address;
  }

  /// The library's text for an error.
  public final String describe(int error) {
    return library.describe(error);
  }

  final long address() {
    if (closed) {
      throw new IllegalStateException("the object of libfabric is closed");
    }
    return address;
  }

  final MemorySegment function(Slot table, Slot function) {
    return Functions.function(address(), table, function);
  }

  final void bind(Fid other, long flags) throws LibfabricException {
    MemorySegment bind = function(Slot.FID__OPS, Slot.FI_OPS__BIND);
    try {
      library.check(
          "bind", (int) Functions.INT_3.invokeExact(bind, address(), other.address(), flags));
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  final int control(Constant command, long argument) {
    MemorySegment control = function(Slot.FID__OPS, Slot.FI_OPS__CONTROL);
    try {
      return (int) Functions.CONTROL.invokeExact(control, address(), command.number(), argument);
    } catch (Throwable e) {
      throw notCalled(e);
    }
  }

  /// What the provider calls an end of connections.
  ///
  /// @param calls the table in which it can be asked
  final ByteBuffer name(Slot calls) throws LibfabricException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(LONGEST_NAME_BYTES, Long.BYTES);
      MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_LONG, LONGEST_NAME_BYTES);
      MemorySegment getname = function(calls, Slot.FI_OPS_CM__GETNAME);
      int result =
          (int) Functions.INT_3.invokeExact(getname, address(), name.address(), length.address());
      library.check("ask for a name", result);
      long bytes = length.get(ValueLayout.JAVA_LONG, 0);
      return ByteBuffer.wrap(name.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE));
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /// The file descriptor that becomes readable when there is something; -1 if there is none.
  final int waitFile() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment file = arena.allocate(ValueLayout.JAVA_INT);
      int result = control(Constant.FI_GETWAIT, file.address());
      return result == 0 ? file.get(ValueLayout.JAVA_INT, 0) : -1;
    }
  }

  /// After this the library touches nothing that was given to this object.
  @Override
  public final void close() {
    if (!closed) {
      close(function(Slot.FID__OPS, Slot.FI_OPS__CLOSE), address);
      closed = true;
    }
  }

  static void close(MemorySegment close, long fid) {
    int result;
    try {
      result = (int) Functions.INT_1.invokeExact(close, fid);
    } catch (Throwable e) {
      throw notCalled(e);
    }
    if (result != 0) {
      throw new IllegalStateException(
          "an object of libfabric cannot be closed, error %d: is it in use?".formatted(-result));
    }
  }
}
