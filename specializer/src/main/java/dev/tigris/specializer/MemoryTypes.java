package dev.tigris.specializer;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The types of `dev.tigris.memory` that classes of objects, and code that uses them, mention: each
/// as an empty class with its place in the hierarchy. They stand in for the jar where nobody has
/// put it on the class path. A test in `memory` compares them with the real types.
public final class MemoryTypes implements ClassSource {
  /// Modifier, name, superclass, interfaces.
  private static final String TYPES =
      """
      abstract View java.lang.Object
      abstract Region View
      final Container Region
      final RawContainer Region
      final Jbuf java.lang.Object java.lang.AutoCloseable
      final Bytes View
      final Shorts View
      final Chars View
      final Ints View
      final Longs View
      final Floats View
      final Doubles View
      final Utf8 java.lang.Object java.lang.Comparable
      abstract Pso java.lang.Object
      abstract PsoCollection Pso java.lang.Iterable
      final PsoList PsoCollection
      final PsoTable PsoCollection
      final PsoArray Pso
      final PsoCursor java.lang.Object
      final PsoBinding java.lang.Object
      final PsoLayout java.lang.Object
      final PsoField java.lang.Record
      final PsoLinkage java.lang.Object
      enum ConversionOption java.lang.Enum
      enum Mapping java.lang.Enum
      enum PageKind java.lang.Enum
      enum Primitive java.lang.Enum
      enum State java.lang.Enum
      final MemoryUse java.lang.Record
      final ContainerFullException java.lang.RuntimeException
      final CorruptContainerException java.lang.RuntimeException
      final CorruptReferenceException java.lang.RuntimeException
      final CorruptTextException java.lang.RuntimeException
      final MemoryBudgetException java.lang.RuntimeException
      final UnknownConstantException java.lang.RuntimeException
      final FreedException java.lang.IllegalStateException
      final RecycledException java.lang.IllegalStateException
      final ReferencedException java.lang.IllegalStateException
      final TypedException java.lang.IllegalStateException
      final UnspecializedClassException java.lang.IllegalStateException
      """;

  private final Map<ClassDesc, byte[]> types = new HashMap<>();

  /// Makes all of them.
  public MemoryTypes() {
    for (String line : TYPES.lines().toList()) {
      List<String> words = List.of(line.split(" ", -1));
      ClassDesc name = named(words.get(1));
      types.put(name, empty(name, words));
    }
  }

  private static byte[] empty(ClassDesc name, List<String> words) {
    int modifier =
        switch (words.getFirst()) {
          case "abstract" -> ClassFile.ACC_ABSTRACT;
          case "enum" -> ClassFile.ACC_ENUM | ClassFile.ACC_FINAL;
          default -> ClassFile.ACC_FINAL;
        };
    return ClassFile.of()
        .build(
            name,
            type ->
                type.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_SUPER | modifier)
                    .withSuperclass(named(words.get(2)))
                    .withInterfaceSymbols(words.stream().skip(3).map(MemoryTypes::named).toList()));
  }

  private static ClassDesc named(String name) {
    return name.indexOf('.') < 0
        ? ClassDesc.of(MemoryNames.PSO.packageName(), name)
        : ClassDesc.of(name);
  }

  /// The names of the types.
  public Set<ClassDesc> names() {
    return Set.copyOf(types.keySet());
  }

  @Override
  public byte @Nullable [] find(ClassDesc type) {
    return types.get(type);
  }
}
