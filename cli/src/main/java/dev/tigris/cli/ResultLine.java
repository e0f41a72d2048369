package dev.tigris.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/// The result of a job: a line for people, or with `--json` an object for programs.
///
/// @param command the name of the command
/// @param verb what was done to the records
/// @param unit what they are called
record ResultLine(
    String command, String verb, String unit, long records, long bytes, Duration elapsed) {

  /// Makes one of records.
  ResultLine(String command, String verb, long records, long bytes, Duration elapsed) {
    this(command, verb, "records", records, bytes, elapsed);
  }

  /// Prints it, with facts that only some jobs have; people see the checksum of these.
  void print(ParseResult options, Console console, Path output, Map<String, ?> facts) {
    PrintStream out = console.beside(output);
    if (options.hasMatchedOption("--json")) {
      out.println(Json.object(members(output, facts)));
    } else if (!options.hasMatchedOption("--quiet")) {
      out.println(sentence(facts.get("checksum")));
    }
  }

  /// Returns the line for people.
  String sentence(@Nullable Object checksum) {
    String sentence =
        verb
            + (" " + grouped(records) + " " + unit + ", " + grouped(bytes) + " bytes")
            + (", in " + decimal(seconds(elapsed), 2) + " s")
            + (": " + decimal(megabytesPerSecond(), 1) + " MB/s");
    return checksum == null ? sentence : sentence + ", checksum " + checksum;
  }

  // Formatter would do, but fetches the JVM's locales for it, which takes as long as sorting 4 MB.

  /// Formats a number as `%,d` does.
  private static String grouped(long number) {
    var digits = new StringBuilder(Long.toString(number));
    for (int place = digits.length() - 3; place > 0; place -= 3) {
      digits.insert(place, ',');
    }
    return digits.toString();
  }

  /// Formats a number as `%.2f` and the like do.
  private static String decimal(double number, int places) {
    long scale = Math.round(Math.pow(10, places));
    long scaled = Math.round(number * scale);
    return scaled / scale + "." + String.valueOf(scale + scaled % scale).substring(1);
  }

  private Map<String, Object> members(Path output, Map<String, ?> facts) {
    Map<String, Object> members = Json.success(command);
    members.put("records", records);
    members.put("bytes", bytes);
    members.put("seconds", seconds(elapsed));
    members.put("megabytesPerSecond", megabytesPerSecond());
    members.putAll(facts);
    members.put("output", output.toString());
    return members;
  }

  static double seconds(Duration elapsed) {
    return elapsed.toNanos() / 1e9;
  }

  private double megabytesPerSecond() {
    return elapsed.isZero() ? 0 : bytes / 1e6 / seconds(elapsed);
  }
}
