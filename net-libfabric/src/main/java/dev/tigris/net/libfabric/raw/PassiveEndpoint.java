package dev.tigris.net.libfabric.raw;

import static dev.tigris.net.libfabric.raw.Functions.failed;
import static dev.tigris.net.libfabric.raw.Functions.notCalled;

import dev.tigris.net.libfabric.raw.Layout.Slot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// Listens (`fid_pep`).
public final class PassiveEndpoint extends Fid {
  private PassiveEndpoint(Library library, long address) {
    super(library, address);
  }

  /// Listens at the address that a route names.
  public static PassiveEndpoint listen(Network network, Route route, Events events)
      throws LibfabricException {
    long address =
        network.open("bind", Slot.FID_FABRIC__OPS, Slot.FI_OPS_FABRIC__PASSIVE_EP, route.address());
    PassiveEndpoint made = new PassiveEndpoint(network.library, address);
    try {
      made.bind(events, 0);
      MemorySegment listen = made.function(Slot.FID_PEP__CM, Slot.FI_OPS_CM__LISTEN);
      made.library.check("listen", (int) Functions.INT_1.invokeExact(listen, made.address()));
      return made;
    } catch (Throwable e) {
      made.close();
      throw failed(e);
    }
  }

  /// The address that it listens at, a `struct sockaddr`.
  public ByteBuffer name() throws LibfabricException {
    return name(Slot.FID_PEP__CM);
  }

  /// Rejects a request. If the peer is gone, that has no effect; nor if an endpoint was made to
  /// accept it, which has taken over what the library would reject it with.
  public void reject(Route request, ByteBuffer data) {
    if (request.isTaken()) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(Math.max(1, data.remaining()));
      copy.copyFrom(MemorySegment.ofBuffer(data));
      MemorySegment reject = function(Slot.FID_PEP__CM, Slot.FI_OPS_CM__REJECT);
      int _ =
          (int)
              Functions.INT_4.invokeExact(
                  reject, address(), request.handle(), copy.address(), (long) data.remaining());
    } catch (Throwable e) {
      throw notCalled(e);
    }
  }
}
