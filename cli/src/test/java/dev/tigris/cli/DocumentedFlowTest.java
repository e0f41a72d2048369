package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.flow.Flow;
import dev.tigris.testing.process.Jvm;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs the programs that stand in docs/flow.md, from its source, and in docs/cluster.md, by
/// `tigris run`.
class DocumentedFlowTest {
  @TempDir private Path folder;

  @Test
  void theDocumentedProgramCountsEveryRecord() throws Exception {
    Path source = Document.of("docs/flow.md").writeFiles(folder).getFirst();
    // Not a multiple of what it reads at a time, and every value equally often.
    byte[] records = new byte[256 * 10 * 100];
    IntStream.range(0, 2560).forEach(record -> records[record * 100] = (byte) record);
    Path input = Files.write(folder.resolve("records"), records);

    String classPath = Shell.location(Flow.class) + File.pathSeparator + Shell.memoryPath();
    String printed =
        Jvm.onClassPath(source.toString(), classPath).command(input.toString()).output();
    List<String> expected = IntStream.range(0, 256).mapToObj(value -> value + " 10").toList();
    assertEquals(expected, printed.lines().toList());
  }

  @Test
  void theDocumentedProgramOfACluster() throws Exception {
    Path source = Document.of("docs/cluster.md").writeFiles(folder).getFirst();
    Path classes = folder.resolve("classes");
    SumsProgram.compile(source, classes);
    Shell.Result result = new Shell(folder).run("run @/classes --program Totals 20");
    assertEquals("sum " + 20 * 999 * 500 + "\n", result.out(), result.err());
  }
}
