package dev.tigris.net.libfabric.raw;

import static dev.tigris.net.libfabric.raw.Functions.failed;
import static dev.tigris.net.libfabric.raw.Functions.notCalled;

import dev.tigris.net.libfabric.raw.Layout.Size;
import dev.tigris.net.libfabric.raw.Layout.Slot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/// The peers of endpoints that are not connected (`fid_av`).
public final class AddressVector extends Fid {
  private AddressVector(Library library, long address) {
    super(library, address);
  }

  /// Opens an empty one.
  public static AddressVector open(Device device) throws LibfabricException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(Size.FI_AV_ATTR.bytes, Long.BYTES);
      long address =
          device.open("open an address vector", Slot.FI_OPS_DOMAIN__AV_OPEN, attributes.address());
      return new AddressVector(device.library, address);
    }
  }

  /// Adds a peer; returns what to call it.
  ///
  /// @param name what [Endpoint#name] is at the peer
  public long insert(ByteBuffer name) throws LibfabricException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(name.remaining(), Long.BYTES);
      copy.copyFrom(MemorySegment.ofBuffer(name));
      MemorySegment peer = arena.allocate(ValueLayout.JAVA_LONG);
      MemorySegment insert = function(Slot.FID_AV__OPS, Slot.FI_OPS_AV__INSERT);
      int count =
          (int)
              Functions.INSERT.invokeExact(
                  insert, address(), copy.address(), 1L, peer.address(), 0L, 0L);
      if (library.check("add a peer", count) != 1) {
        throw new LibfabricException("the peer's endpoint cannot be reached from here");
      }
      return peer.get(ValueLayout.JAVA_LONG, 0);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /// Takes a peer out.
  public void remove(long peer) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocateFrom(ValueLayout.JAVA_LONG, peer);
      MemorySegment remove = function(Slot.FID_AV__OPS, Slot.FI_OPS_AV__REMOVE);
      int _ = (int) Functions.REMOVE.invokeExact(remove, address(), copy.address(), 1L, 0L);
    } catch (Throwable e) {
      throw notCalled(e);
    }
  }
}
