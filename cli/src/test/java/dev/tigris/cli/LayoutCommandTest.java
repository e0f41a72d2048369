package dev.tigris.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cli.Shell.Result;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `tigris layout` for classes as a user's compiler leaves them: not specialized, and with
/// initializers that must not run.
class LayoutCommandTest {
  private static final String SOURCE =
      """
      package app;
      import dev.tigris.memory.*;

      public class Trade extends Pso {
        static { if (true) throw new AssertionError("initialized"); }
        public byte tag;
        public long id;
        public volatile int version;
        public Side side;
        @Capacity(6) public Utf8 symbol;
        @InPlace public Inner inner;
        public Trade next;
        public PsoList<Other> others;
        public Trade(Container container) { super(container); }

        public static class Inner extends Pso {
          public double größe;
          public Inner(Container container) { super(container); }
        }

        public static class Other extends Pso {
          public char c;
          public Other(Container container) { super(container); }
        }

        public enum Side {
          BUY, SELL;
          static { if (true) throw new AssertionError("initialized"); }
        }
      }

      class Bad extends Pso {
        Object anything;
        Bad(Container container) { super(container); }
      }

      class Nothing {}

      class Derived extends Base {
        Derived(Container container) { super(container); }
      }

      class Base extends Pso {
        Base(Container container) { super(container); }
      }

      class Awkward {
        static class Parent extends Pso {
          byte kind;
          Parent(Container container) { super(container); }
        }

        static class Child extends Parent {
          short kind;
          int text_length;
          @Capacity(3) Utf8 text;
          int INT32_MAX, uint8_t, char8_t, __LINE__, _Bool;
          Farbe farbe;
          Child(Container container) { super(container); }
        }

        enum Farbe { GRÜN }
      }
      """;

  private static Path folder;
  private Shell shell;

  @BeforeEach
  void compile(@TempDir Path temporary) throws IOException {
    folder = temporary;
    shell = new Shell(folder);
    Path source = Files.writeString(folder.resolve("Trade.java"), SOURCE);
    String memory = Shell.location(dev.tigris.memory.Pso.class);
    var errors = new StringWriter();
    var out = new PrintWriter(errors);
    String[] arguments = {
      "-encoding", "UTF-8", "-d", folder + "/classes", "-cp", memory, source.toString()
    };
    assertEquals(
        0,
        ToolProvider.findFirst("javac").orElseThrow().run(out, out, arguments),
        errors::toString);
  }

  @Test
  void showsATableWithoutRunningAnythingOfTheClass() {
    Result result = shell.run("layout app.Trade --classpath @/classes");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertTrue(
        result.out().contains("app.Trade, 64 bytes\n       0  byte tag\n       8  long id"),
        result.out());
    assertTrue(result.out().contains("volatile version"), result.out());
    assertTrue(result.out().contains("app.Trade$Other, 8 bytes"), "what it refers to is added");
  }

  @Test
  void printsAHeaderWithWhatLiesInAnObjectFirst() {
    String header = shell.run("layout app.Trade --c -cp @/classes").out();
    assertTrue(header.contains("  app_Trade_Side_SELL = 2541394,\n"), header);
    assertTrue(header.contains("  uint8_t padding1[7];\n"), header);
    assertTrue(
        header.contains("  uint32_t symbol_length;\n  char symbol[6]; /* UTF-8 */\n"), header);
    assertTrue(header.contains("  double gru00f6u00dfe;\n"), header);
    assertTrue(
        header.contains("static_assert(sizeof(app_Trade) == 64, \"size of app_Trade\");"), header);
    assertTrue(header.contains("#define app_Trade_TABLE_FINGERPRINT UINT64_C(0x"), header);
    assertTrue(header.contains("} tigris_table;"), "any container's root may be one");
    assertTrue(header.indexOf("} app_Trade_Inner;") < header.indexOf("} app_Trade;"), header);
    assertTrue(header.contains("offset of a tigris_list of app_Trade_Other"), header);
  }

  /// The class around it is not loaded, and by then no class is.
  @Test
  void printsNamesThatAreFreeInC() {
    Result result = shell.run("layout app.Awkward.Child --c -cp @/classes");
    assertEquals(ExitCode.OK, result.code(), result.err());
    for (String member :
        List.of(
            "int8_t kind;",
            "int16_t kind_Child;",
            "int32_t text_length;",
            "uint32_t text__length;",
            "char text_[3];",
            "int32_t INT32_MAX_;",
            "int32_t uint8_t_;",
            "int32_t char8_t_;",
            "int32_t __LINE___;",
            "int32_t _Bool_;")) {
      assertTrue(result.out().contains("  " + member), member + " in " + result.out());
    }
    assertTrue(result.out().contains("\n  app_Awkward_Farbe_GRu00dcN = "), result.out());
    result = shell.run("layout app.Awkward.Child --numpy -cp @/classes");
    assertTrue(result.out().contains("\"kind_Child\""), result.toString());
    assertTrue(result.out().contains("    \"GRÜN\": "), "a name in quotes is what it is");
  }

