package dev.tigris.memory;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// How the objects of a class lie in a container: as the C compiler would lay out a struct of the
/// same fields, superclass fields first, little-endian.
///
/// ```java
/// class Point extends Pso { byte tag; int x; int y; }         //  0 tag | 1..3 - | 4 x | 8 y
/// class Labelled extends Point { short label; Point next; }   //  12 label | 14..15 - | 16 next
/// ```
///
/// A superclass's fields lie where they lie in its own objects, so code that knows only the
/// superclass works on every subclass. Sizes are rounded up to a multiple of eight, as objects
/// begin at one.
///
/// The first field of a class may be an object in place that is of one of the class's superclasses
/// (or of a subclass of one). It begins at 8, as in C++: a reference to that superclass would not
/// tell it from the object around it.
///
/// Immutable. A class has one layout, whoever asks for it and when.
public final class PsoLayout {
  /// The largest object, in bytes: half of what is set aside behind objects without an address.
  public static final int MAX_BYTES = 1 << 20;

  private static final int OBJECT_ALIGNMENT_BYTES = 8;

  private final Class<?> type;
  private final List<PsoField> fields;
  private final List<PsoField> references;
  private final List<PsoField> nested;
  private final int sizeBytes;
  private final boolean hasIdentity;

  private PsoLayout(Class<?> type, List<PsoField> fields, boolean hasIdentity) {
    this.type = type;
    this.hasIdentity = hasIdentity;
    this.fields = List.copyOf(fields);
    this.references =
        fields.stream().filter(field -> field.kind() instanceof FieldKind.Reference).toList();
    this.nested =
        fields.stream().filter(field -> field.kind() instanceof FieldKind.Nested).toList();
    this.sizeBytes = Math.max(align(end(fields), OBJECT_ALIGNMENT_BYTES), OBJECT_ALIGNMENT_BYTES);
  }

  /// The layout of a class, derived from the class as it was loaded.
  ///
  /// @throws IllegalArgumentException if the class has a field that cannot be stored (the
  ///     specializer refuses such a class when it is built)
  public static PsoLayout of(Class<? extends Pso> type) {
    return PsoClass.of(type).layout();
  }

  /// Returns the values of an object's stored fields by name, whatever their access, in the order
  /// of the layout. Serializers, assertions and debuggers use it where they would use reflection,
  /// which finds nothing in an object.
  ///
  /// Texts are Strings, arrays in place Java arrays, and objects in place maps like this one:
  /// copies of what is stored. A reference is the object that it leads to. A field that a subclass
  /// hides by one of the same name has its class's name in front: `app.Point.x`.
  ///
  /// @throws CorruptReferenceException if a reference leads where no object can be; as for any
  ///     read, other values that cannot be are exceptions too
  /// @throws IllegalStateException if the object was made without its constructor and has parts
  public static Map<String, @Nullable Object> valuesOf(Pso object) {
    return FieldValues.of(object);
  }

  /// Sets stored fields of an object by name, whatever their access: the counterpart of
  /// [#valuesOf], with values as that returns them. Fields that are not named stay as they are. An
  /// array may be shorter than its field.
  ///
  /// @throws IllegalArgumentException if there is no such field, or the value is of another type; a
  ///     number fits a field of its own type, or one that is wider. The fields before it are set.
  /// @throws IndexOutOfBoundsException if a text or an array is longer than its field
  public static void setValues(Pso object, Map<String, ? extends @Nullable Object> values) {
    FieldValues.set(object, values);
  }

  static PsoLayout derive(Class<?> type) {
    Class<?> superclass = type.getSuperclass();
    List<PsoField> fields = new ArrayList<>();
    boolean hasIdentity = type.isAnnotationPresent(Identity.class);
    if (superclass != Pso.class) {
      PsoLayout inherited = PsoClass.of(superclass).layout();
      fields.addAll(inherited.fields);
      hasIdentity |= inherited.hasIdentity;
    }
    // HotSpot returns the fields in the order of the class file, which is that of the source.
    for (Field field : type.getDeclaredFields()) {
      hasIdentity |= isHeapOnly(field);
      if (isStored(field)) {
        FieldKind kind = kind(field);
        int offset = begin(type, fields, kind);
        boolean ordered = Modifier.isVolatile(field.getModifiers());
        String name = field.getName();
        // Legal in a class file with two types, and then a name alone would not tell them apart.
        if (fields.stream().anyMatch(f -> f.declaringClass() == type && f.name().equals(name))) {
          throw new IllegalArgumentException(type.getName() + " has two fields called " + name);
        }
        fields.add(new PsoField(type, name, kind, offset, ordered));
        if (end(fields) > MAX_BYTES) {
          throw new IllegalArgumentException(
              "%s is larger than the %d bytes of the largest object: use a reference to a PsoArray or a PsoTable for its largest part"
                  .formatted(type.getName(), MAX_BYTES));
        }
      }
    }
    return new PsoLayout(type, fields, hasIdentity);
  }

