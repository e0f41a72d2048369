package dev.tigris.net.libfabric.raw;

import static dev.tigris.net.libfabric.raw.Functions.notCalled;

import dev.tigris.net.libfabric.raw.Layout.Constant;
import dev.tigris.net.libfabric.raw.Layout.Slot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A device (`fid_domain`): what endpoints, their completions and memory belong to.
///
/// A registration is a number, so that making one allocates nothing.
public final class Device extends Fid {
  private static final long ALL =
      Constant.FI_SEND.value
          | Constant.FI_RECV.value
          | Constant.FI_READ.value
          | Constant.FI_WRITE.value;

  private final boolean virtualAddresses;
  private final MemorySegment register;
  private MemorySegment deregister = MemorySegment.NULL;
  private final MemorySegment made = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);

  /// For providers that let the application choose.
  private final Keys keys = new Keys();

  private Device(Library library, long address, boolean virtualAddresses) {
    super(library, address);
    this.virtualAddresses = virtualAddresses;
    this.register = function(Slot.FID_DOMAIN__MR, Slot.FI_OPS_MR__REG);
  }

  /// Opens the device that a route names.
  public static Device open(Network network, Route route) throws LibfabricException {
    long device =
        network.open(
            "open a device", Slot.FID_FABRIC__OPS, Slot.FI_OPS_FABRIC__DOMAIN, route.address());
    return new Device(route.library, device, route.usesVirtualAddresses());
  }

  long open(String what, Slot function, long attributes) throws LibfabricException {
    return Network.open(this, what, Slot.FID_DOMAIN__OPS, function, attributes);
  }

  /// Registers memory, for this side's own messages and reads, or also for a peer to read.
  ///
  /// @return the registration, or an error below zero
  public long register(long memory, long bytes, boolean forRemoteReads, boolean forRemoteWrites) {
    long access =
        ALL
            | (forRemoteReads ? Constant.FI_REMOTE_READ.value : 0)
            | (forRemoteWrites ? Constant.FI_REMOTE_WRITE.value : 0);
    try {
      int result =
          (int)
              Functions.REG.invokeExact(
                  register,
                  address(),
                  memory,
                  bytes,
                  access,
                  0L,
                  keys.next(),
                  0L,
                  made.address(),
                  0L);
      return result == 0 ? made.get(ValueLayout.JAVA_LONG, 0) : result;
    } catch (Throwable e) {
      throw notCalled(e);
    }
  }

  /// The descriptor of registered memory in this side's own operations.
  public static long descriptor(long registration) {
    return Functions.pointer(registration, Slot.FID_MR__MEM_DESC);
  }

  /// The key of registered memory in a peer's operations.
  public static long key(long registration) {
    return Functions.pointer(registration, Slot.FID_MR__KEY);
  }

  /// The address by which a peer names the beginning of registered memory.
  public long remoteAddress(long memory) {
    return virtualAddresses ? memory : 0;
  }

  /// Ends a registration.
  public void deregister(long registration) {
    long function =
        Functions.pointer(Functions.pointer(registration, Slot.FID__OPS), Slot.FI_OPS__CLOSE);
    if (function != deregister.address()) {
      deregister = Functions.function(function); // once: all have the same
    }
    close(deregister, registration);
  }
}
