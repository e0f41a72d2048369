// Over 400 lines: what each instruction is compiled to.
package dev.tigris.memory;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_byte;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.tigris.memory.Instruction.Operator;
import dev.tigris.memory.Instruction.Ordering;
import dev.tigris.memory.raw.Raw;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.util.List;

/// Turns recipes into the static methods of one class file. What they do is what
/// [RecipeInterpreter] does:
///
/// ```java
/// static int get(Pso object) {
///   long distance = object.bits >>> Raw.BITS_SHIFT;
///   int value = (int) Raw.INT_ANY.get(Raw.GLOBAL, distance + (Raw.ORIGIN + 8));
///   Reference.reachabilityFence(object);
///   return value;
/// }
/// ```
///
/// Four things about that shape are there for HotSpot, and were measured: the
/// shift and the constant let C2 fold the JDK's bounds check away, and the handles check no
/// alignment, but for volatile fields; they are `static final` and called with exact types; the
/// address is read from the field itself and not through a getter; and the body is beyond what C1
/// inlines ([#C1_INLINES_WORDS], [#C1_INLINES_BYTES]), so that C1, whose own stack overflows on a
/// long method full of these, calls it, while C2 inlines it: most have no more than 35 bytes, and
/// need not be hot, only not rare.
final class RecipeCompiler {
  /// C1 inlines methods that have up to so many words of stack and locals beside their parameters
  /// (`C1InlineStackLimit`). A handle, a segment and two longs are six.
  static final int C1_INLINES_WORDS = 5;

  /// The same of a JVM without C2, whose limit is higher: there the size decides, which is 35 bytes
  /// less a tenth for each of the two methods between a call site and its accessor.
  static final int C1_ALONE_INLINES_WORDS = 10;

  /// How many bytes these leave.
  static final int C1_INLINES_BYTES = 27;

  private static final ClassDesc PSO = desc(Pso.class);
  private static final ClassDesc RAW = desc(Raw.class);
  private static final ClassDesc SEGMENT = desc(MemorySegment.class);
  private static final ClassDesc HANDLE = desc(VarHandle.class);
  private static final ClassDesc CODES = desc(EnumCodes.class);
  private static final ClassDesc CLASS = desc(PsoClass.class);
  private static final ClassDesc SLOT = desc(PsoSlot.class);
  private static final ClassDesc ENUM = desc(Enum.class);
  private static final ClassDesc TEXT = desc(Utf8.class);
  private static final ClassDesc LEASE = desc(Lease.class);
  private static final DirectMethodHandleDesc CLASS_DATA_AT =
      ConstantDescs.ofConstantBootstrap(
          ConstantDescs.CD_MethodHandles, "classDataAt", CD_Object, CD_int);
  private static final ClassDesc TARGET = desc(PsoTarget.class);
  private static final DirectMethodHandleDesc IN_PLACE =
      ConstantDescs.ofConstantBootstrap(TARGET, "inPlace", TARGET, CLASS, CD_int);
  private static final DirectMethodHandleDesc SLOT_CONSTANT =
      ConstantDescs.ofConstantBootstrap(SLOT, "constant", SLOT, CLASS, CD_int);

  private static final int RECEIVER = 0;
  private static final int ARGUMENT = 1;

  private final PsoClass of;
  private final Recipe recipe;
  private final CodeBuilder code;
  private final int distance;

  /// What the code refers to as constants: the class data of the class it becomes part of.
  private final List<Object> constants;

  private RecipeCompiler(PsoClass of, Recipe recipe, CodeBuilder code, List<Object> constants) {
    this.of = of;
    this.recipe = recipe;
    this.code = code;
    this.constants = constants;
    this.distance = code.allocateLocal(TypeKind.LONG);
  }

