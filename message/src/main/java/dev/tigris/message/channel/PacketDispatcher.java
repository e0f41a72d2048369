package dev.tigris.message.channel;

import dev.tigris.memory.Bytes;
import dev.tigris.message.protocol.Session;
import dev.tigris.net.Descriptor;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Takes packets apart as far as to know which channel they belong to, and answers greetings. One
/// for a bundle.
///
/// Thread rule: the thread of the bundle.
public final class PacketDispatcher {
  private final Admission admission;
  private final boolean lossy;
  private long malformed;

  /// Decides about greetings.
  public interface Admission {
    /// Finds or makes the channel that a greeting is for, and attaches it to the connection; or
    /// [#refuse]s.
    ///
    /// @return the channel, attached; null if it was refused
    @Nullable Channel greeted(
        PacketConnection connection, long session, Greeting greeting, long now);

    /// Hears that the peer has refused a greeting.
    void refused(Channel channel, Greeting.Refused why);
  }

  /// Makes one.
  ///
  /// @param lossy whether packets may be damaged on their way
  public PacketDispatcher(Admission admission, boolean lossy) {
    this.admission = admission;
    this.lossy = lossy;
  }

  /// Returns how many packets were dropped because they were damaged, or none.
  public long malformed() {
    return malformed;
  }

  /// Takes a packet that has arrived.
  ///
  /// @return the channel that it was for; null if none
  public @Nullable Channel take(PacketConnection connection, Descriptor descriptor, long now) {
    MemorySegment from = descriptor.memory();
    long at = descriptor.memoryOffset();
    long bytes = descriptor.transferredBytes();
    Channel channel = connection.channel();
    long header = PacketLayout.shortHeader(from, at, bytes);
    if (header != 0 && channel != null && channel.hasShortHeaders()) {
      channel.arrived(header, from, at, bytes, now);
      return channel;
    }
    PacketKind kind =
        bytes < PacketLayout.HEADER_BYTES
                || !PacketLayout.isPacket(from, at)
                || PacketLayout.length(from, at) != bytes - PacketLayout.HEADER_BYTES
            ? null
            : PacketKind.of(PacketLayout.kindCode(from, at));
    if (kind == null || !isWhole(kind, channel, from, at, bytes)) {
      malformed++;
      if (!(channel == null ? lossy : channel.checks())) {
        breach(connection, channel);
      }
      return channel;
    }
    long session = PacketLayout.session(from, at);
    if (kind == PacketKind.GREETING) {
      return greeted(connection, from, at, bytes, now);
    }
    if (channel == null || channel.id() != session) {
      return channel;
    }
    long body = at + PacketLayout.HEADER_BYTES;
    long length = bytes - PacketLayout.HEADER_BYTES;
    int epoch = PacketLayout.epoch(from, at);
    switch (kind) {
      case WELCOME -> {
        Greeting.Welcome welcome = Greeting.readWelcome(from, body, length);
        if (welcome != null) {
          channel.welcomed(
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
            && epoch == channel.session().epoch()
            && channel.session().state() == Session.State.GREETING) {
          admission.refused(channel, why);
        }
      }
      default -> channel.arrived(kind, from, at, bytes, now);
    }
    return channel;
  }

  private static boolean isWhole(
      PacketKind kind, @Nullable Channel channel, MemorySegment from, long at, long bytes) {
    boolean needed =
        switch (kind) {
          case GREETING, WELCOME, REFUSAL -> true;
          default -> channel != null && channel.checks();
        };
    return PacketLayout.checksum(from, at) == 0 ? !needed : PacketLayout.isWhole(from, at, bytes);
  }

  /// A peer over a reliable connection has sent something else than a packet.
  private static void breach(PacketConnection connection, @Nullable Channel channel) {
    if (channel == null) {
      connection.close(false);
    } else {
      channel.end(Session.End.BREACH, "it sends something else than packets");
    }
  }

  private @Nullable Channel greeted(
      PacketConnection connection, MemorySegment from, long at, long bytes, long now) {
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
          connection,
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
    Channel channel = connection.channel();
    if (channel == null) {
      connection.greetingEpoch(epoch);
      channel = admission.greeted(connection, session, greeting, now);
    }
    if (channel != null && channel.id() == session) {
      channel.greeted(
          epoch, PacketLayout.acknowledged(from, at), PacketLayout.silent(from, at), now);
    }
    return channel;
  }

  /// Refuses the greeting that has come over a connection.
  public static void refuse(
      PacketConnection connection, long session, int epoch, Greeting.Refusal why, String text) {
    if (!connection.hasControl() || !connection.isConnected()) {
      return;
    }
    PacketConnection.Slot slot = connection.takeControl();
    Bytes bytes = connection.control();
    int length = Greeting.writeRefusal(bytes, slot.at + PacketLayout.HEADER_BYTES, why, text);
    PacketLayout.stamp(bytes, slot.at, PacketKind.REFUSAL, epoch, session, 0, 0, 0, length);
    PacketLayout.seal(bytes, slot.at, length, MemorySegment.NULL);
    connection.sendControl(slot, PacketLayout.HEADER_BYTES + length);
    connection.ring();
  }
}
