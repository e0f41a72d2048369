package dev.tigris.cluster.run;

import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.Failure;
import dev.tigris.cluster.run.protocol.Order;
import dev.tigris.cluster.run.protocol.Report;
import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.cluster.run.protocol.Word;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/// The messages between the coordinator of a run and its workers: an order or a report, and what
/// travels beside it.
///
/// ```
/// version     u8      2
/// kind        u8      0 an order, 1 a report
/// run         u128
/// attempt     u32
/// worker      u32     a report's
/// number      u64     the report's, or the highest that is answered
/// what        u8      which step, or which word, and then its fields
/// attachment  u32     how many bytes, then the bytes
/// ```
///
/// All integers are big-endian. Texts have a length of 32 bits, and are UTF-8. What another process
/// sends is checked, and refused with an [IOException].
final class Frame {
  private static final int VERSION = 3;
  private static final int ORDER = 0;
  private static final int REPORT = 1;

  /// A message that was read.
  sealed interface Content {
    /// An order to a worker, and what came beside it.
    record OfOrder(Order order, ByteBuffer beside) implements Content {}

    /// A report of a worker, and what came beside it.
    record OfReport(Report report, ByteBuffer beside) implements Content {}
  }

  private Frame() {}

  /// Something that is written.
  interface Writes {
    void to(DataOutputStream out) throws IOException;
  }

