package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Class files that no JVM would load.
class ClassHierarchyTest {
  private static final ClassDesc A = ClassDesc.of("A");
  private static final ClassDesc B = ClassDesc.of("B");

  private final Map<ClassDesc, byte[]> classes = new HashMap<>();

  private void add(ClassDesc name, ClassDesc superclass, int flags, ClassDesc... interfaces) {
    classes.put(
        name,
        ClassFile.of()
            .build(
                name,
                type ->
                    type.withSuperclass(superclass)
                        .withFlags(flags)
                        .withInterfaceSymbols(interfaces)));
  }

  @Test
  void superclassesThatGoRoundInCirclesAreNoObjects() {
    add(A, B, ClassFile.ACC_PUBLIC);
    add(B, A, ClassFile.ACC_PUBLIC);
    ClassHierarchy hierarchy = new ClassHierarchy(classes::get);
    assertTimeoutPreemptively(
        Duration.ofSeconds(30),
        () -> {
          assertFalse(hierarchy.isPso(A));
          assertEquals(Optional.empty(), hierarchy.resolveField(A, "x", ConstantDescs.CD_int));
        });
  }

  @Test
  void interfacesThatGoRoundInCirclesHaveNoFields() {
    int flags = ClassFile.ACC_PUBLIC | ClassFile.ACC_INTERFACE | ClassFile.ACC_ABSTRACT;
    add(A, ConstantDescs.CD_Object, flags, B);
    add(B, ConstantDescs.CD_Object, flags, A);
    ClassHierarchy hierarchy = new ClassHierarchy(classes::get);
    assertEquals(Optional.empty(), hierarchy.resolveField(A, "x", ConstantDescs.CD_int));
  }
}
