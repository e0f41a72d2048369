package dev.tigris.spark;

import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.BlockRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.RDDBlockId;
import scala.collection.Iterator;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/// The records that a flow has written, as Spark keeps them. They do not come from the barrier
/// stage any more: what follows it could not be any RDD, and would run the flow again.
final class WrittenRdd extends BlockRDD<byte[]> {
  private static final long serialVersionUID = 1;
  static final ClassTag<byte[]> BYTES = ClassTag$.MODULE$.apply(byte[].class);

  /// Spark drops the blocks when this is not used any more.
  @SuppressWarnings("serial") // of no use in an executor
  private final transient RDD<byte[]> kept;

  WrittenRdd(SparkContext context, RDD<byte[]> kept) {
    super(context, blocks(kept), BYTES);
    this.kept = kept;
  }

  private static BlockId[] blocks(RDD<byte[]> kept) {
    BlockId[] blocks = new BlockId[kept.getNumPartitions()];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = new RDDBlockId(kept.id(), i);
    }
    return blocks;
  }

  @Override
  public Iterator<byte[]> compute(Partition split, TaskContext task) {
    Iterator<byte[]> records = super.compute(split, task);
    byte[] _ = records.next(); // how its worker has ended
    return records;
  }

  @Override
  public RDD<byte[]> unpersist(boolean blocking) {
    RDD<byte[]> _ = kept.unpersist(blocking);
    return super.unpersist(blocking);
  }
}
