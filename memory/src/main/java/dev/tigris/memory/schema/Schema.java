// Over 400 lines: a schema, how it is derived, and what it says of a container.
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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A description of the bytes of a container: the class of its root and all classes that its fields
/// lead to, with their fields and the offsets of these.
///
/// ```java
/// Schema schema = Schema.of(Catalog.class);
/// Container container = Jbuf.map(file, Mapping.DURABLE, size, schema).asContainer();
/// schema.validate(container);               // if somebody else may have written to it
/// Catalog catalog = container.root(Catalog.class);
/// ```
///
/// A container that was told its schema keeps it, and its fingerprint. A program with the same
/// schema opens the container as it is. A program with another schema is refused, with the
/// differences in the message, or the container is converted
/// ([dev.tigris.memory.Jbuf#map(java.nio.file.Path, dev.tigris.memory.Mapping, long, Schema,
/// dev.tigris.memory.ConversionOption...)]). A
/// program can use containers of different schemas side by side.
///
/// Immutable.
public final class Schema {
  /// The longest text that a schema can have, in bytes of UTF-8.
  public static final int MAX_TEXT_BYTES = 1 << 20;

  private final List<Shape> shapes;
  private final int root;
  private final String text;
  private final long fingerprint;

  /// A numbering in which the shapes that extend another one have the numbers from its `first` to
  /// before its `behind`.
  private final int[] first;

  private final int[] behind;

  Schema(List<Shape> shapes, int root) {
    this.shapes = List.copyOf(shapes);
    this.root = root;
    Set<String> names = new HashSet<>();
    for (Shape shape : shapes) {
      if (shape instanceof Shape.Struct struct && !names.add(struct.name())) {
        throw new IllegalArgumentException(
            "a schema cannot have two classes of the name " + struct.name());
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
          "the schema takes %d bytes as text, and the most is %d: let fewer classes be reachable from the root"
              .formatted(bytes.length, MAX_TEXT_BYTES));
    }
    this.fingerprint = fingerprint(bytes);
  }

  /// Makes the schema of containers whose root is an object of this class.
  ///
  /// @throws IllegalArgumentException if a field of the class, or of a class that it leads to,
  ///     cannot be stored; if it is a class of collections, which does not name the class of the
  ///     elements; or if all these classes together have more than 131,072 fields, those of objects
  ///     in place counted again in each class
  public static Schema of(Class<? extends Pso> root) {
    if (PsoCollection.class.isAssignableFrom(root)) {
      throw new IllegalArgumentException(
          "%s does not say what its elements are: use Schema.ofList or Schema.ofTable"
              .formatted(root.getSimpleName()));
    }
    Derivation derivation = new Derivation();
    return derivation.schema(derivation.shape(root, null));
  }

  /// Makes the schema of containers whose root is a list of objects of this class; errors as for
  /// [#of], and if a [PsoList] cannot have such elements.
  public static Schema ofList(Class<? extends Pso> element) {
    ObjectAccess.OBJECTS.requireListElement(element);
    Derivation derivation = new Derivation();
    return derivation.schema(derivation.shape(PsoList.class, element));
  }

  /// Makes the schema of containers whose root is a table of objects of this class; errors as for
  /// [#of], and if a [PsoTable] cannot have such elements.
  public static Schema ofTable(Class<? extends Pso> element) {
    ObjectAccess.OBJECTS.requireTableElement(element);
    Derivation derivation = new Derivation();
    return derivation.schema(derivation.shape(PsoTable.class, element));
  }

  /// Bounds the fields that a [Walk] looks at: those of objects in place are counted in each struct
  /// that has them. Structs therefore nest some 500 deep at most, since the innermost is counted in
  /// all of them.
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
              "the classes of the schema have too many fields: more than %d, with those of objects in place"
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

  /// Reads the text of a schema that [#toString] has written.
  ///
  /// @throws IllegalArgumentException if the text is anything else
  public static Schema parse(String text) {
    return SchemaText.parse(text);
  }

  /// Returns a number that two schemas share only if all their fields have the same offsets and
  /// meanings: the first eight bytes of the SHA-256 of [#toString].
  public long fingerprint() {
    return fingerprint;
  }

  /// Checks that a container keeps no other schema than this one. A container that keeps none
  /// passes.
  ///
  /// @throws SchemaException if the container keeps another schema, naming the fields that differ
  /// @throws CorruptContainerException if the stored bytes are not a schema
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