  /// Returns where a field begins: behind those before it. C++ moves the first field in the same
  /// case (Itanium C++ ABI, 2.4): no two objects of one class lie at one address.
  ///
  /// @param type the class that declares it
  private static int begin(Class<?> type, List<PsoField> before, FieldKind kind) {
    return before.isEmpty()
            && kind instanceof FieldKind.Nested(Class<? extends Pso> inner, int _)
            && hasSuperclassOf(inner, type)
        ? OBJECT_ALIGNMENT_BYTES
        : align(end(before), kind.alignmentBytes());
  }

  /// Returns whether an object in place, or one at its first byte, is of one of the superclasses of
  /// the class around it. These have no fields, as the object in place would lie behind them.
  private static boolean hasSuperclassOf(Class<?> inner, Class<?> around) {
    for (Class<?> at = inner; at != Pso.class; at = at.getSuperclass()) {
      if (at.isAssignableFrom(around)) {
        return true;
      }
    }
    List<PsoField> fields = PsoClass.of(inner).layout().fields;
    return !fields.isEmpty()
        && fields.getFirst().offset() == 0
        && fields.getFirst().kind() instanceof FieldKind.Nested(Class<? extends Pso> first, int _)
        && hasSuperclassOf(first, around);
  }

  /// Whether the program has declared a field that stays in the Java object. The specializer's own
  /// fields, which stay there too, are synthetic.
  private static boolean isHeapOnly(Field field) {
    return !Modifier.isStatic(field.getModifiers())
        && !field.isSynthetic()
        && field.isAnnotationPresent(HeapOnly.class);
  }

  private static boolean isStored(Field field) {
    return !Modifier.isStatic(field.getModifiers()) && !field.isAnnotationPresent(HeapOnly.class);
  }

  private static FieldKind kind(Field field) {
    int refused = Modifier.FINAL | Modifier.TRANSIENT;
    FieldKind kind = null;
    if ((field.getModifiers() & refused) == 0 && !field.isSynthetic()) {
      Capacity capacity = field.getAnnotation(Capacity.class);
      kind = capacity == null ? kindOfFixedSize(field) : kindWith(capacity, field);
    }
    if (kind == null || (kind.isPart() && Modifier.isVolatile(field.getModifiers()))) {
      throw new IllegalArgumentException(
          "the field '%s' has a type that cannot be stored: change the type, or mark the field @HeapOnly"
              .formatted(DeclaredField.textOf(field)));
    }
    return kind;
  }

