// Over 400 lines: the header, and all that it says: use, root and schema.
package dev.tigris.memory;

import dev.tigris.memory.internal.ObjectAccess;
import dev.tigris.memory.raw.Raw;
import dev.tigris.memory.schema.Schema;
import dev.tigris.memory.schema.SchemaException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A bounded region that objects live in (Welsh, MS thesis, Berkeley 1999, section 5.1): a small
/// header, then objects one after the other, each at a multiple of eight bytes. The objects are
/// instances of [Pso].
///
/// ```
///   offset   size
///        0      8   magic "TIGRISC1"
///        8      4   format version: 1, or 2 once a table has grown
///       12      4   reserved, 0
///       16      8   schema fingerprint, 0 = not stated
///       24      8   used bytes, this header included; a multiple of 8
///       32      8   offset of the root object, 0 = none
///       40      8   offset of the schema, 0 = not stated: its length in bytes as 8 bytes, its text
///       48     16   reserved, 0
///       64    ...   objects
/// ```
///
/// Numbers are little-endian. The bytes can be stored or sent as they are, and opened elsewhere.
/// Offsets are checked against the capacity that Java knows, and never against the header. The
/// header says where the next object goes, and is checked at each read.
///
/// Thread rule: one thread at a time allocates or clears, of all threads in all processes that have
/// the container open. Threads may share objects as plain memory.
public final class Container extends Region {
  /// The size of the header, in bytes: the first object comes after it.
  public static final long HEADER_BYTES = 64;

  /// What [ObjectAccess] gives to the package of schemas.
  static final ObjectAccess ACCESS = new ContainerAccess();

  private static final long MAGIC = 0x3143_5349_5247_4954L; // "TIGRISC1" read as little-endian
  private static final int VERSION = 1;

  /// That of a container with a [PsoTable] that has grown: a program that does not know of segments
  /// would read wrong elements, and refuses it by this number.
  private static final int GROWN_VERSION = 2;

  private static final long MAGIC_AT = 0;
  private static final long VERSION_AT = 8;
  private static final long FINGERPRINT_AT = 16;
  private static final long USED_AT = 24;
  private static final long ROOT_AT = 32;
  private static final long SCHEMA_AT = 40;

  /// Guarded by the container, so that all threads are given the same object.
  private @Nullable Pso root;

  /// What the last object that was made here is. Threads may see it late, or not: whoever reads it
  /// compares its class.
  private @Nullable PsoTarget made;

  /// With the check of leases: what objects hold until the container is next cleared.
  private Region tenancy = Lease.CHECKED ? new Tenancy(this) : this;

  private Container(Lease lease, long address, long bytes) {
    super(lease, address, bytes);
  }

  static Container openOrFormat(Lease lease, long address, long bytes) {
    if (bytes < HEADER_BYTES) {
      throw new IllegalArgumentException(
          "a container has at least %d bytes, not %d".formatted(HEADER_BYTES, bytes));
    }
    Container container = new Container(lease, address, bytes);
    if (container.isBlank()) {
      container.clear();
    } else {
      container.requireContainer();
    }
    return container;
  }

  @Override
  Region tenancy() {
    return tenancy;
  }

  @Override
  Container allocator() {
    return this;
  }

  /// Notes that a table has segments, for programs that do not know of them.
  void growTables() {
    if ((int) header(VERSION_AT) == VERSION) {
      header(VERSION_AT, GROWN_VERSION);
    }
  }

  @Override
  long firstOffset() {
    return HEADER_BYTES;
  }

  private boolean isBlank() {
    for (long offset = 0; offset < HEADER_BYTES; offset += Long.BYTES) {
      if (header(offset) != 0) {
        return false;
      }
    }
    return true;
  }

  private void requireContainer() {
    requireContainer(header(MAGIC_AT), (int) header(VERSION_AT), header(USED_AT), capacityBytes());
  }

  private static void requireContainer(long magic, int version, long used, long bytes) {
    if (magic != MAGIC) {
      throw new CorruptContainerException(
          "the bytes are not a container: they begin with neither its magic nor a header of zeros, which"
              + " would become a new one");
    }
    if (version != VERSION && version != GROWN_VERSION) {
      throw new CorruptContainerException(
          "the container has format version %d, and this program reads versions %d and %d"
              .formatted(version, VERSION, GROWN_VERSION));
    }
    requireUsable(used, bytes);
  }

