package dev.tigris.message.call;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.CorruptContainerException;
import dev.tigris.memory.Pso;
import dev.tigris.memory.internal.ObjectAccess;
import dev.tigris.memory.schema.Conversion;
import dev.tigris.memory.schema.Schema;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Turns texts, bytes and objects into parts of a payload, and back.
final class Payload {
  private static final long MAGIC = 0x3143_5349_5247_4954L; // "TIGRISC1", little-endian
  private static final int MOST_VERSION = 2;

  private Payload() {}

  static long aligned(long bytes) {
    return (bytes + 7) & -8;
  }

  /// An object that is to be copied, measured.
  ///
  /// @param conversion null if the object leads to no other
  private record Copy(Pso object, @Nullable Conversion conversion, long bytes) {
    static Copy of(Pso object, Value value) {
      if (value.isFlat()) {
        return new Copy(object, null, Container.HEADER_BYTES + value.objectBytes());
      }
      Conversion conversion = Conversion.of(object, value.its(), value.its());
      return new Copy(object, conversion, conversion.objectBytes());
    }

    void into(Container container, Value value) {
      if (conversion == null) {
        copyFlat(object, container, value.objectBytes());
      } else {
        conversion.objectsInto(container);
      }
    }
  }

  private static void copyFlat(Pso object, Container container, long bytes) {
    long at = ObjectAccess.OBJECTS.allocate(container, bytes);
    ObjectAccess.OBJECTS.copy(object, bytes, container, at);
    ObjectAccess.OBJECTS.rootOffset(container, at);
  }

  /// Copies an object, and all that it leads to, into a buffer of its own.
  ///
  /// @return the buffer, which the caller holds; its container is what is sent
  static CallBuffer copy(CallBuffers buffers, Pso object, Value value) {
    if (value.isFlat()) {
      CallBuffer buffer = buffers.take(Container.HEADER_BYTES + value.objectBytes());
      copyFlat(object, buffer.container, value.objectBytes());
      return buffer;
    }
    Copy copy = Copy.of(object, value);
    CallBuffer buffer = buffers.take(copy.bytes());
    try {
      copy.into(buffer.container, value);
      return buffer;
    } catch (RuntimeException | Error e) {
      buffers.give(buffer);
      throw e;
    }
  }

  /// Converts a container into a buffer of its own, as [#copy] does.
  static CallBuffer convert(CallBuffers buffers, Container from, Schema old, Schema wanted) {
    Conversion conversion = Conversion.of(from, old, wanted);
    CallBuffer buffer = buffers.take(conversion.objectBytes());
    try {
      conversion.objectsInto(buffer.container);
      return buffer;
    } catch (RuntimeException | Error e) {
      buffers.give(buffer);
      throw e;
    }
  }

  /// Puts several parts together, in the order of the parameters.
  ///
  /// @param parts null where the parameter has no bytes, or is null
  /// @param words gets the length of each part
  static CallBuffer join(
      CallBuffers buffers, List<Value> values, @Nullable Object[] parts, long[] words, int from) {
    @Nullable Object[] made = new @Nullable Object[parts.length];
    long total = 0;
    for (int i = 0; i < parts.length; i++) {
      Object part = parts[i];
      if (part == null) {
        continue;
      }
      Object its =
          switch (part) {
            case String text -> text.getBytes(StandardCharsets.UTF_8);
            case Pso object -> Copy.of(object, values.get(i));
            default -> part;
          };
      long length =
          switch (its) {
            case byte[] bytes -> bytes.length;
            case Copy copy -> copy.bytes();
            case Bytes bytes -> bytes.length();
            default -> throw new IllegalStateException("a part of " + its.getClass());
          };
      made[i] = its;
      words[from + i] = length;
      total += aligned(length);
    }
    CallBuffer buffer = buffers.take(total);
    try {
      long at = 0;
      for (int i = 0; i < made.length; i++) {
        Object part = made[i];
        if (part != null) {
          put(buffer.bytes, at, part, values.get(i));
          at += aligned(words[from + i]);
        }
      }
      return buffer;
    } catch (RuntimeException | Error e) {
      buffers.give(buffer);
      throw e;
    }
  }

  /// Converts the objects of a payload that the server has other schemas for, into a buffer of its
  /// own.
  ///
  /// @param to null for a part that stays as it is
  /// @param words of the message; gets the new lengths
  static CallBuffer convert(
      CallBuffers buffers,
      CallBuffer payload,
      List<Value> values,
      List<@Nullable Value> to,
      long[] words,
      int from) {
    @Nullable Object[] parts = new @Nullable Object[values.size()];
    List<CallBuffer> converted = new ArrayList<>();
    try {
      long at = 0;
      for (int i = 0; i < parts.length; i++) {
        long length = words[from + i];
        if (!values.get(i).kind().hasBytes() || length < 0) {
          continue;
        }
        Value wanted = to.get(i);
        if (wanted == null) {
          parts[i] = payload.bytes.slice(at, length);
        } else {
          Container old = open(payload, at, length, values.get(i), true);
          CallBuffer its = convert(buffers, old, values.get(i).its(), wanted.its());
          converted.add(its);
          parts[i] = its.bytes.slice(0, its.container.usedBytes());
        }
        at += aligned(length);
      }
      return join(buffers, values, parts, words, from);
    } finally {
      converted.forEach(buffers::give);
    }
  }

  private static void put(Bytes bytes, long at, Object part, Value value) {
    switch (part) {
      case byte[] array -> bytes.copyFrom(at, array, 0, array.length);
      case Bytes source -> source.copyTo(0, bytes, at, source.length());
      case Copy copy -> {
        Bytes room = bytes.slice(at, aligned(copy.bytes()));
        for (long i = 0; i < Container.HEADER_BYTES; i += Long.BYTES) {
          room.setLong(i, 0);
        }
        copy.into(room.asContainer(), value);
      }
      default -> throw new IllegalStateException("a part of " + part.getClass());
    }
  }

  /// Opens the bytes of a part as a container, and checks it unless the peer is trusted.
  ///
  /// @throws CorruptContainerException if it holds something else than the schema says
  static Container open(CallBuffer buffer, long at, long length, Value value, boolean trusts) {
    Container container;
    if (at == 0 && length <= buffer.capacityBytes()) {
      container = buffer.container;
      requireContainer(buffer.bytes, length);
    } else {
      container = buffer.bytes.slice(at, length).asContainer();
    }
    if (container.usedBytes() > length) {
      throw new CorruptContainerException(
          "a container of %d bytes says that %d are used".formatted(length, container.usedBytes()));
    }
    if (!trusts && !value.isPlain()) {
      value.its().validate(container);
    }
    return container;
  }

  /// The container over the buffer was made before these bytes arrived in it.
  private static void requireContainer(Bytes bytes, long length) {
    if (length < Container.HEADER_BYTES) {
      throw new CorruptContainerException(
          "a container of %d bytes: it has %d at least".formatted(length, Container.HEADER_BYTES));
    }
    int version = bytes.getInt(Long.BYTES);
    if (bytes.getLong(0) != MAGIC || version < 1 || version > MOST_VERSION) {
      throw new CorruptContainerException("an object comes in something else than a container");
    }
  }
}
