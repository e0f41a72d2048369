package dev.tigris.net;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Chars;
import dev.tigris.memory.Doubles;
import dev.tigris.memory.Floats;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Longs;
import dev.tigris.memory.Region;
import dev.tigris.memory.Shorts;
import dev.tigris.memory.View;

/// The type of a message: that of the view that it was sent from. The type travels with the
/// message. An interface that checks types refuses a message of another type than the memory posted
/// for it (Chang, *Safe and Explicit Memory Management*, section 3.2.1).
public enum DataType {
  /// The ranges of the descriptor have several types.
  MIXED(0),
  BYTES(1),
  SHORTS(2),
  CHARS(3),
  INTS(4),
  LONGS(5),
  FLOATS(6),
  DOUBLES(7),
  CONTAINER(8);

  private final int code;

  DataType(int code) {
    this.code = code;
  }

  /// The code of the type in a message.
  public int code() {
    return code;
  }

  /// The type of a view.
  public static DataType of(View view) {
    return switch (view) {
      case Bytes _ -> BYTES;
      case Shorts _ -> SHORTS;
      case Chars _ -> CHARS;
      case Ints _ -> INTS;
      case Longs _ -> LONGS;
      case Floats _ -> FLOATS;
      case Doubles _ -> DOUBLES;
      case Region _ -> CONTAINER;
    };
  }
}
