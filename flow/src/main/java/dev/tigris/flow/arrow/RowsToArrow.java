package dev.tigris.flow.arrow;

import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.text.Rows;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.arrow.ArrowColumn;
import dev.tigris.memory.arrow.ArrowColumnType;
import dev.tigris.memory.arrow.ArrowColumnWriter;
import dev.tigris.memory.arrow.ArrowCompression;
import dev.tigris.memory.arrow.ArrowException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Turns rows of text into the bytes of one Arrow file. The waters that come in are those that
/// [Rows] opens, and the waters that go out are the file.
///
/// ```java
/// RowTypes types = RowTypes.of(Csv.reading(orders), 2);
/// Flow.named("orders")
///     .stage("convert", () -> new RowsToArrow(types))
///     .feed("convert", Csv.reading(orders))
///     .drain("convert", FileStream.writing(Path.of("orders.arrow")))
///     .build();
/// ```
///
/// Columns are found by their names; rows without names have theirs in the order of the types. A
/// value that is not of its column's type fails the flow with a
/// [dev.tigris.flow.text.TextException] that names the file, the row and the column. An empty value
/// is a null, but in quotes it is an empty text in a column of texts.
///
/// The stage has one replica, since each would write a file of its own.
///
/// Thread rule: that of a [Module].
public final class RowsToArrow implements Module {
  private final List<ArrowColumn> columns;
  private final Rows rows = new Rows();
  private final Moments moments = new Moments(Jbuf.allocate(1, "moments").asBytes());
  private final Pieces pieces = new Pieces();
  private final int[] fields;
  private final @Nullable ArrowCompression compression;
  private @Nullable ArrowColumnWriter writer;

  /// Makes a module that writes these columns.
  public RowsToArrow(RowTypes types) {
    this(types, null);
  }

  /// Makes a module that writes these columns compressed.
  ///
  /// @param compression null for none
  public RowsToArrow(RowTypes types, @Nullable ArrowCompression compression) {
    this.compression = compression;
    this.columns = types.columns();
    this.fields = new int[columns.size()];
  }

  @Override
  public void init(ModuleContext context) {
    Pieces.requireOneReplica(context);
  }

  @Override
  public void process(Water in, Stream out) throws Exception {
    rows.open(in);
    pieces.to(out);
    ArrowColumnWriter to = writer();
    for (int i = 0; i < fields.length; i++) {
      fields[i] = rows.hasColumns() ? rows.column(columns.get(i).name()) : i;
    }
    while (rows.next()) {
      for (int i = 0; i < fields.length; i++) {
        add(fields[i], columns.get(i).type(), to);
      }
      to.end();
    }
  }

  private ArrowColumnWriter writer() throws IOException {
    ArrowColumnWriter known = writer;
    if (known == null) {
      known = ArrowColumnWriter.to(pieces, columns);
      if (compression != null) {
        known.compressBy(compression);
      }
      writer = known;
    }
    return known;
  }

  private void add(int field, ArrowColumnType type, ArrowColumnWriter to) throws IOException {
    int length = rows.length(field);
    if (length == 0 && (type != ArrowColumnType.TEXT || !rows.isQuoted(field))) {
      to.nothing();
      return;
    }
    Bytes bytes = rows.bytes(field);
    int start = rows.start(field);
    switch (type) {
      case TEXT -> {
        try {
          to.text(bytes, start, length);
        } catch (ArrowException e) {
          throw rows.wrong("cannot be written: " + e.getMessage());
        }
      }
      case WHOLE -> to.number(rows.number(field));
      case REAL -> to.real(real(bytes, start, length, field));
      case FLAG -> {
        if (!Guess.isFlag(bytes, start, length)) {
          throw wrong(field, "true or false");
        }
        to.flag(length == "true".length());
      }
      case DATE -> to.number(rows.epochDay(field));
      case MICROS, UTC_MICROS, NANOS, UTC_NANOS ->
          to.number(moment(bytes, start, length, field, type));
    }
  }

  private double real(Bytes bytes, int start, int length, int field) {
    double special = bytes.get(start + length - 1) > '9' ? Guess.special(bytes, start, length) : 0;
    return special == 0 ? rows.real(field) : special;
  }

  private long moment(Bytes bytes, int start, int length, int field, ArrowColumnType type) {
    boolean isUtc = type == ArrowColumnType.UTC_MICROS || type == ArrowColumnType.UTC_NANOS;
    boolean isNanos = type == ArrowColumnType.NANOS || type == ArrowColumnType.UTC_NANOS;
    if (!moments.read(bytes, start, length) || moments.hasZone() != isUtc) {
      throw wrong(
          field,
          isUtc ? "a time such as 2026-11-28T13:07:00Z" : "a time such as 2026-11-28T13:07:00");
    }
    if (isNanos ? !moments.fitsNanos() : moments.isFine()) {
      throw wrong(
          field,
          isNanos ? "a time of the years 1678 to 2261" : "a time in microseconds, but a finer one");
    }
    return isNanos ? moments.nanos() : moments.micros();
  }

  private RuntimeException wrong(int field, String what) {
    return rows.wrong(
        "has '%s' in field %d, which is not %s".formatted(shown(field), field + 1, what));
  }

  private String shown(int field) {
    String value = rows.text(field);
    int most = 60;
    return value.length() > most ? value.substring(0, most) + "..." : value;
  }

  @Override
  public void finish(Stream out) throws Exception {
    pieces.to(out);
    writer().complete();
    pieces.putLast();
  }
}
