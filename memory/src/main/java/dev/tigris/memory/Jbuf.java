// Over 400 lines: the states of a buffer are one machine, and each way to view it is a method.
package dev.tigris.memory;

import dev.tigris.memory.raw.Pool;
import dev.tigris.memory.raw.SharedPages;
import dev.tigris.memory.schema.Schema;
import dev.tigris.memory.schema.SchemaException;
import dev.tigris.os.FileDescriptors;
import dev.tigris.os.ScarceException;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A buffer outside the heap whose memory is managed explicitly and safely. It is freed only after
/// the garbage collector has verified that no view of it is reachable (Chang, PhD thesis, Cornell
/// 1999, section 3.1).
///
/// The Jbuf itself gives no access. Typed views do, of one type at a time. [State] shows the states
/// and the transitions between them.
///
/// ```java
/// Jbuf jbuf = Jbuf.allocate(1024);
/// Ints ints = jbuf.asInts();
/// ints.set(0, 42);
/// ints = null;                              // drop every view ...
/// jbuf.unreference(j -> j.free());          // ... and claim it; the collector checks the claim
/// ```
///
/// [#map] lays a buffer over a file instead, which can be one in shared memory (`/dev/shm`).
/// [#flush] makes its changes durable, and [#close] takes it off the file at once. [Mapping] says
/// what other processes see of them.
///
/// ```java
/// try (Jbuf file = Jbuf.map(path, Mapping.DURABLE, 1 << 20)) {
///   file.asLongs().set(0, 42);
///   file.flush();                           // close() does not
/// }
/// ```
///
/// The memory of a Jbuf whose handle and views are all unreachable is reclaimed. Freeing it is
/// better, because that does not wait for a collection.
///
/// Thread rule: any thread may call any method. Threads may share views as they share plain memory:
/// aligned values do not tear, and accesses have no order without synchronization.
public final class Jbuf implements AutoCloseable {
  /// How often the collector is asked for what a mapping lacks.
  private static final int MOST_COLLECTIONS = 3;

  /// Mapping a file opens fewer. A refusal closes those it had, so that one is free again.
  private static final int MOST_DESCRIPTORS = 8;

  /// The lock of the block guards the fields below. The lock of this object would not do: a caller
  /// may hold that for any time, the verifier would wait for it, and every callback of the process
  /// would wait for the verifier.
  private final Block block;

  private State state = State.UNREFERENCED;
  private @Nullable Lease lease;
  private @Nullable Class<? extends View> type;

  /// Whether [#close] was called.
  private boolean closed;

  private Jbuf(long bytes, String owner, PageKind pages) {
    this.block = new Block(this, bytes, owner, pages);
  }

  private Jbuf(FileMapping file) {
    this.block = new Block(this, file);
  }

  /// Allocates a buffer of `bytes` zero bytes in the state [State#UNREFERENCED]. It is aligned to
  /// 64 bytes, or to 2 MiB if it is larger than 1 MiB.
  ///
  /// @throws IllegalArgumentException if `bytes` is not positive
  /// @throws MemoryBudgetException if the process's budget is used up, even after unreachable Jbufs
  ///     were reclaimed
  /// @throws IllegalCallerException if the JVM refuses native access to this module; the message
  ///     names the option that allows it
  public static Jbuf allocate(long bytes) {
    return allocate(bytes, "unnamed");
  }

  /// Allocates a buffer as [#allocate(long)] does, for an owner. [#use] and the message of a
  /// refusal name that owner.
  public static Jbuf allocate(long bytes, String owner) {
    return allocate(bytes, owner, PageKind.ORDINARY);
  }

