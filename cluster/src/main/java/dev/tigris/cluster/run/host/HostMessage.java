package dev.tigris.cluster.run.host;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A message between a coordinator and the worker of a host, over TLS.
///
/// ```
/// length   u32    of what follows, at most 1 MiB
/// kind     u8     the number of its kind
/// id       u32    of a request, and of its answer
/// count    u32    of texts, each of which is a length of 32 bits and UTF-8
/// ```
///
/// @param kind what it asks for or answers
/// @param id of a request and its answer; 0 of an [Kind#ENDED]
/// @param texts what belongs to it
public record HostMessage(Kind kind, int id, List<String> texts) {
  /// The kinds of messages, whose order is their numbers.
  public enum Kind {
    /// Tells which keys are revoked: the file `revoked.crl`, in Base64.
    REVOKED,
    /// Asks whether this code is there: a name and a hash for Tigris itself, and for each jar.
    /// Answered with the number of processors.
    HELLO,
    /// Opens a run: its facts, in pairs of name and value.
    OPEN,
    /// Starts the process of a worker: attempt, worker.
    START,
    /// Ends a process by force: attempt, worker.
    KILL,
    /// Ends all processes of an attempt by force, and deletes their outputs: attempt.
    STOP,
    /// Asks for the outputs of an attempt: attempt. Answered with worker, temporary name and target
    /// of each.
    OUTPUTS,
    /// Gives the outputs of a worker their names: attempt, worker. Answered with those that have
    /// none.
    NAME,
    /// Ends the run.
    OVER,
    /// Answers a request that was done.
    DONE,
    /// Answers a request that was not done: why.
    REFUSED,
    /// Tells that a process has ended: attempt, worker, how.
    ENDED,
    /// Asks which of these files lie there. Answered with their places in the list, from 0.
    FILES
  }

  /// The most bytes of a message.
  static final int MOST_BYTES = 1 << 20;

  private static final Kind[] KINDS = Kind.values();
  private static final int HEADER_BYTES = 9;

  /// Makes a message with its own list.
  public HostMessage {
    texts = List.copyOf(texts);
  }

  void write(DataOutputStream out) throws IOException {
    List<byte[]> all = new ArrayList<>();
    long length = HEADER_BYTES;
    for (String text : texts) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      all.add(bytes);
      length += Integer.BYTES + bytes.length;
    }
    if (length > MOST_BYTES) {
      throw new IOException(
          "a message to or from the worker of a host has %,d bytes, of at most %,d"
              .formatted(length, MOST_BYTES));
    }
    out.writeInt((int) length);
    out.writeByte(List.of(KINDS).indexOf(kind));
    out.writeInt(id);
    out.writeInt(all.size());
    for (byte[] bytes : all) {
      out.writeInt(bytes.length);
      out.write(bytes);
    }
    out.flush();
  }

  /// Reads a message. Memory is taken as bytes come, and not as a length says.
  ///
  /// @throws IOException if it is none, or the peer has closed
  static HostMessage read(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < HEADER_BYTES || length > MOST_BYTES) {
      throw new IOException("a message of %d bytes: it has 9 to %d".formatted(length, MOST_BYTES));
    }
    int kind = in.readUnsignedByte();
    if (kind >= KINDS.length) {
      throw new IOException("a message of kind %d, which is unknown".formatted(kind));
    }
    int id = in.readInt();
    int count = in.readInt();
    int left = length - HEADER_BYTES;
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int size = left < Integer.BYTES ? -1 : in.readInt();
      left -= Integer.BYTES;
      if (size < 0 || size > left) {
        throw new IOException("a text of %d bytes, where %d are left".formatted(size, left));
      }
      byte[] bytes = in.readNBytes(size);
      if (bytes.length < size) {
        throw new IOException("the connection ends within a message");
      }
      left -= size;
      texts.add(new String(bytes, StandardCharsets.UTF_8));
    }
    if (count < 0 || left != 0) {
      throw new IOException("%d bytes follow a message".formatted(left));
    }
    return new HostMessage(KINDS[kind], id, texts);
  }
}
