package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.host.Python;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArrowCommandTest {
  private static final String TRADES =
      """
      symbol,zip,price,day
      ACME,01234,12.5,2026-11-28
      "B, ""C"" D",99999,-1.0,2026-11-29
      ,00000,,
      """;

  @TempDir Path folder;
  private Shell shell;

  @BeforeEach
  void openShell() {
    shell = new Shell(folder);
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private String run(String line) {
    Shell.Result result = shell.run(line);
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals("", result.err());
    return result.out();
  }

  @Test
  void turnsCsvIntoArrowAndBack() throws Exception {
    write("in.csv", TRADES);
    String said = run("arrow from-csv @/in.csv @/a.arrow");
    assertTrue(said.startsWith("wrote 3 rows, "), said);
    assertEquals(
        List.of("  symbol: string", "  zip: string", "  price: double", "  day: date32[day]"),
        run("arrow info @/a.arrow").lines().skip(1).toList());
    String facts = run("arrow info --json @/a.arrow");
    assertTrue(facts.contains("\"rows\":3,\"batches\":1"), facts);
    assertTrue(facts.contains("{\"name\":\"price\",\"type\":\"double\",\"nullable\":true}"), facts);
    String _ = run("arrow to-csv @/a.arrow @/out.csv");
    assertEquals(TRADES, Files.readString(folder.resolve("out.csv")));

    String _ = run("arrow from-csv --quiet --type zip:int64 @/in.csv @/b.arrow");
    String _ = run("arrow to-csv -t ; --column zip --column price @/b.arrow @/some.csv");
    assertEquals(
        "zip;price\n1234;12.5\n99999;-1.0\n0;\n", Files.readString(folder.resolve("some.csv")));
    String _ = run("arrow from-csv --compress lz4 -t ; @/some.csv @/c.arrow");
    assertTrue(run("arrow info @/c.arrow").contains("compressed by LZ4"));
    String _ = run("arrow to-csv @/c.arrow @/some.csv");
    assertEquals(
        "zip,price\n1234,12.5\n99999,-1.0\n0,\n", Files.readString(folder.resolve("some.csv")));
  }

  @Test
  void isReadByPandasAndPolarsAndDuckDb() throws Exception {
    write("in.csv", TRADES);
    String _ = run("arrow from-csv @/in.csv @/a.arrow");
    write(
        "read.py",
        """
        import sys, duckdb, pandas, polars, pyarrow.ipc
        frame = pandas.read_feather(sys.argv[1])
        print(frame["price"].sum(), list(frame["zip"]), frame["day"][1])
        frame = polars.read_ipc(sys.argv[1])
        print(frame["price"].sum(), frame["symbol"].null_count(), frame["day"].max())
        rows = pyarrow.ipc.open_file(sys.argv[1]).read_all()
        rows.validate(full=True)
        print(*duckdb.sql("SELECT sum(price), count(symbol), max(day) FROM rows").fetchall()[0])
        frame.write_ipc(sys.argv[2], compression="lz4")
        """);
    assertEquals(
        List.of(
            "11.5 ['01234', '99999', '00000'] 2026-11-29",
            "11.5 1 2026-11-29",
            "11.5 2 2026-11-29"),
        Python.with("pyarrow, pandas, polars, duckdb")
            .with(
                folder.resolve("read.py").toString(),
                folder.resolve("a.arrow").toString(),
                folder.resolve("polars.arrow").toString())
            .run()
            .expect(0)
            .lines());
    assertTrue(run("arrow info @/polars.arrow").contains("compressed by LZ4"));
    String _ = run("arrow to-csv @/polars.arrow @/out.csv");
    assertEquals(TRADES, Files.readString(folder.resolve("out.csv")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "USAGE      | arrow                                     | MODE",
        "USAGE      | arrow show @/a.arrow                      | there is no mode 'show'",
        "USAGE      | arrow info @/a.arrow @/b                  | name one Arrow file",
        "USAGE      | arrow from-csv @/in.csv                   | and the file to write",
        "USAGE      | arrow info -t ; @/a.arrow                 | means nothing to 'arrow info'",
        "USAGE      | arrow to-csv --type zip:int64 @/a.arrow   | means nothing to 'arrow to-csv'",
        "USAGE      | arrow from-csv --type zip @/in.csv @/x    | is no column and type",
        "USAGE      | arrow from-csv --type z:bool @/in.csv @/x | there is no column 'z'",
        "USAGE      | arrow from-csv --type z:bool @/wrong.csv @/x | there is no column 'z'",
        "USAGE      | arrow from-csv --compress gz @/in.csv @/x | is no compression",
        "BAD_INPUT  | arrow from-csv @/empty.csv @/x            | empty.csv is empty",
        "USAGE      | arrow from-csv -t ab @/in.csv @/x         | is not one character",
        "USAGE      | arrow from-csv -t \" @/in.csv @/x          | is not possible",
        "USAGE      | arrow from-csv @/in.csv -                 | '-' does not stand for",
        "USAGE      | arrow from-csv @/in.csv @/x/              | names a folder",
        "BAD_OUTPUT | arrow from-csv @/in.csv @/no/x            | cannot write the Arrow file",
        "BAD_OUTPUT | arrow to-csv @/a.arrow @/no/x             | cannot write the CSV",
        "BAD_INPUT  | arrow from-csv @/no @/x                   | does not exist",
        "BAD_INPUT  | arrow info @/no                           | does not exist",
        "BAD_INPUT  | arrow info @/in.csv                       | not Arrow's bytes",
        "BAD_INPUT  | arrow to-csv @/in.csv @/x                 | not Arrow's bytes",
        "BAD_INPUT  | arrow to-csv @/cut.arrow @/x              | was cut off",
        "BAD_INPUT  | arrow to-csv --column no @/a.arrow @/x    | The columns are",
        "BAD_INPUT  | arrow from-csv @/wrong.csv @/x            | has 1 fields, but the file has 2",
        "BAD_INPUT  | arrow from-csv --type price:int64 @/in.csv @/x | in column price",
      })
  void saysWhatIsWrong(ExitCode code, String line, String reason) throws Exception {
    write("in.csv", TRADES);
    write("empty.csv", "");
    write("wrong.csv", "a,b\n1\n");
    String _ = run("arrow from-csv @/in.csv @/a.arrow");
    byte[] whole = Files.readAllBytes(folder.resolve("a.arrow"));
    Files.write(folder.resolve("cut.arrow"), Arrays.copyOf(whole, whole.length - 100));
    Shell.Result result = shell.run(line);
    assertEquals(code, result.code(), result.toString());
    assertTrue(result.err().contains(reason), result.err());
    assertFalse(Files.exists(folder.resolve("x")));
  }

  @Test
  void readsAndWritesPipes() throws Exception {
    write("in.csv", TRADES);
    String _ = Command.of("mkfifo", folder.resolve("pipe").toString()).output();
    Child writer = Command.shell("cat in.csv > pipe").in(folder).start();
    String _ = run("arrow from-csv @/pipe @/a.arrow");
    assertEquals(0, writer.exitCode());
    Child reader =
        OwnProcess.tigris(
            folder, "-Dtigris.test=true", Redirect.PIPE, "arrow", "to-csv", "a.arrow");
    assertEquals(TRADES, reader.outcome().orThrow());
    assertEquals("", Files.readString(folder.resolve("err")));
  }
}