  /// Allocates a buffer as [#allocate(long, String)] does, of one kind of pages. Its alignment and
  /// its size are rounded up to pages of the system if the kind is [PageKind#SHARED], and to 2 MiB
  /// for [PageKind#HUGE] and [PageKind#LOCKED].
  ///
  /// @throws IllegalArgumentException as for [#allocate(long)]
  /// @throws MemoryBudgetException as for [#allocate(long)], or if the operating system refuses
  ///     pages of that kind; the message says why
  /// @throws UnsupportedOperationException if this system has no pages of that kind
  public static Jbuf allocate(long bytes, String owner, PageKind pages) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("a Jbuf has at least one byte, not " + bytes);
    }
    Objects.requireNonNull(
        owner, "the owner of a Jbuf is null: give a name, or call allocate(bytes)");
    Jbuf jbuf = new Jbuf(bytes, owner, pages);
    Budget.PROCESS.take(jbuf.block);
    // A thread that sees this Jbuf also sees its address: the block gets that after the
    // constructor,
    // and the JVM publishes final fields only.
    VarHandle.storeStoreFence();
    MemoryEvents.allocated(jbuf.block);
    return jbuf;
  }

  /// Lays a buffer over the whole of an existing file.
  ///
  /// What a mapping of this process holds that was dropped and not collected yet (a lock, open
  /// files, addresses) is looked for by a collection before a mapping is refused.
  ///
  /// @throws IOException if the file is missing, empty or not a regular file; if this process may
  ///     not access it in this way; if it is locked, because a process has it mapped as
  ///     [Mapping#DURABLE] or is converting it; or if it has holes that the disk has no room for,
  ///     and the mapping is [Mapping#SHARED]. A file that this call has made is deleted then.
  /// @throws java.nio.channels.ClosedByInterruptException if this thread is interrupted; its
  ///     interrupt status stays set, and nothing is mapped
  /// @throws UnsupportedOperationException on other systems than Linux and macOS
  /// @throws IllegalCallerException as for [#allocate(long)]
  public static Jbuf map(Path file, Mapping mapping) throws IOException {
    return map(file, mapping, 0);
  }

  /// Lays a buffer over a file that has at least `leastBytes`. A file that is missing or shorter is
  /// first filled with zeros up to that length. A longer file is mapped as a whole. A
  /// [Mapping#PRIVATE] mapping changes no file: it refuses a missing file, and maps a shorter one
  /// as it is. A [Mapping#SNAPSHOT] refuses a missing file too.
  ///
  /// A Jbuf has no protection against a process that truncates the file while it is mapped, nor
  /// against a disk that fails. An access to the missing part throws [InternalError], in compiled
  /// code a little later than the access. Two instructions of x86-64 end the JVM instead. Before
  /// you hand the [View#segment] of such memory to a checksum routine or a foreign function, copy
  /// its bytes to a Jbuf without a file, since neither would survive. A [Mapping#SNAPSHOT] is such
  /// a copy.
  ///
  /// @throws IOException as for [#map(Path, Mapping)], or if the disk is full
  public static Jbuf map(Path file, Mapping mapping, long leastBytes) throws IOException {
    requireLength(leastBytes);
    return retrying(() -> mapOnce(file, mapping, leastBytes));
  }

  /// Maps a file, and looks for nothing that was dropped.
  static Jbuf mapOnce(Path file, Mapping mapping, long leastBytes) throws IOException {
    if (mapping == Mapping.SNAPSHOT) {
      return FileSnapshot.read(file, leastBytes);
    }
    Jbuf jbuf = new Jbuf(FileOpening.open(file, mapping, leastBytes, Budget.PROCESS.pool()));
    boolean _ = Budget.PROCESS.add(jbuf.block);
    VarHandle.storeStoreFence(); // as in allocate
    MemoryEvents.allocated(jbuf.block);
    return jbuf;
  }

  /// Lays a buffer over a part of a device, or of another file that [#map(Path, Mapping)] does not
  /// take. Examples are a block device, a framebuffer, the memory of a PCI device, and a segment of
  /// shared memory whose size others decide. Take it [#asRawContainer], or as a typed view.
  ///
  /// The device, and all that have it mapped, see at once what is written. Plain fields have no
  /// order between the two sides: a `volatile` field is stored with release and read with acquire,
  /// as with C's `memory_order_release` and `memory_order_acquire`, so it announces what was
  /// stored before it. [#flush] waits until a block device has what was written.
  ///
  /// Nothing is locked, made or made longer. A block device must not be in use by a file system. A
  /// page that a device does not have is an [InternalError] of the access, as for [#map(Path,
  /// Mapping, long)]. Views copy many bytes by instructions of the processor's choice: where a
  /// device's registers allow one width only, use fields of that width.
  ///
  /// @param position where the part begins, a multiple of the system's pages
  /// @param bytes how long it is
  /// @throws IOException if it cannot be opened for reading and writing, cannot be mapped, is in
  ///     use by a file system, or ends before the part does
  /// @throws IllegalArgumentException if `position` is no such multiple, or `bytes` is not positive
  /// @throws UnsupportedOperationException on other systems than Linux
  public static Jbuf mapDevice(Path device, long position, long bytes) throws IOException {
    return retrying(
        () -> {
          Jbuf jbuf = new Jbuf(DeviceOpening.open(device, position, bytes, Budget.PROCESS.pool()));
          boolean _ = Budget.PROCESS.add(jbuf.block);
          VarHandle.storeStoreFence(); // as in allocate
          MemoryEvents.allocated(jbuf.block);
          return jbuf;
        });
  }

  /// How a file is mapped, once.
  private interface Opening {
    Jbuf open() throws IOException;
  }

  /// Maps a file, and asks the collector for mappings that were dropped if this is refused for want
  /// of something that they may hold.
  private static Jbuf retrying(Opening opening) throws IOException {
    for (int round = 0; ; round++) {
      try {
        return opening.open();
      } catch (IOException e) {
        boolean isScarce =
            e instanceof ScarceException || !FileDescriptors.areLeft(MOST_DESCRIPTORS);
        if (!isScarce || round == MOST_COLLECTIONS || !Budget.PROCESS.awaitMapping()) {
          throw e;
        }
      }
    }
  }

  /// Maps a file for [#asContainer] whose objects have this schema. An empty file gets the schema.
  /// A file with another schema is converted if fields were added, moved or widened: the objects
  /// that the root leads to are copied to a new file, which replaces the old one when it is
  /// complete and on the disk. New fields are zero. Converting needs disk space for both files. A
  /// file with a field that the schema does not have is refused unless
  /// [ConversionOption#ALLOW_LOSS] is given. Each conversion is logged.
  ///
  /// Convert files when no older program uses them. A process that has the old file mapped as
  /// [Mapping#SHARED] keeps the old file, and no other process sees what it writes. An attempt to
  /// map the file while it is converted is refused after half a second and can be repeated.
  ///
  /// @throws SchemaException if the file cannot be converted, or would lose something, naming the
  ///     fields; if it has to be converted and the mapping does not write to the file; or if it has
  ///     objects but no schema
  /// @throws CorruptContainerException if the file is not a container, or is damaged
  /// @throws IOException as for [#map(Path, Mapping, long)], or if no new file can be made beside
  ///     it
  public static Jbuf map(
      Path file, Mapping mapping, long leastBytes, Schema schema, ConversionOption... options)
      throws IOException {
    requireLength(leastBytes); // before anything is converted
    Set<ConversionOption> chosen = Set.copyOf(Arrays.asList(options));
    return retrying(() -> FileConversion.map(file, mapping, leastBytes, schema, chosen));
  }

  private static void requireLength(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("a file cannot have " + bytes + " bytes");
    }
  }

  /// Writes the changes of a mapped file to the disk and returns when they are there. A flush of a
  /// [Mapping#DURABLE] mapping happens as a whole or not at all. No thread may write to such a
  /// buffer meanwhile: the change could belong to neither this flush nor the next, and be lost. An
  /// interrupt does not end a flush.
  ///
  /// @throws IOException if the changes could not be written; a durable file is then as the last
  ///     completed flush left it, or becomes that of this flush when it is mapped again
  /// @throws UnsupportedOperationException if the buffer lies over no file, or the mapping is
  ///     [Mapping#PRIVATE]
  /// @throws FreedException if the buffer was freed or closed
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

  /// Closes the buffer, even if views of it are left. A mapped file is taken off the memory
  /// at once: it is not locked any more, has no open descriptor, and can be mapped again. No later
  /// store reaches it. Views and objects that are left find zeros, and what they write is seen by
  /// this process only. With `-Dtigris.check=leases` their accesses throw [RecycledException].
  ///
  /// Nothing is flushed. What was not flushed of a [Mapping#DURABLE] mapping is lost; of a
  /// [Mapping#SHARED] one the system writes it to the disk when it likes. Call [#flush] before, as
  /// the last statement of a `try`, or [#flushAndClose].
  ///
  /// The memory itself is freed when the collector has verified that no view is left. Memory
  /// without a file stays as it is until then: its views can be used on. Closing twice does
  /// nothing.
  ///
  /// @throws java.io.UncheckedIOException if the file could not be closed. If it could not be taken
  ///     off the memory, for want of mappings (`vm.max_map_count`), nothing is closed and the call
  ///     can be repeated.
  @Override
  public void close() {
    FileMapping file = block.file;
    try {
      if (file != null) {
        file.takeOff(); // waits for a flush that runs
      }
    } finally {
      if (file == null || file.isTakenOff()) {
        closeMemory();
      }
    }
  }

  private void closeMemory() {
    Lease left;
    synchronized (block) {
      if (closed || state == State.FREED) {
        return;
      }
      closed = true;
      left = lease;
      lease = null;
      type = null;
      if (left != null) {
        Verifier.PROCESS.await(left, this, _ -> {});
        left.drop();
        if (block.file != null) {
          left.end("closed");
        }
      }
      // One that waits for the collector already is freed before its callback runs.
      state = state == State.UNREFERENCED ? State.FREED : State.CLOSED;
    }
    if (state() == State.FREED) {
      MemoryEvents.freed(block);
      Budget.PROCESS.release(block);
    }
    Reference.reachabilityFence(left);
  }

  /// Flushes a mapped file and closes it, if the flush succeeds. It stays open otherwise, and the
  /// call can be repeated.
  ///
  /// @throws IOException as for [#flush]
  /// @throws UnsupportedOperationException as for [#flush]
  public void flushAndClose() throws IOException {
    flush();
    close();
  }

  /// Returns how many bytes of the process's budget [#allocate(long)] takes for a buffer of `bytes`
  /// bytes: the allocator has four sizes to each power of two, and whole units of 2 MiB above 1
  /// MiB.
  public static long footprintBytes(long bytes) {
    return Pool.roundedBytes(bytes);
  }

  /// Returns what the Jbufs of this process hold now.
  public static MemoryUse use() {
    return Budget.PROCESS.use();
  }

  /// Returns the size that was asked for, in bytes.
  public long capacityBytes() {
    return block.bytes;
  }

  /// Returns the state of the buffer at this moment.
  public State state() {
    synchronized (block) {
      return state;
    }
  }

  /// Views the buffer as bytes, with values of other types at any offset.
  ///
  /// @throws TypedException if the buffer is referenced as another type
  /// @throws ReferencedException if an [#unreference] waits for the collector
  /// @throws FreedException if the buffer was freed
  public Bytes asBytes() {
    return view(Bytes.class, Bytes::new);
  }

  /// Views the buffer as 16-bit integers; errors as for [#asBytes].
  public Shorts asShorts() {
    return view(Shorts.class, Shorts::new);
  }

  /// Views the buffer as UTF-16 units; errors as for [#asBytes].
  public Chars asChars() {
    return view(Chars.class, Chars::new);
  }

  /// Views the buffer as 32-bit integers; errors as for [#asBytes].
  public Ints asInts() {
    return view(Ints.class, Ints::new);
  }

  /// Views the buffer as 64-bit integers; errors as for [#asBytes].
  public Longs asLongs() {
    return view(Longs.class, Longs::new);
  }

  /// Views the buffer as 32-bit floating point numbers; errors as for [#asBytes].
  public Floats asFloats() {
    return view(Floats.class, Floats::new);
  }

  /// Views the buffer as 64-bit floating point numbers; errors as for [#asBytes].
  public Doubles asDoubles() {
    return view(Doubles.class, Doubles::new);
  }

  /// Views the buffer as a container of objects. A header whose bytes are all zero becomes that of
  /// an empty container. Any other header must be valid. Errors as for [#asBytes], and:
  ///
  /// @throws CorruptContainerException if the buffer holds anything else
  /// @throws IllegalArgumentException if it is smaller than a header ([Container#HEADER_BYTES])
  public Container asContainer() {
    return view(Container.class, Container::openOrFormat);
  }

  /// Views the buffer as a region without a header, in which the caller says where objects lie;
  /// errors as for [#asBytes].
  public RawContainer asRawContainer() {
    return view(RawContainer.class, RawContainer::new);
  }

  /// Claims that no view of this buffer is left, and has the collector verify the claim. The buffer
  /// is then [State#UNREFERENCED], and the thread `tigris-jbuf-verifier` calls `callback` with it,
  /// once. That thread holds no locks, and its context class loader is the system's. The callback
  /// may free the buffer or view it again, and should be short. A callback that captures a view
  /// never runs.
  ///
  /// The call returns at once. Until the callback, the buffer can be neither viewed nor freed. The
  /// next collection that covers the generation of the views verifies the claim. This method does
  /// not request one.
  ///
  /// @throws IllegalStateException if the buffer is not referenced
  /// @throws FreedException if the buffer was freed
  public void unreference(Consumer<Jbuf> callback) {
    Objects.requireNonNull(callback, "unreference needs a callback, such as Jbuf::free");
    synchronized (block) {
      refuseFreed("unreferenced");
      Lease current = lease;
      if (state != State.REFERENCED || current == null) {
        throw new IllegalStateException(
            "only a referenced Jbuf can be unreferenced, and this one is " + state);
      }
      // What may fail for want of memory comes first.
      MemoryEvents.unreferenced(block);
      Verifier.PROCESS.await(current, this, callback);
      current.drop();
      state = State.TO_BE_UNREFERENCED;
      lease = null;
    }
  }

  /// Makes the buffer unreferenced. The verifier calls this when the collector has found the lease
  /// dead.
  void verified() {
    boolean isClosed;
    synchronized (block) {
      isClosed = closed;
      state = isClosed ? State.FREED : State.UNREFERENCED;
      type = null;
    }
    MemoryEvents.verified(block);
    if (isClosed) {
      MemoryEvents.freed(block);
      Budget.PROCESS.release(block);
    }
  }

  /// Gives the memory back. The handle cannot be used any more. Does nothing to a buffer that was
  /// closed, which is freed without this.
  ///
  /// @throws ReferencedException if views of the buffer may be in use: call [#unreference] first
  /// @throws FreedException if the buffer was freed already
  /// @throws java.io.UncheckedIOException if its file could not be closed; the buffer is freed
  ///     nevertheless
  public void free() {
    synchronized (block) {
      if (closed) {
        return;
      }
      refuseFreed("freed");
      if (state != State.UNREFERENCED) {
        throw new ReferencedException(
            state == State.REFERENCED
                ? "a Jbuf that is referenced cannot be freed: call unreference(callback) and free"
                    + " it in the callback"
                : "a Jbuf that is to be unreferenced cannot be freed yet: free it in the callback");
      }
      state = State.FREED;
    }
    MemoryEvents.freed(block);
    Budget.PROCESS.release(block);
  }

  /// Returns whether `view` is a view of this buffer (*isJbuf* in Chang, PhD thesis, Cornell 1999,
  /// section 3.1).
  public boolean owns(View view) {
    return view.lease.jbuf == this;
  }

  /// Returns the descriptor of the buffer's memory, if that is shared and begins at this address.
  OptionalInt sharedFile(long address) {
    SharedPages shared = block.shared;
    return shared == null || shared.address() != address
        ? OptionalInt.empty()
        : OptionalInt.of(shared.descriptor());
  }

  /// Returns the bytes that the buffer takes of the budget, freed or not.
  long budgetBytes() {
    return block.budgetBytes();
  }

  /// Returns where the memory is.
  long address() {
    return block.address;
  }

  /// Returns whether the buffer was closed, or its file was taken off it for that.
  boolean isClosed() {
    FileMapping file = block.file;
    if (file != null && file.isTakenOff()) {
      return true;
    }
    synchronized (block) {
      return closed;
    }
  }

  /// Returns the file that the memory is of, or null.
  @Nullable FileMapping mappedFile() {
    return block.file;
  }

  /// Returns whether the memory is that of a mapped file.
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

  /// Opens the buffer as a container for this module's own use, which ends before a user sees the
  /// buffer. It leaves no lease, so the buffer can be freed at once.
  Container peek() {
    return Container.openOrFormat(new Lease(this), block.address, block.bytes);
  }

  private static String name(@Nullable Class<?> type) {
    return type == null ? "nothing" : type.getSimpleName();
  }

  private void refuseFreed(String verb) {
    if (closed) {
      throw new FreedException("a Jbuf cannot be " + verb + " after it was closed");
    }
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
