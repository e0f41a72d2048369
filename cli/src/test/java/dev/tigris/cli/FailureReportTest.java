package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailureReportTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  private ExitCode report(Throwable failure) {
    PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8);
    return FailureReport.asAskedFor(new Console(err, err, 0, "."), List.of()).memory(failure);
  }

  private String said() {
    return said.toString(StandardCharsets.UTF_8);
  }

  /// The words are the JDK's, for a limit on threads as for one on memory.
  @Test
  void tellsALimitOnThreadsFromOneOnMemory() {
    OutOfMemoryError threads =
        new OutOfMemoryError(
            "unable to create native thread: possibly out of memory or process/resource limits"
                + " reached");
    assertEquals(ExitCode.FAILED, report(threads));
    assertTrue(said().contains("no more threads: raise its limit (ulimit -u"), said());
  }

  @Test
  void tellsThatTheHeapIsFull() {
    assertEquals(ExitCode.NO_MEMORY, report(new OutOfMemoryError("Java heap space")));
    assertTrue(said().contains("there is too little memory: Java heap space"), said());
  }
}