  /// Returns what is written as an array.
  static byte[] bytes(Writes content) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      content.to(out);
    } catch (IOException e) { // an array does not fail
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /// Returns a stream that reads an array.
  static DataInputStream reading(byte[] bytes) {
    return new DataInputStream(new ByteArrayInputStream(bytes));
  }

  /// Returns a stream that reads what is left of a buffer.
  static DataInputStream reading(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    ByteBuffer _ = buffer.duplicate().get(bytes);
    return reading(bytes);
  }

  static byte[] of(Order order, byte[] attachment) {
    return bytes(
        out -> {
          begin(out, ORDER, order.epoch(), 0, order.answered());
          write(out, order.step());
          Wire.writeBytes(out, attachment);
        });
  }

  static byte[] of(Report report, byte[] attachment) {
    return bytes(
        out -> {
          begin(out, REPORT, report.epoch(), report.worker(), report.number());
          write(out, report.word());
          Wire.writeBytes(out, attachment);
        });
  }

  private static void begin(DataOutputStream out, int kind, Epoch epoch, int worker, long number)
      throws IOException {
    out.writeByte(VERSION);
    out.writeByte(kind);
    out.writeLong(epoch.run().high());
    out.writeLong(epoch.run().low());
    out.writeInt(epoch.attempt());
    out.writeInt(worker);
    out.writeLong(number);
  }

  /// Reads a message.
  ///
  /// @throws IOException if it is none of this version
  static Content read(byte[] bytes) throws IOException {
    try (DataInputStream in = reading(bytes)) {
      int version = in.readUnsignedByte();
      if (version != VERSION) {
        throw new IOException(
            "a message of version %d: this process speaks version %d".formatted(version, VERSION));
      }
      int kind = in.readUnsignedByte();
      Epoch epoch = new Epoch(new RunId(in.readLong(), in.readLong()), in.readInt());
      int worker = in.readInt();
      long number = in.readLong();
      Content content =
          switch (kind) {
            case ORDER -> {
              Order order = new Order(epoch, number, readStep(in));
              yield new Content.OfOrder(order, ByteBuffer.wrap(Wire.readBytes(in)));
            }
            case REPORT -> {
              Report report = new Report(epoch, worker, number, readWord(in));
              yield new Content.OfReport(report, ByteBuffer.wrap(Wire.readBytes(in)));
            }
            default -> throw new IOException("a message of kind " + kind + ", which is unknown");
          };
      if (in.available() > 0) {
        throw new IOException(in.available() + " bytes follow a message");
      }
      return content;
    } catch (IllegalArgumentException e) { // such as attempt 0
      throw new IOException(e);
    }
  }

  // -- Steps.

  private static void write(DataOutputStream out, Order.Step step) throws IOException {
    switch (step) {
      case Order.Step.Wait _ -> out.writeByte(0);
      case Order.Step.Describe _ -> out.writeByte(1);
      case Order.Step.Wire(List<String> addresses) -> {
        out.writeByte(2);
        Wire.writeTexts(out, addresses);
      }
      case Order.Step.Initialize _ -> out.writeByte(3);
      case Order.Step.Run _ -> out.writeByte(4);
      case Order.Step.Prepare _ -> out.writeByte(5);
      case Order.Step.Publish _ -> out.writeByte(6);
      case Order.Step.Abort(String reason) -> {
        out.writeByte(7);
        Wire.writeText(out, reason);
      }
      case Order.Step.Leave _ -> out.writeByte(8);
      case Order.Step.Drain _ -> out.writeByte(9);
    }
  }

  private static Order.Step readStep(DataInputStream in) throws IOException {
    int which = in.readUnsignedByte();
    return switch (which) {
      case 0 -> new Order.Step.Wait();
      case 1 -> new Order.Step.Describe();
      case 2 -> new Order.Step.Wire(Wire.readTexts(in));
      case 3 -> new Order.Step.Initialize();
      case 4 -> new Order.Step.Run();
      case 5 -> new Order.Step.Prepare();
      case 6 -> new Order.Step.Publish();
      case 7 -> new Order.Step.Abort(Wire.readText(in));
      case 8 -> new Order.Step.Leave();
      case 9 -> new Order.Step.Drain();
      default -> throw new IOException("an order to do " + which + ", which is unknown");
    };
  }

  // -- Words.

  private static void write(DataOutputStream out, Word word) throws IOException {
    switch (word) {
      case Word.Joined(String address) -> {
        out.writeByte(0);
        Wire.writeText(out, address);
      }
      case Word.Described(Map<String, String> fingerprint) -> {
        out.writeByte(1);
        new Fingerprint(fingerprint).write(out);
      }
      case Word.Wired _ -> out.writeByte(2);
      case Word.Initialized _ -> out.writeByte(3);
      case Word.Running _ -> out.writeByte(4);
      case Word.Ended(ByteBuffer results) -> {
        out.writeByte(5);
        byte[] bytes = new byte[results.remaining()];
        ByteBuffer _ = results.duplicate().get(bytes);
        Wire.writeBytes(out, bytes);
      }
      case Word.Prepared _ -> out.writeByte(6);
      case Word.Published(List<String> unnamed, List<String> unclosed) -> {
        out.writeByte(7);
        Wire.writeTexts(out, unnamed);
        Wire.writeTexts(out, unclosed);
      }
      case Word.Failing(Failure failure) -> {
        out.writeByte(8);
        write(out, failure);
      }
      case Word.Aborted _ -> out.writeByte(9);
      case Word.Failed(Failure failure) -> {
        out.writeByte(10);
        write(out, failure);
      }
    }
  }

  private static Word readWord(DataInputStream in) throws IOException {
    int which = in.readUnsignedByte();
    return switch (which) {
      case 0 -> new Word.Joined(Wire.readText(in));
      case 1 -> new Word.Described(Fingerprint.read(in).parts());
      case 2 -> new Word.Wired();
      case 3 -> new Word.Initialized();
      case 4 -> new Word.Running();
      case 5 -> new Word.Ended(ByteBuffer.wrap(Wire.readBytes(in)));
      case 6 -> new Word.Prepared();
      case 7 -> new Word.Published(Wire.readTexts(in), Wire.readTexts(in));
      case 8 -> new Word.Failing(readFailure(in));
      case 9 -> new Word.Aborted();
      case 10 -> new Word.Failed(readFailure(in));
      default -> throw new IOException("a report of " + which + ", which is unknown");
    };
  }

  private static void write(DataOutputStream out, Failure failure) throws IOException {
    Wire.writeText(out, failure.kind().name());
    out.writeInt(failure.worker());
    Wire.writeText(out, failure.message());
  }

  private static Failure readFailure(DataInputStream in) throws IOException {
    return new Failure(Failure.Kind.valueOf(Wire.readText(in)), in.readInt(), Wire.readText(in));
  }
}
