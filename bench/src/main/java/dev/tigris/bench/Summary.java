package dev.tigris.bench;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The results as a page for readers, and as lines for a terminal.
final class Summary {
  private Summary() {}

  /// Figures of this many siblings are left to the plots.
  private static final String SWEEP = ".sweep.";

  static String page(List<Results.Sheet> sheets) {
    StringBuilder page = new StringBuilder("# Results\n\n");
    page.append(
        """
        Written by `./tigris bench --out bench/results`. *times* says how many times better than the peer, with its 95 %
        interval; where the peer is an ideal or a limit it is the share reached. *Spread* is the standard deviation of the
        ratio between runs. A bar is *undecided* when it was not reached but lies within the interval.
        Sweeps are in the `.jsonl` files only; `./tigris bench --plots` draws them.

        """);
    for (Results.Sheet sheet : sheets) {
      Header header = sheet.header();
      page.append("## ").append(header.group()).append("\n\n");
      page.append(
          "%s; %s; %s; commit %s; %s scale, %s, %d s.%n%n"
              .formatted(
                  header.machine(),
                  header.system(),
                  header.jdk(),
                  header.commit(),
                  header.scale().name().toLowerCase(Locale.ROOT),
                  header.started(),
                  header.seconds()));
      List<String> missing = header.missing();
      if (missing != null) {
        page.append(String.join("; ", missing)).append(".\n\n");
      }
      page.append("| figure | value | peer | its value | times | 95 % | spread | must be | |\n");
      page.append("|---|---|---|---|---|---|---|---|---|\n");
      for (Figure figure : sheet.figures()) {
        if (!figure.figure().contains(SWEEP)) {
          page.append(row(figure));
        }
      }
      page.append('\n');
    }
    return page.toString();
  }

  private static String row(Figure figure) {
    Optional<Bar> bar = Bar.of(figure);
    return "| `%s` | %s %s | %s | %s | **%s** | %s | %s | %s | %s |%n"
        .formatted(
            figure.figure(),
            number(figure.value()),
            figure.unit(),
            figure.peer(),
            number(figure.peerValue()),
            number(figure.times()),
            interval(figure),
            figure.spread() == 0 ? "" : number(figure.spread()),
            bar.map(Bar::must).orElse(""),
            bar.map(b -> verdict(b, figure)).orElse("")
                + (figure.note() == null ? "" : " (" + figure.note() + ")"));
  }

  /// One line for a terminal.
  static String line(Figure figure) {
    return String.format(
        Locale.ROOT,
        "%-40s %10s %-6s %20s %10s   %7sx %-16s %s%s",
        figure.figure(),
        number(figure.value()),
        figure.unit(),
        figure.peer(),
        number(figure.peerValue()),
        number(figure.times()),
        interval(figure),
        Bar.of(figure).map(bar -> verdict(bar, figure) + ": " + bar.must()).orElse(""),
        figure.note() == null ? "" : " (" + figure.note() + ")");
  }

  private static String verdict(Bar bar, Figure figure) {
    return bar.judge(figure).name().toLowerCase(Locale.ROOT);
  }

  private static String interval(Figure figure) {
    List<Double> interval = figure.ci95();
    return interval == null ? "" : number(interval.get(0)) + ".." + number(interval.get(1));
  }

  /// Three significant digits, without an exponent.
  static String number(double value) {
    if (value == 0) {
      return "0";
    }
    double size = Math.abs(value);
    int decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
