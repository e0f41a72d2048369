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
  private static final String ROW = "%-20s %9s %14s %6s %6s %6s %6s %6s %10s%n";
  private static final String EDGE = "%-40s %8s %14s %10s %6s %6s%s%n";
  private static final double MEGA = 1e6;
  private static final double PERCENT = 100;
  private static final double MILLIS = 1e3;

  /// Returns the table.
  ///
  /// @param isOfReplicas whether it has a row for each replica
  String text(boolean isOfReplicas) {
    StringBuilder text = begun();
    text.append(
        String.format(
            ROW,
            "STAGE",
            "REPLICAS",
            "CALLS/S",
            "BUSY",
            "DISK",
            "INPUT",
            "NET",
            "CREDIT",
            "MS A CALL"));
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
    return ended(text);
  }

  /// Returns the table of the edges.
  ///
  /// @param isOfReplicas whether it has a row for each receiver
  String edges(boolean isOfReplicas) {
    StringBuilder text = begun();
    text.append(String.format(EDGE, "EDGE", "STREAMS", "WATERS/S", "MB/S", "CREDIT", "FULL", ""));
    for (Map<?, ?> edge : maps(members.get("edges"))) {
      text.append(
          edgeRow(name(edge), word(edge.get("streams")), edge, percent(edge, "waitsForCredit")));
      if (isOfReplicas) {
        for (Map<?, ?> each : maps(edge.get("receivers"))) {
          text.append(edgeRow("  [" + word(each.get("replica")) + "]", "", each, ""));
        }
      }
    }
    return ended(text);
  }

  /// Returns `from > to`, and the name of the reservoir if that is another one.
  private static String name(Map<?, ?> edge) {
    String from = word(edge.get("from"));
    String to = word(edge.get("to"));
    String reservoir = word(edge.get("reservoir"));
    boolean isNamed = !reservoir.equals(to) && !reservoir.equals(from);
    return from + " > " + to + (isNamed ? " (" + reservoir + ")" : "");
  }

  private static String edgeRow(String name, String streams, Map<?, ?> of, String credit) {
    return String.format(
        EDGE,
        name,
        streams,
        String.format(Locale.ROOT, "%,.0f", number(of.get("watersPerSecond"))),
        String.format(Locale.ROOT, "%,.1f", number(of.get("bytesPerSecond")) / MEGA),
        credit,
        percent(of, "fill"),
        Boolean.TRUE.equals(of.get("odd")) ? " odd" : "");
  }

  private static String percent(Map<?, ?> of, String name) {
    return percent(name, List.of(of));
  }

  private StringBuilder begun() {
    return new StringBuilder()
        .append(
            String.format(
                Locale.ROOT,
                "run %.8s, %s, %.1f s, %,d calls, attempt %d%n",
                word(members.get("run")),
                word(members.get("phase")),
                number(members.get("elapsedSeconds")),
                (long) number(members.get("calls")),
                (long) number(members.get("attempt"))));
  }

  private String ended(StringBuilder text) {
    if (members.get("culprit") instanceof Map<?, ?> culprit) {
      Object replica = culprit.get("replica");
      text.append(
          String.format(
              "limited by %s%s%s: %s%n",
              switch (String.valueOf(culprit.get("cause"))) {
                case "disk" -> "the files of ";
                case "network" -> "the network to ";
                default -> "";
              },
              word(culprit.get("stage")),
              replica == null ? "" : "[" + word(replica) + "]",
              word(culprit.get("reason"))));
    }
    return text.toString();
  }

  private static List<Map<?, ?>> maps(@Nullable Object value) {
    List<Map<?, ?>> maps = new ArrayList<>();
    if (value instanceof List<?> list) {
      for (Object each : list) {
        if (each instanceof Map<?, ?> map) {
          maps.add(map);
        }
      }
    }
    return maps;
  }

  private Map<String, List<Map<?, ?>>> stages() {
    Map<String, List<Map<?, ?>>> stages = new LinkedHashMap<>();
    for (Map<?, ?> replica : maps(members.get("replicas"))) {
      stages.computeIfAbsent(word(replica.get("stage")), _ -> new ArrayList<>()).add(replica);
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
        hasEnded ? "" : percent("disk", replicas),
        hasEnded ? "" : percent("waitsForInput", replicas),
        hasEnded ? "" : percent("network", replicas),
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