  private static void requireUsable(long used, long bytes) {
    if (used < HEADER_BYTES || used > bytes || (used & 7) != 0) {
      throw new CorruptContainerException(
          "the header of the container says that %d of its %d bytes are used, which is impossible"
              .formatted(used, bytes));
    }
  }

  /// Checks the first bytes of a file before the file is made longer. That would change a file that
  /// is not a container, and fill a truncated one with zeros.
  ///
  /// @param head little-endian, the bytes of a header, or fewer if the file is shorter
  /// @throws CorruptContainerException if they are neither blank nor the header of a container that
  ///     fits the file
  static void requireOpenable(ByteBuffer head, long fileBytes) {
    boolean isBlank = true;
    for (int i = 0; i < head.limit(); i++) {
      isBlank &= head.get(i) == 0;
    }
    if (isBlank) {
      return;
    }
    if (head.limit() < HEADER_BYTES) {
      throw new CorruptContainerException(
          "a file of %d bytes is too short for a container".formatted(fileBytes));
    }
    requireContainer(
        head.getLong((int) MAGIC_AT),
        head.getInt((int) VERSION_AT),
        head.getLong((int) USED_AT),
        fileBytes);
  }

  /// Returns the address of an offset that the caller has checked.
  long at(long offset) {
    return (address & Raw.ADDRESS_MASK) + offset;
  }

  private long header(long offset) {
    checkLease();
    return stored(offset);
  }

  private long stored(long offset) {
    requireMade();
    long value = (long) Raw.LONG.get(Raw.GLOBAL, at(offset));
    Reference.reachabilityFence(this);
    return value;
  }

  private void header(long offset, long value) {
    requireMade();
    Raw.LONG.set(Raw.GLOBAL, at(offset), value);
    Reference.reachabilityFence(this);
  }

  /// Refuses a container that was made without its constructor, which serialization libraries do.
  /// It has no bytes, and so no header.
  private void requireMade() {
    if (capacityBytes() < HEADER_BYTES) {
      throw new IllegalStateException("this container was made without its constructor");
    }
  }

  /// Makes the container empty. The program must not use the objects that lived in it: such an
  /// object reads the bytes that come to lie in its place. With `-Dtigris.check=leases`, its
  /// accesses throw [RecycledException].
  public void clear() {
    if (Lease.CHECKED) {
      tenancy.lease.end("cleared");
      tenancy = new Tenancy(this);
    }
    root = null;
    raw(0, HEADER_BYTES).fill((byte) 0);
    header(MAGIC_AT, MAGIC);
    header(VERSION_AT, VERSION);
    header(USED_AT, HEADER_BYTES);
  }

  /// Returns the bytes in use, header included, which are those to store or send. Another thread or
  /// process that has the container open may have added more.
  ///
  /// @throws CorruptContainerException if the header's number is impossible
  /// @throws OutgrownMappingException if another process has made the file larger, and uses that
  public long usedBytes() {
    long used = header(USED_AT);
    try {
      requireUsable(used, capacityBytes());
    } catch (CorruptContainerException e) {
      throw explained(e, used);
    }
    return used;
  }

  /// Returns what to throw for an impossible number of used bytes.
  private RuntimeException explained(CorruptContainerException corrupt, long used) {
    if (used == 0 && lease.jbuf.isClosed()) {
      return new FreedException("the container's Jbuf was closed: its objects are gone from here");
    }
    return used > capacityBytes() ? unlessOutgrown(corrupt) : corrupt;
  }

  /// Returns the bytes that are left for objects.
  ///
  /// @throws CorruptContainerException if the header's number is impossible
  public long remainingBytes() {
    return remainingBytes(usedBytes());
  }

  private long remainingBytes(long used) {
    return (capacityBytes() & -8) - used;
  }

  @Override
  public String toString() {
    boolean isMade = capacityBytes() >= HEADER_BYTES;
    return "Container[%d bytes, %d used]".formatted(capacityBytes(), isMade ? stored(USED_AT) : 0);
  }

