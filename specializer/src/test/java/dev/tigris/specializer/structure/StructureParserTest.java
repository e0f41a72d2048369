package dev.tigris.specializer.structure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StructureParserTest {
  private static String recipe(String method) throws RuleException {
    String text = "structure app.Sample of 16 bytes {\n  " + method + "\n}\n";
    List<Structure> structures = StructureParser.parse("sample.rules", text);
    return structures.getFirst().methods().getFirst().recipe();
  }

  private static String refusal(String text) {
    return assertThrows(RuleException.class, () -> StructureParser.parse("sample.rules", text))
        .getMessage();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '`',
      ignoreLeadingAndTrailingWhitespace = true,
      textBlock =
          """
          int f() = int @8;          -> peek int @8
          int f() = acquire int @8;  -> peek int @8 acquire
          int f() = byte @1;         -> peek byte @1; convert byte int
          char f() = big char @2;    -> peek char @2; reverse char
          float f() = big float @4;  -> peek int @4; reverse int; reinterpret int float
          int f() = byte @0 >> 4 & 0xf -> peek byte @0; convert byte int; constant int 4; shr int; constant int 15; and int
          long f() = int @4 * 3L     -> peek int @4; convert int long; constant long 3; multiply long
          double f() = short @2 / 1e2 -> peek short @2; convert short double; constant double 100.0; divide double
          boolean f() = (char @6 & 0x4000) != 0 -> peek char @6; convert char int; constant int 16384; and int; constant int 0; ne int
          boolean f() = !boolean @3  -> peek boolean @3; constant boolean true; xor boolean
          int f() = ~int @0          -> peek int @0; constant int -1; xor int
          double f() = 1_0__0.2_5e1_0 -> constant double 1.0025E12
          double f() = 0.00e-400     -> constant double 0.0
          float f() = -float @0      -> constant float -0.0; peek float @0; subtract float
          byte f() = -128            -> constant byte -128
          int f() = -2_147_483_648   -> constant int -2147483648
          int f() = 0xffff_ffff      -> constant int -1
          long f() = int @0 << 2L    -> peek int @0; constant long 2; convert long int; shl int; convert int long
          int f(int x) = x - 1 - 2   -> argument; constant int 1; subtract int; constant int 2; subtract int
          int f(int x) = x | 1 ^ 2 & 3 -> argument; constant int 1; constant int 2; constant int 3; and int; xor int; or int
          short f(double x) = (short) x -> argument; convert double short
          void f(int x) { int @0 = x; release int @4 = 1; } -> argument; poke int @0; constant int 1; poke int @4 release
          void f(double x) { release big double @8 = x; } -> argument; reinterpret double long; reverse long; poke long @8 release
          void f() { byte @0 = 0; }  -> constant byte 0; poke byte @0
          """)
  void compilesToTheInstructionsOfARecipe(String method, String recipe) throws RuleException {
    assertEquals(recipe, recipe(method.matches(".*[;}]") ? method : method + ";"));
  }

  @Test
  void readsStructuresOfAnyClasses() throws RuleException {
    List<Structure> structures =
        StructureParser.parse(
            "two.rules",
            """
            // One of a package and one of none.
            structure app.Outer$Inner of 8 bytes {
              int release() = int @0;   void release(int big1) { int @0 = big1; }
            }
            structure Plain of 1 bytes { }
            """);
    assertEquals("Lapp/Outer$Inner;", structures.getFirst().type().descriptorString());
    assertEquals(2, structures.getFirst().methods().size());
    assertEquals("(int)void", structures.getFirst().methods().get(1).type().displayDescriptor());
    assertEquals(1, structures.get(1).sizeBytes());
  }

  @Test
  void showsTheLineAndWhatInItIsWrong() {
    assertEquals(
        """
        sample.rules:2:26: int @18 is not aligned: 18 is no multiple of 4
          \tint source() = big int @18; // there
          \t                        ^"""
            .replace("  \t", "  \t"),
        refusal("structure A of 24 bytes {\n\tint source() = big int @18; // there\n}"));
  }

  /// Every way to be wrong, with the line and column that are named, and what is said.
  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '`',
      ignoreLeadingAndTrailingWhitespace = true,
      textBlock =
          """
          int f() = int @16;                 -> 2:18 -> reaches out of the structure's 16 bytes
          int f() = long @9;                 -> 2:19 -> reaches out
          int f() = int @2147483647;         -> 2:18 -> reaches out
          int f() = int @2147483648;         -> 2:18 -> too large
          int f() = int @-4;                 -> 2:18 -> an offset is expected
          int f() = int @x;                  -> 2:18 -> an offset is expected
          int f(int x) = int @(x);           -> 2:23 -> an offset is expected
          int f() = int @4L;                 -> 2:18 -> an offset is expected
          int f() = short @3;                -> 2:20 -> no multiple of 2
          int f() = long @8;                 -> 2:13 -> unless you cast it: (int) (...)
          int f() = 1.5;                     -> 2:13 -> is not converted to type int
          boolean f() = 1;                   -> 2:17 -> is not converted to type boolean
          byte f() = 128;                    -> 2:14 -> (byte) (...)
          int f() = true + 1;                -> 2:18 -> the operation boolean + int
          int f() = 1.5 << 2;                -> 2:17 -> the operation double << int
          int f() = 1.5f & 2;                -> 2:18 -> the operation float & int
          boolean f() = 1.5 == 2;            -> 2:21 -> the operation double == int
          int f() = int @0 & 4 != 0;         -> 2:20 -> the operation int & boolean
          int f() = int @0 / 2;              -> 2:20 -> cannot divide whole numbers
          int f() = !int @0;                 -> 2:13 -> ! is of a boolean
          int f() = ~1.5;                    -> 2:13 -> '~' cannot be applied to a double
          int f() = -true;                   -> 2:13 -> '-' cannot be applied to a boolean
          int f() = (int) true;              -> 2:13 -> a boolean cannot be cast to int
          int f() = x;                       -> 2:13 -> the method has no parameter
          int f(int x) = y;                  -> 2:18 -> the method has the parameter x
          int f(int x, int y) = x;           -> 2:14 -> one parameter at most
          int f(Object x) = 1;               -> 2:9 -> not 'Object'
          int f(int big) = 1;                -> 2:13 -> begins a place
          Object f() = 1;                    -> 2:3 -> a primitive type or void
          int f() = release int @0;          -> 2:13 -> a read cannot 'release'
          void f() { acquire int @0 = 1; }   -> 2:14 -> a write cannot 'acquire'
          int f() = big byte @0;             -> 2:13 -> neither big-endian nor
          int f() = big Object @0;           -> 2:17 -> the type of the value
          int f() = 12x4;                    -> 2:13 -> is not a number
          int f() = 017;                     -> 2:13 -> is not a number
          int f() = 0b2;                     -> 2:13 -> is not a number
          double f() = 1e999;                -> 2:16 -> too large
          int f() = 99999999999;             -> 2:13 -> too large
          double f() = 0.1e-400;             -> 2:16 -> too small
          float f() = 1e-50f;                -> 2:15 -> too small
          double f() = 1_.5;                 -> 2:16 -> is not a number
          double f() = 1._5;                 -> 2:16 -> is not a number
          double f() = 1.5_f;                -> 2:16 -> is not a number
          int f() = 1٣;                      -> 2:13 -> is not a number
          int f() = 0xＡ;                     -> 2:13 -> is not a number
          int f() = int @0                   -> 3:1 -> ';' is expected here, not '}'
          int f() { int @0 = 1; }            -> 2:11 -> '=' is expected
          void f() = 1;                      -> 2:12 -> '{' is expected
          void f() { }                       -> 2:14 -> a place is expected
          void f() { x = 1; }                -> 2:14 -> a place is expected
          int f() = ;                        -> 2:13 -> a value is expected here, not ';'
          int f() = g();                     -> 2:13 -> unknown name 'g'
          int f() = while;                   -> 2:13 -> unknown name 'while'
          int f() = int @0 # 1;              -> 2:20 -> '#' means nothing
          int f() = 1; int f() = 2;          -> 2:16 -> the method f()int is declared above
          int f(int x) = x+x+x+x+x+x+x+x+x+x; -> 2:18 -> more than the 16 instructions
          void f(int x) { int @0=x+x+x; int @0=x+x+x; int @0=x+x+x; } -> 2:8 -> takes 18 instructions
          int true() = 1;                    -> 2:7 -> the name of a method
          """)
  void saysWhereAndWhatIsWrong(String method, String place, String problem) {
    String message = refusal("structure A of 16 bytes {\n  " + method + "\n}");
    assertTrue(message.startsWith("sample.rules:" + place + ": "), message);
    assertTrue(message.contains(problem), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '`',
      ignoreLeadingAndTrailingWhitespace = true,
      textBlock =
          """
          struct A                                    -> 1:1 -> 'structure' is expected here
          structure of 16 bytes { }                   -> 1:14 -> 'of' is expected
          structure A. of 16 bytes { }                -> 1:17 -> 'of' is expected
          structure A of 0 bytes { }                  -> 1:16 -> from 1 to 1048576 bytes
          structure A of 1048577 bytes { }            -> 1:16 -> from 1 to 1048576 bytes
          structure A of many bytes { }               -> 1:16 -> a size is expected
          structure A of 8 bytes { } structure A of 8 bytes { } -> 1:38 -> above already
          structure A of 8 bytes { int f() = 1;       -> 1:38 -> not the end of the file
          structure A of 8 bytes                      -> 1:23 -> '{' is expected
          structure int of 8 bytes { }                -> 1:11 -> the name of a class
          // nothing                                  -> 1:11 -> the file has no structure
          """)
  void refusesFilesThatAreNone(String text, String place, String problem) {
    String message = refusal(text);
    assertTrue(message.startsWith("sample.rules:" + place + ": "), message);
    assertTrue(message.contains(problem), message);
  }

  @Test
  void showsNothingThatATerminalWouldObey() {
    String message = refusal("structure A of 8 bytes { int f() = \u001b[2J; // \u202e\tz\u009b");
    assertEquals(
        """
        sample.rules:1:36: '?' means nothing in a rule
          structure A of 8 bytes { int f() = ?[2J; // ?\tz?
                                             ^""",
        message);
  }

  @Test
  void showsTheBeginningOfALongWord() {
    String message = refusal("structure A of 8 bytes { int f() = " + "x".repeat(100_000) + "; }");
    assertTrue(message.startsWith("sample.rules:1:36: unknown name 'xxxx"), message);
    assertTrue(message.length() < 300, message);
  }

  @Test
  void refusesDeepAndLongExpressionsInLittleTime() {
    for (String nest : List.of("(", "~", "- ", "(int) ", "!(")) {
      assertTrue(
          refusal("structure A of 8 bytes { int f() = " + nest.repeat(100_000))
              .contains("nested too deeply"));
    }
    String sum = "structure A of 8 bytes { int f() = 1" + " + 1".repeat(100_000) + "; }";
    assertTrue(refusal(sum).contains("more than the 16 instructions"));
  }
}
