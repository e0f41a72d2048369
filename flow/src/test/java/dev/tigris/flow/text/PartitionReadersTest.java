package dev.tigris.flow.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.flow.Flow;
import dev.tigris.testing.host.Python;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Other programs read the values of partitions out of the names of their folders.
class PartitionReadersTest {
  private static final List<String> ROWS =
      List.of(
          "(1, 'DE', 'x')",
          "(2, 'FR', 'a,\"b\"')",
          "(3, 'DE', 'two\\nlines')",
          "(4, None, 'y')",
          "(5, 'a/b=c% :d', 'z')",
          "(6, 'é', 'ü')");

  @TempDir Path folder;
  private Path out;

  @BeforeEach
  void write() throws Exception {
    Path in =
        Files.writeString(
            folder.resolve("in"),
            "id,country,note\n1,DE,x\n2,FR,\"a,\"\"b\"\"\"\n3,DE,\"two\nlines\"\n"
                + "4,,y\n5,a/b=c% :d,z\n6,é,ü\n");
    out = folder.resolve("out");
    Flow.named("write")
        .stage("pass", () -> (water, to) -> to.put(water), 2)
        .feed("pass", Csv.reading(in))
        .drain("pass", Csv.writingPartitions(out, "country"))
        .build()
        .start()
        .await();
  }

  private List<String> read(String packages, String program) throws Exception {
    Path script = Files.writeString(folder.resolve("read.py"), program);
    return Python.with(packages).with(script.toString(), out.toString()).run().expect(0).lines();
  }

  @Test
  void duckDbAndPyArrowRead() throws Exception {
    String program =
        """
        import sys
        import duckdb
        import pyarrow.csv as csv
        import pyarrow.dataset as dataset
        query = "SELECT id, country, note FROM read_csv('%s/*/*.csv', hive_partitioning=true)"
        by_duckdb = duckdb.sql(query % sys.argv[1]).fetchall()
        options = csv.ParseOptions(newlines_in_values=True)
        table = dataset.dataset(
            sys.argv[1],
            format=dataset.CsvFileFormat(parse_options=options),
            partitioning=dataset.HivePartitioning.discover(),
        ).to_table()
        by_arrow = [(r["id"], r["country"], r["note"]) for r in table.to_pylist()]
        assert sorted(by_duckdb) == sorted(by_arrow), (by_duckdb, by_arrow)
        for row in sorted(by_duckdb):
            print(row)
        """;
    assertEquals(ROWS, read("duckdb, pyarrow", program));
  }
}
