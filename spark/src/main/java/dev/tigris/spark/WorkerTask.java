package dev.tigris.spark;

import dev.tigris.cluster.run.EngineTicket;
import dev.tigris.cluster.run.EngineWorker;
import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkContext$;
import org.apache.spark.SparkEnv;
import org.apache.spark.util.TaskCompletionListener;
import org.apache.spark.util.TaskInterruptListener;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/// A task of Spark that is a worker of a run. It returns how that has ended, and then the records
/// that the flow has written here. It throws nothing: Spark does not know whether anything is to be
/// gained from another try.
final class WorkerTask extends AbstractFunction1<Iterator<byte[]>, Iterator<byte[]>>
    implements Serializable {
  private static final long serialVersionUID = 1;
  private static final String BUDGET = "tigris.memory.budget";

  /// How a worker has ended that has left records of its partition.
  static final String UNREAD = "it has left records of its partition unread";

  private final byte[] ticket;
  private final long memoryBytes;
  private final boolean hasRecords;

  /// @param memoryBytes how many bytes Jbufs may have in an executor; 0 for what is usual
  /// @param hasRecords whether the partition feeds the flow, and the flow makes another one
  WorkerTask(byte[] ticket, long memoryBytes, boolean hasRecords) {
    this.ticket = ticket.clone();
    this.memoryBytes = memoryBytes;
    this.hasRecords = hasRecords;
  }

  @Override
  public Iterator<byte[]> apply(Iterator<byte[]> records) {
    BarrierTaskContext task = BarrierTaskContext.get();
    SparkPart part = hasRecords ? part(task, records) : null;
    java.util.Iterator<byte[]> written = java.util.Collections.emptyIterator();
    String how;
    try {
      if (part != null) {
        SparkPart.enter(part);
      }
      work(task);
      how = part != null && part.hasUnread() ? UNREAD : "it has ended";
      if (part != null) {
        written = part.written();
      }
    } catch (Throwable e) { // the driver hears of it
      how = "it has failed: " + e;
    } finally {
      SparkPart.leave();
    }
    byte[] first = how.getBytes(StandardCharsets.UTF_8);
    return CollectionConverters.asScala(new Outcome(first, written));
  }

  private static SparkPart part(BarrierTaskContext task, Iterator<byte[]> records) {
    File file = SparkEnv.get().blockManager().diskBlockManager().createTempLocalBlock()._2();
    SparkPart part = new SparkPart(task, CollectionConverters.asJava(records), file);
    task.addTaskCompletionListener((TaskCompletionListener) _ -> part.delete());
    return part;
  }

  private void work(BarrierTaskContext task) throws IOException {
    if (memoryBytes > 0 && System.getProperty(BUDGET) == null) {
      System.setProperty(BUDGET, String.valueOf(memoryBytes));
    }
    int index = task.partitionId();
    String address = task.getTaskInfos()[index].address();
    String host = address.substring(0, address.lastIndexOf(':'));
    EngineWorker worker =
        EngineWorker.of(EngineTicket.of(ticket), index, host, null, WorkerTask::halt);
    task.addTaskInterruptListener((TaskInterruptListener) (_, _) -> worker.leave());
    if (task.isInterrupted()) {
      worker.leave();
    }
    worker.run();
  }

  private static void halt() {
    if (SparkEnv.get().executorId().equals(SparkContext$.MODULE$.DRIVER_IDENTIFIER())) {
      System.err.println("tigris: modules do not end, and go on in this process");
    } else {
      Main.halt();
    }
  }

  /// How the worker has ended, and then the records.
  private static final class Outcome implements java.util.Iterator<byte[]> {
    private final byte[] first;
    private final java.util.Iterator<byte[]> records;
    private boolean isBegun;

    Outcome(byte[] first, java.util.Iterator<byte[]> records) {
      this.first = first;
      this.records = records;
    }

    @Override
    public boolean hasNext() {
      return !isBegun || records.hasNext();
    }

    @Override
    public byte[] next() {
      if (isBegun) {
        return records.next();
      }
      isBegun = true;
      return first;
    }
  }
}
