package dev.tigris.cluster;

import dev.tigris.memory.Bytes;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// The first 64 bytes of each message. All numbers are little-endian.
///
/// ```
///   0         1      2       4        8       16        20         24       32        40      48
///   +---------+------+-------+--------+-------+---------+----------+--------+---------+-------+--
///   | version | kind | count | length | run   | attempt | checksum | stream | message | water |
///   +---------+------+-------+--------+-------+---------+----------+--------+---------+-------+--
///    48        56            64
///   --+---------+-------------+----------
///     | operand | reserved, 0 | payload ...
///   --+---------+-------------+----------
///
///   count     how many waters the payload has
///   length    of the payload
///   checksum  CRC-32C of all else, if the stream has checksums, and of a HELLO
///   stream    hash of run, attempt and the stream's name
///   message   how many messages this end has sent before this one
///   water     number of the first water; from the receiver: how many waters are finished
///   operand   HELLO: window << 32 | slot bytes; ANNOUNCE: size of the water; GRANT: number of the
///             receive; ACK, STOP, FINAL: how many waters were taken
/// ```
///
/// A HELLO's reserved bytes are 1 if the stream has checksums.
final class Header {
  static final int BYTES = 64;
  static final int VERSION = 1;

  private static final int KIND = 1;
  private static final int COUNT = 2;
  private static final int LENGTH = 4;
  private static final int RUN = 8;
  private static final int ATTEMPT = 16;
  private static final int CHECKSUM = 20;
  private static final int STREAM = 24;
  private static final int MESSAGE = 32;
  private static final int WATER = 40;
  private static final int OPERAND = 48;
  private static final int FLAGS = 56;

  private Header() {}

  /// The identity that each message of a stream carries.
  ///
  /// @param run the run that the stream belongs to
  /// @param attempt which attempt of the run, from 0
  /// @param name the name of the stream, unique in the run
  /// @param hash of the three
  record Identity(long run, int attempt, String name, long hash) {
    /// FNV-1a, so that both ends and every JVM compute one number.
    static Identity of(long run, int attempt, String name) {
      long hash = 0xcbf29ce484222325L;
      for (int i = 0; i < Long.SIZE; i += Byte.SIZE) {
        hash = (hash ^ ((run >>> i) & 0xff)) * 0x100000001b3L;
      }
      for (int i = 0; i < Integer.SIZE; i += Byte.SIZE) {
        hash = (hash ^ ((attempt >>> i) & 0xff)) * 0x100000001b3L;
      }
      for (int i = 0; i < name.length(); i++) {
        hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
      }
      return new Identity(run, attempt, name, hash);
    }
  }

  static void write(
      Bytes bytes,
      long at,
      Identity identity,
      Kind kind,
      int count,
      int length,
      long message,
      long water,
      long operand) {
    bytes.set(at, (byte) VERSION);
    bytes.set(at + KIND, (byte) kind.number());
    bytes.setShort(at + COUNT, (short) count);
    bytes.setInt(at + LENGTH, length);
    bytes.setLong(at + RUN, identity.run());
    bytes.setInt(at + ATTEMPT, identity.attempt());
    bytes.setInt(at + CHECKSUM, 0);
    bytes.setLong(at + STREAM, identity.hash());
    bytes.setLong(at + MESSAGE, message);
    bytes.setLong(at + WATER, water);
    bytes.setLong(at + OPERAND, operand);
    bytes.setLong(at + FLAGS, 0);
  }

  static void flags(Bytes bytes, long at, long flags) {
    bytes.setLong(at + FLAGS, flags);
  }

  /// Writes the checksum of a header and of what follows it.
  static void seal(Bytes bytes, long at, Bytes payload, long payloadAt, int length) {
    bytes.setInt(at + CHECKSUM, 0);
    bytes.setInt(at + CHECKSUM, checksum(bytes, at, payload, payloadAt, length));
  }

  /// Throws if a checksum does not match. What came is not changed by that, but for the checksum.
  static void requireIntact(Bytes bytes, long at, Bytes payload, long payloadAt, int length) {
    int told = bytes.getInt(at + CHECKSUM);
    bytes.setInt(at + CHECKSUM, 0);
    if (told != checksum(bytes, at, payload, payloadAt, length)) {
      throw new ProtocolException("the checksum of a message does not match: it was damaged");
    }
  }

  private static int checksum(Bytes bytes, long at, Bytes payload, long payloadAt, int length) {
    CRC32C crc = new CRC32C();
    crc.update(part(bytes, at, BYTES));
    crc.update(part(payload, payloadAt, length));
    return (int) crc.getValue();
  }

  private static ByteBuffer part(Bytes bytes, long at, int length) {
    return bytes.slice(at, length).byteBuffer();
  }

  /// The contents of a header, of which version, identity and length were checked.
  record Read(
      Kind kind, int count, int length, long message, long water, long operand, long flags) {}

  /// Reads a header that came from the other end.
  ///
  /// @param arrived how many bytes came, the header included
  static Read read(Bytes bytes, long at, long arrived, Identity identity) {
    if (arrived < BYTES) {
      throw new ProtocolException(
          "a message of %d bytes came: each has at least %d".formatted(arrived, BYTES));
    }
    int version = bytes.get(at) & 0xff;
    if (version != VERSION) {
      throw new ProtocolException(
          "the other end speaks version %d of the protocol, this one version %d: run one release in all processes"
              .formatted(version, VERSION));
    }
    int length = bytes.getInt(at + LENGTH);
    if (length != arrived - BYTES) {
      throw new ProtocolException(
          "a message says that %d bytes follow its header, but %d did"
              .formatted(length, arrived - BYTES));
    }
    if (bytes.getLong(at + RUN) != identity.run()
        || bytes.getInt(at + ATTEMPT) != identity.attempt()
        || bytes.getLong(at + STREAM) != identity.hash()) {
      throw new ProtocolException(
          // the number of the run is what lets its processes in, so it is not told
          "a message of attempt %d came on a stream of attempt %d, or it is of another run or stream"
              .formatted(bytes.getInt(at + ATTEMPT), identity.attempt()));
    }
    return new Read(
        Kind.of(bytes.get(at + KIND)),
        bytes.getShort(at + COUNT) & 0xffff,
        length,
        bytes.getLong(at + MESSAGE),
        bytes.getLong(at + WATER),
        bytes.getLong(at + OPERAND),
        bytes.getLong(at + FLAGS));
  }
}
