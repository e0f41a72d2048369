package dev.tigris.spark;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/// A program that keeps the rows whose first column is even.
public final class EvenRows implements FlowProgram {
  /// Makes the program.
  public EvenRows() {}

  @Override
  public Flow describe(Arguments arguments) {
    SparkPart part = SparkPart.here();
    int workers = arguments.processes();
    return Flow.named("even")
        .source("read", part::source, workers)
        .reservoir(Reservoir.leastOutstanding())
        .stage("even", EvenRows::even, workers)
        .reservoir(Reservoir.leastOutstanding())
        .stage("write", part::drain, workers)
        .build();
  }

  private static Module even() {
    StructType schema =
        new StructType().add("id", DataTypes.LongType).add("text", DataTypes.StringType);
    RowBytes rows = new RowBytes(schema);
    Records.Writer writer = new Records.Writer();
    return (in, out) -> {
      Records.each(
          in,
          record -> {
            if (rows.row(record).getLong(0) % 2 == 0) {
              writer.put(out, record);
            }
          });
      writer.flush(out);
    };
  }
}
