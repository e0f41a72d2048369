package dev.tigris.flow;

import dev.tigris.flow.Operation.End;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The taps of a flow, by the names that operations have for them.
///
/// Thread rule: under the lock of its flow's run, but for [#find] and [#over].
final class TapTable {
  private final Supplier<Flow> described;
  private volatile Map<String, Tap> taps = Map.of();
  private int added;

  TapTable(Supplier<Flow> described) {
    this.described = described;
  }

  /// Refuses a tap of what is not there.
  ///
  /// @throws IllegalArgumentException if no reservoir or drain has the name
  void refuseUnknown(Tap tap) {
    Flow flow = described.get();
    List<String> names = new ArrayList<>();
    flow.edges().forEach(edge -> names.add(edge.name()));
    flow.drains().forEach(drain -> names.add(drain.name()));
    if (!names.contains(tap.reservoir())) {
      throw new IllegalArgumentException(
          "there is no reservoir '%s': there are %s"
              .formatted(tap.reservoir(), names.stream().distinct().toList()));
    }
  }

  /// Adds a tap, and returns its name. Those that were closed are forgotten.
  String add(Tap tap) {
    Map<String, Tap> now = new LinkedHashMap<>(taps);
    now.values().removeIf(Tap::isClosed);
    added++;
    String name = "tap " + added;
    now.put(name, tap);
    taps = Map.copyOf(now);
    return name;
  }

  /// Returns the names of the taps of what a module puts.
  List<String> of(End module) {
    List<String> names = new ArrayList<>();
    taps.forEach(
        (name, tap) -> {
          if (feeds(module, tap)) {
            names.add(name);
          }
        });
    return names;
  }

  /// Returns whether a tap copies what a module puts.
  boolean feeds(End module, Tap tap) {
    String stage = module.name();
    String reservoir = tap.reservoir();
    if (!tap.isOf(module)) {
      return false;
    }
    Flow flow = described.get();
    return flow.edges().stream()
            .anyMatch(edge -> edge.from().equals(stage) && edge.name().equals(reservoir))
        || flow.drains().stream()
            .anyMatch(drain -> drain.stage().equals(stage) && drain.name().equals(reservoir));
  }

  /// Returns the tap of that name; null if it was closed and forgotten.
  @Nullable Tap find(String name) {
    return taps.get(name);
  }

  /// The flow is over.
  void over(boolean isComplete) {
    taps.values().forEach(tap -> tap.over(isComplete));
  }
}
