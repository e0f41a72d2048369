package dev.tigris.memory.internal;

import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.View;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The access that the packages of schemas and of Arrow, and calls whose arguments are objects,
/// have to containers and classes of objects, and users do not.
///
/// The one object of this type is a constant of [Container], which this interface looks up when it
/// is initialized. That takes no registration, so no order in which classes have to be loaded.
///
/// Thread rule: that of the container.
public interface ObjectAccess {
  /// The one implementation.
  ObjectAccess OBJECTS = find();

  /// Where the elements of an array, a list or a table begin, in bytes from its own beginning.
  int ELEMENTS_AT = 16;

  /// Where the elements of a segment begin, in bytes from its own beginning: a part of a table that
  /// has grown.
  int SEGMENT_ELEMENTS_AT = 32;

  private static ObjectAccess find() {
    try {
      return (ObjectAccess)
          MethodHandles.privateLookupIn(Container.class, MethodHandles.lookup())
              .findStaticVarHandle(Container.class, "ACCESS", ObjectAccess.class)
              .get();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Container has no constant ACCESS", e);
    }
  }

  /// The address of a container's first byte, a multiple of eight. It is good for as long as the
  /// caller keeps the container reachable.
  long address(Container container);

  /// A range of a container's bytes, for as long as the caller keeps the container reachable.
  ///
  /// @throws IndexOutOfBoundsException if the range is not inside the container
  MemorySegment bytes(Container container, long offset, long bytes);

  /// The container that an object lives in; null if that is a raw one.
  ///
  /// @throws IllegalStateException if the object was made without its constructor
  @Nullable Container container(Pso object);

  /// Where an object begins in its container or raw container.
  long offset(Pso object);

  /// The buffer that a view, or a container, is of.
  Jbuf jbuf(View view);

  /// Copies the first bytes of an object to a place in a container: those that its class has.
  ///
  /// @throws IndexOutOfBoundsException if they do not fit there
  void copy(Pso object, long bytes, Container into, long at);

  /// Says what an [InternalError] of an access to a container means.
  String explainFault(Container container);

  /// Reserves zeroed bytes in a container and returns their offset.
  ///
  /// @throws dev.tigris.memory.ContainerFullException if there is not enough room
  long allocate(Container container, long bytes);

  /// The offset of a container's root as it stands in the header, unchecked; 0 if there is none.
  long rootOffset(Container container);

  /// Stores the offset of a container's root; 0 for none.
  void rootOffset(Container container, long offset);

  /// The type of an array's elements that a stored letter stands for; null if it stands for none.
  @Nullable Primitive elementOf(byte letter);

  /// Refuses what a list cannot have as elements.
  ///
  /// @throws IllegalArgumentException if it is a class of collections
  void requireListElement(Class<? extends Pso> type);

  /// Refuses what a table cannot have as elements.
  ///
  /// @throws IllegalArgumentException if objects of the class differ in size
  void requireTableElement(Class<? extends Pso> type);

  /// The codes that stand for an enum's constants. The enum is not initialized.
  Set<Integer> constantCodes(Class<? extends Enum<?>> type);

  /// The names of an enum's constants, in the order in which they are declared. The enum is not
  /// initialized.
  ///
  /// @throws IllegalArgumentException if two of them cannot be told apart when they are stored
  List<String> constantNames(Class<? extends Enum<?>> type);

  /// The class of a table's elements.
  Class<? extends Pso> elementType(PsoTable<?> table);

  /// The bytes of a table's elements from an index on: of as many as lie together, at least one and
  /// at most `most`. They may lie behind its last element, where [#reserve] has made room. The
  /// bytes are good for as long as the caller keeps the table reachable.
  MemorySegment elements(PsoTable<?> table, long from, long most);

  /// Makes room in a table for `count` elements from an index on, at or behind its last element.
  /// Makes their bytes zero, and adds none.
  ///
  /// @throws dev.tigris.memory.ContainerFullException if its container has no room for them
  void reserve(PsoTable<?> table, long from, long count);

  /// Says how many elements a table has, for which there is room.
  void sized(PsoTable<?> table, long elements);
}
