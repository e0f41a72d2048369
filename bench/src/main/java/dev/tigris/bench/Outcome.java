package dev.tigris.bench;

/// How a run ends, the worst last.
enum Outcome {
  DONE(0),
  MISSED(1),
  NOT_WRITTEN(4),
  FAILED(3);

  /// What the process exits with.
  final int code;

  Outcome(int code) {
    this.code = code;
  }

  /// The worse of the two.
  Outcome and(Outcome other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
