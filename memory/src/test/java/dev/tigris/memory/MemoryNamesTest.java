package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.specializer.MemoryNames;
import dev.tigris.specializer.MemoryTypes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The specializer knows this module by name only; here the names meet the classes.
class MemoryNamesTest {
  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  private static MethodType resolve(MethodTypeDesc type) throws ReflectiveOperationException {
    return type.resolveConstantDesc(MethodHandles.lookup());
  }

  @Test
  void namesTheClasses() {
    assertEquals(desc(Pso.class), MemoryNames.PSO);
    assertEquals(desc(PsoBinding.class), MemoryNames.BINDING);
    assertEquals(desc(Container.class), MemoryNames.CONTAINER);
    assertEquals(desc(HeapOnly.class), MemoryNames.HEAP_ONLY);
    assertEquals(desc(PsoLinkage.class), MemoryNames.LINKAGE);
    assertEquals(desc(Capacity.class), MemoryNames.CAPACITY);
    assertEquals(desc(Identity.class), MemoryNames.IDENTITY);
    assertEquals(desc(InPlace.class), MemoryNames.IN_PLACE);
    assertEquals(desc(PsoCursor.class), MemoryNames.CURSOR);
    assertEquals(desc(PsoCollection.class), MemoryNames.COLLECTION);
    assertEquals(PsoSlot.RECOVERED, MemoryNames.RECOVERED);
    assertEquals(
        Stream.of(
                Utf8.class,
                Bytes.class,
                Shorts.class,
                Chars.class,
                Ints.class,
                Longs.class,
                Floats.class,
                Doubles.class)
            .map(MemoryNamesTest::desc)
            .collect(Collectors.toSet()),
        MemoryNames.SIZED);
    assertEquals(
        Stream.of(Primitive.values())
            .filter(element -> element != Primitive.BOOLEAN)
            .collect(Collectors.toMap(element -> desc(View.of(element)), Primitive::sizeBytes)),
        MemoryNames.VIEWS);
    assertEquals(
        Set.of(desc(PsoArray.class), desc(PsoList.class), desc(PsoTable.class)),
        MemoryNames.VARYING);
    assertEquals(
        Stream.of(PsoCollection.class.getPermittedSubclasses())
            .map(MemoryNamesTest::desc)
            .collect(Collectors.toSet()),
        MemoryNames.COLLECTIONS);
  }

  @Test
  void namesTheMethodsThatRewrittenCodeCalls() throws ReflectiveOperationException {
    MethodType declare = resolve(MemoryNames.DECLARE_TYPE);
    assertPublic(PsoLinkage.class.getMethod(MemoryNames.DECLARE, declare.parameterArray()));
    MethodType bootstrap =
        MethodType.fromMethodDescriptorString(
            MemoryNames.FIELD_BOOTSTRAP.lookupDescriptor(), getClass().getClassLoader());
    assertPublic(
        PsoLinkage.class.getMethod(
            MemoryNames.FIELD_BOOTSTRAP.methodName(), bootstrap.parameterArray()));
    MethodType element =
        MethodType.fromMethodDescriptorString(
            MemoryNames.ELEMENT_BOOTSTRAP.lookupDescriptor(), getClass().getClassLoader());
    assertPublic(
        PsoLinkage.class.getMethod(
            MemoryNames.ELEMENT_BOOTSTRAP.methodName(), element.parameterArray()));
    assertEquals(Pso.class, PsoCursor.class.getMethod(MemoryNames.ELEMENT).getReturnType());
    MethodType text =
        MethodType.fromMethodDescriptorString(
            MemoryNames.TEXT_BOOTSTRAP.lookupDescriptor(), getClass().getClassLoader());
    assertPublic(
        PsoLinkage.class.getMethod(MemoryNames.TEXT_BOOTSTRAP.methodName(), text.parameterArray()));
    assertEquals(desc(Utf8.class), MemoryNames.TEXT);
    MethodType recipe =
        MethodType.fromMethodDescriptorString(
            MemoryNames.RECIPE_BOOTSTRAP.lookupDescriptor(), getClass().getClassLoader());
    assertPublic(
        PsoLinkage.class.getMethod(
            MemoryNames.RECIPE_BOOTSTRAP.methodName(), recipe.parameterArray()));
    MethodType made =
        MethodType.fromMethodDescriptorString(
            MemoryNames.MADE_BOOTSTRAP.lookupDescriptor(), getClass().getClassLoader());
    assertPublic(
        PsoLinkage.class.getMethod(MemoryNames.MADE_BOOTSTRAP.methodName(), made.parameterArray()));
    assertEquals(Recipe.MAX_INSTRUCTIONS, MemoryNames.MAX_INSTRUCTIONS);
    assertEquals(PsoLayout.MAX_BYTES, MemoryNames.MAX_BYTES);
  }

  private static void assertPublic(Method method) {
    assertTrue(
        Modifier.isStatic(method.getModifiers()) && Modifier.isPublic(method.getModifiers()));
  }

  @Test
  void namesTheConstructorsThatMakeObjects() throws ReflectiveOperationException {
    for (MethodTypeDesc type :
        List.of(MemoryNames.CONSTRUCTOR_TYPE, MemoryNames.MADE_CONSTRUCTOR_TYPE)) {
      Constructor<Pso> constructor =
          Pso.class.getDeclaredConstructor(resolve(type).parameterArray());
      assertTrue(Modifier.isProtected(constructor.getModifiers()));
    }
  }

  @Test
  void namesTheConstructorThatMakesViews() throws ReflectiveOperationException {
    MethodType type = resolve(MemoryNames.BINDING_CONSTRUCTOR_TYPE);
    Constructor<Pso> constructor = Pso.class.getDeclaredConstructor(type.parameterArray());
    assertTrue(Modifier.isProtected(constructor.getModifiers()));
    assertEquals(0, PsoBinding.class.getConstructors().length);
  }

  @Test
  void knowsThePlacesOfTheTypesInTheHierarchy() throws Exception {
    MemoryTypes types = new MemoryTypes();
    for (ClassDesc name : types.names()) {
      Class<?> real = name.resolveConstantDesc(MethodHandles.lookup());
      ClassModel known = ClassFile.of().parse(types.find(name));
      assertEquals(desc(real.getSuperclass()), known.superclass().orElseThrow().asSymbol());
      Set<ClassDesc> interfaces =
          Stream.of(real.getInterfaces()).map(MemoryNamesTest::desc).collect(Collectors.toSet());
      for (ClassEntry each : known.interfaces()) {
        assertTrue(interfaces.contains(each.asSymbol()), real.getName());
      }
      int modifiers = Modifier.PUBLIC | Modifier.ABSTRACT | Modifier.FINAL;
      assertEquals(
          real.getModifiers() & modifiers, known.flags().flagsMask() & modifiers, real.getName());
    }
    Set<ClassDesc> needed = new HashSet<>(MemoryNames.SIZED);
    needed.addAll(MemoryNames.VARYING);
    needed.addAll(Set.of(MemoryNames.PSO, MemoryNames.CONTAINER, MemoryNames.CURSOR));
    assertTrue(types.names().containsAll(needed));
  }
}
