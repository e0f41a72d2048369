package dev.tigris.bench.objects;

/// What is asked of a log: a little of every field of every record.
final class LogAnswer {
  private long latencyMicros;
  private long errors;
  private long messageBytes;
  private long newest;

  /// Adds one record.
  ///
  /// @param wanted whether its path is the one that is looked for
  void add(boolean wanted, int latency, boolean error, int messageLength, long timestamp) {
    if (wanted) {
      latencyMicros += latency;
    }
    if (error) {
      errors++;
    }
    messageBytes += messageLength;
    newest = Math.max(newest, timestamp);
  }

  void add(PlainLogRecord found, String wanted) {
    add(
        found.path.equals(wanted),
        found.latencyMicros,
        found.level == Level.ERROR,
        found.message.length(),
        found.timestamp);
  }

  /// All of it in one number.
  long mixed() {
    return latencyMicros + 1_000_003 * errors + 31 * messageBytes + newest;
  }
}
