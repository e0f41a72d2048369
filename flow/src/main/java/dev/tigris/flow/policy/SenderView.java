package dev.tigris.flow.policy;

/// The view that a sender has of its streams at the moment of a choice. Streams are numbered from
/// 0.
public interface SenderView {
  /// How many streams there are, open or not.
  int streams();

  /// How many waters may be sent on a stream now. Not positive when its window is full, and when
  /// its consumer has ended.
  int credits(int stream);

  /// How many waters were sent on a stream and are not yet finished by its consumer.
  int outstanding(int stream);

  /// The time, in nanoseconds, in which the consumer finishes one water of this stream, estimated
  /// from when credits came back; 0 as long as nothing is known.
  long serviceNanos(int stream);

  /// Whether a stream's consumer still takes waters.
  boolean isOpen(int stream);

  /// The stream that was chosen last, -1 before the first choice.
  int last();
}
