package dev.tigris.message.call;

import dev.tigris.memory.schema.Schema;
import dev.tigris.message.call.ServiceModel.Form;
import dev.tigris.message.call.ServiceModel.MethodModel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A server's description of itself: its methods and their schemas. A schema that several methods
/// use is told once.
///
/// ```text
///   "TIGRISMD"  version  schemas: count, (length, text)...
///   methods: count, (service, name, flags, parameters: count, value..., result value)...
///   value: kind, and for an object the index of its schema
/// ```
///
/// Numbers are big-endian, a count or a length takes 32 bits, a kind or flags 8.
record Description(List<Signature> methods) {
  /// The method that asks for the description of a server, as a client calls it.
  static final MethodModel METHOD = describe();

  private static final long MAGIC = 0x5449_4752_4953_4d44L;
  private static final int VERSION = 1;
  private static final int STREAM = 1;
  private static final int IDEMPOTENT = 2;
  private static final int MOST_NAME = 1 << 10;

  /// A description that is longer is none.
  static final int MOST_BYTES = 16 << 20;

  Description {
    methods = List.copyOf(methods);
  }

  private static MethodModel describe() {
    try {
      return new MethodModel(
          Object.class.getMethod("toString"), Signature.DESCRIPTION, Form.PLAIN, byte[].class);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("every object has toString", e);
    }
  }

  byte[] toBytes() {
    Map<String, Integer> schemas = new LinkedHashMap<>();
    for (Signature method : methods) {
      method.parameters().forEach(value -> note(schemas, value));
      note(schemas, method.result());
    }
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeLong(MAGIC);
      out.writeInt(VERSION);
      out.writeInt(schemas.size());
      for (String schema : schemas.keySet()) {
        write(out, schema);
      }
      out.writeInt(methods.size());
      for (Signature method : methods) {
        write(out, method.service());
        write(out, method.name());
        out.writeByte((method.isStream() ? STREAM : 0) | (method.isIdempotent() ? IDEMPOTENT : 0));
        out.writeInt(method.parameters().size());
        for (Value value : method.parameters()) {
          write(out, schemas, value);
        }
        write(out, schemas, method.result());
      }
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new IllegalStateException("writing to memory does not fail", e);
    }
  }

  private static void note(Map<String, Integer> schemas, Value value) {
    if (value.schema() != null) {
      schemas.putIfAbsent(value.its().toString(), schemas.size());
    }
  }

  private static void write(DataOutputStream out, String text) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(utf8.length);
    out.write(utf8);
  }

  private static void write(DataOutputStream out, Map<String, Integer> schemas, Value value)
      throws IOException {
    out.writeByte(value.kind().code());
    if (value.schema() != null) {
      out.writeInt(Objects.requireNonNull(schemas.get(value.its().toString())));
    }
  }

  /// Reads what a peer has sent.
  ///
  /// @throws IllegalArgumentException if it is no description
  static Description parse(byte[] bytes) {
    try {
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
      if (in.readLong() != MAGIC) {
        throw new IllegalArgumentException("it does not begin as a description does");
      }
      int version = in.readInt();
      if (version != VERSION) {
        throw new IllegalArgumentException(
            "it has version %d, and this program reads version %d".formatted(version, VERSION));
      }
      List<Schema> schemas = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        schemas.add(Schema.parse(text(in, Schema.MAX_TEXT_BYTES)));
      }
      List<Signature> methods = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        methods.add(method(in, schemas));
      }
      return new Description(methods);
    } catch (IOException e) {
      throw new IllegalArgumentException("it ends too early", e);
    }
  }

  private static Signature method(DataInputStream in, List<Schema> schemas) throws IOException {
    String service = text(in, MOST_NAME);
    String name = text(in, MOST_NAME);
    int flags = in.readUnsignedByte();
    int count = in.readInt();
    if (count < 0 || count > ServiceModel.MOST_PARAMETERS) {
      throw new IllegalArgumentException("a method has %d parameters".formatted(count));
    }
    List<Value> parameters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      parameters.add(value(in, schemas));
    }
    Value result = value(in, schemas);
    return Signature.of(
        service, name, parameters, result, (flags & STREAM) != 0, (flags & IDEMPOTENT) != 0);
  }

  private static Value value(DataInputStream in, List<Schema> schemas) throws IOException {
    int number = in.readUnsignedByte();
    Kind kind = Kind.of(number);
    if (kind == null) {
      throw new IllegalArgumentException("a value has the kind %d".formatted(number));
    }
    if (kind != Kind.OBJECT) {
      return new Value(kind, null);
    }
    int index = in.readInt();
    if (index < 0 || index >= schemas.size()) {
      throw new IllegalArgumentException(
          "a value has schema %d of %d".formatted(index, schemas.size()));
    }
    return new Value(kind, schemas.get(index));
  }

  private static String text(DataInputStream in, int most) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > most) {
      throw new IllegalArgumentException("a text has %d bytes".formatted(length));
    }
    byte[] utf8 = in.readNBytes(length);
    if (utf8.length < length) {
      throw new IllegalArgumentException("a text ends too early");
    }
    return new String(utf8, StandardCharsets.UTF_8);
  }

  /// Returns the methods by their full names.
  Map<String, Signature> byName() {
    Map<String, Signature> byName = new HashMap<>();
    methods.forEach(method -> byName.put(method.fullName(), method));
    return byName;
  }
}
