package dev.tigris.memory.schema;

import dev.tigris.memory.Container;
import dev.tigris.memory.ContainerFullException;
import dev.tigris.memory.CorruptContainerException;
import dev.tigris.memory.FieldKind;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoArray;
import dev.tigris.memory.PsoCollection;
import dev.tigris.memory.PsoField;
import dev.tigris.memory.PsoLayout;
import dev.tigris.memory.PsoList;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.internal.ObjectAccess;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What the bytes of a container mean: the class of its root and all classes that its fields lead
/// to, with their fields and where these lie.
///
/// ```java
/// Schema schema = Schema.of(Catalog.class);
/// Container container = Jbuf.map(file, Mapping.DURABLE, size, schema).asContainer();
/// schema.validate(container);               // if somebody else may have written to it
/// Catalog catalog = container.root(Catalog.class);
/// ```
///
/// A container that was told its schema keeps it, and its fingerprint. Whoever opens it with the
/// same schema has nothing to do; with another one he is told what differs, or it is converted
/// ([Jbuf#map(java.nio.file.Path, Mapping, long, Schema)]). It is a container's own: two of
/// different schemas can be used side by side.
///
/// Immutable.
public final class Schema {
  /// The longest text that a schema can have, in bytes of UTF-8.
  public static final int MAX_TEXT_BYTES = 1 << 20;

  private final List<Shape> shapes;
  private final int root;
  private final String text;
  private final long fingerprint;

  /// Numbers that superclasses and subclasses share: those of a shape and of all that extend it are
  /// from `first` to before `behind`.
  private final int[] first;

  private final int[] behind;

