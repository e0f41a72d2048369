package dev.tigris.memory;

import dev.tigris.memory.raw.Pool;
import dev.tigris.memory.raw.SharedPages;
import dev.tigris.memory.schema.Schema;
import dev.tigris.memory.schema.SchemaException;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A buffer outside the heap whose memory is managed explicitly, and safely: it is freed only when
/// the garbage collector has verified that nobody can reach it any more (Chang, *Safe and Explicit
/// Memory Management*, section 3.1).
///
/// The Jbuf itself gives no access. A typed view does, and only one type at a time: see [State] for
/// the states and what leads from one to the next.
///
/// ```java
/// Jbuf jbuf = Jbuf.allocate(1024);
/// Ints ints = jbuf.asInts();
/// ints.set(0, 42);
/// ints = null;                              // drop every view ...
/// jbuf.unreference(j -> j.free());          // ... and claim it; the collector checks the claim
/// ```
///
/// [#map] lays a buffer over a file instead, which can be one in shared memory (`/dev/shm`), and
/// [#flush] makes what was written last; see [Mapping].
///
/// A Jbuf whose handle and views are all unreachable is reclaimed by itself; freeing it is better,
/// because it does not have to wait for the collector to find out.
///
/// Thread rule: any thread may call any method. Views may be shared between threads too, and give
/// what plain memory gives: no tearing of aligned values, and no order without synchronization.
public final class Jbuf {
  /// Its lock guards the fields below. It is not this object's own, which a caller may hold for any
  /// time: the verifier would wait for it, and every callback of the process for the verifier.
  private final Block block;

  private State state = State.UNREFERENCED;
  private @Nullable Lease lease;
  private @Nullable Class<? extends View> type;

  private Jbuf(long bytes, String owner, PageKind pages) {
    this.block = new Block(this, bytes, owner, pages);
  }

  private Jbuf(FileMapping file) {
    this.block = new Block(this, file);
  }

  /// Allocates a buffer of `bytes` zero bytes, aligned to 64 bytes, or to 2 MiB when it is larger
  /// than 1 MiB. It begins as [State#UNREFERENCED].
  ///
  /// @throws IllegalArgumentException if `bytes` is not positive
  /// @throws MemoryBudgetException if the process's budget is used up, even after reclaiming what
  ///     has become unreachable
  /// @throws IllegalCallerException if the JVM was told to refuse native access, with the option
  ///     that allows it
  public static Jbuf allocate(long bytes) {
    return allocate(bytes, "unnamed");
  }

  /// As [#allocate(long)]; `owner` is the name under which [#use] and a refusal account for it.
  public static Jbuf allocate(long bytes, String owner) {
    return allocate(bytes, owner, PageKind.ORDINARY);
  }

