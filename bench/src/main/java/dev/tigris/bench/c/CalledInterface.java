package dev.tigris.bench.c;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Arrays;

/// The twin of a provider as functions (`net_calls.c`), each of which is a foreign call. What goes
/// wrong in it ends the process.
public final class CalledInterface {
  /// What it is compiled with, besides the twin's own source and flags.
  public static final String SOURCE = "net_calls.c";

  private static final int ADDRESS_BYTES = 64;

  // Without an address: so they are constants, and the JIT inlines them.
  private static final MethodHandle ONE = shape(1);
  private static final MethodHandle TWO = shape(2);
  private static final MethodHandle THREE = shape(3);

  private final SymbolLookup library;
  private final MemorySegment post;
  private final MemorySegment poll;
  private final MemorySegment isConnected;
  private final MemorySegment get;
  private final MemorySegment set;

  // SAFETY: bounds: the functions of net_calls.c take that many numbers and return one; lifetime:
  // the library is never unloaded; thread: one thread uses an interface.
  @SuppressWarnings("restricted")
  private static MethodHandle shape(int arguments) {
    MemoryLayout[] numbers = new MemoryLayout[arguments];
    Arrays.fill(numbers, JAVA_LONG);
    return Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_LONG, numbers));
  }

  /// Loads it, until the process ends.
  // SAFETY: bounds and lifetime: the library is our own source, compiled a moment ago, and is never
  // unloaded; thread: any.
  @SuppressWarnings("restricted")
  public CalledInterface(Path file) {
    library = SymbolLookup.libraryLookup(file, Arena.global());
    post = function("post");
    poll = function("poll");
    isConnected = function("is_connected");
    get = function("get");
    set = function("set");
  }

  private MemorySegment function(String name) {
    return library.findOrThrow("calls_" + name);
  }

  /// Listens; returns the address to connect to.
  public String listen(String address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment actual = arena.allocate(ADDRESS_BYTES);
      call(function("listen"), arena.allocateFrom(address).address(), actual.address());
      return actual.getString(0);
    }
  }

  /// Waits for the next peer; writes what it has connected with to `tag`, 8 bytes.
  public long accept(MemorySegment tag) {
    return call(function("accept"), tag.address());
  }

  /// Connects.
  public long connect(String address, long tag) {
    try (Arena arena = Arena.ofConfined()) {
      return call(function("connect"), arena.allocateFrom(address).address(), tag);
    }
  }

  /// Memory for messages, of zeros, as the twin has it.
  // SAFETY: bounds: the twin allocates that many bytes; lifetime: until free, after which the
  // caller looks at it no more; thread: the one that calls.
  @SuppressWarnings("restricted")
  public MemorySegment allocate(long bytes) {
    return MemorySegment.ofAddress(call(function("allocate"), bytes)).reinterpret(bytes);
  }

  /// Gives it back.
  public void free(MemorySegment memory) {
    call(function("free"), memory.address(), memory.byteSize());
  }

  /// Registers memory that all messages and descriptors lie in.
  public void register(long vi, MemorySegment memory) {
    MemorySegment function = function("register");
    try {
      long _ = (long) THREE.invokeExact(function, vi, memory.address(), memory.byteSize());
    } catch (Throwable e) {
      throw notCalled(e);
    }
  }

  /// Posts a descriptor.
  public void post(long vi, long transfer) {
    call(post, vi, transfer);
  }

  /// The address of a descriptor that is complete, or 0.
  public long poll(long vi) {
    return call(poll, vi);
  }

  /// Waits until there may be something to poll for.
  public void park(long vi, long nanos) {
    call(function("park"), vi, nanos);
  }

  /// Whether the peer has not closed.
  public boolean isConnected(long vi) {
    return call(isConnected, vi) != 0;
  }

  /// Closes it.
  public void close(long vi) {
    call(function("close"), vi);
  }

  /// Reads four bytes at an address.
  public int get(long address) {
    return (int) call(get, address);
  }

  /// Writes four bytes at an address.
  public void set(long address, int value) {
    call(set, address, value);
  }

  private static long call(MemorySegment function, long argument) {
    try {
      return (long) ONE.invokeExact(function, argument);
    } catch (Throwable e) {
      throw notCalled(e);
    }
  }

  private static long call(MemorySegment function, long first, long second) {
    try {
      return (long) TWO.invokeExact(function, first, second);
    } catch (Throwable e) {
      throw notCalled(e);
    }
  }

  private static IllegalStateException notCalled(Throwable cause) {
    return new IllegalStateException("a function of C cannot be called", cause);
  }
}
