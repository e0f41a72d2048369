package dev.tigris.message.channel;

import dev.tigris.memory.Bytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// A greeting and its answers, as they lie behind the header of a packet.
///
/// ```text
///   greeting   0 lowest version (2) | 2 highest (2) | 4 flags (4) | 8 tag (8) | 16 credits (4)
///             20 length of the name (4) | 24 length of the sender's (4) | 28 both names, UTF-8
///   welcome    0 version (2) | 2 reserved (2) | 4 flags (4) | 8 credits (4)
///   refusal    0 lowest version (2) | 2 highest (2) | 4 why (4) | 8 length (4) | 12 text, UTF-8
/// ```
///
/// Flags: 1, the session was never answered; 2, packets may be lost or damaged on their way.
///
/// @param lowest the lowest version of the protocol that its sender speaks
/// @param highest the highest
/// @param fresh whether the session was never answered
/// @param lossy whether packets may be lost or damaged
/// @param tag what its sender believes to be the tag of the endpoint
/// @param credits that its sender would have
/// @param name of the wanted endpoint
/// @param sender the name of the greeting endpoint
public record Greeting(
    int lowest,
    int highest,
    boolean fresh,
    boolean lossy,
    long tag,
    int credits,
    String name,
    String sender) {
  /// The versions of the protocol that there are. The first one had no interface for bulk
  /// transfers, and the second one no short headers.
  public static final int LOWEST_VERSION = 3;

  /// The highest of them.
  public static final int HIGHEST_VERSION = 3;

  /// The longest name of an endpoint, in bytes of UTF-8.
  public static final int NAME_BYTES = 255;

  private static final int NAMES = 28;
  private static final int FRESH = 1;
  private static final int LOSSY = 2;
  private static final int TEXT = 12;
  private static final int MOST_TEXT = 400;

  /// The reasons of a refusal.
  public enum Refusal {
    /// There is no common version.
    VERSION(1),
    /// No endpoint has this name.
    NO_ENDPOINT(2),
    /// The endpoint has another tag.
    WRONG_TAG(3),
    /// The session is not known, or not any more.
    UNKNOWN_SESSION(4),
    /// There are too many sessions.
    BUSY(5),
    /// The endpoint has moved to another bundle: the text is the address where that listens, over
    /// the provider of this connection.
    MOVED(6);

    private static final Refusal[] ALL = values();
    private final int code;

    Refusal(int code) {
      this.code = code;
    }
  }

  /// An answer that accepts.
  ///
  /// @param version that was chosen
  /// @param lossy whether packets may be lost or damaged
  /// @param credits of the peer
  record Welcome(int version, boolean lossy, int credits) {}

  /// An answer that refuses.
  ///
  /// @param lowest version that the peer speaks
  /// @param highest version
  /// @param why it refuses
  /// @param text the same for people
  public record Refused(int lowest, int highest, Refusal why, String text) {}

  /// Writes it; returns its length.
  int write(Bytes to, long at, boolean isFresh) {
    byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
    byte[] own = sender.getBytes(StandardCharsets.UTF_8);
    to.setInt(at, lowest | highest << 16);
    to.setInt(at + 4, (isFresh ? FRESH : 0) | (lossy ? LOSSY : 0));
    to.setLong(at + 8, tag);
    to.setInt(at + 16, credits);
    to.setInt(at + 20, wanted.length);
    to.setInt(at + 24, own.length);
    to.copyFrom(at + NAMES, wanted, 0, wanted.length);
    to.copyFrom(at + NAMES + wanted.length, own, 0, own.length);
    return PacketLayout.aligned(NAMES + wanted.length + own.length);
  }

  /// Reads one; null if it is none.
  static @Nullable Greeting read(MemorySegment from, long at, long length) {
    if (length < NAMES) {
      return null;
    }
    int versions = from.get(PacketLayout.INT, at);
    int flags = from.get(PacketLayout.INT, at + 4);
    int wanted = from.get(PacketLayout.INT, at + 20);
    int own = from.get(PacketLayout.INT, at + 24);
    int credits = from.get(PacketLayout.INT, at + 16);
    boolean possible =
        wanted >= 0
            && own >= 0
            && wanted <= NAME_BYTES
            && own <= NAME_BYTES
            && length >= NAMES + wanted + own
            && credits > 0;
    if (!possible) {
      return null;
    }
    return new Greeting(
        versions & 0xffff,
        versions >>> 16,
        (flags & FRESH) != 0,
        (flags & LOSSY) != 0,
        from.get(PacketLayout.LONG, at + 8),
        credits,
        text(from, at + NAMES, wanted),
        text(from, at + NAMES + wanted, own));
  }

  /// Returns the version to speak; 0 if there is no common one.
  public int commonVersion() {
    int common = Math.min(highest, HIGHEST_VERSION);
    return common >= Math.max(lowest, LOWEST_VERSION) ? common : 0;
  }

  static int writeWelcome(Bytes to, long at, boolean lossy, int credits) {
    to.setInt(at, HIGHEST_VERSION);
    to.setInt(at + 4, lossy ? LOSSY : 0);
    to.setInt(at + 8, credits);
    to.setInt(at + 12, 0);
    return 16;
  }

  static @Nullable Welcome readWelcome(MemorySegment from, long at, long length) {
    if (length < 16) {
      return null;
    }
    int version = from.get(PacketLayout.INT, at) & 0xffff;
    int credits = from.get(PacketLayout.INT, at + 8);
    if (version < LOWEST_VERSION || version > HIGHEST_VERSION || credits < 1) {
      return null;
    }
    return new Welcome(version, (from.get(PacketLayout.INT, at + 4) & LOSSY) != 0, credits);
  }

  static int writeRefusal(Bytes to, long at, Refusal why, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(bytes.length, MOST_TEXT);
    to.setInt(at, LOWEST_VERSION | HIGHEST_VERSION << 16);
    to.setInt(at + 4, why.code);
    to.setInt(at + 8, length);
    to.copyFrom(at + TEXT, bytes, 0, length);
    return PacketLayout.aligned(TEXT + length);
  }

  static @Nullable Refused readRefusal(MemorySegment from, long at, long bytes) {
    if (bytes < TEXT) {
      return null;
    }
    int versions = from.get(PacketLayout.INT, at);
    int code = from.get(PacketLayout.INT, at + 4);
    int length = from.get(PacketLayout.INT, at + 8);
    if (code < 1 || code > Refusal.ALL.length || length < 0 || length > bytes - TEXT) {
      return null;
    }
    return new Refused(
        versions & 0xffff, versions >>> 16, Refusal.ALL[code - 1], text(from, at + TEXT, length));
  }

  private static String text(MemorySegment from, long at, int length) {
    byte[] bytes = new byte[length];
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, bytes, 0, length);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