  /// As [#allocate(long, String)], of a certain kind of pages, in which it is aligned and what it
  /// takes is rounded up: to pages of the system if they are [PageKind#SHARED], and otherwise to
  /// 2 MiB.
  ///
  /// @throws IllegalArgumentException as for [#allocate(long)]
  /// @throws MemoryBudgetException as for [#allocate(long)], or if the operating system refuses
  ///     pages of that kind, saying why
  /// @throws UnsupportedOperationException if this system has none of that kind
  public static Jbuf allocate(long bytes, String owner, PageKind pages) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("a Jbuf has at least one byte, not " + bytes);
    }
    Objects.requireNonNull(owner, "a Jbuf has an owner: give its name, or leave it out");
    Jbuf jbuf = new Jbuf(bytes, owner, pages);
    Budget.PROCESS.take(jbuf.block);
    // Whoever sees this Jbuf, however it came by it, sees its address: the block gets it after the
    // constructor, whose final fields alone the JVM looks after.
    VarHandle.storeStoreFence();
    MemoryEvents.allocated(jbuf.block);
    return jbuf;
  }

  /// Lays a buffer over an existing file, as a whole.
  ///
  /// @throws IOException if the file is missing, empty, no regular file, or in the way that was
  ///     asked for not accessible; or if it is mapped as [Mapping#DURABLE] and somebody owns it
  /// @throws java.nio.channels.ClosedByInterruptException if this thread is interrupted, which it
  ///     then still is; nothing is mapped
  /// @throws UnsupportedOperationException on other systems than Linux and macOS
  /// @throws IllegalCallerException as for [#allocate(long)]
  public static Jbuf map(Path file, Mapping mapping) throws IOException {
    return map(file, mapping, 0);
  }

  /// As [#map(Path, Mapping)], but a file that is missing or shorter than `leastBytes` is first
  /// filled with zeros up to there. One that is longer is mapped as a whole. A [Mapping#PRIVATE]
  /// mapping changes no file: there one that is missing is refused, and one that is shorter mapped
  /// as it is.
  ///
  /// A file that somebody makes shorter while it is mapped is the one thing that a Jbuf cannot be
  /// protected from: touching what is gone throws [InternalError], a little later in compiled code,
  /// or, by two instructions of x86-64, ends the JVM (docs/objects.md). Give no checksum routine or
  /// foreign function the [View#segment] of such a file, which would not survive it. What somebody
  /// else may cut is to be copied first.
  ///
  /// @throws IOException as for [#map(Path, Mapping)], or if the disk is full
  public static Jbuf map(Path file, Mapping mapping, long leastBytes) throws IOException {
    requireLength(leastBytes);
    Jbuf jbuf = new Jbuf(FileMapping.open(file, mapping, leastBytes, Budget.PROCESS.pool()));
    Budget.PROCESS.add(jbuf.block);
    MemoryEvents.allocated(jbuf.block);
    return jbuf;
  }

  /// Maps a file for [#asContainer] that has this schema. An empty one gets it. One that was
  /// written with another is converted, if fields were added, removed, moved or widened: what the
  /// root leads to is copied to a new file, which takes the old one's place when it is complete and
  /// on the disk. Fields that are new are zero. Where the schemas are the same there is nothing to
  /// do.
  ///
  /// A process that has the old file mapped as [Mapping#SHARED] meanwhile keeps that, and what it
  /// writes is seen by nobody: convert files when no older program uses them. Whoever maps the file
  /// while it is converted is refused after half a second, and may try again.
  ///
  /// @throws SchemaException if it cannot be converted, naming the fields; if it would have to be
  ///     and is mapped as [Mapping#PRIVATE]; or if it has objects and no schema
  /// @throws CorruptContainerException if the file is no container, or damaged
  /// @throws IOException as for [#map(Path, Mapping, long)], or if none can be made beside it
  public static Jbuf map(Path file, Mapping mapping, long leastBytes, Schema schema)
      throws IOException {
    requireLength(leastBytes); // before anything is converted
    return FileConversion.map(file, mapping, leastBytes, schema);
  }

  private static void requireLength(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("a file cannot have " + bytes + " bytes");
    }
  }

  /// Makes what was written to a mapped file last: when this returns, it is on the disk. For a
  /// [Mapping#DURABLE] one that happens as a whole or not at all, and no thread may write to the
  /// buffer meanwhile: it could belong to neither this flush nor the next, and be lost. It is not
  /// ended by an interrupt.
  ///
  /// @throws IOException if it could not be written; for a durable mapping the file is then what
  ///     the last completed flush left, or will be that of this one when it is mapped again
  /// @throws UnsupportedOperationException if nothing can be written: the buffer lies over no file,
  ///     or the mapping is [Mapping#PRIVATE]
  /// @throws FreedException if the buffer was freed
  public void flush() throws IOException {
    FileMapping file = block.file;
    if (file == null) {
      throw new UnsupportedOperationException("this Jbuf lies over no file: see Jbuf.map");
    }
    try {
      file.flush();
    } finally {
      // A handle that dies at its last use would have the file taken off before it is flushed.
      Reference.reachabilityFence(this);
    }
  }

  /// Returns how many bytes of the process's budget [#allocate(long)] takes for a buffer of `bytes`
  /// bytes: the allocator has four sizes to each power of two, and whole units of 2 MiB above 1 MiB.
  public static long footprintBytes(long bytes) {
    return Pool.roundedBytes(bytes);
  }

  /// What the Jbufs of this process hold now.
  public static MemoryUse use() {
    return Budget.PROCESS.use();
  }

  /// The size that was asked for, in bytes.
  public long capacityBytes() {
    return block.bytes;
  }

  /// The state that the buffer is in at this moment.
  public State state() {
    synchronized (block) {
      return state;
    }
  }

  /// The buffer as bytes, with values of other types at any offset.
  ///
  /// @throws TypedException if the buffer is referenced as another type
  /// @throws ReferencedException if an [#unreference] waits for the collector
  /// @throws FreedException if the buffer was freed
  public Bytes asBytes() {
    return view(Bytes.class, Bytes::new);
  }

  /// The buffer as 16-bit integers; errors as for [#asBytes].
  public Shorts asShorts() {
    return view(Shorts.class, Shorts::new);
  }

  /// The buffer as UTF-16 units; errors as for [#asBytes].
  public Chars asChars() {
    return view(Chars.class, Chars::new);
  }

  /// The buffer as 32-bit integers; errors as for [#asBytes].
  public Ints asInts() {
    return view(Ints.class, Ints::new);
  }

  /// The buffer as 64-bit integers; errors as for [#asBytes].
  public Longs asLongs() {
    return view(Longs.class, Longs::new);
  }

  /// The buffer as 32-bit floating point numbers; errors as for [#asBytes].
  public Floats asFloats() {
    return view(Floats.class, Floats::new);
  }

  /// The buffer as 64-bit floating point numbers; errors as for [#asBytes].
  public Doubles asDoubles() {
    return view(Doubles.class, Doubles::new);
  }

  /// The buffer as a container of objects. Memory that is still all zero where a header belongs
  /// becomes an empty container; anything else must be a valid one. Errors as for [#asBytes], and:
  ///
  /// @throws CorruptContainerException if the buffer holds something else
  /// @throws IllegalArgumentException if it is smaller than a header ([Container#HEADER_BYTES])
  public Container asContainer() {
    return view(Container.class, Container::openOrFormat);
  }

  /// The buffer as objects that lie where its user says, without a header; errors as for
  /// [#asBytes].
  public RawContainer asRawContainer() {
    return view(RawContainer.class, RawContainer::new);
  }

  /// Says that no view of this buffer is left, and asks the collector to verify it. When it has,
  /// the buffer is [State#UNREFERENCED] and `callback` is called with it, once, on the thread named
  /// `tigris-jbuf-verifier`, which holds no locks, and whose context class loader is the system's.
  /// The callback may free the buffer or view it again; it should be short. A callback that
  /// captures a view never runs.
  ///
  /// Until then the buffer can be neither viewed nor freed. The call returns at once. Nothing asks
  /// for a collection: it is verified by the next one that looks at the views' generation.
  ///
  /// @throws IllegalStateException if the buffer is not referenced
  /// @throws FreedException if the buffer was freed
  public void unreference(Consumer<Jbuf> callback) {
    Objects.requireNonNull(callback, "a Jbuf is unreferenced for a callback: Jbuf::free, say");
    synchronized (block) {
      refuseFreed("unreferenced");
      Lease current = lease;
      if (state != State.REFERENCED || current == null) {
        throw new IllegalStateException(
            "only a referenced Jbuf can be unreferenced; this one is " + state);
      }
      // What may fail for want of memory comes first.
      MemoryEvents.unreferenced(block);
      Verifier.PROCESS.await(current, this, callback);
      current.drop();
      state = State.TO_BE_UNREFERENCED;
      lease = null;
    }
  }

  /// Called by the verifier when the collector has found the lease dead.
  void verified() {
    synchronized (block) {
      state = State.UNREFERENCED;
      type = null;
    }
    MemoryEvents.verified(block);
  }

  /// Gives the memory back. The handle is of no more use.
  ///
  /// @throws ReferencedException if views of the buffer may be in use: call [#unreference] first
  /// @throws FreedException if the buffer was freed already
  /// @throws java.io.UncheckedIOException if its file could not be closed; it is freed all the same
  public void free() {
    synchronized (block) {
      refuseFreed("freed");
      if (state != State.UNREFERENCED) {
        throw new ReferencedException(
            state == State.REFERENCED
                ? "a Jbuf that is referenced cannot be freed: call unreference(callback), and free"
                    + " it there"
                : "a Jbuf that is to be unreferenced cannot be freed: wait for the callback, which"
                    + " can do it");
      }
      state = State.FREED;
    }
    MemoryEvents.freed(block);
    Budget.PROCESS.release(block);
  }

  /// Whether `view` is a view of this buffer (the paper's *isJbuf*).
  public boolean owns(View view) {
    return view.lease.jbuf == this;
  }

  /// The descriptor of its memory, if that is shared and begins at this address.
  OptionalInt sharedFile(long address) {
    SharedPages shared = block.shared;
    return shared == null || shared.address() != address
        ? OptionalInt.empty()
        : OptionalInt.of(shared.descriptor());
  }

  /// What it takes of the budget, freed or not.
  long budgetBytes() {
    return block.budgetBytes();
  }

  /// Whether its memory is that of a file that was mapped.
  boolean isMapped() {
    return block.file != null;
  }

  private <V extends View> V view(Class<V> wanted, View.Maker<V> maker) {
    synchronized (block) {
      refuseFreed("viewed");
      if (state == State.TO_BE_UNREFERENCED) {
        throw new ReferencedException(
            "a Jbuf that is to be unreferenced cannot be viewed: wait for the callback");
      }
      Lease current = lease;
      if (current == null) {
        current = new Lease(this);
        current.take(maker.make(current, block.address, block.bytes));
        lease = current;
        type = wanted;
        state = State.REFERENCED;
      } else if (type != wanted) {
        throw new TypedException(
            "this Jbuf is referenced as %s, and cannot be viewed as %s at the same time: use Bytes for both, or unreference it first"
                .formatted(name(type), name(wanted)));
      }
      return wanted.cast(current.view());
    }
  }

  /// The buffer as a container for this module's own use, which ends before anybody else sees the
  /// buffer: it leaves no lease, so that the buffer can be freed at once.
  Container peek() {
    return Container.openOrFormat(new Lease(this), block.address, block.bytes);
  }

  private static String name(@Nullable Class<?> type) {
    return type == null ? "nothing" : type.getSimpleName();
  }

  private void refuseFreed(String verb) {
    if (state == State.FREED) {
      throw new FreedException("a Jbuf cannot be " + verb + " after it was freed");
    }
  }

  @Override
  public String toString() {
    return "Jbuf[%d bytes, %s, %s]".formatted(block.bytes, state(), block.owner);
  }

  void checkInvariants() {
    synchronized (block) {
      boolean leased = lease != null;
      if (leased != (state == State.REFERENCED)) {
        throw new IllegalStateException("the lease is held exactly while referenced, not " + state);
      }
      if ((type != null) != (leased || state == State.TO_BE_UNREFERENCED)) {
        throw new IllegalStateException("type " + type + " in state " + state);
      }
    }
  }
}
