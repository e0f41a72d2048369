package dev.tigris.net.libfabric.raw;

import static dev.tigris.net.libfabric.raw.Functions.notCalled;

import dev.tigris.net.libfabric.raw.Layout.Constant;
import dev.tigris.net.libfabric.raw.Layout.Field;
import dev.tigris.net.libfabric.raw.Layout.Size;
import dev.tigris.net.libfabric.raw.Layout.Slot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// The queue of events of connections (`fid_eq`).
public final class Events extends Fid {
  private static final int DATA_BYTES = 256;

  private final MemorySegment read;
  private final MemorySegment readError;
  private final Arena arena = Arena.ofAuto();
  private final MemorySegment kind = arena.allocate(ValueLayout.JAVA_INT);
  private final MemorySegment entry =
      arena.allocate(Size.FI_EQ_CM_ENTRY.bytes + (long) DATA_BYTES, Long.BYTES);
  private final MemorySegment error = arena.allocate(Size.FI_EQ_ERR_ENTRY.bytes, Long.BYTES);
  private final MemorySegment errorData = arena.allocate(DATA_BYTES);

  private Events(Library library, long address) {
    super(library, address);
    this.read = function(Slot.FID_EQ__OPS, Slot.FI_OPS_EQ__READ);
    this.readError = function(Slot.FID_EQ__OPS, Slot.FI_OPS_EQ__READERR);
  }

  /// An event of a connection.
  public sealed interface Event {}

  /// A peer wants to connect.
  ///
  /// @param route what an endpoint is made of to accept it
  /// @param data what the peer says
  public record Request(Route route, ByteBuffer data) implements Event {}

  /// An endpoint is connected.
  ///
  /// @param endpoint its identity
  /// @param data what the peer says
  public record Connected(long endpoint, ByteBuffer data) implements Event {}

  /// An endpoint is no longer connected.
  public record Disconnected(long endpoint) implements Event {}

  /// An endpoint could not be connected, or its connection has failed.
  ///
  /// @param reason as [Library#describe] takes it
  /// @param data what the peer says, if it has rejected the connection
  public record Failed(long endpoint, int reason, ByteBuffer data) implements Event {}

  /// Something that does not matter.
  public record Other() implements Event {}

  /// Opens a queue of events.
  public static Events open(Network network) throws LibfabricException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(Size.FI_EQ_ATTR.bytes, Long.BYTES);
      attributes.set(
          ValueLayout.JAVA_INT, Field.FI_EQ_ATTR__WAIT_OBJ.offset, Constant.FI_WAIT_FD.number());
      long address =
          network.open(
              "open a queue of events",
              Slot.FID_FABRIC__OPS,
              Slot.FI_OPS_FABRIC__EQ_OPEN,
              attributes.address());
      return new Events(network.library, address);
    }
  }

  /// The file descriptor to wait for; -1 if there is none.
  public int file() {
    return waitFile();
  }

  /// The next event; null if there is none.
  public @Nullable Event next() throws LibfabricException {
    long length;
    try {
      length =
          (long)
              Functions.EVENT.invokeExact(
                  read, address(), kind.address(), entry.address(), entry.byteSize(), 0L);
    } catch (Throwable e) {
      throw notCalled(e);
    }
    if (length == -Constant.FI_EAVAIL.value) {
      return failed();
    }
    if (length == 0 || length == -Constant.FI_EAGAIN.value || length == -Constant.FI_EINTR.value) {
      return null;
    }
    library.check("read an event", length);
    int happened = kind.get(ValueLayout.JAVA_INT, 0);
    long endpoint = entry.get(ValueLayout.JAVA_LONG, Field.FI_EQ_CM_ENTRY__FID.offset);
    int bytes = (int) Math.max(0, length - Size.FI_EQ_CM_ENTRY.bytes);
    if (happened == Constant.FI_CONNREQ.number()) {
      long route = entry.get(ValueLayout.JAVA_LONG, Field.FI_EQ_CM_ENTRY__INFO.offset);
      return new Request(new Route(library, route), data(entry, Size.FI_EQ_CM_ENTRY.bytes, bytes));
    }
    if (happened == Constant.FI_CONNECTED.number()) {
      return new Connected(endpoint, data(entry, Size.FI_EQ_CM_ENTRY.bytes, bytes));
    }
    return happened == Constant.FI_SHUTDOWN.number() ? new Disconnected(endpoint) : new Other();
  }

  private @Nullable Event failed() throws LibfabricException {
    error.fill((byte) 0);
    error.set(ValueLayout.JAVA_LONG, Field.FI_EQ_ERR_ENTRY__ERR_DATA.offset, errorData.address());
    error.set(ValueLayout.JAVA_LONG, Field.FI_EQ_ERR_ENTRY__ERR_DATA_SIZE.offset, DATA_BYTES);
    long length;
    try {
      length = (long) Functions.READ.invokeExact(readError, address(), error.address(), 0L);
    } catch (Throwable e) {
      throw notCalled(e);
    }
    if (length == -Constant.FI_EAGAIN.value) {
      return null;
    }
    library.check("read an error", length);
    long bytes = error.get(ValueLayout.JAVA_LONG, Field.FI_EQ_ERR_ENTRY__ERR_DATA_SIZE.offset);
    return new Failed(
        error.get(ValueLayout.JAVA_LONG, Field.FI_EQ_ERR_ENTRY__FID.offset),
        error.get(ValueLayout.JAVA_INT, Field.FI_EQ_ERR_ENTRY__ERR.offset),
        data(errorData, 0, (int) Math.max(0, Math.min(DATA_BYTES, bytes))));
  }

  private static ByteBuffer data(MemorySegment from, long offset, int bytes) {
    return ByteBuffer.wrap(
            from.asSlice(offset, Math.min(bytes, from.byteSize() - offset))
                .toArray(ValueLayout.JAVA_BYTE))
        .order(ByteOrder.LITTLE_ENDIAN);
  }
}
