package dev.tigris.spark;

import java.io.Serializable;
import java.util.Iterator;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import scala.Function1;

/// Rows of one schema as bytes, and back: a row is as Spark's own memory has it (`UnsafeRow`).
///
/// ```java
/// RowBytes rows = new RowBytes(table.schema());
/// JavaRDD<byte[]> records = rows.of(table);
/// ```
///
/// Thread rule: one thread for each object.
public final class RowBytes implements Serializable {
  private static final long serialVersionUID = 1;

  private final StructType schema;

  // Made where they are used: the first two turn rows into Spark's own, the third back.
  private transient @Nullable Function1<Object, Object> toInternal;
  private transient @Nullable UnsafeProjection toBytes;
  private transient @Nullable Function1<Object, Object> toRow;

  /// Makes one for rows of a schema.
  public RowBytes(StructType schema) {
    this.schema = schema;
  }

  /// Returns a row as bytes.
  public byte[] bytes(Row row) {
    Function1<Object, Object> converts = toInternal;
    if (converts == null) {
      converts = CatalystTypeConverters.createToCatalystConverter(schema);
      toInternal = converts;
    }
    return bytes((InternalRow) converts.apply(row));
  }

  private byte[] bytes(InternalRow row) {
    UnsafeProjection projects = toBytes;
    if (projects == null) {
      projects = UnsafeProjection.create(schema);
      toBytes = projects;
    }
    return projects.apply(row).getBytes();
  }

  /// Returns bytes as a row.
  public Row row(byte[] bytes) {
    Function1<Object, Object> converts = toRow;
    if (converts == null) {
      converts = CatalystTypeConverters.createToScalaConverter(schema);
      toRow = converts;
    }
    UnsafeRow row = new UnsafeRow(schema.size());
    row.pointTo(bytes, bytes.length);
    return (Row) converts.apply(row);
  }

  /// Returns the rows of a table as bytes.
  public JavaRDD<byte[]> of(Dataset<Row> table) {
    StructType its = schema;
    return table.toJavaRDD().mapPartitions(rows -> encoded(rows, new RowBytes(its)));
  }

  private static Iterator<byte[]> encoded(Iterator<Row> rows, RowBytes codec) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return rows.hasNext();
      }

      @Override
      public byte[] next() {
        return codec.bytes(rows.next());
      }
    };
  }

  /// Returns bytes as a table.
  public Dataset<Row> table(SparkSession session, JavaRDD<byte[]> records) {
    StructType its = schema;
    return session.createDataFrame(
        records.mapPartitions(bytes -> decoded(bytes, new RowBytes(its))), its);
  }

  private static Iterator<Row> decoded(Iterator<byte[]> records, RowBytes codec) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return records.hasNext();
      }

      @Override
      public Row next() {
        return codec.row(records.next());
      }
    };
  }
}
