package dev.tigris.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// The first line of a failed property's message is enough to run it again.
class SampleInMessageTest {
  /// Run by this test alone.
  static final class Failing {
    @Property(seed = "4711")
    void failsFromSeven(@ForAll @IntRange(max = 1_000) int number) {
      if (number >= 7) {
        throw new IllegalStateException("too many\nby far");
      }
    }
  }

  private static final class Messages implements TestExecutionListener {
    final List<String> failed = new ArrayList<>();

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      result.getThrowable().ifPresent(failure -> failed.add(failure.getMessage()));
    }
  }

  @Test
  void namesSeedAndShrunkValues() {
    var messages = new Messages();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request().selectors(selectClass(Failing.class)).build(),
            messages);
    assertEquals(1, messages.failed.size());
    String message = messages.failed.getFirst();
    assertTrue(message.contains("too many (seed 4711, with 7)\nby far"), message);
  }
}
