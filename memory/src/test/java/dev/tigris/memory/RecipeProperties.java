package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.memory.raw.Raw;
import java.lang.constant.ClassDesc;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/// The compiler does what the interpreter does, on any layout and any values.
class RecipeProperties {
  /// Room for the fields of any layout that is tried.
  static class Room extends Pso {
    static final int BYTES = 512;
    long first;
    Room reference;

    Room(Container container) {
      super(container);
      container.allocate(BYTES);
    }
  }

  private final Container container = Jbuf.allocate(1 << 16).asContainer();

  private byte[] bytes(Room room) {
    return Raw.range(container.address + room.offset(), Room.BYTES).toArray(ValueLayout.JAVA_BYTE);
  }

  /// Fields of the given types, laid out as a class of them would be, a reference and an enum.
  private static List<PsoField> fields(List<Primitive> types, Random random) {
    List<PsoField> fields = new ArrayList<>(PsoLayout.of(Room.class).references());
    int offset = 0;
    for (Primitive type : types) {
      offset = (offset + type.sizeBytes() - 1) & -type.sizeBytes();
      FieldKind kind = new FieldKind.Value(type);
      fields.add(new PsoField(Room.class, "f" + offset, kind, offset, random.nextBoolean()));
      offset += type.sizeBytes();
    }
    FieldKind constant = new FieldKind.Constant(Primitive.class);
    fields.add(
        new PsoField(Room.class, "constant", constant, (offset + 3) & -4, random.nextBoolean()));
    return fields;
  }

  private Object value(FieldKind kind, Room room, Random random) {
    return switch (kind) {
      case FieldKind.Reference _ -> room;
      case FieldKind.Constant(Class<? extends Enum<?>> type) ->
          type.getEnumConstants()[random.nextInt(type.getEnumConstants().length)];
      case FieldKind.Text _, FieldKind.Array _, FieldKind.Nested _ ->
          throw new AssertionError("nothing can be assigned to " + kind);
      case FieldKind.Value(Primitive primitive) ->
          switch (primitive) {
            case BOOLEAN -> random.nextBoolean();
            case BYTE -> (byte) random.nextInt();
            case SHORT -> (short) random.nextInt();
            case CHAR -> (char) random.nextInt();
            case INT -> random.nextInt();
            case LONG -> random.nextLong();
            case FLOAT -> Float.intBitsToFloat(random.nextInt());
            case DOUBLE -> Double.longBitsToDouble(random.nextLong());
          };
    };
  }

  private static MethodHandle compile(Recipe recipe) throws Exception {
    List<Object> constants = new ArrayList<>();
    byte[] classFile =
        RecipeCompiler.compile(
            ClassDesc.of("dev.tigris.memory.Compiled"),
            PsoClass.of(Room.class),
            List.of(recipe),
            List.of("run"),
            constants);
    Lookup hidden =
        MethodHandles.lookup().defineHiddenClassWithClassData(classFile, constants, true);
    return hidden.findStatic(hidden.lookupClass(), "run", recipe.type());
  }

  @Property(tries = 60)
  void compiledAndInterpretedWritesLeaveTheSameBytesAndReadTheSameValues(
      @ForAll @Size(max = 12) List<Primitive> types, @ForAll long seed) throws Throwable {
    container.clear();
    Random random = new Random(seed);
    Room compiled = new Room(container);
    Room interpreted = new Room(container);
    PsoLayout layout = PsoLayout.of(Room.class);
    for (PsoField field : fields(types, random)) {
      Recipe get = inRoom(Recipe.get(field, layout));
      Recipe set = inRoom(Recipe.set(field, layout));
      Object value = value(field.kind(), compiled, random);
      compile(set).invoke(compiled, value);
      RecipeInterpreter.run(set, interpreted, value);
      assertArrayEquals(bytes(interpreted), bytes(compiled));
      assertEquals(value, RecipeInterpreter.run(get, compiled, null));
      assertEquals(value, compile(get).invoke(interpreted));
    }
  }

  private static Recipe inRoom(Recipe recipe) {
    return new Recipe(recipe.name(), recipe.type(), Room.BYTES, 1, 0, recipe.body());
  }
}
