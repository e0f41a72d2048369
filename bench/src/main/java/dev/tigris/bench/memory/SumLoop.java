package dev.tigris.bench.memory;

import dev.tigris.bench.fork.Trial;
import dev.tigris.memory.Container;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.function.ToLongFunction;

/// A loop over 1,024 objects that adds two ints of each, generated for one class of objects.
final class SumLoop {
  static final int OBJECTS = 1024;

  private static final int FIRST = 3;
  private static final int SECOND = 7;

  private SumLoop() {}

  /// The loop for plain objects.
  static Trial plain() {
    PlainInts[] objects = new PlainInts[OBJECTS];
    for (int i = 0; i < OBJECTS; i++) {
      objects[i] = new PlainInts();
      objects[i].f3 = first(i); // FIRST
      objects[i].f7 = second(i); // SECOND
    }
    return trial(Generated.plain(classFile(PlainInts.class)), objects);
  }

  /// The loop for pre-serialized objects of a container.
  static Trial specialized(Container container) {
    PsoInts[] objects = new PsoInts[OBJECTS];
    for (int i = 0; i < OBJECTS; i++) {
      objects[i] = new PsoInts(container);
      objects[i].f3 = first(i); // FIRST
      objects[i].f7 = second(i); // SECOND
    }
    return trial(Generated.specialized(classFile(PsoInts.class)), objects);
  }

  private static int first(int index) {
    return 3 * index;
  }

  private static int second(int index) {
    return index ^ 0x5555;
  }

  @SuppressWarnings("unchecked") // what classFile() makes is one
  private static Trial trial(Object loop, Object[] objects) {
    ToLongFunction<Object[]> pass = (ToLongFunction<Object[]>) loop;
    long sum = 0;
    for (int i = 0; i < OBJECTS; i++) {
      sum += first(i) + second(i);
    }
    long expected = sum;
    return Trial.of(
        "sum of fields",
        count -> {
          long total = 0;
          for (int i = 0; i < count; i++) {
            total += pass.applyAsLong(objects);
          }
          return total;
        },
        count -> expected * count);
  }

  private static byte[] classFile(Class<?> objects) {
    ClassDesc type = objects.describeConstable().orElseThrow();
    ClassDesc self =
        ClassDesc.of(SumLoop.class.getPackageName(), "SumLoop" + objects.getSimpleName());
    return ClassFile.of()
        .build(
            self,
            builder ->
                builder
                    .withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL)
                    .withInterfaceSymbols(ToLongFunction.class.describeConstable().orElseThrow())
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
                        "applyAsLong",
                        MethodTypeDesc.of(ConstantDescs.CD_long, ConstantDescs.CD_Object),
                        ClassFile.ACC_PUBLIC,
                        code -> sum(code, type)));
  }

  /// As javac compiles a loop over an array: `sum += object.f3 + object.f7` for each.
  private static void sum(CodeBuilder code, ClassDesc type) {
    int objects = 2;
    int length = 3;
    int index = 4;
    int sum = 5;
    int object = 7;
    Label test = code.newLabel();
    Label end = code.newLabel();
    code.aload(1).checkcast(type.arrayType()).astore(objects);
    code.aload(objects).arraylength().istore(length);
    code.iconst_0().istore(index).lconst_0().lstore(sum);
    code.labelBinding(test).iload(index).iload(length).if_icmpge(end);
    code.aload(objects).iload(index).aaload().astore(object);
    code.lload(sum);
    code.aload(object).getfield(type, "f" + FIRST, ConstantDescs.CD_int);
    code.aload(object).getfield(type, "f" + SECOND, ConstantDescs.CD_int);
    code.iadd().i2l().ladd().lstore(sum);
    code.iinc(index, 1).goto_(test);
    code.labelBinding(end).lload(sum).lreturn();
  }
}
