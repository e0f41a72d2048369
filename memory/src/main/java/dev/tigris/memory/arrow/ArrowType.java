package dev.tigris.memory.arrow;

import org.jspecify.annotations.Nullable;

/// A type of Arrow's, as its metadata describes it. [#toString] gives the name that PyArrow prints.
sealed interface ArrowType {
  /// How a text, a binary value or a list says where its bytes or elements are.
  enum Size {
    /// By offsets of 32 bits.
    SMALL(""),
    /// By offsets of 64 bits.
    LARGE("large_"),
    /// By an entry of its own for each value.
    VIEW("");

    final String prefix;

    Size(String prefix) {
      this.prefix = prefix;
    }

    String around(String name) {
      return this == VIEW ? name + "_view" : prefix + name;
    }
  }

  /// Units of time, in the order of Arrow's numbers.
  enum Unit {
    SECOND("s", 1),
    MILLISECOND("ms", 1_000),
    MICROSECOND("us", 1_000_000),
    NANOSECOND("ns", 1_000_000_000);

    final String symbol;

    /// How many of it are a second.
    final long perSecond;

    Unit(String symbol, long perSecond) {
      this.symbol = symbol;
      this.perSecond = perSecond;
    }
  }

  /// Returns how many buffers a column has, beside those of its parts and those that views lead to.
  default int buffers() {
    return switch (this) {
      case ArrowType.Null _ -> 0;
      case ArrowType.Struct _, ArrowType.FixedList _ -> 1;
      case ArrowType.Text(Size size) -> size == Size.VIEW ? 2 : 3;
      case ArrowType.Binary(Size size) -> size == Size.VIEW ? 2 : 3;
      case ArrowType.Many(Size _, boolean hasSizes) -> hasSizes ? 3 : 2;
      case ArrowType.Other(String _, int buffers) -> buffers;
      default -> 2;
    };
  }

  /// Nothing but nulls.
  record Null() implements ArrowType {
    @Override
    public String toString() {
      return "null";
    }
  }

  /// An integer.
  record Whole(int bits, boolean isSigned) implements ArrowType {
    @Override
    public String toString() {
      return (isSigned ? "int" : "uint") + bits;
    }
  }

  /// A floating point number.
  record Real(int bits) implements ArrowType {
    @Override
    public String toString() {
      return switch (bits) {
        case 16 -> "halffloat";
        case 32 -> "float";
        default -> "double";
      };
    }
  }

  /// A decimal number: a whole number of that many bits, of which `scale` digits stand behind the
  /// point.
  record Decimal(int precision, int scale, int bits) implements ArrowType {
    @Override
    public String toString() {
      return "decimal%d(%d, %d)".formatted(bits, precision, scale);
    }
  }

  /// Text in UTF-8.
  record Text(Size size) implements ArrowType {
    @Override
    public String toString() {
      return size.around("string");
    }
  }

  /// Bytes, any number of them.
  record Binary(Size size) implements ArrowType {
    @Override
    public String toString() {
      return size.around("binary");
    }
  }

  /// A bit.
  record Bool() implements ArrowType {
    @Override
    public String toString() {
      return "bool";
    }
  }

  /// Bytes, a fixed number of them.
  record FixedBinary(int bytes) implements ArrowType {
    @Override
    public String toString() {
      return "fixed_size_binary[%d]".formatted(bytes);
    }
  }

  /// A fixed number of values of the field's child.
  record FixedList(int length) implements ArrowType {
    @Override
    public String toString() {
      return "fixed_size_list[%d]".formatted(length);
    }
  }

  /// Any number of values of the field's child.
  ///
  /// @param hasSizes whether it is a view, which has a size beside each offset
  record Many(Size size, boolean hasSizes) implements ArrowType {
    @Override
    public String toString() {
      return size.prefix + (hasSizes ? "list_view" : "list");
    }
  }

  /// One value of each child.
  record Struct() implements ArrowType {
    @Override
    public String toString() {
      return "struct";
    }
  }

  /// A day.
  ///
  /// @param isMillis whether it is counted in milliseconds, as 64 bits
  record Date(boolean isMillis) implements ArrowType {
    @Override
    public String toString() {
      return isMillis ? "date64[ms]" : "date32[day]";
    }
  }

  /// A time of the day.
  record Time(Unit unit, int bits) implements ArrowType {
    @Override
    public String toString() {
      return "time%d[%s]".formatted(bits, unit.symbol);
    }
  }

  /// An instant, or a date with a time where there is no zone.
  record Timestamp(Unit unit, @Nullable String zone) implements ArrowType {
    @Override
    public String toString() {
      return "timestamp[%s%s]".formatted(unit.symbol, zone == null ? "" : ", tz=" + zone);
    }
  }

  /// A span of time.
  record Duration(Unit unit) implements ArrowType {
    @Override
    public String toString() {
      return "duration[%s]".formatted(unit.symbol);
    }
  }

  /// A type that no field can hold. The reader knows how many buffers it has, to pass over it.
  ///
  /// @param buffers how many buffers each column has, beside those of its children
  record Other(String name, int buffers) implements ArrowType {
    @Override
    public String toString() {
      return name;
    }
  }
}
