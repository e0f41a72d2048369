package dev.tigris.flow;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Numbers and small objects that the modules of a run have told, by [ModuleContext#results]. The
/// results of several processes are merged: sums are added, and of largest and smallest numbers one
/// stays.
///
/// Results travel between processes in a form of their own ([#encoded]):
///
/// ```
/// version   u8      1
/// numbers   u32     how many, then for each: name, kind u8, value u64
/// objects   u32     how many, then for each: name, stage, replica u32, order u32, length u32, and
///                   the bytes
/// ```
///
/// All integers are big-endian. A text is UTF-8 behind its length of 16 bits.
public final class Results {
  private static final int VERSION = 1;

  /// How numbers of one name are merged.
  enum Kind {
    SUM(0, "a sum"),
    LARGEST(1, "a largest number"),
    SMALLEST(2, "a smallest number");

    /// What stands for it in the encoded form.
    private final int code;

    private final String words;

    Kind(int code, String words) {
      this.code = code;
      this.words = words;
    }

    static Kind of(int code) {
      for (Kind each : values()) {
        if (each.code == code) {
          return each;
        }
      }
      throw new IllegalArgumentException("a result of kind " + code + ", which is unknown");
    }

    long merge(long one, long other) {
      return switch (this) {
        case SUM -> Math.addExact(one, other);
        case LARGEST -> Math.max(one, other);
        case SMALLEST -> Math.min(one, other);
      };
    }
  }

  /// A number, and how it is merged.
  record Tally(Kind kind, long value) {
    Tally merge(String name, Tally other) {
      if (kind != other.kind) {
        throw new IllegalArgumentException(
            "the result '%s' is %s and %s: give one of them another name"
                .formatted(name, kind.words, other.kind.words));
      }
      return new Tally(kind, kind.merge(value, other.value));
    }
  }

  /// The objects of a container, and which module has put them.
  ///
  /// @param bytes read only
  record Objects(String name, String stage, int replica, int order, ByteBuffer bytes) {
    Objects {
      bytes = bytes.asReadOnlyBuffer();
    }

    byte[] copy() {
      byte[] all = new byte[bytes.remaining()];
      ByteBuffer _ = bytes.duplicate().get(all);
      return all;
    }
  }

  private static final Comparator<Objects> ORDER =
      Comparator.comparing(Objects::name)
          .thenComparing(Objects::stage)
          .thenComparingInt(Objects::replica)
          .thenComparingInt(Objects::order);

  /// The results of a run whose modules tell nothing.
  public static final Results NONE = new Results(Map.of(), List.of());

  private final Map<String, Tally> numbers;
  private final List<Objects> objects;

  Results(Map<String, Tally> numbers, List<Objects> objects) {
    this.numbers = Collections.unmodifiableMap(new TreeMap<>(numbers));
    this.objects = objects.stream().sorted(ORDER).toList();
  }

  /// Returns a number.
  ///
  /// @throws IllegalArgumentException if no module has told one of this name
  public long number(String name) {
    Tally found = numbers.get(name);
    if (found == null) {
      throw new IllegalArgumentException(
          "no module has told a number '%s', only %s".formatted(name, numbers.keySet()));
    }
    return found.value();
  }

  /// Returns all numbers by their names, in the order of the names.
  public Map<String, Long> numbers() {
    Map<String, Long> all = new TreeMap<>();
    numbers.forEach((name, number) -> all.put(name, number.value()));
    return Collections.unmodifiableMap(all);
  }

  /// Returns the containers of a name, each a copy of its own, in the order of the stages' names,
  /// the replicas, and in which a replica has put them. The list is empty if there are none.
  ///
  /// @throws dev.tigris.memory.CorruptContainerException if the bytes of one are no container
  public List<Container> objects(String name) {
    return objects.stream().filter(o -> o.name().equals(name)).map(Results::container).toList();
  }

  /// Returns the bytes of a name, each a copy of its own, in the order of [#objects].
  public List<byte[]> bytes(String name) {
    return objects.stream().filter(o -> o.name().equals(name)).map(Objects::copy).toList();
  }

  private static Container container(Objects objects) {
    byte[] content = objects.copy();
    Bytes copy = Jbuf.allocate(Math.max(Container.HEADER_BYTES, content.length)).asBytes();
    copy.copyFrom(0, content, 0, content.length);
    return copy.asContainer();
  }

  /// Returns the results of all: those of the parts of one run.
  ///
  /// @throws IllegalArgumentException if a number is a sum in one part and a largest or smallest
  ///     one in another
  /// @throws ArithmeticException if a sum is beyond a `long`
  public static Results merged(List<Results> parts) {
    Map<String, Tally> numbers = new TreeMap<>();
    List<Objects> objects = new ArrayList<>();
    for (Results part : parts) {
      part.numbers.forEach(
          (name, number) -> numbers.merge(name, number, (one, other) -> one.merge(name, other)));
      objects.addAll(part.objects);
    }
    return new Results(numbers, objects);
  }

  /// Returns the numbers alone.
  public Results withoutObjects() {
    return new Results(numbers, List.of());
  }

  /// Returns the results as bytes, for another process.
  public byte[] encoded() {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      out.writeInt(numbers.size());
      for (var number : numbers.entrySet()) {
        out.writeUTF(number.getKey());
        out.writeByte(number.getValue().kind().code);
        out.writeLong(number.getValue().value());
      }
      out.writeInt(objects.size());
      for (Objects each : objects) {
        out.writeUTF(each.name());
        out.writeUTF(each.stage());
        out.writeInt(each.replica());
        out.writeInt(each.order());
        out.writeInt(each.bytes().remaining());
        out.write(each.copy());
      }
    } catch (IOException e) { // memory does not fail so, and names were checked
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /// Returns the results that [#encoded] has written.
  ///
  /// @throws IllegalArgumentException if the bytes are none
  public static Results decoded(byte[] bytes) {
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int version = in.readUnsignedByte();
      if (version != VERSION) {
        throw new IllegalArgumentException(
            "results of version %d: this one reads version %d".formatted(version, VERSION));
      }
      Map<String, Tally> numbers = new TreeMap<>();
      for (int left = in.readInt(); left > 0; left--) {
        String name = in.readUTF();
        Kind kind = Kind.of(in.readUnsignedByte());
        numbers.put(name, new Tally(kind, in.readLong()));
      }
      List<Objects> objects = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        objects.add(
            new Objects(in.readUTF(), in.readUTF(), in.readInt(), in.readInt(), content(in)));
      }
      if (in.available() > 0) {
        throw new IllegalArgumentException(in.available() + " bytes follow the results");
      }
      return new Results(numbers, objects);
    } catch (IOException e) {
      throw new IllegalArgumentException("the bytes of results end too early, or are no text", e);
    }
  }

  private static ByteBuffer content(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new IllegalArgumentException(
          "objects of %d bytes, where %d are left".formatted(length, in.available()));
    }
    return ByteBuffer.wrap(in.readNBytes(length));
  }

  @Override
  public String toString() {
    return "Results" + numbers();
  }
}