  Schema(List<Shape> shapes, int root) {
    this.shapes = List.copyOf(shapes);
    this.root = root;
    Set<String> names = new HashSet<>();
    for (Shape shape : shapes) {
      if (shape instanceof Shape.Struct struct && !names.add(struct.name())) {
        throw new IllegalArgumentException("a schema cannot have two classes " + struct.name());
      }
    }
    requireBounded(shapes);
    this.first = new int[shapes.size()];
    this.behind = new int[shapes.size()];
    numberSubclasses();
    this.text = SchemaText.of(this);
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > MAX_TEXT_BYTES) {
      throw new IllegalArgumentException(
          "a schema of %d bytes could not be read again, as %d are the most that it may have"
              .formatted(bytes.length, MAX_TEXT_BYTES));
    }
    this.fingerprint = fingerprint(bytes);
  }

  /// The schema of containers whose root is an object of this class.
  ///
  /// @throws IllegalArgumentException if a field of it, or of a class that it leads to, cannot be
  ///     stored; if it is a class of collections, which does not say what their elements are; or if
  ///     all these classes have more fields than a schema may (docs/formats.md)
  public static Schema of(Class<? extends Pso> root) {
    if (PsoCollection.class.isAssignableFrom(root)) {
      throw new IllegalArgumentException(
          "%s does not say what its elements are: use Schema.ofList or Schema.ofTable"
              .formatted(root.getSimpleName()));
    }
    Derivation derivation = new Derivation();
    return derivation.schema(derivation.shape(root, null));
  }

  /// The schema of containers whose root is a list of such objects; errors as for [#of], and for
  /// what a [PsoList] cannot have as elements.
  public static Schema ofList(Class<? extends Pso> element) {
    ObjectAccess.OBJECTS.requireListElement(element);
    Derivation derivation = new Derivation();
    return derivation.schema(derivation.shape(PsoList.class, element));
  }

  /// The schema of containers whose root is a table of such objects; errors as for [#of], and for
  /// what a [PsoTable] cannot have as elements.
  public static Schema ofTable(Class<? extends Pso> element) {
    ObjectAccess.OBJECTS.requireTableElement(element);
    Derivation derivation = new Derivation();
    return derivation.schema(derivation.shape(PsoTable.class, element));
  }

  /// Those in place are counted in each struct that has them: a [Walk] has to look at each. Structs
  /// that lie in each other are some 500 deep at most, since the first is counted in all of them.
  private static void requireBounded(List<Shape> shapes) {
    long[] fields = new long[shapes.size()];
    long all = 0;
    for (int index = 0; index < fields.length; index++) {
      if (shapes.get(index) instanceof Shape.Struct struct) {
        for (Shape.Member member : struct.members()) {
          fields[index]++;
          if (member.content() instanceof Shape.Content.Nested(int inner, int _)) {
            fields[index] += fields[inner];
          }
        }
        all += fields[index];
        if (all > SchemaText.MAX_MEMBERS) {
          throw new IllegalArgumentException(
              "the classes of a schema have too many fields: more than %d, with those in place"
                  .formatted(SchemaText.MAX_MEMBERS));
        }
      }
    }
  }

  private static long fingerprint(byte[] text) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      byte[] digest = sha.digest(text);
      long first = ByteBuffer.wrap(digest).order(ByteOrder.LITTLE_ENDIAN).getLong();
      return first == 0 ? 1 : first; // 0 says that there is no schema
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /// Reads the text of a schema, as [#toString] has written it.
  ///
  /// @throws IllegalArgumentException if it is anything else
  public static Schema parse(String text) {
    return SchemaText.parse(text);
  }

  /// A number that two schemas share only if all fields lie and mean the same: the first eight
  /// bytes of the SHA-256 of [#toString].
  public long fingerprint() {
    return fingerprint;
  }

  /// Refuses a container that keeps another schema. One that keeps none is accepted.
  ///
  /// @throws SchemaException if it keeps another one, naming the fields that differ
  /// @throws CorruptContainerException if what it keeps is not a schema
  public void requireKeptBy(Container container) {
    long kept = container.fingerprint();
    if (kept == 0 || kept == fingerprint) {
      return;
    }
    Schema own = container.schema();
    throw new SchemaException(
        own == null
            ? "the container's schema has just been removed"
            : new SchemaChange(own, this).advise());
  }

  /// Checks a container whose bytes may have been written by anybody, in time linear in their
  /// number: all that can be reached from the root lies inside the bytes in use, at multiples of
  /// eight; references lead to what the schema says; lists, tables, arrays and texts have a length
  /// that fits; texts are UTF-8 and enums constants that this program knows.
  ///
  /// Without it, every one of these is still checked when it is read. With it, nothing that is
  /// read later throws, unless somebody changes the bytes meanwhile: copy first what another
  /// process may write to. Objects may overlap, so that a write to one changes another, which may
  /// then throw: [#convert] a container of a stranger before you write to it, which refuses that.
  ///
  /// @throws CorruptContainerException naming the field and the place of the first fault
  /// @throws SchemaException if the container says that it has another schema
  public void validate(Container container) {
    requireKeptBy(container);
    Walk walk = new Walk(this, container, container.usedBytes());
    walk.from(ObjectAccess.OBJECTS.rootOffset(container));
    Reference.reachabilityFence(container);
  }

  /// The bytes that a container must have for [#convert], header and schema included.
  ///
  /// @throws SchemaException as for [#convert]
  /// @throws CorruptContainerException as for [#convert]
  public long convertedBytes(Container from) {
    long bytes = Conversion.of(from, this).bytes();
    Reference.reachabilityFence(from);
    return bytes;
  }

  /// Copies what a container's root leads to into an empty container, which is told this schema:
  /// what [Jbuf#map(java.nio.file.Path, Mapping, long, Schema)] does with files, for messages and
  /// buffers. What nobody can reach stays behind, also where the schemas are the same.
  ///
  /// The one stays as it is; the other is empty again if this throws. Nobody may write to either
  /// meanwhile.
  ///
  /// @throws IllegalArgumentException if `into` is not empty
  /// @throws SchemaException if `from` was told no schema, or one that cannot be converted, naming
  ///     the fields
  /// @throws CorruptContainerException if `from` is damaged
  /// @throws ContainerFullException if `into` has fewer than [#convertedBytes]
  public void convert(Container from, Container into) {
    Conversion.requireEmpty(into);
    Conversion.of(from, this).into(into);
  }

  List<Shape> shapes() {
    return shapes;
  }

  Shape shape(int index) {
    return shapes.get(index);
  }

  Shape.Struct struct(int index) {
    return (Shape.Struct) shapes.get(index);
  }

  int root() {
    return root;
  }

  /// What to call a shape in messages.
  String name(int index) {
    return switch (shapes.get(index)) {
      case Shape.Struct struct -> struct.name();
      case Shape.Elements _ -> "PsoArray";
      case Shape.References(int element) -> "PsoList<" + name(element) + ">";
      case Shape.Table(int element) -> "PsoTable<" + name(element) + ">";
    };
  }

  /// Whether a shape is that of a superclass of the other one, or the same. However many classes
  /// are between them: a stranger's schema may have as many as it likes.
  boolean isAncestor(int ancestor, int shape) {
    return first[ancestor] <= first[shape] && first[shape] < behind[ancestor];
  }

  /// Superclasses stand before what extends them.
  private void numberSubclasses() {
    int[] extending = new int[first.length];
    for (int i = first.length - 1; i >= 0; i--) {
      int parent = parent(i);
      if (parent != Shape.NONE) {
        extending[parent] += 1 + extending[i];
      }
    }
    int next = 0;
    int[] free = new int[first.length];
    for (int i = 0; i < first.length; i++) {
      int parent = parent(i);
      first[i] = parent == Shape.NONE ? next : free[parent];
      behind[i] = first[i] + 1 + extending[i];
      free[i] = first[i] + 1;
      if (parent == Shape.NONE) {
        next = behind[i];
      } else {
        free[parent] = behind[i];
      }
    }
  }

  private int parent(int index) {
    return shapes.get(index) instanceof Shape.Struct struct ? struct.parent() : Shape.NONE;
  }

  /// The schema as text, as it is kept in containers; docs/formats.md explains it.
  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Schema schema && schema.text.equals(text);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(fingerprint);
  }

  /// Finds all shapes that classes lead to. Superclasses, and what lies in place, come before what
  /// they are part of; references may lead round in circles.
  private static final class Derivation {
    private final List<Shape> shapes = new ArrayList<>();
    private final Map<Object, Integer> known = new HashMap<>();

    private record Collection(Class<?> type, int element) {}

    Schema schema(int root) {
      return new Schema(shapes, root);
    }

    int shape(Class<? extends Pso> type, @Nullable Class<? extends Pso> element) {
      if (type == PsoArray.class) {
        return add(type, new Shape.Elements());
      }
      if (element == null) {
        return struct(type);
      }
      int of = shape(element, null);
      return add(
          new Collection(type, of),
          type == PsoList.class ? new Shape.References(of) : new Shape.Table(of));
    }

    private int add(Object key, Shape shape) {
      Integer index = known.get(key);
      if (index == null) {
        index = shapes.size();
        shapes.add(shape);
        known.put(key, index);
      }
      return index;
    }

    private int struct(Class<? extends Pso> type) {
      Integer index = known.get(type);
      if (index != null) {
        return index;
      }
      PsoLayout layout = PsoLayout.of(type);
      Class<?> superclass = type.getSuperclass();
      int parent = superclass == Pso.class ? Shape.NONE : struct(superclass.asSubclass(Pso.class));
      for (PsoField field : layout.fields()) {
        if (field.kind() instanceof FieldKind.Nested(Class<? extends Pso> inner, int _)) {
          struct(inner);
        }
      }
      // Known from here on, for what refers back to it; its members follow.
      int own =
          add(type, new Shape.Struct(type.getName(), layout.sizeBytes(), parent, List.of(), 0));
      List<Shape.Member> members =
          layout.fields().stream()
              .map(field -> new Shape.Member(field.name(), field.offset(), content(field.kind())))
              .toList();
      int inherited =
          (int) layout.fields().stream().filter(field -> field.declaringClass() != type).count();
      shapes.set(
          own, new Shape.Struct(type.getName(), layout.sizeBytes(), parent, members, inherited));
      return own;
    }

    private Shape.Content content(FieldKind kind) {
      return switch (kind) {
        case FieldKind.Value(Primitive primitive) -> new Shape.Content.Value(primitive);
        case FieldKind.Constant(Class<? extends Enum<?>> type) ->
            new Shape.Content.Constant(type.getName(), ObjectAccess.OBJECTS.constantCodes(type));
        case FieldKind.Reference(Class<? extends Pso> target, var element) ->
            new Shape.Content.Reference(shape(target, element));
        case FieldKind.Text(int capacityBytes) -> new Shape.Content.Text(capacityBytes);
        case FieldKind.Array(Primitive element, int length) ->
            new Shape.Content.Array(element, length);
        case FieldKind.Nested(Class<? extends Pso> type, int sizeBytes) ->
            new Shape.Content.Nested(struct(type), sizeBytes);
      };
    }
  }
}
