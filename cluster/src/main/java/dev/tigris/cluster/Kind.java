package dev.tigris.cluster;

/// The kinds of messages of a stream.
enum Kind {
  /// The sender names the stream, and the sizes that it will keep to.
  HELLO(1),
  /// Small waters, one after another.
  BATCH(2),
  /// One water, in a receive of the usual size.
  WATER(3),
  /// A water that needs a receive of its own is waiting.
  ANNOUNCE(4),
  /// The announced water.
  GRANTED(5),
  /// Nothing: uses up a receive that lies before a granted one.
  FILLER(6),
  /// The sender puts nothing more.
  END(7),
  /// The receiver tells how many waters it has finished.
  ACK(8),
  /// The receiver tells which receive is for the water that was announced.
  GRANT(9),
  /// The receiver takes nothing more.
  STOP(10),
  /// The receiver has finished all that it has taken, and knows of the end.
  FINAL(11),
  /// The receiver refuses the stream; the payload says why.
  REFUSAL(12);

  private static final Kind[] ALL = values();

  private final int number;

  Kind(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  /// Returns the kind of a number that came from the other end.
  static Kind of(int number) {
    for (Kind kind : ALL) {
      if (kind.number == number) {
        return kind;
      }
    }
    throw new ProtocolException("a message of the unknown kind %d came".formatted(number));
  }
}
