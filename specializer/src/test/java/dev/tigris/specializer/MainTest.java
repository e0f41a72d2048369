package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.process.Jars;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The command line of the specializer's jar. DeliveryTest of `memory` runs the jar.
class MainTest {
  private static final String USER =
      "package app; public class User { long use(Trade trade) { return trade.id; } }";

  @TempDir private Path temporary;
  private Path classes;
  private String out = "";
  private String err = "";

  /// Classes without those of `memory` beside them.
  @BeforeEach
  void compile() throws IOException {
    Path all = Files.createDirectories(temporary.resolve("all"));
    new Javac(all).compile(Workshop.TRADE, USER);
    classes = Files.createDirectories(temporary.resolve("classes/app"));
    try (Stream<Path> files = Files.list(all.resolve("app"))) {
      for (Path file : files.toList()) {
        Files.copy(file, classes.resolve(file.getFileName()));
      }
    }
    classes = classes.getParent();
  }

  private int run(String line) {
    var printed = new ByteArrayOutputStream();
    var complained = new ByteArrayOutputStream();
    int code =
        Main.run(
            line.isEmpty() ? List.of() : List.of(line.replace("@", temporary + "/").split(" ", -1)),
            new PrintStream(printed, true, StandardCharsets.UTF_8),
            new PrintStream(complained, true, StandardCharsets.UTF_8));
    out = printed.toString(StandardCharsets.UTF_8);
    err = complained.toString(StandardCharsets.UTF_8);
    return code;
  }

  @Test
  void specializesClassesThatNobodyHasPutTheJarOfMemoryBeside() throws IOException {
    assertEquals(Main.FAILED, run("--check @classes"));
    assertTrue(err.contains("app.Trade.*(Trade.java): the class was not specialized"), err);
    assertEquals(Main.OK, run("@classes --report @report"), () -> err);
    assertEquals("", err);
    assertTrue(out.contains("classes: "), out);
    assertTrue(Files.readString(temporary.resolve("report")).contains("app.Trade"));
    assertEquals(Main.OK, run("--check @classes"), () -> err);
    byte[] user = Files.readAllBytes(classes.resolve("app/User.class"));
    assertEquals(List.of("get(Trade)long id"), Workshop.accesses(user, "use"));
  }

  @Test
  void findsWhatTheClassesWereCompiledWithInAFolderOfJars() throws IOException {
    Path lib = Files.createDirectory(temporary.resolve("lib"));
    Path trade = classes.resolve("app/Trade.class");
    Jars.pack(temporary.resolve("all"), lib.resolve("all.jar"), new Attributes());
    Files.delete(trade);
    assertEquals(Main.OK, run("@classes/app/User.class -cp @gone:@lib/*"), () -> err);
    byte[] user = Files.readAllBytes(classes.resolve("app/User.class"));
    assertEquals(List.of("get(Trade)long id"), Workshop.accesses(user, "use"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                            | 2 | name class files",
        "@classes --fast               | 2 | there is no option --fast",
        "@classes -cp                  | 2 | -cp has no value",
        "@classes --trust a.module     | 2 | add it",
        "@classes --sign key           | 2 | only a patch is signed",
        "@classes --patch round        | 2 | say flat or diff",
        "@classes --check --patch flat | 2 | remove --patch",
        "@gone                         | 3 | there is no",
        "@classes --rules @gone        | 3 | there is no",
        "@classes --report @gone/file  | 4 | cannot write the report",
      })
  void saysWhatIsWrong(String line, int code, String message) {
    assertEquals(code, run(line), () -> out + err);
    assertTrue(err.contains(message), err);
  }

  @Test
  void printsItsOptions() {
    assertEquals(Main.OK, run("--help"));
    assertTrue(out.contains("--class-path PATH"), out);
  }
}
