package dev.tigris.memory.arrow;

import dev.tigris.memory.arrow.ArrowType.Size;
import dev.tigris.memory.arrow.ArrowType.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Reads a schema from metadata that is not trusted.
///
/// Thread rule: one thread.
final class SchemaReader {
  /// The most columns, and parts of columns, of a schema. A damaged one could name one part again
  /// and again, and so have more than its bytes.
  private static final int MOST_FIELDS = 1 << 16;

  /// The most bytes of all names: a damaged schema could give one long name to all columns.
  private static final int MOST_NAME_BYTES = 16 << 20;

  private static final int MOST_NESTED = 64;

  private final int version;
  private int left = MOST_FIELDS;
  private int nameBytesLeft = MOST_NAME_BYTES;

  private SchemaReader(int version) {
    this.version = version;
  }

  /// Reads the columns.
  ///
  /// @param version of the metadata
  static List<Field> read(FlatTable schema, int version) throws ArrowException {
    if (version < Metadata.LEAST_VERSION || version > Metadata.VERSION) {
      throw new ArrowException(
          "the metadata has version V%d, and this program reads V4 and V5: write the file with a newer library"
              .formatted(version + 1));
    }
    if (schema.shortField(0, 0) != 0) {
      throw new ArrowException(
          "the data is big-endian, which is not read here: write it on a little-endian machine");
    }
    return new SchemaReader(version).fields(schema, 1, 0);
  }

  private List<Field> fields(FlatTable holder, int index, int depth) throws ArrowException {
    FlatTable.Vector vector = holder.vector(index, Integer.BYTES);
    left -= vector.count();
    if (depth > MOST_NESTED || left < 0) {
      throw new ArrowException(
          depth > MOST_NESTED
              ? "a column has parts in parts, more than %d deep".formatted(MOST_NESTED)
              : "the schema has more than %d columns and parts of columns".formatted(MOST_FIELDS));
    }
    List<Field> fields = new ArrayList<>();
    for (int i = 0; i < vector.count(); i++) {
      fields.add(field(holder.tableOf(vector, i), depth));
    }
    return List.copyOf(fields);
  }

  private @Nullable String name(FlatTable table, int index) throws ArrowException {
    nameBytesLeft -= table.vector(index, 1).count();
    if (nameBytesLeft < 0) {
      throw new ArrowException(
          "the names of the columns have more than %d bytes".formatted(MOST_NAME_BYTES));
    }
    return table.string(index);
  }

  private Field field(FlatTable table, int depth) throws ArrowException {
    String name = Objects.requireNonNullElse(name(table, 0), "");
    int kind = table.byteField(2, 0);
    FlatTable details = table.table(3);
    if (details == null) {
      throw table.damaged("column '%s' has no type".formatted(name));
    }
    List<Field> children = fields(table, 5, depth + 1);
    ArrowType type = type(kind, details);
    int needed =
        switch (type) {
          case ArrowType.FixedList _, ArrowType.Many _ -> 1;
          default -> children.size();
        };
    if (children.size() != needed) {
      throw table.damaged(
          "column '%s' of type %s has %d parts".formatted(name, type, children.size()));
    }
    return new Field(name, type, table.byteField(1, 0) != 0, dictionary(table.table(4)), children);
  }

  private static Field.@Nullable Dictionary dictionary(@Nullable FlatTable table)
      throws ArrowException {
    if (table == null) {
      return null;
    }
    FlatTable index = table.table(1);
    ArrowType.Whole type = index == null ? new ArrowType.Whole(32, true) : whole(index);
    return new Field.Dictionary(table.longField(0, 0), type, table.byteField(2, 0) != 0);
  }

