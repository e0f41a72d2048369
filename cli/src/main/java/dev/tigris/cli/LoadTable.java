package dev.tigris.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A table of the load of a run, as the control API tells it.
///
/// @param members of `/api/v1/load`
record LoadTable(Map<String, @Nullable Object> members) {
  private static final String ROW = "%-20s %9s %14s %6s %6s %6s %10s%n";
  private static final double PERCENT = 100;
  private static final double MILLIS = 1e3;

  /// Returns the table.
  ///
  /// @param isOfReplicas whether it has a row for each replica
  String text(boolean isOfReplicas) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "run %.8s, %s, %.1f s, %,d calls, attempt %d%n",
            word(members.get("run")),
            word(members.get("phase")),
            number(members.get("elapsedSeconds")),
            (long) number(members.get("calls")),
            (long) number(members.get("attempt"))));
    text.append(
        String.format(ROW, "STAGE", "REPLICAS", "CALLS/S", "BUSY", "INPUT", "CREDIT", "MS A CALL"));
    stages()
        .forEach(
            (stage, replicas) -> {
              text.append(row(stage, String.valueOf(replicas.size()), replicas));
              if (isOfReplicas) {
                for (Map<?, ?> each : replicas) {
                  text.append(row("  [" + word(each.get("replica")) + "]", "", List.of(each)));
                }
              }
            });
    if (members.get("culprit") instanceof Map<?, ?> culprit) {
      Object replica = culprit.get("replica");
      text.append(
          String.format(
              "limited by %s%s: %s%n",
              word(culprit.get("stage")),
              replica == null ? "" : "[" + word(replica) + "]",
              word(culprit.get("reason"))));
    }
    return text.toString();
  }

  private Map<String, List<Map<?, ?>>> stages() {
    Map<String, List<Map<?, ?>>> stages = new LinkedHashMap<>();
    if (members.get("replicas") instanceof List<?> replicas) {
      for (Object each : replicas) {
        if (each instanceof Map<?, ?> replica) {
          stages.computeIfAbsent(word(replica.get("stage")), _ -> new ArrayList<>()).add(replica);
        }
      }
    }
    return stages;
  }

  private static String row(String name, String count, List<Map<?, ?>> replicas) {
    boolean hasEnded = replicas.stream().allMatch(each -> Boolean.TRUE.equals(each.get("ended")));
    return String.format(
        ROW,
        name,
        count,
        String.format(Locale.ROOT, "%,.0f", sum("callsPerSecond", replicas)),
        hasEnded ? "ended" : percent("busy", replicas),
        hasEnded ? "" : percent("waitsForInput", replicas),
        hasEnded ? "" : percent("waitsForCredit", replicas),
        String.format(
            Locale.ROOT, "%.3f", sum("serviceSeconds", replicas) / replicas.size() * MILLIS));
  }

  private static String percent(String name, List<Map<?, ?>> replicas) {
    return String.format(Locale.ROOT, "%.0f %%", sum(name, replicas) / replicas.size() * PERCENT);
  }

  private static double sum(String name, List<Map<?, ?>> replicas) {
    return replicas.stream().mapToDouble(each -> number(each.get(name))).sum();
  }

  private static double number(@Nullable Object value) {
    return value instanceof Number number ? number.doubleValue() : 0;
  }

  private static String word(@Nullable Object value) {
    return Printable.of(String.valueOf(value));
  }
}
