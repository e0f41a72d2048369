package dev.tigris.net.libfabric.raw;

import static dev.tigris.net.libfabric.raw.Functions.failed;
import static dev.tigris.net.libfabric.raw.Functions.notCalled;

import dev.tigris.net.libfabric.raw.Layout.Constant;
import dev.tigris.net.libfabric.raw.Layout.Field;
import dev.tigris.net.libfabric.raw.Layout.Size;
import dev.tigris.net.libfabric.raw.Layout.Slot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/// One end of a connection (`fid_ep`).
///
/// Operations return 0, or an error below zero; [#AGAIN] says that the queue is full. Memory is
/// named by its address and, if it has to be registered, by the descriptor of its registration,
/// else 0; the caller keeps it alive until the operation is complete or the endpoint is closed.
public final class Endpoint extends Fid {
  /// Nothing was posted: try again when completions were taken.
  public static final long AGAIN = -Constant.FI_EAGAIN.value;

  /// The size of an entry of a list of ranges: address and length.
  public static final int RANGE_BYTES = Size.IOVEC.bytes;

  private MemorySegment receive = MemorySegment.NULL;
  private MemorySegment gather = MemorySegment.NULL;
  private MemorySegment inject = MemorySegment.NULL;
  private MemorySegment read = MemorySegment.NULL;
  private MemorySegment write = MemorySegment.NULL;

  private Endpoint(Library library, long address) {
    super(library, address);
  }

  /// Opens an endpoint that can be connected, or that accepts the request a route belongs to.
  public static Endpoint open(Device device, Route route, Events events, Completions completions)
      throws LibfabricException {
    return open(device, route, (Fid) events, completions);
  }

  private static Endpoint open(Device device, Route route, Fid peers, Completions completions)
      throws LibfabricException {
    long address = device.open("open an endpoint", Slot.FI_OPS_DOMAIN__ENDPOINT, route.address());
    route.taken();
    Endpoint made = new Endpoint(device.library, address);
    try (Signals _ = Signals.save()) {
      made.bind(peers, 0);
      made.bind(completions, Constant.FI_TRANSMIT.value | Constant.FI_RECV.value);
      made.library.check("enable an endpoint", made.control(Constant.FI_ENABLE, 0));
    } catch (LibfabricException e) {
      made.close();
      throw e;
    }
    made.resolve();
    return made;
  }

  /// Opens an endpoint that is never connected: peers are called what the vector calls them.
  public static Endpoint open(
      Device device, Route route, AddressVector peers, Completions completions)
      throws LibfabricException {
    return open(device, route, (Fid) peers, completions);
  }

  /// The tables are final only now.
  private void resolve() {
    receive = function(Slot.FID_EP__MSG, Slot.FI_OPS_MSG__RECV);
    gather = function(Slot.FID_EP__MSG, Slot.FI_OPS_MSG__SENDV);
    inject = function(Slot.FID_EP__MSG, Slot.FI_OPS_MSG__INJECT);
    read = function(Slot.FID_EP__RMA, Slot.FI_OPS_RMA__READ);
    write = function(Slot.FID_EP__RMA, Slot.FI_OPS_RMA__WRITE);
  }

  /// The identity of the endpoint in events.
  public long identity() {
    return address();
  }

  /// The name of the endpoint at its provider.
  public ByteBuffer name() throws LibfabricException {
    return name(Slot.FID_EP__CM);
  }

  /// Starts to connect to the address that a route names.
  public void connect(Route route, ByteBuffer data) throws LibfabricException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(data.remaining());
      copy.copyFrom(MemorySegment.ofBuffer(data));
      MemorySegment connect = function(Slot.FID_EP__CM, Slot.FI_OPS_CM__CONNECT);
      int result =
          (int)
              Functions.INT_4.invokeExact(
                  connect, address(), route.remote(), copy.address(), copy.byteSize());
      library.check("connect", result);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /// Accepts the request that it was opened for.
  public void accept(ByteBuffer data) throws LibfabricException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(data.remaining());
      copy.copyFrom(MemorySegment.ofBuffer(data));
      MemorySegment accept = function(Slot.FID_EP__CM, Slot.FI_OPS_CM__ACCEPT);
      int result =
          (int) Functions.INT_3.invokeExact(accept, address(), copy.address(), copy.byteSize());
      library.check("accept", result);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /// Posts memory for a message.
  public long receive(long memory, long bytes, long descriptor, long operation) {
    try {
      return (long)
          Functions.TRANSFER.invokeExact(
              receive, address(), memory, bytes, descriptor, 0L, operation);
    } catch (Throwable e) {
      throw notCalled(e);
    }
  }

  /// Sends a message that is gathered from ranges.
  ///
  /// @param ranges the address of the list, which is needed during the call only
  /// @param descriptors the address of a list as long
  public long gather(long ranges, long descriptors, long count, long peer, long operation) {
    try {
      return (long)
          Functions.TRANSFER.invokeExact(
              gather, address(), ranges, descriptors, count, peer, operation);
    } catch (Throwable e) {
      throw notCalled(e);
    }
  }

  /// Sends a short message, whose memory is free again at once; it does not complete.
  public long inject(long memory, long bytes, long peer) {
    try {
      return (long) Functions.INJECT.invokeExact(inject, address(), memory, bytes, peer);
    } catch (Throwable e) {
      throw notCalled(e);
    }
  }

  /// Reads memory of the peer.
  public long read(
      long memory,
      long bytes,
      long descriptor,
      long peer,
      long remoteAddress,
      long key,
      long operation) {
    return remote(read, memory, bytes, descriptor, peer, remoteAddress, key, operation);
  }

  /// Writes memory of the peer.
  public long write(
      long memory,
      long bytes,
      long descriptor,
      long peer,
      long remoteAddress,
      long key,
      long operation) {
    return remote(write, memory, bytes, descriptor, peer, remoteAddress, key, operation);
  }

  private long remote(
      MemorySegment function,
      long memory,
      long bytes,
      long descriptor,
      long peer,
      long remoteAddress,
      long key,
      long operation) {
    try {
      return (long)
          Functions.REMOTE.invokeExact(
              function, address(), memory, bytes, descriptor, peer, remoteAddress, key, operation);
    } catch (Throwable e) {
      throw notCalled(e);
    }
  }

  /// Writes an entry of a list of ranges.
  public static void range(MemorySegment list, int index, long memory, long bytes) {
    long at = (long) index * RANGE_BYTES;
    list.set(ValueLayout.JAVA_LONG, at + Field.IOVEC__IOV_BASE.offset, memory);
    list.set(ValueLayout.JAVA_LONG, at + Field.IOVEC__IOV_LEN.offset, bytes);
  }
}