  @Test
  void printsDtypesWithExplicitOffsets() {
    String module = shell.run("layout app.Trade --numpy -p @/classes").out();
    assertTrue(module.contains("app_Trade = numpy.dtype({"), module);
    assertTrue(module.contains("\"itemsize\": 64,"), module);
    assertTrue(module.contains("app_Trade_Side = {\n    \"BUY\": 66150,"), module);
  }

  @Test
  void printsOneJsonObject() {
    Result result = shell.run("layout app.Trade --json -cp @/classes");
    assertEquals(1, result.out().lines().count());
    assertTrue(result.out().startsWith("{\"command\":\"layout\",\"status\":\"ok\","), result.out());
    assertTrue(
        result
            .out()
            .contains(
                "{\"name\":\"symbol\",\"declaredBy\":\"app.Trade\",\"offset\":24,\"bytes\":10,"
                    + "\"volatile\":false,\"kind\":\"text\",\"capacity\":6}"),
        result.out());
    assertTrue(
        result.out().matches("(?s).*\"app.Trade\":\\{\"object\":\"[0-9a-f]{16}\",\"list\":.*"),
        result.out());
    assertTrue(result.out().contains("\"app.Trade$Side\":{\"BUY\":66150,"), result.out());
  }

  @Test
  void findsNestedClassesByTheirNameInTheSource() {
    Result result = shell.run("layout app.Trade.Inner -cp @/classes");
    assertTrue(result.out().startsWith("app.Trade$Inner, 8 bytes"), result.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          layout app.Gone -cp @/classes             | 3 | give its full name
          layout Trade -cp @/classes/app            | 3 | --classpath
          layout app.Trade -cp @/Trade.java         | 3 | is not a folder, and cannot be opened as a jar
          layout app.Trade -cp @/nowhere            | 3 | compile them, or name their place
          layout app.Nothing -cp @/classes          | 3 | is not a subclass of dev.tigris.memory.Pso
          layout app.Bad -cp @/classes              | 3 | mark the field @HeapOnly
          layout dev.tigris.memory.Pso -cp @/classes | 3 | is not a subclass
          layout dev.tigris.memory.PsoList -cp @/classes | 3 | name a class of your own
          layout app.Trade --c --numpy              | 2 | tigris: --c, --numpy are mutually exclusive
          layout app.Trade -cp :                    | 2 | is empty: name folders or jars
          layout                                    | 2 | CLASS
          """)
  void saysWhatToDo(String line, int exitCode, String part) {
    Result result = shell.run(line);
    assertEquals(exitCode, result.code().number(), result.toString());
    assertTrue(result.err().contains(part), result.err());
    assertFalse(result.err().contains("\tat "), result.err());
  }

  @Test
  void namesTheClassThatAClassNeeds() throws IOException {
    Files.delete(folder.resolve("classes/app/Base.class"));
    Result result = shell.run("layout app.Derived -cp @/classes");
    assertEquals(ExitCode.BAD_INPUT, result.code(), result.toString());
    assertTrue(result.err().contains("app/Base"), result.err());
    assertTrue(result.err().contains("everything that it is made of"), result.err());
  }

  /// As Kotlin has them, in backticks.
  @Test
  void saysThatANameCannotStandInASchema() throws IOException {
    Path file = folder.resolve("classes/app/Trade.class");
    String trade = new String(Files.readAllBytes(file), ISO_8859_1);
    Files.write(file, trade.replace("version", "ver ion").getBytes(ISO_8859_1));
    Result result = shell.run("layout app.Trade -cp @/classes");
    assertEquals(ExitCode.BAD_INPUT, result.code(), result.toString());
    assertTrue(result.err().contains("a schema cannot have the name 'ver ion'"), result.err());
  }

  @Test
  void tellsADamagedClassFromOneOfANewerJdk() throws IOException {
    Path file = folder.resolve("classes/app/Trade.class");
    byte[] whole = Files.readAllBytes(file);
    byte[] newer = whole.clone();
    newer[7] = 99;
    Files.write(file, newer);
    Result result = shell.run("layout app.Trade -cp @/classes");
    assertEquals(ExitCode.BAD_INPUT, result.code(), result.toString());
    assertTrue(result.err().contains("compile it with --release"), result.err());
    Files.write(file, Arrays.copyOf(whole, whole.length / 2));
    result = shell.run("layout app.Trade -cp @/classes");
    assertEquals(ExitCode.BAD_INPUT, result.code(), result.toString());
    assertTrue(result.err().contains("is damaged"), result.err());
  }
}
