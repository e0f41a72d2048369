package dev.tigris.bench.memory;

import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.fork.Trial;
import dev.tigris.specializer.ClassHierarchy;
import dev.tigris.specializer.ClassPath;
import dev.tigris.specializer.Rule;
import dev.tigris.specializer.Specialized;
import dev.tigris.specializer.Specializer;
import java.io.File;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// A method of N statements `p.fA = q.fB + constant`, generated for one class of objects, and a
/// loop that calls it over 64 pairs of objects.
///
/// 64 pairs, because with one the compiler would keep fields in registers from call to call. The
/// class file is the same for both kinds of objects up to the name of their class; that of
/// pre-serialized objects goes through the specializer, as the Maven plugin does it.
final class StraightLine {
  private static final int PAIRS = 64;
  private static final Specializer SPECIALIZER = specializer();
  private static final ClassDesc OBJECTS = ConstantDescs.CD_Object.arrayType();
  private static final MethodTypeDesc RUN =
      MethodTypeDesc.of(ConstantDescs.CD_void, OBJECTS, OBJECTS, ConstantDescs.CD_int);

  /// What the generated classes implement.
  public interface Loop {
    /// Calls the method `count` times, with the pairs in turn.
    void run(Object[] ps, Object[] qs, int count);
  }

  private final int statements;

  StraightLine(int statements) {
    this.statements = statements;
  }

  /// The method for plain objects.
  Trial plain() {
    return trial(
        loop("Plain", classFile("Plain", PlainInts.class)),
        Stream.generate(PlainInts::new).limit(2 * PAIRS).toArray(Sixteen[]::new));
  }

  /// The method for pre-serialized objects; `makePso` makes one.
  Trial specialized(Supplier<PsoInts> makePso) {
    return trial(
        loop("Pso", specialize(classFile("Pso", PsoInts.class))),
        Stream.generate(makePso).limit(2 * PAIRS).toArray(Sixteen[]::new));
  }

  private Trial trial(Loop loop, Sixteen[] objects) {
    // A pair lies side by side. All ps before all qs would put each pair a page's size apart, and a
    // processor takes a load at the same place in another page for one from the store before it.
    Sixteen[] ps = new Sixteen[PAIRS];
    Sixteen[] qs = new Sixteen[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
      ps[i] = objects[2 * i];
      qs[i] = objects[2 * i + 1];
    }
    int[] source = new int[Sixteen.FIELDS];
    Arrays.setAll(source, i -> 1000 * i);
    for (Sixteen q : qs) {
      q.values(source);
    }
    int[] untouched = new int[Sixteen.FIELDS];
    int[] expected = expected(source);
    return count -> {
      for (Sixteen p : ps) {
        p.values(untouched);
      }
      long start = System.nanoTime();
      loop.run(ps, qs, count);
      long nanos = System.nanoTime() - start;
      for (int i = 0; i < PAIRS; i++) {
        int[] right = i < count ? expected : untouched;
        if (!Arrays.equals(ps[i].values(), right)) {
          throw new WrongResultException(
              "%d statements left %s, not %s"
                  .formatted(statements, Arrays.toString(ps[i].values()), Arrays.toString(right)));
        }
      }
      return nanos;
    };
  }

  private static int target(int statement) {
    return (statement * 5 + 2) % Sixteen.FIELDS;
  }

  private static int source(int statement) {
    return (statement * 7 + 3) % Sixteen.FIELDS;
  }

  private static int constant(int statement) {
    return statement % 100 + 1;
  }

  /// The statements, interpreted.
  private int[] expected(int[] source) {
    int[] fields = new int[Sixteen.FIELDS];
    for (int i = 0; i < statements; i++) {
      fields[target(i)] = source[source(i)] + constant(i);
    }
    return fields;
  }

  private ClassDesc name(String kind) {
    return ClassDesc.of(StraightLine.class.getPackageName(), "StraightLine" + statements + kind);
  }

  private byte[] classFile(String kind, Class<?> objects) {
    ClassDesc self = name(kind);
    ClassDesc type = objects.describeConstable().orElseThrow();
    MethodTypeDesc straight = MethodTypeDesc.of(ConstantDescs.CD_void, type, type);
    return ClassFile.of()
        .build(
            self,
            builder ->
                builder
                    .withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL)
                    .withInterfaceSymbols(Loop.class.describeConstable().orElseThrow())
                    .withMethodBody(
                        ConstantDescs.INIT_NAME,
                        ConstantDescs.MTD_void,
                        ClassFile.ACC_PUBLIC,
                        code ->
                            code.aload(0)
                                .invokespecial(
                                    ConstantDescs.CD_Object,
                                    ConstantDescs.INIT_NAME,
                                    ConstantDescs.MTD_void)
                                .return_())
                    .withMethodBody(
                        "straight", straight, ClassFile.ACC_STATIC, code -> statements(code, type))
                    .withMethodBody(
                        "run",
                        RUN,
                        ClassFile.ACC_PUBLIC,
                        code -> loop(code, self, type, straight)));
  }

  private void statements(CodeBuilder code, ClassDesc type) {
    for (int i = 0; i < statements; i++) {
      code.aload(0)
          .aload(1)
          .getfield(type, "f" + source(i), ConstantDescs.CD_int)
          .loadConstant(constant(i))
          .iadd()
          .putfield(type, "f" + target(i), ConstantDescs.CD_int);
    }
    code.return_();
  }

  private static void loop(CodeBuilder code, ClassDesc self, ClassDesc type, MethodTypeDesc call) {
    int ps = 1;
    int qs = 2;
    int count = 3;
    int index = 4;
    Label test = code.newLabel();
    Label end = code.newLabel();
    code.iconst_0().istore(index).labelBinding(test);
    code.iload(index).iload(count).if_icmpge(end);
    for (int array : new int[] {ps, qs}) {
      code.aload(array).iload(index).loadConstant(PAIRS - 1).iand().aaload().checkcast(type);
    }
    code.invokestatic(self, "straight", call).iinc(index, 1).goto_(test);
    code.labelBinding(end).return_();
  }

  private static byte[] specialize(byte[] classFile) {
    Specialized result = SPECIALIZER.specialize(classFile);
    if (!result.changed()) {
      throw new IllegalStateException("not specialized: " + result.problems());
    }
    return result.bytes();
  }

  /// Its class path stays open for as long as the measuring process lives.
  private static Specializer specializer() {
    String path = System.getProperty("java.class.path");
    List<Path> entries = Stream.of(path.split(File.pathSeparator, -1)).map(Path::of).toList();
    return new Specializer(new ClassHierarchy(new ClassPath(entries)), Rule.standard());
  }

  private static Loop loop(String kind, byte[] classFile) {
    try {
      Class<?> type = MethodHandles.lookup().defineClass(classFile);
      return (Loop) type.getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the generated class for " + kind + " cannot be used", e);
    }
  }
}
