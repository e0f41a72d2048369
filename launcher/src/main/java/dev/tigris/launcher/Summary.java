package dev.tigris.launcher;

import dev.tigris.launcher.Reports.Outcome;
import dev.tigris.launcher.Reports.TestClass;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;

/// The end of a run of the tests: the modules, the slowest classes, the tests that did not
/// pass, and a line for programs.
///
/// @param classes the test classes that ran
record Summary(List<TestClass> classes) {
  private static final int SLOWEST = 10;

  int failed() {
    return count(TestClass::failed);
  }

  /// The text, without a line end after its last line.
  ///
  /// @param wall how long the run took
  String text(Duration wall) {
    var text = new StringBuilder("\n");
    text.append(table(modules(), 1));
    text.append(String.format(Locale.ROOT, "The run took %.1f s.%n%n", wall.toMillis() / 1000.0));
    text.append(table(slowest(), 2));
    text.append("\n");
    list(text, "skipped", TestClass::skipped);
    list(
        text,
        "passed only when run again: each is a fault, of the test or of the code",
        TestClass::unsteady);
    list(text, "failed", TestClass::failed);
    int skipped = count(TestClass::skipped);
    int passed = run() - failed() - skipped;
    text.append("%d passed, %d failed, %d skipped".formatted(passed, failed(), skipped));
    return text.toString();
  }

  private int run() {
    return classes.stream().mapToInt(TestClass::run).sum();
  }

  private int count(Function<TestClass, List<Outcome>> outcomes) {
    return classes.stream().mapToInt(each -> outcomes.apply(each).size()).sum();
  }

  private List<List<String>> modules() {
    var modules = new LinkedHashMap<String, List<TestClass>>();
    for (TestClass each : classes) {
      modules.computeIfAbsent(each.module(), _ -> new ArrayList<>()).add(each);
    }
    var rows = new ArrayList<List<String>>();
    rows.add(cells("module", "tests", "failed", "skipped", "seconds"));
    modules.forEach((module, members) -> rows.add(new Summary(members).row(module)));
    rows.add(row("all"));
    return rows;
  }

  private List<String> row(String name) {
    double seconds = classes.stream().mapToDouble(TestClass::seconds).sum();
    return cells(name, run(), failed(), count(TestClass::skipped), seconds);
  }

  private List<List<String>> slowest() {
    var rows = new ArrayList<List<String>>();
    rows.add(cells("module", "slowest classes", "seconds"));
    classes.stream()
        .sorted(Comparator.comparingDouble(TestClass::seconds).reversed())
        .limit(SLOWEST)
        .forEach(each -> rows.add(cells(each.module(), each.name(), each.seconds())));
    return rows;
  }

  private static List<String> cells(Object... values) {
    return Stream.of(values)
        .map(
            value ->
                value instanceof Double seconds
                    ? String.format(Locale.ROOT, "%.1f", seconds)
                    : value.toString())
        .toList();
  }

  /// Columns as wide as their widest cell, the first ones to the left and the others to the right.
  private static String table(List<List<String>> rows, int left) {
    var text = new StringBuilder();
    for (List<String> row : rows) {
      for (int column = 0; column < row.size(); column++) {
        int index = column;
        int width = rows.stream().mapToInt(each -> each.get(index).length()).max().orElse(0);
        String cell = row.get(column);
        String space = " ".repeat(width - cell.length());
        text.append(column == 0 ? "" : "  ").append(column < left ? cell + space : space + cell);
      }
      text.append("\n");
    }
    return text.toString();
  }

  private void list(StringBuilder text, String title, Function<TestClass, List<Outcome>> outcomes) {
    if (count(outcomes) == 0) {
      return;
    }
    text.append(title).append("\n");
    for (TestClass each : classes) {
      for (Outcome outcome : outcomes.apply(each)) {
        text.append("%s  %s: %s%n".formatted(each.module(), outcome.test(), outcome.reason()));
      }
    }
    text.append("\n");
  }
}