  /// Reserves zeroed bytes for an object and returns its offset.
  ///
  /// @throws ContainerFullException if not enough bytes are left
  /// @throws CorruptContainerException if the header's number is impossible
  long allocate(long objectBytes) {
    long used = usedBytes();
    // What remains is a multiple of eight, so that what fits still fits when it is rounded up.
    if (objectBytes < 0 || objectBytes > remainingBytes(used)) {
      throw full(objectBytes, used);
    }
    long rounded = (objectBytes + 7) & -8;
    zero(used, rounded);
    header(USED_AT, used + rounded);
    return used;
  }

  /// As [#allocate], for the size of an object, which is a constant where this is inlined.
  long allocateKnown(long objectBytes) {
    if (objectBytes > FEW_BYTES) {
      return allocate(objectBytes);
    }
    long used = usedBytes();
    if (objectBytes > remainingBytes(used)) {
      throw full(objectBytes, used);
    }
    long place = at(used);
    int count = (int) objectBytes;
    for (int from = 0; from < count; from += Long.BYTES) {
      Raw.LONG.set(Raw.GLOBAL, place + from, 0L);
    }
    header(USED_AT, used + objectBytes);
    return used;
  }

  private ContainerFullException full(long objectBytes, long used) {
    return new ContainerFullException(
        "no room for an object of %d bytes: %d of %d are used. Make the container larger"
            .formatted(objectBytes, used, capacityBytes()));
  }

  /// What objects of a class are, of which one is about to be made. Most are of the last one's.
  ///
  /// @throws UnspecializedClassException if the class was not specialized
  PsoTarget made(Class<?> type) {
    PsoTarget known = made;
    return known != null && known.type() == type ? known : madeFirst(type);
  }

  private PsoTarget madeFirst(Class<?> type) {
    PsoClass of = PsoClass.of(type);
    of.requireSpecialized();
    PsoTarget fresh = of.target();
    if (fresh.sizeBytes() > PsoLayout.MAX_BYTES) {
      PsoLayout _ = of.layout(); // says why there is none
    }
    made = fresh;
    return fresh;
  }

  /// Returns the root object, at which a reader of the container begins. As with a reference field,
  /// each call returns the same object while the same offset is stored, except for the object of a
  /// cursor, and a collection or an array whose bytes were replaced.
  ///
  /// @return null if the container has no root
  /// @throws CorruptReferenceException if no object of this class can lie at the offset in the
  ///     header
  /// @throws IllegalArgumentException if the class is abstract
  public synchronized <T extends Pso> @Nullable T root(Class<T> type) {
    long stored = rootOffset();
    if (stored == 0) {
      return null;
    }
    Pso known = root;
    if (known != null && type.isInstance(known) && known.isCurrentAt(this, stored)) {
      return type.cast(known);
    }
    PsoClass target = PsoClass.of(type);
    T recovered =
        type.cast(target.bind(PsoBinding.check(target, this, stored, "the container's root")));
    root = recovered;
    return recovered;
  }

  /// Returns the root object as a list whose elements are of this class; otherwise as
  /// [#root(Class)].
  ///
  /// @throws CorruptReferenceException if no list can lie at the offset in the header
  /// @throws IllegalArgumentException if a list cannot have such elements
  @SuppressWarnings("unchecked") // made for this class
  public <T extends Pso> @Nullable PsoList<T> rootList(Class<T> element) {
    return (PsoList<T>) rootCollection(PsoList.class, element);
  }

  /// Returns the root object as a table whose elements are of this class; otherwise as
  /// [#root(Class)].
  ///
  /// @throws CorruptReferenceException if no table can lie at the offset in the header
  /// @throws IllegalArgumentException if a table cannot have such elements
  @SuppressWarnings("unchecked") // made for this class
  public <T extends Pso> @Nullable PsoTable<T> rootTable(Class<T> element) {
    PsoTable.requireTableElement(element);
    return (PsoTable<T>) rootCollection(PsoTable.class, element);
  }