  private static ArrowType.Whole whole(FlatTable details) throws ArrowException {
    int bits = details.intField(0, 0);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
      throw details.damaged("an integer has %d bits".formatted(bits));
    }
    return new ArrowType.Whole(bits, details.byteField(1, 0) != 0);
  }

  private static ArrowType decimal(FlatTable details) throws ArrowException {
    int precision = details.intField(0, 0);
    int scale = details.intField(1, 0);
    int bits = details.intField(2, 128);
    boolean isKnown = bits == 32 || bits == 64 || bits == 128 || bits == 256;
    if (!isKnown || precision < 1 || precision > 76 || scale < -76 || scale > 76) {
      throw details.damaged(
          "a decimal number has %d bits, %d digits and a scale of %d"
              .formatted(bits, precision, scale));
    }
    return new ArrowType.Decimal(precision, scale, bits);
  }

  private static Unit unit(FlatTable details, int absent) throws ArrowException {
    int unit = details.shortField(0, absent);
    return switch (unit) {
      case 0 -> Unit.SECOND;
      case 1 -> Unit.MILLISECOND;
      case 2 -> Unit.MICROSECOND;
      case 3 -> Unit.NANOSECOND;
      default -> throw details.damaged("%d is no unit of time".formatted(unit));
    };
  }

  private static int size(FlatTable details) throws ArrowException {
    int size = details.intField(0, 0);
    if (size < 0) {
      throw details.damaged("a type has %d bytes or elements".formatted(size));
    }
    return size;
  }

  private ArrowType type(int kind, FlatTable details) throws ArrowException {
    return switch (kind) {
      case Metadata.NULL -> new ArrowType.Null();
      case Metadata.INT -> whole(details);
      case Metadata.FLOATING_POINT -> {
        int precision = details.shortField(0, 0);
        if (precision < 0 || precision > 2) {
          throw details.damaged("%d is no precision of numbers".formatted(precision));
        }
        yield new ArrowType.Real(16 << precision);
      }
      case Metadata.BINARY -> new ArrowType.Binary(Size.SMALL);
      case Metadata.LARGE_BINARY -> new ArrowType.Binary(Size.LARGE);
      case Metadata.BINARY_VIEW -> new ArrowType.Binary(Size.VIEW);
      case Metadata.UTF8 -> new ArrowType.Text(Size.SMALL);
      case Metadata.LARGE_UTF8 -> new ArrowType.Text(Size.LARGE);
      case Metadata.UTF8_VIEW -> new ArrowType.Text(Size.VIEW);
      case Metadata.BOOL -> new ArrowType.Bool();
      case Metadata.DATE -> new ArrowType.Date(details.shortField(0, 1) != 0);
      case Metadata.TIME -> {
        int bits = details.intField(1, 32);
        if (bits != 32 && bits != 64) {
          throw details.damaged("a time has %d bits".formatted(bits));
        }
        yield new ArrowType.Time(unit(details, 1), bits);
      }
      case Metadata.TIMESTAMP -> new ArrowType.Timestamp(unit(details, 0), name(details, 1));
      case Metadata.DURATION -> new ArrowType.Duration(unit(details, 1));
      case Metadata.LIST -> new ArrowType.Many(Size.SMALL, false);
      case Metadata.LARGE_LIST -> new ArrowType.Many(Size.LARGE, false);
      case Metadata.LIST_VIEW -> new ArrowType.Many(Size.SMALL, true);
      case Metadata.LARGE_LIST_VIEW -> new ArrowType.Many(Size.LARGE, true);
      case Metadata.STRUCT -> new ArrowType.Struct();
      case Metadata.FIXED_SIZE_BINARY -> new ArrowType.FixedBinary(size(details));
      case Metadata.FIXED_SIZE_LIST -> new ArrowType.FixedList(size(details));
      case Metadata.DECIMAL -> decimal(details);
      case Metadata.INTERVAL -> new ArrowType.Other("interval", 2);
      case Metadata.MAP -> new ArrowType.Other("map", 2);
      case Metadata.RUN_END_ENCODED -> new ArrowType.Other("run_end_encoded", 0);
      case Metadata.UNION -> {
        int buffers = details.shortField(0, 0) == 0 ? 1 : 2;
        boolean hasNulls = version < Metadata.VERSION;
        yield new ArrowType.Other("union", hasNulls ? buffers + 1 : buffers);
      }
      default ->
          throw new ArrowException(
              "a column has the type number %d, which this program does not know".formatted(kind));
    };
  }
}