  /// Compiles recipes, which are verified first, to a class file with one static method for each.
  ///
  /// @param of the class whose objects they are for
  /// @param methods their names, in the order of the recipes
  /// @param constants is added what the class must be given as class data when it is defined
  static byte[] compile(
      ClassDesc name,
      PsoClass of,
      List<Recipe> recipes,
      List<String> methods,
      List<Object> constants) {
    recipes.forEach(Recipe::verify);
    return ClassFile.of()
        .build(
            name,
            type -> {
              type.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC);
              for (int index = 0; index < recipes.size(); index++) {
                Recipe recipe = recipes.get(index);
                type.withMethodBody(
                    methods.get(index),
                    recipe.type().describeConstable().orElseThrow(),
                    ClassFile.ACC_STATIC,
                    code -> new RecipeCompiler(of, recipe, code, constants).compile());
              }
            });
  }

  private void compile() {
    if (Lease.CHECKED) {
      code.aload(RECEIVER).invokestatic(PSO, "checkLease", MethodTypeDesc.of(CD_void, PSO));
    }
    code.aload(RECEIVER).getfield(PSO, "bits", CD_long);
    if (Raw.MIX != 0) {
      code.loadConstant(Raw.MIX).lxor();
    }
    code.loadConstant(Raw.BITS_SHIFT).lushr().lstore(distance);
    for (Instruction instruction : recipe.body()) {
      step(instruction);
    }
    TypeKind result = TypeKind.from(recipe.type().returnType());
    if (result == TypeKind.VOID) {
      fence();
      code.return_();
    } else {
      int value = code.allocateLocal(result);
      code.storeLocal(result, value);
      fence();
      code.loadLocal(result, value).return_(result);
    }
  }

  private void fence() {
    code.aload(RECEIVER)
        .invokestatic(
            desc(Reference.class), "reachabilityFence", MethodTypeDesc.of(CD_void, CD_Object));
  }

  private void step(Instruction instruction) {
    switch (instruction) {
      case Instruction.Argument() ->
          code.loadLocal(TypeKind.from(recipe.type().parameterType(1)), ARGUMENT);
      case Instruction.Peek(Primitive primitive, int offset, Ordering ordering) ->
          peek(primitive, offset, ordering);
      case Instruction.Poke(Primitive primitive, int offset, Ordering ordering) ->
          poke(primitive, offset, ordering);
      case Instruction.Recover(int slot) -> recover(slot);
      case Instruction.Assign(int slot, int offset, Ordering ordering) ->
          assign(slot, offset, ordering);
      case Instruction.Decode(EnumCodes codes, PsoClass reader) -> {
        int stored = code.allocateLocal(TypeKind.INT);
        code.istore(stored);
        constant(codes);
        code.iload(stored)
            .loadConstant(classData(CLASS, reader))
            .invokevirtual(CODES, "decode", MethodTypeDesc.of(ENUM, CD_int, CLASS));
      }
      case Instruction.Encode(EnumCodes codes) -> {
        int value = code.allocateLocal(TypeKind.REFERENCE);
        code.astore(value);
        constant(codes);
        code.aload(value).invokevirtual(CODES, "encode", MethodTypeDesc.of(CD_int, ENUM));
      }
      case Instruction.Text(int offset, int capacityBytes) ->
          code.new_(TEXT)
              .dup()
              .aload(RECEIVER)
              .loadConstant(offset)
              .loadConstant(capacityBytes)
              .invokespecial(
                  TEXT, ConstantDescs.INIT_NAME, MethodTypeDesc.of(CD_void, PSO, CD_int, CD_int));
      case Instruction.Array array -> array(array);
      case Instruction.Nested(int index, int offset, int _) ->
          code.aload(RECEIVER)
              .loadConstant(
                  DynamicConstantDesc.ofNamed(
                      IN_PLACE, ConstantDescs.DEFAULT_NAME, TARGET, classData(CLASS, of), index))
              .loadConstant(index)
              .loadConstant(offset)
              .invokestatic(PSO, "nested", MethodTypeDesc.of(PSO, PSO, TARGET, CD_int, CD_int));
      case Instruction.Constant(Primitive _, Object value) -> constant(value);
      case Instruction.Compute(Operator operator, Primitive primitive) ->
          compute(operator, primitive);
      case Instruction.Convert(Primitive from, Primitive to) ->
          code.conversion(TypeKind.from(from.type()), TypeKind.from(to.type()));
      case Instruction.Reverse(Primitive primitive) -> {
        ClassDesc type = desc(primitive.type());
        code.invokestatic(box(primitive), "reverseBytes", MethodTypeDesc.of(type, type));
      }
      case Instruction.Reinterpret(Primitive from, Primitive to) -> reinterpret(from, to);
    }
  }

  private void constant(Object value) {
    switch (value) {
      case Boolean flag -> code.loadConstant(flag ? 1 : 0);
      case Character unit -> code.loadConstant((int) unit);
      case Long number -> code.loadConstant(number);
      case Float number -> code.loadConstant(number);
      case Double number -> code.loadConstant(number);
      case Number number -> code.loadConstant(number.intValue());
      default -> throw new IllegalStateException(value + " was verified");
    }
  }

  private void compute(Operator operator, Primitive primitive) {
    switch (primitive) {
      case INT, BOOLEAN -> computeInts(operator);
      case LONG -> computeLongs(operator);
      case FLOAT -> {
        switch (operator) {
          case ADD -> code.fadd();
          case SUBTRACT -> code.fsub();
          case MULTIPLY -> code.fmul();
          default -> code.fdiv();
        }
      }
      case DOUBLE -> {
        switch (operator) {
          case ADD -> code.dadd();
          case SUBTRACT -> code.dsub();
          case MULTIPLY -> code.dmul();
          default -> code.ddiv();
        }
      }
      case BYTE, SHORT, CHAR -> throw new IllegalStateException(primitive + " was verified");
    }
  }

  private void computeInts(Operator operator) {
    switch (operator) {
      case ADD -> code.iadd();
      case SUBTRACT -> code.isub();
      case MULTIPLY -> code.imul();
      case AND -> code.iand();
      case OR -> code.ior();
      case XOR -> code.ixor();
      case SHL -> code.ishl();
      case SHR -> code.ishr();
      case USHR -> code.iushr();
      case EQ, NE -> {
        int difference = code.allocateLocal(TypeKind.INT);
        code.ixor().istore(difference).iload(difference).iload(difference).ineg().ior();
        code.bipush(31).iushr();
        negateIf(operator == Operator.EQ);
      }
      case DIVIDE -> throw new IllegalStateException(operator + " was verified");
    }
  }

  private void computeLongs(Operator operator) {
    switch (operator) {
      case ADD -> code.ladd();
      case SUBTRACT -> code.lsub();
      case MULTIPLY -> code.lmul();
      case AND -> code.land();
      case OR -> code.lor();
      case XOR -> code.lxor();
      case SHL -> code.lshl();
      case SHR -> code.lshr();
      case USHR -> code.lushr();
      case EQ, NE -> {
        int difference = code.allocateLocal(TypeKind.LONG);
        code.lxor().lstore(difference).lload(difference).lload(difference).lneg().lor();
        code.bipush(63).lushr().l2i();
        negateIf(operator == Operator.EQ);
      }
      case DIVIDE -> throw new IllegalStateException(operator + " was verified");
    }
  }

  /// Two values differ where the sign of `d | -d` is set, `d` being what they differ in: so the
  /// code has no jump, as the recipe has none.
  private void negateIf(boolean equal) {
    if (equal) {
      code.iconst_1().ixor();
    }
  }

  private void reinterpret(Primitive from, Primitive to) {
    String method =
        switch (from) {
          case INT -> "intBitsToFloat";
          case LONG -> "longBitsToDouble";
          case FLOAT -> "floatToRawIntBits";
          default -> "doubleToRawLongBits";
        };
    Primitive owner = to == Primitive.INT || to == Primitive.LONG ? from : to;
    code.invokestatic(box(owner), method, MethodTypeDesc.of(desc(to.type()), desc(from.type())));
  }

  private static ClassDesc box(Primitive primitive) {
    return desc(MethodType.methodType(primitive.type()).wrap().returnType());
  }

  /// Makes a view in the code itself, and by no method that chooses its class: so C2, which inlines
  /// this, sees that most are nowhere but in the caller's hands, and leaves the object out.
  private void array(Instruction.Array array) {
    ClassDesc view = desc(View.of(array.element()));
    code.new_(view)
        .dup()
        .aload(RECEIVER)
        .invokestatic(PSO, "lease", MethodTypeDesc.of(LEASE, PSO))
        .lload(distance)
        .loadConstant(Raw.ORIGIN + array.offset())
        .ladd()
        .loadConstant(array.sizeBytes())
        .invokespecial(
            view, ConstantDescs.INIT_NAME, MethodTypeDesc.of(CD_void, LEASE, CD_long, CD_long));
  }

  private void constant(EnumCodes codes) {
    code.loadConstant(classData(CODES, codes));
  }

  /// An object as a constant of the class, which C2 folds.
  private DynamicConstantDesc<?> classData(ClassDesc type, Object value) {
    // The code may be built twice, when a jump gets too long: the same constant stays at its place.
    if (!constants.contains(value)) {
      constants.add(value);
    }
    return DynamicConstantDesc.ofNamed(
        CLASS_DATA_AT, ConstantDescs.DEFAULT_NAME, type, constants.indexOf(value));
  }

  /// Pushes a slot, which is looked up when the code first comes here.
  private void slot(int index) {
    code.loadConstant(
        DynamicConstantDesc.ofNamed(
            SLOT_CONSTANT, ConstantDescs.DEFAULT_NAME, SLOT, classData(CLASS, of), index));
  }

  private void peek(Primitive primitive, int offset, Ordering ordering) {
    // Pairs with the release of poke, and of Pso.store (jcstress: VolatileFieldTest,
    // VolatileReferenceTest).
    String mode = ordering == Ordering.ACQUIRE ? "getAcquire" : "get";
    target(primitive, offset, ordering != Ordering.PLAIN);
    code.invokevirtual(HANDLE, mode, MethodTypeDesc.of(memoryType(primitive), SEGMENT, CD_long));
    if (primitive == Primitive.BOOLEAN) {
      // What the JVM does with a boolean of its own. More would cost a third of the access.
      code.iconst_1().iand();
    }
  }

  private void poke(Primitive primitive, int offset, Ordering ordering) {
    // Pairs with the acquire of peek (jcstress: VolatileFieldTest).
    String mode = ordering == Ordering.RELEASE ? "setRelease" : "set";
    TypeKind kind = TypeKind.from(primitive.type());
    if (primitive == Primitive.BOOLEAN) {
      // As putfield does: the verifier lets any int pass for a boolean.
      code.iconst_1().iand();
    }
    int value = code.allocateLocal(kind);
    code.storeLocal(kind, value);
    target(primitive, offset, ordering != Ordering.PLAIN);
    code.loadLocal(kind, value)
        .invokevirtual(
            HANDLE, mode, MethodTypeDesc.of(CD_void, SEGMENT, CD_long, memoryType(primitive)));
  }

  /// Pushes the handle and its two coordinates. Ordered accesses are of aligned handles only.
  private void target(Primitive primitive, int offset, boolean ordered) {
    code.getstatic(RAW, handle(primitive, ordered), HANDLE)
        .getstatic(RAW, "GLOBAL", SEGMENT)
        .lload(distance);
    if (ordered) {
      code.loadConstant((long) -Long.BYTES).land();
    }
    code.loadConstant(Raw.ORIGIN + offset).ladd();
  }

  private static String handle(Primitive primitive, boolean ordered) {
    if (primitive.sizeBytes() == 1) {
      return "BYTE";
    }
    return ordered ? primitive.name() : primitive.name() + "_ANY";
  }

  private void recover(int slot) {
    int stored = code.allocateLocal(TypeKind.LONG);
    code.lstore(stored).aload(RECEIVER).lload(stored);
    slot(slot);
    code.invokestatic(PSO, "recover", MethodTypeDesc.of(PSO, PSO, CD_long, SLOT));
  }

  private void assign(int slot, int offset, Ordering ordering) {
    int value = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(value).aload(RECEIVER).aload(value);
    slot(slot);
    code.loadConstant(offset)
        .loadConstant(ordering == Ordering.RELEASE ? 1 : 0)
        .invokestatic(
            PSO, "assign", MethodTypeDesc.of(CD_void, PSO, PSO, SLOT, CD_int, CD_boolean));
  }

  private static ClassDesc memoryType(Primitive primitive) {
    return primitive == Primitive.BOOLEAN ? CD_byte : desc(primitive.type());
  }

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }
}
