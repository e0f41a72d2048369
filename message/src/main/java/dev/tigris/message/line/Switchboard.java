package dev.tigris.message.line;

import dev.tigris.memory.Bytes;
import dev.tigris.message.protocol.Session;
import dev.tigris.net.Descriptor;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Takes packets apart as far as to know which line they belong to, and greets. One for a bundle.
///
/// Thread rule: the thread of the bundle.
public final class Switchboard {
  private final Doorkeeper doorkeeper;
  private final boolean lossy;
  private long malformed;

  /// Decides about greetings.
  public interface Doorkeeper {
    /// Finds or makes the line that a greeting is for, and attaches it to the connection; or
    /// [#refuse]s.
    ///
    /// @return the line, attached; null if it was refused
    @Nullable Line greeted(Wire wire, long session, Greeting greeting, long now);

    /// Hears that the peer has refused a greeting.
    void refused(Line line, Greeting.Refused why);
  }

  /// Makes one.
  ///
  /// @param lossy whether packets may be damaged on their way
  public Switchboard(Doorkeeper doorkeeper, boolean lossy) {
    this.doorkeeper = doorkeeper;
    this.lossy = lossy;
  }

  /// Returns how many packets were dropped because they were damaged, or none.
  public long malformed() {
    return malformed;
  }

  /// Takes a packet that has arrived.
  ///
  /// @return the line that it was for; null if none
  public @Nullable Line take(Wire wire, Descriptor descriptor, long now) {
    MemorySegment from = descriptor.memory();
    long at = descriptor.memoryOffset();
    long bytes = descriptor.transferredBytes();
    PacketKind kind =
        bytes < PacketLayout.HEADER_BYTES
                || !PacketLayout.isPacket(from, at)
                || PacketLayout.length(from, at) != bytes - PacketLayout.HEADER_BYTES
            ? null
            : PacketKind.of(PacketLayout.kindCode(from, at));
    Line line = wire.line();
    if (kind == null || !isWhole(kind, line, from, at, bytes)) {
      malformed++;
      if (!(line == null ? lossy : line.checks())) {
        breach(wire, line);
      }
      return line;
    }
    long session = PacketLayout.session(from, at);
    if (kind == PacketKind.GREETING) {
      return greeted(wire, from, at, bytes, now);
    }
    if (line == null || line.id() != session) {
      return line;
    }
    long body = at + PacketLayout.HEADER_BYTES;
    long length = bytes - PacketLayout.HEADER_BYTES;
    int epoch = PacketLayout.epoch(from, at);
    switch (kind) {
      case WELCOME -> {
        Greeting.Welcome welcome = Greeting.readWelcome(from, body, length);
        if (welcome != null) {
          line.welcomed(
              epoch,
              PacketLayout.acknowledged(from, at),
              PacketLayout.silent(from, at),
              welcome,
              now);
        }
      }
      case REFUSAL -> {
        Greeting.Refused why = Greeting.readRefusal(from, body, length);
        if (why != null
            && epoch == line.session().epoch()
            && line.session().state() == Session.State.GREETING) {
          doorkeeper.refused(line, why);
        }
      }
      default -> line.arrived(kind, from, at, bytes, now);
    }
    return line;
  }

  private static boolean isWhole(
      PacketKind kind, @Nullable Line line, MemorySegment from, long at, long bytes) {
    boolean needed =
        switch (kind) {
          case GREETING, WELCOME, REFUSAL -> true;
          default -> line != null && line.checks();
        };
    return PacketLayout.checksum(from, at) == 0 ? !needed : PacketLayout.isWhole(from, at, bytes);
  }

  /// A peer over a reliable connection has sent something else than a packet.
  private static void breach(Wire wire, @Nullable Line line) {
    if (line == null) {
      wire.close(false);
    } else {
      line.end(Session.End.BREACH, "it sends something else than packets");
    }
  }

  private @Nullable Line greeted(Wire wire, MemorySegment from, long at, long bytes, long now) {
    long body = at + PacketLayout.HEADER_BYTES;
    Greeting greeting = Greeting.read(from, body, bytes - PacketLayout.HEADER_BYTES);
    if (greeting == null) {
      malformed++;
      return null;
    }
    long session = PacketLayout.session(from, at);
    int epoch = PacketLayout.epoch(from, at);
    if (greeting.commonVersion() == 0) {
      refuse(
          wire,
          session,
          epoch,
          Greeting.Refusal.VERSION,
          "it speaks versions %d to %d, and this side %d to %d"
              .formatted(
                  greeting.lowest(),
                  greeting.highest(),
                  Greeting.LOWEST_VERSION,
                  Greeting.HIGHEST_VERSION));
      return null;
    }
    Line line = wire.line();
    if (line == null) {
      wire.greetingEpoch(epoch);
      line = doorkeeper.greeted(wire, session, greeting, now);
    }
    if (line != null && line.id() == session) {
      line.greeted(epoch, PacketLayout.acknowledged(from, at), PacketLayout.silent(from, at), now);
    }
    return line;
  }

  /// Refuses the greeting that has come over a connection.
  public static void refuse(Wire wire, long session, int epoch, Greeting.Refusal why, String text) {
    if (!wire.hasControl() || !wire.isConnected()) {
      return;
    }
    Wire.Slot slot = wire.takeControl();
    Bytes bytes = wire.control();
    int length = Greeting.writeRefusal(bytes, slot.at + PacketLayout.HEADER_BYTES, why, text);
    PacketLayout.stamp(bytes, slot.at, PacketKind.REFUSAL, epoch, session, 0, 0, 0, length);
    PacketLayout.seal(bytes, slot.at, length, MemorySegment.NULL);
    wire.sendControl(slot, PacketLayout.HEADER_BYTES + length);
    wire.ring();
  }
}