  /// Checks a container that an untrusted program may have written, in time linear in its bytes.
  /// Everything that can be reached from the root must lie inside the bytes in use, at multiples of
  /// eight. References must lead to what the schema says. Lengths of lists, tables, arrays and
  /// texts must fit. Texts must be UTF-8, and constants of enums must exist in this program.
  ///
  /// A program need not call this: every read makes these checks too. After this call no read
  /// throws, unless another process changes the bytes meanwhile. Copy a container first if another
  /// process may write to it. Objects may overlap, so that a write to one changes another, whose
  /// reads may then throw. [#convert] refuses such a container: convert an untrusted one before you
  /// write to it.
  ///
  /// @throws CorruptContainerException at the first fault, naming its field and place
  /// @throws SchemaException if the container keeps another schema
  public void validate(Container container) {
    requireKeptBy(container);
    Walk walk = new Walk(this, container, container.usedBytes());
    walk.from(ObjectAccess.OBJECTS.rootOffset(container));
    Reference.reachabilityFence(container);
  }

  /// Returns the bytes that a container must have for [#convert], header and schema included.
  ///
  /// @throws SchemaException as for [#convert]
  /// @throws CorruptContainerException as for [#convert]
  public long convertedBytes(Container from) {
    long bytes = Conversion.of(from, this).bytes();
    Reference.reachabilityFence(from);
    return bytes;
  }

  /// Copies the objects that a container's root leads to into an empty container, which is told
  /// this schema. It does for messages and buffers what
  /// [dev.tigris.memory.Jbuf#map(java.nio.file.Path, dev.tigris.memory.Mapping, long, Schema,
  /// dev.tigris.memory.ConversionOption...)] does
  /// for files. Objects that nothing refers to are left out, even if the schemas are equal.
  ///
  /// The source stays as it is. The target is empty again if this throws. No thread or process may
  /// write to either meanwhile.
  ///
  /// @throws IllegalArgumentException if `into` is not empty
  /// @throws SchemaException if `from` keeps no schema, or one that cannot be converted, naming the
  ///     fields
  /// @throws CorruptContainerException if `from` is damaged
  /// @throws ContainerFullException if `into` has fewer than [#convertedBytes]
  public void convert(Container from, Container into) {
    Conversion.requireEmpty(into);
    Conversion.of(from, this).into(into);
  }

  /// Returns the name of the class of the root; of a list or a table `PsoList<...>` or
  /// `PsoTable<...>`.
  public String rootName() {
    return name(root);
  }

  /// Checks that containers of this schema can be converted to another one, before there is any.
  /// Fields that the other one lacks are dropped then.
  ///
  /// @throws SchemaException if they cannot, naming the fields
  public void requireConvertible(Schema to) {
    SchemaChange change = new SchemaChange(this, to);
    if (!change.isPossible()) {
      throw new SchemaException(change.explain());
    }
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

  /// Returns the name of a shape for messages.
  String name(int index) {
    return switch (shapes.get(index)) {
      case Shape.Struct struct -> struct.name();
      case Shape.Elements _ -> "PsoArray";
      case Shape.References(int element) -> "PsoList<" + name(element) + ">";
      case Shape.Table(int element) -> "PsoTable<" + name(element) + ">";
    };
  }

  /// Returns whether a shape is that of a superclass of the other one, or equal to it. The time
  /// does not depend on the number of classes between them, which an untrusted schema chooses.
  boolean isAncestor(int ancestor, int shape) {
    return first[ancestor] <= first[shape] && first[shape] < behind[ancestor];
  }

  /// Numbers the shapes, of which superclasses stand before their subclasses.
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

  /// Returns what looks as if a shrinker (an obfuscator) had named it: classes of one or two
  /// lowercase letters, and classes of two or more fields whose names are the first letters of the
  /// alphabet. Such names change from build to build, and a container keeps them. The list is empty
  /// for other schemas.
  public List<String> shortenedNames() {
    List<String> shortened = new ArrayList<>();
    for (Shape shape : shapes) {
      if (shape instanceof Shape.Struct struct) {
        Set<String> fields =
            struct.members().subList(struct.inherited(), struct.members().size()).stream()
                .map(Shape.Member::name)
                .collect(Collectors.toSet());
        if (isShortened(struct.name())) {
          shortened.add(struct.name());
        } else if (fields.size() > 1 && fields.equals(firstLetters(fields.size()))) {
          shortened.add("the fields of " + struct.name());
        }
      }
    }
    return shortened;
  }

  private static boolean isShortened(String className) {
    int start = Math.max(className.lastIndexOf('.'), className.lastIndexOf('$')) + 1;
    int length = className.length() - start;
    return length <= 2 && className.chars().skip(start).allMatch(c -> c >= 'a' && c <= 'z');
  }

  private static Set<String> firstLetters(int count) {
    return IntStream.range('a', 'a' + Math.min(count, 26))
        .mapToObj(Character::toString)
        .collect(Collectors.toSet());
  }

  /// Returns the schema as text, in which form containers keep it.
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

  /// Finds all shapes that a class leads to. Superclasses and classes of objects in place come
  /// before the classes that they are part of. References may form cycles.
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
