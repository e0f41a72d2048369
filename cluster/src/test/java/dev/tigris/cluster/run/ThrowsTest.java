package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A program that throws, wherever it does, fails the run on threads and on processes alike, with
/// the cause and the place, and is not tried again.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ThrowsTest {
  @TempDir private Path runs;

  private void requireBoom(Cluster cluster, Throws.Place place) throws IOException {
    Path outputs = Files.createDirectory(runs.resolve("outputs"));
    Path worked = outputs.resolve("worked");
    RunException failure =
        assertThrows(
            RunException.class,
            () -> {
              var _ =
                  cluster
                      .withAttempts(3)
                      .start(Throws.class, place.name(), worked.toString())
                      .await();
            });
    requireBoom(failure, place);
    assertEquals(place.isEarly(), Files.notExists(worked), "no module works before all are ready");
    try (Stream<Path> left = Files.list(outputs)) {
      long named = left.filter(each -> !each.toString().startsWith(worked.toString())).count();
      assertEquals(
          place == Throws.Place.CLOSE ? 1 : 0, named, "all others have their names, or none");
    }
  }

  private static void requireBoom(RunException failure, Throws.Place place) {
    RunException.Kind kind = place.isLate() ? RunException.Kind.OUTPUT : RunException.Kind.MODULE;
    assertEquals(kind, failure.kind(), failure::toString);
    assertEquals(1, failure.attempts());
    assertTrue(failure.getMessage().contains("stage " + place.stage()), failure.getMessage());
    String cause = String.valueOf(Objects.requireNonNull(failure.getCause()).getMessage());
    assertTrue(cause.contains("boom in " + place), cause);
  }

  @ParameterizedTest
  @EnumSource(Throws.Place.class)
  void onThreads(Throws.Place place) throws IOException {
    requireBoom(Cluster.threads(), place);
  }

  @Slow("starts two JVMs for each place")
  @ParameterizedTest
  @EnumSource(Throws.Place.class)
  void onProcesses(Throws.Place place) throws IOException {
    requireBoom(Cluster.processes(2).withRuns(runs), place);
  }
}
