package dev.tigris.net.libfabric.raw;

import dev.tigris.net.libfabric.raw.Layout.Constant;
import dev.tigris.net.libfabric.raw.Layout.Field;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A way to reach an address, or to be reached at it, as the library describes it: its `fi_info`.
public final class Route implements AutoCloseable {
  private static final int MEMORY_MODES =
      Constant.FI_MR_LOCAL.number()
          | Constant.FI_MR_VIRT_ADDR.number()
          | Constant.FI_MR_ALLOCATED.number()
          | Constant.FI_MR_PROV_KEY.number();

  final Library library;
  private long address;

  Route(Library library, long address) {
    this.library = library;
    this.address = address;
  }

  /// Asks for endpoints that exchange messages; connected ones read remote memory, too.
  ///
  /// @param connected whether they are connected, or else for reliable datagrams
  /// @param host a number, no name; null for none
  /// @param here whether host and port are to listen at, and not to connect to
  /// @return what there is, in the library's order, which is the fastest first
  public static List<Route> find(
      Library library, boolean connected, @Nullable String host, int port, boolean here)
      throws LibfabricException {
    long hints = library.dupinfo(0);
    long list = 0;
    try (Arena arena = Arena.ofConfined()) {
      long remote = connected ? Constant.FI_RMA.value : 0;
      Functions.set(hints, Field.FI_INFO__CAPS, Constant.FI_MSG.value | remote);
      long endpoint = Functions.pointer(hints, Field.FI_INFO__EP_ATTR);
      Constant type = connected ? Constant.FI_EP_MSG : Constant.FI_EP_RDM;
      Functions.set(endpoint, Field.FI_EP_ATTR__TYPE, type.number());
      long domain = Functions.pointer(hints, Field.FI_INFO__DOMAIN_ATTR);
      Functions.set(domain, Field.FI_DOMAIN_ATTR__MR_MODE, MEMORY_MODES);
      Functions.set(domain, Field.FI_DOMAIN_ATTR__THREADING, Constant.FI_THREAD_DOMAIN.number());
      if (!connected) {
        long order = Constant.FI_ORDER_SAS.value; // connected ones keep it anyhow
        long send = Functions.pointer(hints, Field.FI_INFO__TX_ATTR);
        Functions.set(send, Field.FI_TX_ATTR__MSG_ORDER, order);
        long receive = Functions.pointer(hints, Field.FI_INFO__RX_ATTR);
        Functions.set(receive, Field.FI_RX_ATTR__MSG_ORDER, order);
      }
      MemorySegment node = host == null ? MemorySegment.NULL : arena.allocateFrom(host);
      MemorySegment service =
          host == null ? MemorySegment.NULL : arena.allocateFrom(String.valueOf(port));
      long flags =
          host == null ? 0 : Constant.FI_NUMERICHOST.value | (here ? Constant.FI_SOURCE.value : 0);
      list = library.getinfo(node, service, flags, hints);
      List<Route> found = new ArrayList<>();
      for (long each = list; each != 0; each = Functions.pointer(each, Field.FI_INFO__NEXT)) {
        found.add(new Route(library, library.dupinfo(each)));
      }
      return found;
    } finally {
      library.freeinfo(hints);
      if (list != 0) {
        library.freeinfo(list);
      }
    }
  }

  long address() {
    if (address == 0) {
      throw new IllegalStateException("the route is freed");
    }
    return address;
  }

  private long part(Field part) {
    return Functions.pointer(address(), part);
  }

  /// Whether its endpoints are connected.
  public boolean isConnected() {
    return Functions.number(part(Field.FI_INFO__EP_ATTR), Field.FI_EP_ATTR__TYPE)
        == Constant.FI_EP_MSG.number();
  }

  /// The library's provider, as in `tcp`, `verbs` or `shm`.
  public String provider() {
    return text(Field.FI_INFO__FABRIC_ATTR, Field.FI_FABRIC_ATTR__PROV_NAME);
  }

  /// The network.
  public String fabric() {
    return text(Field.FI_INFO__FABRIC_ATTR, Field.FI_FABRIC_ATTR__NAME);
  }

  /// The device.
  public String domain() {
    return text(Field.FI_INFO__DOMAIN_ATTR, Field.FI_DOMAIN_ATTR__NAME);
  }

  private String text(Field part, Field name) {
    return Functions.text(Functions.pointer(part(part), name));
  }

  /// The longest message that is copied at once.
  public long injectBytes() {
    return Functions.pointer(part(Field.FI_INFO__TX_ATTR), Field.FI_TX_ATTR__INJECT_SIZE);
  }

  /// How many ranges a message can be gathered from.
  public long ranges() {
    return Functions.pointer(part(Field.FI_INFO__TX_ATTR), Field.FI_TX_ATTR__IOV_LIMIT);
  }

  /// How many operations of an endpoint may be under way, in either direction.
  public long depth() {
    return Math.min(
        Functions.pointer(part(Field.FI_INFO__TX_ATTR), Field.FI_TX_ATTR__SIZE),
        Functions.pointer(part(Field.FI_INFO__RX_ATTR), Field.FI_RX_ATTR__SIZE));
  }

  /// Asks for less depth, which saves memory.
  public void depth(long operations) {
    Functions.set(part(Field.FI_INFO__TX_ATTR), Field.FI_TX_ATTR__SIZE, operations);
    Functions.set(part(Field.FI_INFO__RX_ATTR), Field.FI_RX_ATTR__SIZE, operations);
  }

  /// The most bytes of one operation.
  public long operationBytes() {
    return Functions.pointer(part(Field.FI_INFO__EP_ATTR), Field.FI_EP_ATTR__MAX_MSG_SIZE);
  }

  /// Whether memory must be registered for what this side itself does with it.
  public boolean registersLocalMemory() {
    return (memoryModes() & Constant.FI_MR_LOCAL.number()) != 0;
  }

  /// Whether remote memory is addressed as its owner does, and not from 0 on.
  boolean usesVirtualAddresses() {
    return (memoryModes() & Constant.FI_MR_VIRT_ADDR.number()) != 0;
  }

  private int memoryModes() {
    return Functions.number(part(Field.FI_INFO__DOMAIN_ATTR), Field.FI_DOMAIN_ATTR__MR_MODE);
  }

  /// The address of the peer, a `struct sockaddr`; empty if it is not known.
  public ByteBuffer peer() {
    long peer = part(Field.FI_INFO__DEST_ADDR);
    long length = peer == 0 ? 0 : part(Field.FI_INFO__DEST_ADDRLEN);
    return ByteBuffer.wrap(Functions.bytes(peer, length).toArray(ValueLayout.JAVA_BYTE));
  }

  long remote() {
    return part(Field.FI_INFO__DEST_ADDR);
  }

  /// What stands for the request that it belongs to; 0 if there is none, or it was [#taken].
  long handle() {
    return part(Field.FI_INFO__HANDLE);
  }

  /// Whether an endpoint was made of the request that it belongs to.
  public boolean isTaken() {
    return handle() == 0;
  }

  /// An endpoint was made of the request, and answers it, if only by being closed.
  void taken() {
    Functions.set(address(), Field.FI_INFO__HANDLE, 0L);
  }

  @Override
  public void close() {
    if (address != 0) {
      library.freeinfo(address);
      address = 0;
    }
  }
}
