package dev.tigris.memory;

/// The primitive types as they lie in memory: little-endian, each aligned to its size.
public enum Primitive {
  /// One byte, 0 or 1; of any other value the lowest bit counts.
  BOOLEAN(boolean.class, 1),
  BYTE(byte.class, 1),
  SHORT(short.class, 2),
  /// A UTF-16 unit.
  CHAR(char.class, 2),
  INT(int.class, 4),
  LONG(long.class, 8),
  FLOAT(float.class, 4),
  DOUBLE(double.class, 8);

  private final Class<?> type;
  private final int sizeBytes;

  Primitive(Class<?> type, int sizeBytes) {
    this.type = type;
    this.sizeBytes = sizeBytes;
  }

  /// Returns the Java type, such as `int.class`.
  public Class<?> type() {
    return type;
  }

  /// Returns the size in bytes, which is the alignment too.
  public int sizeBytes() {
    return sizeBytes;
  }

  static Primitive of(Class<?> type) {
    for (Primitive primitive : values()) {
      if (primitive.type == type) {
        return primitive;
      }
    }
    throw new IllegalArgumentException(type.getName() + " is not a primitive type");
  }
}
