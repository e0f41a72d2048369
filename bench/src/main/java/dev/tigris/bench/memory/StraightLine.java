package dev.tigris.bench.memory;

import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.fork.Trial;
import dev.tigris.memory.Container;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Arrays;
import java.util.stream.Stream;

/// A method of N statements `p.fA = q.fB + constant` on fields of one type, generated for one class
/// of objects, and a loop that calls it over 64 pairs of objects.
///
/// 64 pairs, because with one the compiler would keep fields in registers from call to call. The
/// class file is the same for both kinds of objects up to the name of their class.
final class StraightLine {
  private static final int PAIRS = 64;
  private static final ClassDesc OBJECTS = ConstantDescs.CD_Object.arrayType();
  private static final MethodTypeDesc RUN =
      MethodTypeDesc.of(ConstantDescs.CD_void, OBJECTS, OBJECTS, ConstantDescs.CD_int);
  private static final MethodTypeDesc GET =
      MethodTypeDesc.of(ConstantDescs.CD_double, ConstantDescs.CD_Object, ConstantDescs.CD_int);
  private static final MethodTypeDesc SET =
      MethodTypeDesc.of(
          ConstantDescs.CD_void,
          ConstantDescs.CD_Object,
          ConstantDescs.CD_int,
          ConstantDescs.CD_double);

  /// What the generated classes implement.
  public interface Loop {
    /// Calls the method `count` times, with the pairs in turn.
    void run(Object[] ps, Object[] qs, int count);

    /// The value of a field.
    double get(Object object, int field);

    /// Sets a field.
    void set(Object object, int field, double value);
  }

  private final int statements;
  private final Fields fields;

  StraightLine(int statements, Fields fields) {
    this.statements = statements;
    this.fields = fields;
  }

  /// The method for plain objects.
  Trial plain() {
    return trial(
        (Loop) Generated.plain(classFile("Plain", fields.plain())),
        Stream.generate(fields::newPlain).limit(2 * PAIRS).toArray());
  }

  /// The method for pre-serialized objects of a container.
  Trial specialized(Container container) {
    return trial(
        (Loop) Generated.specialized(classFile("Pso", fields.pso())),
        Stream.generate(() -> fields.newPso(container)).limit(2 * PAIRS).toArray());
  }

  private Trial trial(Loop loop, Object[] objects) {
    // A pair lies side by side. All ps before all qs would put each pair a page's size apart, and a
    // processor takes a load at the same place in another page for one from the store before it.
    Object[] ps = new Object[PAIRS];
    Object[] qs = new Object[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
      ps[i] = objects[2 * i];
      qs[i] = objects[2 * i + 1];
    }
    double[] source = new double[fields.count];
    Arrays.setAll(source, i -> fields.stored(1000 * i));
    for (Object q : qs) {
      setAll(loop, q, source);
    }
    double[] untouched = new double[fields.count];
    double[] expected = expected(source);
    return count -> {
      for (Object p : ps) {
        setAll(loop, p, untouched);
      }
      long start = System.nanoTime();
      loop.run(ps, qs, count);
      long nanos = System.nanoTime() - start;
      for (int i = 0; i < PAIRS; i++) {
        double[] right = i < count ? expected : untouched;
        if (!Arrays.equals(getAll(loop, ps[i]), right)) {
          throw new WrongResultException(
              "%d statements on %s left %s, not %s"
                  .formatted(
                      statements,
                      fields,
                      Arrays.toString(getAll(loop, ps[i])),
                      Arrays.toString(right)));
        }
      }
      return nanos;
    };
  }

  private static void setAll(Loop loop, Object object, double[] values) {
    for (int i = 0; i < values.length; i++) {
      loop.set(object, i, values[i]);
    }
  }

  private double[] getAll(Loop loop, Object object) {
    double[] values = new double[fields.count];
    Arrays.setAll(values, i -> loop.get(object, i));
    return values;
  }

  private int target(int statement) {
    return (statement * 5 + 2) % fields.count;
  }

  private int source(int statement) {
    return (statement * 7 + 3) % fields.count;
  }

  private static int constant(int statement) {
    return statement % 100 + 1;
  }

  /// The statements, interpreted.
  private double[] expected(double[] source) {
    double[] values = new double[fields.count];
    for (int i = 0; i < statements; i++) {
      values[target(i)] = fields.stored(source[source(i)] + constant(i));
    }
    return values;
  }

  private ClassDesc name(String kind) {
    return ClassDesc.of(
        StraightLine.class.getPackageName(), "StraightLine" + statements + fields + kind);
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
                        "run", RUN, ClassFile.ACC_PUBLIC, code -> loop(code, self, type, straight))
                    .withMethodBody("get", GET, ClassFile.ACC_PUBLIC, code -> getters(code, type))
                    .withMethodBody("set", SET, ClassFile.ACC_PUBLIC, code -> setters(code, type)));
  }

  private void statements(CodeBuilder code, ClassDesc type) {
    for (int i = 0; i < statements; i++) {
      code.aload(0).aload(1).getfield(type, fields.field(source(i)), fields.typeDesc());
      add(code, constant(i));
      code.putfield(type, fields.field(target(i)), fields.typeDesc());
    }
    code.return_();
  }

  private void add(CodeBuilder code, int constant) {
    switch (fields.type) {
      // The sum of two bits, as far as one bit holds it.
      case BOOLEAN -> code.loadConstant(constant & 1).ixor();
      case BYTE, SHORT, CHAR ->
          code.loadConstant(constant).iadd().conversion(TypeKind.INT, fields.type);
      case INT -> code.loadConstant(constant).iadd();
      case LONG -> code.loadConstant((long) constant).ladd();
      case FLOAT -> code.loadConstant((float) constant).fadd();
      case DOUBLE -> code.loadConstant((double) constant).dadd();
      case REFERENCE, VOID -> throw new IllegalStateException("no such fields");
    }
  }

  private void getters(CodeBuilder code, ClassDesc type) {
    for (int i = 0; i < fields.count; i++) {
      Label next = code.newLabel();
      code.iload(2).loadConstant(i).if_icmpne(next);
      code.aload(1).checkcast(type).getfield(type, fields.field(i), fields.typeDesc());
      code.conversion(fields.type.asLoadable(), TypeKind.DOUBLE).dreturn().labelBinding(next);
    }
    code.dconst_0().dreturn();
  }

  private void setters(CodeBuilder code, ClassDesc type) {
    for (int i = 0; i < fields.count; i++) {
      Label next = code.newLabel();
      code.iload(2).loadConstant(i).if_icmpne(next);
      code.aload(1).checkcast(type).dload(3);
      code.conversion(TypeKind.DOUBLE, fields.type.asLoadable());
      if (fields.type != fields.type.asLoadable() && fields.type != TypeKind.BOOLEAN) {
        code.conversion(TypeKind.INT, fields.type);
      }
      code.putfield(type, fields.field(i), fields.typeDesc()).labelBinding(next);
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
}
