package dev.tigris.testing;

import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/// Puts the seed, and the values with which a property failed, into the first line of the failure's
/// message: reports keep that line where they keep nothing else. jqwik finds this class by the file
/// in META-INF/services.
public final class SampleInMessage implements AroundPropertyHook {
  private static final int LONGEST_SAMPLE = 8_000;

  /// For jqwik.
  public SampleInMessage() {}

  @Override
  public PropagationMode propagateTo() {
    return PropagationMode.ALL_DESCENDANTS;
  }

  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    PropertyExecutionResult result = property.execute();
    return result.status() == PropertyExecutionResult.Status.FAILED
        ? result.mapToFailed(new AssertionError(message(result), result.throwable().orElse(null)))
        : result;
  }

  private static String message(PropertyExecutionResult result) {
    String said = result.throwable().map(SampleInMessage::said).orElse("failed").strip();
    int firstEnd = said.indexOf('\n') < 0 ? said.length() : said.indexOf('\n');
    return "%s (seed %s, with %s)%s"
        .formatted(
            said.substring(0, firstEnd),
            result.seed().orElse("unknown"),
            sample(result.falsifiedParameters().orElse(List.of())),
            said.substring(firstEnd));
  }

  private static String said(Throwable failure) {
    String message = failure.getMessage();
    return failure instanceof AssertionError && message != null ? message : failure.toString();
  }

  private static String sample(List<Object> values) {
    String text =
        values.stream().map(String::valueOf).collect(Collectors.joining(", ")).replace('\n', ' ');
    return text.length() <= LONGEST_SAMPLE ? text : text.substring(0, LONGEST_SAMPLE) + "...";
  }
}
