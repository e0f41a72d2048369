package dev.tigris.net.libfabric.raw;

import static dev.tigris.net.libfabric.raw.Functions.failed;
import static dev.tigris.net.libfabric.raw.Functions.notCalled;

import dev.tigris.net.libfabric.raw.Layout.Constant;
import dev.tigris.net.libfabric.raw.Layout.Field;
import dev.tigris.net.libfabric.raw.Layout.Slot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A network (`fid_fabric`): what devices and queues of events are opened on.
public final class Network extends Fid {
  private final MemorySegment tryWait;
  private final MemorySegment waiting = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);

  private Network(Library library, long address) {
    super(library, address);
    this.tryWait = function(Slot.FID_FABRIC__OPS, Slot.FI_OPS_FABRIC__TRYWAIT);
  }

  /// Opens the one that a route names.
  public static Network open(Route route) throws LibfabricException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment made = arena.allocate(ValueLayout.JAVA_LONG);
      long attributes = Functions.pointer(route.address(), Field.FI_INFO__FABRIC_ATTR);
      route.library.check("open a fabric", route.library.fabric(attributes, made));
      return new Network(route.library, made.get(ValueLayout.JAVA_LONG, 0));
    }
  }

  /// Has the file descriptor of a queue tell of what comes from now on. The owner of the queue
  /// calls it before every wait: otherwise some stay readable after what was there is taken.
  ///
  /// @return false if there is something already
  public boolean mayWait(Fid queue) {
    waiting.set(ValueLayout.JAVA_LONG, 0, queue.address());
    try {
      int result = (int) Functions.TRYWAIT.invokeExact(tryWait, address(), waiting.address(), 1);
      return result != -Constant.FI_EAGAIN.number(); // one that cannot say agrees
    } catch (Throwable e) {
      throw notCalled(e);
    }
  }

  /// Opens an object of this one with attributes, or a route.
  long open(String what, Slot table, Slot function, long attributes) throws LibfabricException {
    return open(this, what, table, function, attributes);
  }

  static long open(Fid parent, String what, Slot table, Slot function, long attributes)
      throws LibfabricException {
    try (Arena arena = Arena.ofConfined();
        Signals _ = Signals.save()) {
      MemorySegment made = arena.allocate(ValueLayout.JAVA_LONG);
      MemorySegment open = parent.function(table, function);
      int result =
          (int) Functions.INT_4.invokeExact(open, parent.address(), attributes, made.address(), 0L);
      parent.library.check(what, result);
      return made.get(ValueLayout.JAVA_LONG, 0);
    } catch (Throwable e) {
      throw failed(e);
    }
  }
}
