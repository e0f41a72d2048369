package dev.tigris.memory.arrow;

import dev.tigris.memory.arrow.Messages.Message;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The batches of rows of a file or stream, one after the other, and the dictionaries that their
/// columns need.
///
/// Thread rule: one thread.
final class RowBatches implements AutoCloseable {
  private final RowSource source;
  private final List<SourceColumn> columns;

  /// The dictionaries that columns need, as fields with their values, and those that have come.
  private final Map<Long, Field> wanted = new HashMap<>();

  private final Map<Long, DictionaryValues> dictionaries = new HashMap<>();
  private long rows;
  private boolean isClosed;

  RowBatches(RowSource source) {
    this.source = source;
    this.columns = SourceColumn.of(source.fields());
  }

  List<SourceColumn> columns() {
    return columns;
  }

  /// Finds out which dictionaries are needed, once it is known which columns are.
  void begin() throws ArrowException {
    for (SourceColumn column : columns) {
      column.addDictionaries(wanted);
    }
  }

  /// Goes to the next batch that has rows. Returns false behind the last one.
  boolean next() throws IOException {
    rows = 0;
    while (rows == 0) {
      Message message = source.next();
      if (message == null) {
        return false;
      }
      if (message.kind() == Metadata.DICTIONARY) {
        addDictionary(message);
        continue;
      }
      BatchWalk walk = new BatchWalk(message.header(), message.body());
      rows = walk.rows();
      for (SourceColumn column : columns) {
        column.place(walk, dictionaries);
        column.requireRows(rows);
      }
    }
    return true;
  }

  /// Returns how many rows the batch at hand has.
  long rows() {
    return rows;
  }

  private void addDictionary(Message message) throws IOException {
    FlatTable header = message.header();
    long id = header.longField(0, 0);
    Field field = wanted.get(id);
    if (field == null) {
      return;
    }
    BatchWalk walk = new BatchWalk(header.required(1, "values"), message.body());
    Field plain = new Field(field.name(), field.type(), field.isNullable(), null, field.children());
    SourceColumn column = SourceColumn.of(List.of(plain)).getFirst().want();
    boolean isDelta = header.byteField(2, 0) != 0;
    DictionaryValues values = isDelta ? dictionaries.get(id) : null;
    if (values == null) {
      values = Objects.requireNonNull(DictionaryValues.of(field.type()));
      dictionaries.put(id, values);
    }
    try {
      column.place(walk, dictionaries);
      column.requireRows(walk.rows());
      if (column.rows() > DictionaryValues.MOST - values.count()) {
        throw new ArrowException(
            "%s has a dictionary of more than %d values: write it without a dictionary"
                .formatted(column, DictionaryValues.MOST));
      }
      values.add(column.cells(0, (int) column.rows()));
    } finally {
      column.close();
    }
  }

  @Override
  public void close() throws IOException {
    if (!isClosed) {
      isClosed = true;
      try (source) {
        for (SourceColumn column : columns) {
          column.close();
        }
      }
    }
  }
}
