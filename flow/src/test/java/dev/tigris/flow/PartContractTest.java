package dev.tigris.flow;

import dev.tigris.flow.testing.PartContract;
import dev.tigris.flow.testing.PartReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The graphs that flows in parts must run, on the threads of one process.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PartContractTest {
  @TestFactory
  Stream<DynamicTest> threadsOfOneProcessKeepTheContract(@TempDir Path folder) {
    return PartContract.checks().stream()
        .map(check -> DynamicTest.dynamicTest(check.name(), () -> run(check, folder)));
  }

  private static void run(PartContract.Check check, Path folders) throws Exception {
    Path folder = Files.createTempDirectory(folders, "check");
    PartReport report = new PartReport();
    check.prepare(folder);
    report.await(check.flow(folder, report).start());
    check.verify(folder, report);
  }
}