  private synchronized @Nullable PsoCollection<?> rootCollection(
      @SuppressWarnings("rawtypes") Class<? extends PsoCollection> kind,
      Class<? extends Pso> element) {
    PsoCollection.requireElement(element);
    long stored = rootOffset();
    if (stored == 0) {
      return null;
    }
    if (root instanceof PsoCollection<?> known
        && kind.isInstance(known)
        && known.isOf(element)
        && known.isCurrentAt(this, stored)) {
      return known;
    }
    PsoClass target = PsoClass.of(kind);
    PsoBinding place = PsoBinding.check(target, this, stored, "the container's root");
    PsoCollection<?> recovered = kind.cast(target.bind(place));
    recovered.open(element);
    root = recovered;
    return recovered;
  }

  /// Makes an object of this container its root, or null for no root.
  ///
  /// @throws IllegalArgumentException if the object lives in another container
  public synchronized void root(@Nullable Pso object) {
    if (object != null && object.container() != forObjects()) {
      throw new IllegalArgumentException("the root object must live in the container itself");
    }
    root = Pso.lasting(object);
    rootOffset(object == null ? 0 : object.offset());
  }

  /// Tells the container the schema of its objects. The container keeps the fingerprint in its
  /// header and the text among the objects. A container that keeps this schema already is left as
  /// it is. Objects that the container already has are not checked.
  ///
  /// @throws SchemaException if the container keeps another schema
  /// @throws ContainerFullException if there is no room for the schema
  public void declare(Schema schema) {
    if (fingerprint() == 0) {
      byte[] text = schema.toString().getBytes(StandardCharsets.UTF_8);
      long offset = allocate(Long.BYTES + text.length);
      header(offset, text.length);
      raw(offset + Long.BYTES, text.length).copyFrom(MemorySegment.ofArray(text));
      header(SCHEMA_AT, offset);
      header(FINGERPRINT_AT, schema.fingerprint());
      Reference.reachabilityFence(this);
      if (isMapped()) {
        warnOfShortenedNames(schema);
      }
    } else {
      schema.requireKeptBy(this);
    }
  }

  /// The names are in the file for good, and a shrinker may give them to other fields in the next
  /// build: that one would read one field for another.
  private static void warnOfShortenedNames(Schema schema) {
    List<String> shortened = schema.shortenedNames();
    if (!shortened.isEmpty()) {
      System.getLogger(Container.class.getPackageName())
          .log(
              System.Logger.Level.WARNING,
              "a file keeps names that a shrinker seems to have made: %s. The next build may give them to other fields. Specialize before you shrink, and keep the names of classes of objects, of their fields, and of enums"
                  .formatted(String.join(", ", shortened)));
    }
  }

  /// Returns the fingerprint of this container's schema ([Schema#fingerprint]), or 0 if it keeps
  /// none.
  public long fingerprint() {
    return header(FINGERPRINT_AT);
  }

  /// Returns the schema that this container keeps, or null if it keeps none.
  ///
  /// @throws CorruptContainerException if the stored bytes are not a schema
  public @Nullable Schema schema() {
    long fingerprint = fingerprint();
    long offset = header(SCHEMA_AT);
    if (fingerprint == 0) {
      return null;
    }
    boolean isInside =
        offset >= HEADER_BYTES && offset <= capacityBytes() - Long.BYTES && (offset & 7) == 0;
    long length = isInside ? header(offset) : -1;
    if (length < 0
        || length > Schema.MAX_TEXT_BYTES
        || length > capacityBytes() - offset - Long.BYTES) {
      throw new CorruptContainerException("the container's schema is not where the header says");
    }
    byte[] text = raw(offset + Long.BYTES, length).toArray(ValueLayout.JAVA_BYTE);
    Reference.reachabilityFence(this);
    Schema schema = parse(new String(text, StandardCharsets.UTF_8));
    if (schema.fingerprint() != fingerprint) {
      throw new CorruptContainerException("the container's schema is not that of its fingerprint");
    }
    return schema;
  }

  private static Schema parse(String text) {
    try {
      return Schema.parse(text);
    } catch (IllegalArgumentException e) {
      CorruptContainerException corrupt =
          new CorruptContainerException("the container's schema cannot be read: " + e.getMessage());
      corrupt.initCause(e);
      throw corrupt;
    }
  }

  /// Returns the offset of the root object as it stands in the header, unchecked; 0 for none.
  long rootOffset() {
    return header(ROOT_AT);
  }

  void rootOffset(long offset) {
    header(ROOT_AT, offset);
  }
}
