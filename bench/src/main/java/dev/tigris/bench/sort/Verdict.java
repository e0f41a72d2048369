package dev.tigris.bench.sort;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The verdict of `tigris check` on a file.
///
/// @param records how many it holds
/// @param checksum of all of them, in any order
/// @param sorted whether they are in order
public record Verdict(long records, String checksum, boolean sorted) {
  private static final Pattern RECORDS = Pattern.compile("(?m)^Records: (\\d+)$");
  private static final Pattern CHECKSUM = Pattern.compile("(?m)^Checksum: ([0-9a-f]+)$");

  /// Reads what the command has printed.
  ///
  /// @throws IOException if it has not come to a verdict
  public static Verdict of(Command.Outcome outcome) throws IOException {
    return new Verdict(
        Long.parseLong(find(RECORDS, outcome)), find(CHECKSUM, outcome), outcome.exit() == 0);
  }

  private static String find(Pattern pattern, Command.Outcome outcome) throws IOException {
    Matcher matcher = pattern.matcher(outcome.output());
    if (!matcher.find()) {
      throw new IOException(
          "`tigris check` ended with %d and without a verdict: %s"
              .formatted(outcome.exit(), outcome.output()));
    }
    return matcher.group(1);
  }

  /// The verdict on the same records in order.
  public Verdict whenSorted() {
    return new Verdict(records, checksum, true);
  }
}