  private static @Nullable FieldKind kindWith(Capacity capacity, Field field) {
    Class<?> type = DeclaredField.typeOf(field);
    int count = capacity.value();
    if (count < 1 || count > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the field '%s' cannot have the capacity %d: give it one from 1 to %d"
              .formatted(DeclaredField.textOf(field), count, MAX_BYTES));
    }
    if (type == Utf8.class) {
      return new FieldKind.Text(count);
    }
    Primitive element = elementOf(type);
    return element == null ? null : new FieldKind.Array(element, count);
  }

  /// What a view is an array of, null if it is none.
  private static @Nullable Primitive elementOf(Class<?> view) {
    return Arrays.stream(Primitive.values())
        .filter(element -> element != Primitive.BOOLEAN && View.of(element) == view)
        .findFirst()
        .orElse(null);
  }

  @SuppressWarnings("unchecked") // an enum's class is a Class<? extends Enum<?>>
  private static @Nullable FieldKind kindOfFixedSize(Field field) {
    Class<?> type = DeclaredField.typeOf(field);
    boolean isInPlace = field.isAnnotationPresent(InPlace.class);
    if (isInPlace && !Pso.class.isAssignableFrom(type)) {
      return null;
    }
    if (type.isPrimitive()) {
      return new FieldKind.Value(Primitive.of(type));
    }
    if (type.isEnum()) {
      return new FieldKind.Constant((Class<? extends Enum<?>>) type);
    }
    if (!Pso.class.isAssignableFrom(type) || Modifier.isAbstract(type.getModifiers())) {
      return null;
    }
    Class<? extends Pso> target = type.asSubclass(Pso.class);
    if (!isInPlace) {
      return PsoCollection.class.isAssignableFrom(target)
          ? ofCollection(field, target)
          : new FieldKind.Reference(target, null);
    }
    if (PsoCollection.hasVaryingSize(target)) {
      return null;
    }
    refuseRecursion(target, new HashSet<>(), new HashSet<>());
    return new FieldKind.Nested(target, PsoClass.of(target).layout().sizeBytes());
  }

  /// A collection says in the field's declaration what its elements are. What is said of their own
  /// type's arguments is for the compiler, and means nothing here.
  private static @Nullable FieldKind ofCollection(Field field, Class<? extends Pso> target) {
    if (field.getGenericType() instanceof ParameterizedType declared
        && raw(declared.getActualTypeArguments()[0]) instanceof Class<?> element
        && Pso.class.isAssignableFrom(element)
        && !PsoCollection.class.isAssignableFrom(element)
        && !(target == PsoTable.class && element == PsoArray.class)
        && !Modifier.isAbstract(element.getModifiers())) {
      return new FieldKind.Reference(target, element.asSubclass(Pso.class));
    }
    return null;
  }

  /// A type without its arguments.
  private static Type raw(Type type) {
    return type instanceof ParameterizedType generic ? generic.getRawType() : type;
  }

  /// An object that lies in itself would have no end.
  ///
  /// @param around the classes that this one lies in
  /// @param ended those that were followed to their end: from a class that has others twice, which
  ///     have others twice, there are more ways than one could go
  private static void refuseRecursion(Class<?> type, Set<Class<?>> around, Set<Class<?>> ended) {
    if (ended.contains(type)) {
      return;
    }
    if (!around.add(type)) {
      throw new IllegalArgumentException(
          "objects of %s would lie in themselves: use a reference".formatted(type.getName()));
    }
    for (Class<?> at = type; at != Pso.class; at = at.getSuperclass()) {
      for (Field field : at.getDeclaredFields()) {
        if (isStored(field) && field.isAnnotationPresent(InPlace.class)) {
          Class<?> inner = DeclaredField.typeOf(field);
          if (Pso.class.isAssignableFrom(inner) && inner != Pso.class) {
            refuseRecursion(inner, around, ended);
          }
        }
      }
    }
    around.remove(type);
    ended.add(type);
  }

  private static int end(List<PsoField> fields) {
    return fields.isEmpty() ? 0 : fields.getLast().end();
  }

  private static int align(int offset, int alignment) {
    return (offset + alignment - 1) & -alignment;
  }

  /// The class.
  public Class<?> type() {
    return type;
  }

  /// The stored fields, superclass fields first, at rising offsets.
  public List<PsoField> fields() {
    return fields;
  }

  /// The size of an object in bytes, a multiple of eight.
  public int sizeBytes() {
    return sizeBytes;
  }

  /// Returns whether `==` tells objects of the class apart: it says [Identity], or has a [HeapOnly]
  /// field, as a superclass may.
  public boolean hasIdentity() {
    return hasIdentity;
  }

  /// Whether an object of the class has references, in itself or in what lies in it.
  boolean hasReferences() {
    return !references.isEmpty()
        || nested.stream()
            .map(field -> ((FieldKind.Nested) field.kind()).type())
            .anyMatch(inner -> PsoClass.of(inner).layout().hasReferences());
  }

  /// The class that declares the first field; the class itself where there are none.
  Class<?> firstClass() {
    return fields.isEmpty() ? type : fields.getFirst().declaringClass();
  }

  /// Where the last field ends: a subclass's fields begin behind it, and may lie in what rounds the
  /// size up.
  int endBytes() {
    return end(fields);
  }

  /// The fields that are references. The position of one is its *slot*, which is the same in every
  /// subclass.
  List<PsoField> references() {
    return references;
  }

  /// The fields that are other objects in place. The position of one is the same in every subclass.
  List<PsoField> nested() {
    return nested;
  }

  /// The fields that the class itself declares.
  List<PsoField> ownFields() {
    return Collections.unmodifiableList(
        fields.stream().filter(field -> field.declaringClass() == type).toList());
  }

  /// Returns the recipe of an access to a field, for listings: `id.get (Pso)long, 24 bytes: peek
  /// long @0`.
  ///
  /// @throws IllegalArgumentException if the field is written and cannot be assigned
  public String recipe(PsoField field, boolean write) {
    return (write ? Recipe.set(field, this) : Recipe.get(field, this)).toString();
  }

  /// The layout as a table, one field a line.
  @Override
  public String toString() {
    StringBuilder out = new StringBuilder();
    out.append(type.getName()).append(", ").append(sizeBytes).append(" bytes\n");
    for (PsoField field : fields) {
      String kind =
          switch (field.kind()) {
            case FieldKind.Value(Primitive primitive) -> primitive.type().getName();
            case FieldKind.Constant(Class<? extends Enum<?>> type) -> "enum " + type.getName();
            case FieldKind.Reference(Class<? extends Pso> target, var element) ->
                "-> " + target.getName() + (element == null ? "" : "<" + element.getName() + ">");
            case FieldKind.Text(int capacityBytes) -> "text[%d]".formatted(capacityBytes);
            case FieldKind.Array(Primitive element, int length) ->
                "%s[%d]".formatted(element.type().getName(), length);
            case FieldKind.Nested(Class<? extends Pso> type, int _) -> type.getName();
          };
      out.append(
          "%8d  %s%s %s%n"
              .formatted(field.offset(), kind, field.ordered() ? " volatile" : "", field.name()));
    }
    return out.toString();
  }
}
