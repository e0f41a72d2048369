package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A program that throws, wherever it does, fails the run on threads and on processes alike, with
/// the cause and the place, and is not tried again.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ThrowsTest {
  @TempDir private Path runs;

  private static RunException failure(Cluster cluster, Throws.Place place) {
    return assertThrows(
        RunException.class,
        () -> {
          var _ = cluster.withAttempts(3).start(Throws.class, place.name()).await();
        });
  }

  private static void requireBoom(RunException failure, Throws.Place place) {
    assertEquals(RunException.Kind.MODULE, failure.kind(), failure::toString);
    assertEquals(1, failure.attempts());
    String stage = place.name().startsWith("SOURCE") ? "make" : "work";
    assertTrue(failure.getMessage().contains(stage), failure.getMessage());
    String cause = String.valueOf(Objects.requireNonNull(failure.getCause()).getMessage());
    assertTrue(cause.contains("boom in " + place), cause);
  }

  @ParameterizedTest
  @EnumSource(Throws.Place.class)
  void onThreads(Throws.Place place) {
    requireBoom(failure(Cluster.threads(), place), place);
  }

  @Slow("starts two JVMs for each place")
  @ParameterizedTest
  @EnumSource(Throws.Place.class)
  void onProcesses(Throws.Place place) {
    requireBoom(failure(Cluster.processes(2).withRuns(runs), place), place);
  }
}
