package dev.tigris.flow.policy;

/// A receiver's view of its incoming streams at the moment of a choice. Inputs are numbered from 0,
/// in the order in which they were attached.
public interface ReceiverView {
  /// Returns how many inputs there are, open or not.
  int inputs();

  /// Returns whether an input has a water to take.
  boolean isReady(int input);

  /// Returns whether an input has not been taken to its end.
  boolean isOpen(int input);

  /// Returns the name of the stage or feed that an input comes from.
  String from(int input);

  /// Returns for how many nanoseconds an input has been ready, counted from when the module first
  /// saw that, or took the water before; 0 if the input is not ready.
  long readyNanos(int input);

  /// Returns the input that was taken from last, -1 before the first.
  int last();
}
