package dev.tigris.memory.arrow;

import dev.tigris.memory.arrow.ArrowType.Unit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Arrow's metadata: the numbers that stand for its tables, types and versions, and how what a
/// class of objects needs is written. [SchemaReader] reads all of it.
///
/// Thread rule: any thread.
final class Metadata {
  /// The version that is written, V5; V4 differs in unions only.
  static final int VERSION = 4;

  static final int LEAST_VERSION = 3;

  static final int SCHEMA = 1;
  static final int DICTIONARY = 2;
  static final int ROWS = 3;

  static final int NULL = 1;
  static final int INT = 2;
  static final int FLOATING_POINT = 3;
  static final int BINARY = 4;
  static final int UTF8 = 5;
  static final int BOOL = 6;
  static final int DECIMAL = 7;
  static final int DATE = 8;
  static final int TIME = 9;
  static final int TIMESTAMP = 10;
  static final int INTERVAL = 11;
  static final int LIST = 12;
  static final int STRUCT = 13;
  static final int UNION = 14;
  static final int FIXED_SIZE_BINARY = 15;
  static final int FIXED_SIZE_LIST = 16;
  static final int MAP = 17;
  static final int DURATION = 18;
  static final int LARGE_BINARY = 19;
  static final int LARGE_UTF8 = 20;
  static final int LARGE_LIST = 21;
  static final int RUN_END_ENCODED = 22;
  static final int BINARY_VIEW = 23;
  static final int UTF8_VIEW = 24;
  static final int LIST_VIEW = 25;
  static final int LARGE_LIST_VIEW = 26;

  private Metadata() {}

  static byte[] schemaMessage(List<Field> fields) {
    FlatBuilder out = new FlatBuilder();
    return message(out, SCHEMA, schema(out, fields), 0);
  }

  static byte[] rowsMessage(Batch batch, long rows) {
    FlatBuilder out = new FlatBuilder();
    return message(out, ROWS, batch.encode(out, rows), batch.bodyBytes());
  }

  static byte[] dictionaryMessage(long id, Batch batch, long values) {
    FlatBuilder out = new FlatBuilder();
    int data = batch.encode(out, values);
    out.begin(2);
    out.longField(0, id);
    out.offsetField(1, data);
    return message(out, DICTIONARY, out.end(), batch.bodyBytes());
  }

  static byte[] footer(
      List<Field> fields, List<Sink.Block> dictionaries, List<Sink.Block> batches) {
    FlatBuilder out = new FlatBuilder();
    int rows = blocks(out, batches);
    int values = blocks(out, dictionaries);
    int schema = schema(out, fields);
    out.begin(4);
    out.offsetField(3, rows);
    out.offsetField(2, values);
    out.offsetField(1, schema);
    out.shortField(0, VERSION);
    return out.finish(out.end());
  }

  /// A block has three numbers: its offset, the size of its metadata as four bytes with four more
  /// behind them, and the size of its body.
  private static int blocks(FlatBuilder out, List<Sink.Block> blocks) {
    long[] numbers = new long[3 * blocks.size()];
    int at = 0;
    for (Sink.Block block : blocks) {
      numbers[at++] = block.offset();
      numbers[at++] = block.metadataBytes();
      numbers[at++] = block.bodyBytes();
    }
    return out.longs(numbers, at, 3);
  }

  private static byte[] message(FlatBuilder out, int kind, int header, long bodyBytes) {
    out.begin(4);
    out.longField(3, bodyBytes);
    out.offsetField(2, header);
    out.byteField(1, kind);
    out.shortField(0, VERSION);
    return out.finish(out.end());
  }

  private static int schema(FlatBuilder out, List<Field> fields) {
    int columns = fields(out, fields);
    out.begin(2);
    out.offsetField(1, columns);
    out.shortField(0, 0); // little-endian
    return out.end();
  }

  private static int fields(FlatBuilder out, List<Field> fields) {
    int[] places = new int[fields.size()];
    for (int i = 0; i < places.length; i++) {
      places[i] = field(out, fields.get(i));
    }
    return out.offsets(places);
  }

  private static int field(FlatBuilder out, Field field) {
    int children = fields(out, field.children());
    int dictionary = dictionary(out, field.dictionary());
    int name = out.string(field.name());
    int zone =
        field.type() instanceof ArrowType.Timestamp(Unit _, String known) && known != null
            ? out.string(known)
            : 0;
    out.begin(2);
    int kind = type(out, field.type(), zone);
    int type = out.end();
    out.begin(6);
    out.offsetField(5, children);
    if (dictionary != 0) {
      out.offsetField(4, dictionary);
    }
    out.offsetField(3, type);
    out.offsetField(0, name);
    out.byteField(2, kind);
    out.byteField(1, field.isNullable() ? 1 : 0);
    return out.end();
  }

  private static int dictionary(FlatBuilder out, Field.@Nullable Dictionary dictionary) {
    if (dictionary == null) {
      return 0;
    }
    out.begin(2);
    out.intField(0, dictionary.index().bits());
    out.byteField(1, dictionary.index().isSigned() ? 1 : 0);
    int index = out.end();
    out.begin(3);
    out.longField(0, dictionary.id());
    out.offsetField(1, index);
    out.byteField(2, dictionary.isOrdered() ? 1 : 0);
    return out.end();
  }

  /// Writes the fields of a type's table, of those types that columns of objects have, and returns
  /// the number of the type.
  private static int type(FlatBuilder out, ArrowType type, int zone) {
    return switch (type) {
      case ArrowType.Whole(int bits, boolean isSigned) -> {
        out.intField(0, bits);
        out.byteField(1, isSigned ? 1 : 0);
        yield INT;
      }
      case ArrowType.Real(int bits) -> {
        out.shortField(0, bits / 32); // half 0, single 1, double 2
        yield FLOATING_POINT;
      }
      case ArrowType.Bool _ -> BOOL;
      case ArrowType.Text _ -> UTF8;
      case ArrowType.Struct _ -> STRUCT;
      case ArrowType.FixedBinary(int bytes) -> {
        out.intField(0, bytes);
        yield FIXED_SIZE_BINARY;
      }
      case ArrowType.FixedList(int length) -> {
        out.intField(0, length);
        yield FIXED_SIZE_LIST;
      }
      case ArrowType.Date(boolean isMillis) -> {
        out.shortField(0, isMillis ? 1 : 0);
        yield DATE;
      }
      case ArrowType.Timestamp(Unit unit, String _) -> {
        if (zone != 0) {
          out.offsetField(1, zone);
        }
        out.shortField(0, number(unit));
        yield TIMESTAMP;
      }
      default -> throw new IllegalStateException("no field of an object is written as " + type);
    };
  }

  private static int number(Unit unit) {
    return switch (unit) {
      case SECOND -> 0;
      case MILLISECOND -> 1;
      case MICROSECOND -> 2;
      case NANOSECOND -> 3;
    };
  }
}
