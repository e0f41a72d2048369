package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.specializer.ClassHierarchy;
import dev.tigris.specializer.ClassSource;
import dev.tigris.specializer.MemoryNames;
import dev.tigris.specializer.Rule;
import dev.tigris.specializer.Specialized;
import dev.tigris.specializer.Specializer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/// Classes that nobody wrote: random fields, spread over a chain of superclasses.
class PsoClassProperties {
  private static final ClassDesc CONTAINER = Container.class.describeConstable().orElseThrow();
  private static final MethodTypeDesc CONSTRUCTOR =
      MethodTypeDesc.of(ConstantDescs.CD_void, CONTAINER);

  /// Loads the classes that it is given.
  private static final class Loader extends ClassLoader {
    Loader() {
      super(PsoClassProperties.class.getClassLoader());
    }

    Class<?> define(byte[] bytes) {
      return defineClass(null, bytes, 0, bytes.length);
    }
  }

  private static byte[] generate(ClassDesc name, ClassDesc superclass, List<Primitive> fields) {
    return ClassFile.of()
        .build(
            name,
            type -> {
              type.withFlags(ClassFile.ACC_PUBLIC).withSuperclass(superclass);
              for (int index = 0; index < fields.size(); index++) {
                Class<?> field = fields.get(index).type();
                ClassDesc desc = field.describeConstable().orElseThrow();
                type.withField("f" + index, desc, ClassFile.ACC_PUBLIC);
              }
              type.withMethodBody(
                  ConstantDescs.INIT_NAME,
                  CONSTRUCTOR,
                  ClassFile.ACC_PUBLIC,
                  code ->
                      code.aload(0)
                          .aload(1)
                          .invokespecial(superclass, ConstantDescs.INIT_NAME, CONSTRUCTOR)
                          .return_());
            });
  }

  private static byte[] resource(ClassDesc type) {
    try (InputStream in =
        PsoClassProperties.class.getClassLoader().getResourceAsStream(ClassSource.pathOf(type))) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A class at the end of a chain in which each class declares some of the fields.
  private static Class<?> chain(List<List<Primitive>> levels) {
    Map<ClassDesc, byte[]> generated = new HashMap<>();
    ClassSource source = type -> generated.getOrDefault(type, resource(type));
    Specializer specializer = new Specializer(new ClassHierarchy(source), Rule.standard());
    Loader loader = new Loader();
    ClassDesc superclass = MemoryNames.PSO;
    Class<?> last = Pso.class;
    for (List<Primitive> fields : levels) {
      ClassDesc name = ClassDesc.of("generated.Level" + generated.size());
      generated.put(name, generate(name, superclass, fields));
      Specialized specialized = specializer.specialize(generated.get(name));
      assertEquals(List.of(), specialized.problems());
      last = loader.define(specialized.bytes());
      superclass = name;
    }
    return last;
  }

  private static Object random(Primitive primitive, Random random) {
    return switch (primitive) {
      case BOOLEAN -> random.nextBoolean();
      case BYTE -> (byte) random.nextInt();
      case SHORT -> (short) random.nextInt();
      case CHAR -> (char) random.nextInt();
      case INT -> random.nextInt();
      case LONG -> random.nextLong();
      case FLOAT -> random.nextFloat();
      case DOUBLE -> random.nextDouble();
    };
  }

  @Property(tries = 40)
  void everyFieldOfEverySuperclassHasAPlaceOfItsOwn(
      @ForAll @Size(min = 1, max = 3) List<@Size(max = 9) List<Primitive>> levels,
      @ForAll long seed)
      throws Throwable {
    Class<?> type = chain(levels);
    PsoLayout layout = PsoClass.of(type).layout();

    // What a C compiler does with one struct of all the fields.
    int end = 0;
    int index = 0;
    for (List<Primitive> level : levels) {
      for (Primitive primitive : level) {
        int offset = Math.ceilDiv(end, primitive.sizeBytes()) * primitive.sizeBytes();
        assertEquals(offset, layout.fields().get(index++).offset());
        end = offset + primitive.sizeBytes();
      }
    }
    assertEquals(Math.max(8, Math.ceilDiv(end, 8) * 8), layout.sizeBytes());

    Random random = new Random(seed);
    Container container = Jbuf.allocate(4096).asContainer();
    Pso[] objects = new Pso[3];
    for (int number = 0; number < objects.length; number++) {
      objects[number] = (Pso) type.getConstructor(Container.class).newInstance(container);
    }
    Map<PsoField, Object> written = new HashMap<>();
    for (PsoField field : layout.fields()) {
      Primitive primitive = ((FieldKind.Value) field.kind()).primitive();
      Object value = random(primitive, random);
      Accessors accessors = PsoClass.of(field.declaringClass()).accessors();
      accessors.setter(field.name()).invoke(objects[1], value);
      written.put(field, value);
    }
    for (PsoField field : layout.fields()) {
      Accessors accessors = PsoClass.of(field.declaringClass()).accessors();
      assertEquals(written.get(field), accessors.getter(field.name()).invoke(objects[1]));
    }
    int zeroes = layout.sizeBytes();
    for (Pso neighbour : new Pso[] {objects[0], objects[2]}) {
      assertEquals(-1, container.raw(neighbour.offset(), zeroes).mismatch(zeroes(zeroes)));
    }
  }

  private static MemorySegment zeroes(int bytes) {
    return MemorySegment.ofArray(new byte[bytes]);
  }
}
