package dev.tigris.memory.arrow;

/// Goes along the nodes and buffers of a message with rows, as the columns of its schema do.
///
/// Thread rule: one thread.
final class BatchWalk {
  private static final int PAIR_BYTES = 2 * Long.BYTES;

  private final FlatTable rows;
  private final Body body;
  private final BufferRange.Codec codec;
  private final FlatTable.Vector nodes;
  private final FlatTable.Vector buffers;
  private final FlatTable.Vector variadic;
  private int node;
  private int buffer;
  private int variadicCount;

  BatchWalk(FlatTable rows, Body body) throws ArrowException {
    this.rows = rows;
    this.body = body;
    this.nodes = rows.vector(1, PAIR_BYTES);
    this.buffers = rows.vector(2, PAIR_BYTES);
    this.variadic = rows.vector(4, Long.BYTES);
    this.codec = codec(rows.table(3));
  }

  private static BufferRange.Codec codec(@org.jspecify.annotations.Nullable FlatTable compression)
      throws ArrowException {
    if (compression == null) {
      return BufferRange.Codec.NONE;
    }
    int number = compression.byteField(0, 0);
    if (number < 0 || number > 1 || compression.byteField(1, 0) != 0) {
      throw new ArrowException(
          "the data is compressed by method %d, and this program knows LZ4_FRAME and ZSTD"
              .formatted(number));
    }
    return number == 0 ? BufferRange.Codec.LZ4 : BufferRange.Codec.ZSTD;
  }

  BufferRange.Codec codec() {
    return codec;
  }

  /// The number of rows, which all columns have.
  long rows() throws ArrowException {
    long count = rows.longField(0, 0);
    if (count < 0 || count > SourceColumn.MOST_ROWS) {
      throw rows.damaged("it has %d rows".formatted(count));
    }
    return count;
  }

  /// Takes the next node, and returns its number in [#count] and [#nulls].
  int nextNode(SourceColumn column) throws ArrowException {
    if (node == nodes.count()) {
      throw rows.damaged("%s is not in it".formatted(column));
    }
    return node++;
  }

  long count(int of) {
    return rows.longOf(nodes, of * PAIR_BYTES);
  }

  long nulls(int of) {
    return rows.longOf(nodes, of * PAIR_BYTES + Long.BYTES);
  }

  void skipBuffers(int count) throws ArrowException {
    if (count > buffers.count() - buffer) {
      throw rows.damaged("it has %d buffers, too few".formatted(buffers.count()));
    }
    buffer += count;
  }

  BufferRange nextBuffer(SourceColumn column) throws ArrowException {
    int at = buffer * PAIR_BYTES;
    skipBuffers(1);
    long start = rows.longOf(buffers, at);
    long bytes = rows.longOf(buffers, at + Long.BYTES);
    if (start < 0 || bytes < 0 || start > body.bytes() - bytes) {
      throw rows.damaged(
          "%s has a buffer of %d bytes at %d of %d".formatted(column, bytes, start, body.bytes()));
    }
    return new BufferRange(column, body, start, bytes, codec);
  }

  /// Takes the number of buffers with data of the next column of views.
  int nextVariadic(SourceColumn column) throws ArrowException {
    if (variadicCount == variadic.count()) {
      throw rows.damaged("%s has views without a number of buffers".formatted(column));
    }
    long count = rows.longOf(variadic, variadicCount++ * Long.BYTES);
    if (count < 0 || count > buffers.count() - buffer) {
      throw rows.damaged("%s has %d buffers for views".formatted(column, count));
    }
    return (int) count;
  }
}
