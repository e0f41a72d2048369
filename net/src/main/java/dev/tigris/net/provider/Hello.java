package dev.tigris.net.provider;

import dev.tigris.net.Attributes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// The hello of each side before the first message: a request, and the answer to it.
///
/// ```text
///   0            8         12       16       24                 32
///   +------------+---------+--------+--------+------------------+
///   | "TIGRISVI" | version | answer |  tag   | maximum message  |   little-endian
///   +------------+---------+--------+--------+------------------+
/// ```
///
/// `answer` is 0 in a request, 1 if it is accepted, 2 if it is rejected, and 3 if it has a version
/// that the other side does not speak; an answer repeats the tag. `maximum message` is the longest
/// message, in bytes, that the side which says it takes.
///
/// @param version of the protocol
/// @param answer what this is
/// @param tag what the request is for
/// @param maximumMessageBytes the longest message that may be sent to this side
public record Hello(int version, Answer answer, long tag, long maximumMessageBytes) {
  /// The version that this code speaks.
  public static final int VERSION = 1;

  /// The size in bytes.
  public static final int BYTES = 32;

  private static final long MAGIC =
      ByteBuffer.wrap("TIGRISVI".getBytes(java.nio.charset.StandardCharsets.US_ASCII))
          .order(ByteOrder.LITTLE_ENDIAN)
          .getLong();

  /// The type of a record of TLS that says what is wrong, and the version that each record begins
  /// with (RFC 8446, section 5.1).
  private static final byte TLS_ALERT = 21;

  private static final byte TLS_MAJOR = 3;

  /// The kind of a hello.
  public enum Answer {
    /// This is a request.
    NONE(0),
    ACCEPTED(1),
    REJECTED(2),
    /// The request has a version that this side does not speak.
    OTHER_VERSION(3);

    private final int code;

    Answer(int code) {
      this.code = code;
    }

    static @Nullable Answer of(int code) {
      for (Answer answer : values()) {
        if (answer.code == code) {
          return answer;
        }
      }
      return null;
    }
  }

  /// A request.
  public static Hello request(long tag, Attributes attributes) {
    return new Hello(VERSION, Answer.NONE, tag, attributes.maximumMessageBytes());
  }

  /// The answer to this request.
  public Hello answered(Answer answer, long maximumMessageBytes) {
    return new Hello(VERSION, answer, tag, maximumMessageBytes);
  }

  /// Whether it is a request that this side understands.
  public boolean isRequest() {
    return isOfThisVersion() && answer == Answer.NONE;
  }

  /// Whether more of it means something than its version.
  public boolean isOfThisVersion() {
    return version == VERSION;
  }

  /// An empty buffer for one.
  public static ByteBuffer buffer() {
    return ByteBuffer.allocateDirect(BYTES).order(ByteOrder.LITTLE_ENDIAN);
  }

  /// These bytes, ready to be written.
  public ByteBuffer toBytes() {
    return buffer()
        .putLong(MAGIC)
        .putInt(version)
        .putInt(answer.code)
        .putLong(tag)
        .putLong(maximumMessageBytes)
        .flip();
  }

  /// Whether what was read into a buffer, up to its position, begins as an alert of TLS does: the
  /// answer of a listener with TLS to what is no TLS.
  public static boolean isOfTls(ByteBuffer said) {
    return said.position() >= 2 && said.get(0) == TLS_ALERT && said.get(1) == TLS_MAJOR;
  }

  /// Decodes a hello: [#from(ByteBuffer)] of a segment.
  public static @Nullable Hello from(byte[] bytes) {
    return from(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
  }

  /// Reads one from the beginning of a buffer of its size.
  ///
  /// @return null if it is something else. What has another version is read without being checked
  ///     further: only its version means something.
  public static @Nullable Hello from(ByteBuffer bytes) {
    if (bytes.getLong(0) != MAGIC) {
      return null;
    }
    int version = bytes.getInt(8);
    Answer answer = Answer.of(bytes.getInt(12));
    long tag = bytes.getLong(16);
    long maximum = bytes.getLong(24);
    if (version != VERSION) {
      return new Hello(version, Answer.NONE, tag, 0);
    }
    if (answer == null || maximum < 0 || maximum > Attributes.LARGEST_MESSAGE_BYTES) {
      return null;
    }
    return new Hello(version, answer, tag, maximum);
  }
}
