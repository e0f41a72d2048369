package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Instruction.Argument;
import dev.tigris.memory.Instruction.Array;
import dev.tigris.memory.Instruction.Assign;
import dev.tigris.memory.Instruction.Nested;
import dev.tigris.memory.Instruction.Ordering;
import dev.tigris.memory.Instruction.Peek;
import dev.tigris.memory.Instruction.Poke;
import dev.tigris.memory.Instruction.Recover;
import dev.tigris.memory.Instruction.Text;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.constant.ClassDesc;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecipeTest {
  private static final MethodType GET_INT = MethodType.methodType(int.class, Pso.class);
  private static final MethodType SET_INT = MethodType.methodType(void.class, Pso.class, int.class);
  private static final MethodType GET_PSO = MethodType.methodType(Pso.class, Pso.class);
  private static final MethodType SET_PSO = MethodType.methodType(void.class, Pso.class, Pso.class);

  static final class Sample extends Pso {
    boolean flag;
    byte tiny;
    char unit;
    short small;
    int number;
    float ratio;
    long big;
    double real;
    volatile int ordered;
    Sample next;
    volatile Sample orderedNext;

    Sample(Container container) {
      super(container);
    }
  }

  static final class Labelled extends Pso {
    @Capacity(8)
    Utf8 label;

    @Capacity(3)
    Shorts weights;

    Labelled(Container container) {
      super(container);
    }
  }

  private static Recipe recipe(MethodType type, Instruction... body) {
    return new Recipe("test", type, 16, 1, 0, List.of(body));
  }

  private static void assertRefused(String problem, MethodType type, Instruction... body) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> recipe(type, body).verify());
    assertTrue(e.getMessage().contains(problem), e.getMessage());
    assertThrows(
        IllegalArgumentException.class,
        () ->
            RecipeCompiler.compile(
                ClassDesc.of("dev.tigris.memory.Refused"),
                PsoClass.of(Sample.class),
                List.of(recipe(type, body)),
                List.of("method"),
                new ArrayList<>()));
  }

  private static Peek peek(Primitive primitive, int offset) {
    return new Peek(primitive, offset, Ordering.PLAIN);
  }

  private static Poke poke(Primitive primitive, int offset) {
    return new Poke(primitive, offset, Ordering.PLAIN);
  }

  @Test
  void refusesAccessesOutsideOfTheObject() {
    for (int offset : new int[] {-4, 16, Integer.MAX_VALUE - 3, Integer.MIN_VALUE}) {
      assertRefused("out of bounds", GET_INT, peek(Primitive.INT, offset));
      assertRefused("out of bounds", SET_INT, new Argument(), poke(Primitive.INT, offset));
      assertRefused(
          "out of bounds", SET_PSO, new Argument(), new Assign(0, offset, Ordering.PLAIN));
    }
    recipe(GET_INT, peek(Primitive.INT, 12)).verify();
  }

  @Test
  void refusesUnalignedAccesses() {
    assertRefused("not aligned", GET_INT, peek(Primitive.INT, 2));
    assertRefused("not aligned", SET_PSO, new Argument(), new Assign(0, 4, Ordering.PLAIN));
  }

  @Test
  void refusesValuesOfTheWrongType() {
    assertRefused("takes a int", GET_INT, peek(Primitive.FLOAT, 4));
    assertRefused("takes a int", GET_INT);
    assertRefused("takes a byte", SET_INT, new Argument(), poke(Primitive.BYTE, 4));
    assertRefused("takes a long", GET_PSO, peek(Primitive.DOUBLE, 8), new Recover(0));
    assertRefused("takes a dev.tigris.memory.Pso", GET_PSO, peek(Primitive.LONG, 8));
  }

  @Test
  void refusesValuesThatAreLeftOver() {
    assertRefused("left over", GET_INT, peek(Primitive.INT, 0), peek(Primitive.INT, 4));
    assertRefused("left over", SET_INT, new Argument());
  }

  @Test
  void refusesWhatLiesInPlaceAndNotInTheObject() {
    MethodType getText = MethodType.methodType(Utf8.class, Pso.class);
    assertRefused("out of bounds", getText, new Text(0, 13));
    assertRefused("out of bounds", getText, new Text(-4, 4));
    assertRefused("out of bounds", getText, new Text(8, Integer.MAX_VALUE));
    assertRefused("not aligned", getText, new Text(2, 4));
    assertRefused("has room", getText, new Text(8, -1));
    assertRefused("takes a dev.tigris.memory.Utf8", getText, new Array(Primitive.LONG, 0, 1));
    recipe(getText, new Text(0, 12)).verify();
    MethodType getArray = MethodType.methodType(Longs.class, Pso.class);
    assertRefused("out of bounds", getArray, new Array(Primitive.LONG, 8, 2));
    assertRefused("out of bounds", getArray, new Array(Primitive.LONG, 0, Integer.MAX_VALUE));
    assertRefused("out of bounds", getArray, new Array(Primitive.BYTE, -1, 1));
    assertRefused("not aligned", getArray, new Array(Primitive.INT, 6, 1));
    assertRefused("has a length", getArray, new Array(Primitive.INT, 8, -1));
    assertRefused("no view of booleans", getArray, new Array(Primitive.BOOLEAN, 0, 1));
    assertRefused("takes a dev.tigris.memory.Longs", getArray, new Array(Primitive.INT, 0, 1));
    recipe(getArray, new Array(Primitive.LONG, 0, 2)).verify();
    assertRefused("no object 0 in place", GET_PSO, new Nested(0, 0, 8));
    for (Nested outside :
        List.of(new Nested(0, 16, 8), new Nested(0, 8, 16), new Nested(0, 4, 8))) {
      Recipe recipe = new Recipe("test", GET_PSO, 16, 1, 1, List.of(outside));
      assertThrows(IllegalArgumentException.class, recipe::verify);
    }
    new Recipe("test", GET_PSO, 16, 1, 1, List.of(new Nested(0, 8, 8))).verify();
  }

  @Test
  void refusesSlotsThatTheObjectDoesNotHave() {
    assertRefused("slot 1", GET_PSO, peek(Primitive.LONG, 8), new Recover(1));
    assertRefused("slot -1", SET_PSO, new Argument(), new Assign(-1, 8, Ordering.PLAIN));
  }

  @Test
  void refusesOrderingsThatMeanNothing() {
    assertRefused("cannot release", GET_INT, new Peek(Primitive.INT, 0, Ordering.RELEASE));
    assertRefused(
        "cannot acquire", SET_INT, new Argument(), new Poke(Primitive.INT, 0, Ordering.ACQUIRE));
  }

  @Test
  void refusesOtherSignaturesAndTooLongBodies() {
    assertRefused(
        "receiver", MethodType.methodType(int.class, Object.class), peek(Primitive.INT, 0));
    assertRefused("takes a receiver", MethodType.methodType(int.class), peek(Primitive.INT, 0));
    assertRefused("no argument", GET_INT, new Argument());
    Instruction[] body =
        Collections.nCopies(17, peek(Primitive.INT, 0)).toArray(Instruction[]::new);
    assertRefused("too long", GET_INT, body);
  }

  @Test
  void printsItself() {
    PsoLayout layout = PsoLayout.of(Sample.class);
    assertEquals(
        "ordered.set (Pso,int)void, 56 bytes: argument; poke int @32 release",
        Recipe.set(field("ordered"), layout).toString());
    assertEquals(
        "next.get (Pso)Pso, 56 bytes: peek long @40; recover slot 0",
        Recipe.get(field("next"), layout).toString());
    assertEquals(
        "orderedNext.set (Pso,Pso)void, 56 bytes: argument; assign long @48 release slot 1",
        Recipe.set(field("orderedNext"), layout).toString());
    PsoLayout labelled = PsoLayout.of(Labelled.class);
    assertEquals(
        List.of(
            "label.get (Pso)Utf8, 24 bytes: text[8] @0",
            "weights.get (Pso)Shorts, 24 bytes: array short[3] @12"),
        labelled.fields().stream().map(it -> Recipe.get(it, labelled).toString()).toList());
  }

  private static PsoField field(String name) {
    return PsoLayout.of(Sample.class).fields().stream()
        .filter(field -> field.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void compilesToBodiesThatC1DoesNotInline() {
    List<Recipe> recipes = new ArrayList<>();
    PsoLayout layout = PsoLayout.of(Sample.class);
    for (PsoField field : layout.fields()) {
      recipes.add(Recipe.get(field, layout));
      recipes.add(Recipe.set(field, layout));
    }
    PsoLayout labelled = PsoLayout.of(Labelled.class);
    labelled.fields().forEach(field -> recipes.add(Recipe.get(field, labelled)));
    for (Recipe recipe : recipes) {
      ClassDesc name = ClassDesc.of("dev.tigris.memory.Measured");
      byte[] bytes =
          RecipeCompiler.compile(
              name,
              PsoClass.of(Sample.class),
              List.of(recipe),
              List.of("method"),
              new ArrayList<>());
      MethodModel method = ClassFile.of().parse(bytes).methods().getFirst();
      CodeAttribute code = method.findAttribute(Attributes.code()).orElseThrow();
      int parameters =
          method.methodTypeSymbol().parameterList().stream()
              .mapToInt(type -> TypeKind.from(type).slotSize())
              .sum();
      int words = code.maxStack() + code.maxLocals() - parameters;
      assertTrue(words > RecipeCompiler.C1_INLINES_WORDS, recipe + " " + words);
      boolean touchesMemory =
          recipe.body().stream()
              .anyMatch(it -> it instanceof Instruction.Peek || it instanceof Instruction.Poke);
      assertTrue(
          !touchesMemory
              || words > RecipeCompiler.C1_ALONE_INLINES_WORDS
              || code.codeLength() > RecipeCompiler.C1_INLINES_BYTES,
          recipe + " " + words + " " + code.codeLength());
    }
  }
}
