package dev.tigris.flow.policy;

/// A sender's view of its streams at the moment of a choice. Streams are numbered from 0.
public interface SenderView {
  /// Returns how many streams there are, open or not.
  int streams();

  /// Returns how many waters may be sent on a stream now. It is not positive when the window is
  /// full or the receiver has ended.
  int credits(int stream);

  /// Returns how many waters were sent on a stream and are not yet finished by its receiver.
  int outstanding(int stream);

  /// Returns how many nanoseconds the receiver takes for one water of this stream, estimated from
  /// the times at which credits came back; 0 as long as nothing is known.
  long serviceNanos(int stream);

  /// Returns whether a stream's receiver still takes waters.
  boolean isOpen(int stream);

  /// Returns the stream that was chosen last, -1 before the first choice.
  int last();
}
