package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Instruction.Operator;
import dev.tigris.memory.Instruction.Ordering;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecipeTextTest {
  private static List<Instruction> allThatCanBeWritten() {
    List<Instruction> all = new ArrayList<>(List.of(new Instruction.Argument()));
    for (Primitive primitive : Primitive.values()) {
      all.add(new Instruction.Peek(primitive, 8, Ordering.ACQUIRE));
      all.add(new Instruction.Peek(primitive, 0, Ordering.PLAIN));
      all.add(new Instruction.Poke(primitive, 8, Ordering.RELEASE));
      all.add(new Instruction.Poke(primitive, -8, Ordering.PLAIN));
      all.add(new Instruction.Reverse(primitive));
      for (Primitive other : Primitive.values()) {
        all.add(new Instruction.Convert(primitive, other));
        all.add(new Instruction.Reinterpret(primitive, other));
      }
      for (Operator operator : Operator.values()) {
        all.add(new Instruction.Compute(operator, primitive));
      }
    }
    all.add(new Instruction.Constant(Primitive.BOOLEAN, true));
    all.add(new Instruction.Constant(Primitive.BYTE, (byte) -1));
    all.add(new Instruction.Constant(Primitive.SHORT, Short.MIN_VALUE));
    all.add(new Instruction.Constant(Primitive.CHAR, ';'));
    all.add(new Instruction.Constant(Primitive.INT, Integer.MIN_VALUE));
    all.add(new Instruction.Constant(Primitive.LONG, Long.MAX_VALUE));
    all.add(new Instruction.Constant(Primitive.FLOAT, -0.0f));
    all.add(new Instruction.Constant(Primitive.DOUBLE, Double.MIN_VALUE));
    return all;
  }

  @Test
  void readsWhatInstructionsPrint() {
    for (Instruction instruction : allThatCanBeWritten()) {
      assertEquals(List.of(instruction), RecipeText.parse(instruction.toString()));
    }
    List<Instruction> several = allThatCanBeWritten().subList(0, Recipe.MAX_INSTRUCTIONS);
    String text = several.stream().map(Object::toString).collect(Collectors.joining("; "));
    assertEquals(several, RecipeText.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "argument ",
        "argument 1",
        "peek int",
        "peek int 8",
        "peek int @",
        "peek int @8L",
        "peek int @99999999999",
        "peek int @8 release",
        "poke int @8 acquire",
        "peek int @8 acquire acquire",
        "peek java.lang.Object @8",
        "constant int",
        "constant int 1.5",
        "constant char 65536",
        "constant char -1",
        "constant boolean 1",
        "convert int",
        "reverse",
        "reinterpret int float double",
        "add",
        "ADD int",
        "add int int",
        "recover slot 0",
        "assign long @8 slot 0",
        "decode java.lang.Thread$State",
        "nested 0",
        "text[12] @28",
        "array int[3] @44",
        "argument;argument",
        "argument; ; argument",
      })
  void refusesWhatIsNone(String text) {
    assertThrows(IllegalArgumentException.class, () -> RecipeText.parse(text));
  }

  @Test
  void readsNoMoreOfALongRecipeThanItTakesToRefuseIt() {
    List<Instruction> body = RecipeText.parse("argument; ".repeat(100_000) + "argument");
    assertTrue(body.size() <= Recipe.MAX_INSTRUCTIONS + 1);
    assertTrue(body.size() > Recipe.MAX_INSTRUCTIONS);
  }
}
