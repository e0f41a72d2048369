package dev.tigris.spark;

import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.jspecify.annotations.Nullable;

/// The partition of an RDD that goes into a flow in this task of Spark, and the one that comes out
/// of it. A program asks for it as it describes its flow:
///
/// ```java
/// SparkPart part = SparkPart.here();
/// return Flow.named("upper")
///     .source("read", part::source, arguments.processes())
///     .reservoir(Reservoir.leastOutstanding())
///     .stage("upper", Upper::new, arguments.processors())
///     .reservoir(Reservoir.leastOutstanding())
///     .stage("write", part::drain, arguments.processes())
///     .build();
/// ```
///
/// Each worker needs a replica of the source, or the records of its partition are left: the run
/// fails then. Waters have the form of [Records].
///
/// Thread rule: any thread.
public final class SparkPart {
  /// Inherited by the threads that a worker starts, so that it is known where a flow is described.
  private static final InheritableThreadLocal<@Nullable SparkPart> HERE =
      new InheritableThreadLocal<>();

  private static final SparkPart NOWHERE = new SparkPart(null, null, null);

  private final @Nullable TaskContext task;

  /// The records of the partition. Guarded by this object's lock.
  private final @Nullable Iterator<byte[]> input;

  private final @Nullable File file;

  /// Guarded by this object's lock.
  private @Nullable DataOutputStream output;

  SparkPart(@Nullable TaskContext task, @Nullable Iterator<byte[]> input, @Nullable File file) {
    this.task = task;
    this.input = input;
    this.file = file;
  }

  /// Returns that of the task in which a flow is described. In the driver, and outside Spark, it is
  /// one whose modules cannot be made.
  public static SparkPart here() {
    SparkPart here = HERE.get();
    return here == null ? NOWHERE : here;
  }

  /// Lets the threads that this one starts find the part.
  static void enter(SparkPart part) {
    HERE.set(part);
  }

  static void leave() {
    HERE.remove();
  }

  /// Returns a source of the partition's records. Several share them.
  ///
  /// @throws IllegalStateException if this is no task of [FlowOnSpark#through]
  public Source source() {
    Iterator<byte[]> records = input;
    TaskContext its = task;
    if (records == null || its == null) {
      throw nowhere();
    }
    return new Reads(records, its);
  }

  /// Returns a module that adds the records of its waters to the partition that comes out.
  ///
  /// @throws IllegalStateException if this is no task of [FlowOnSpark#through]
  public Module drain() {
    if (file == null) {
      throw nowhere();
    }
    return (water, _) -> Records.each(water, this::write);
  }

  private static IllegalStateException nowhere() {
    return new IllegalStateException(
        "records of Spark are read and written in a run of FlowOnSpark.through alone");
  }

  private final class Reads implements Source {
    private static final int AT_ONCE = 1000;

    private final Iterator<byte[]> records;
    private final TaskContext its;
    private final Records.Writer writer = new Records.Writer();

    Reads(Iterator<byte[]> records, TaskContext its) {
      this.records = records;
      this.its = its;
    }

    @Override
    public void init(ModuleContext context) {
      TaskContext$.MODULE$.setTaskContext(its); // which Spark's iterators ask their thread for
    }

    @Override
    public boolean produce(Stream out) {
      boolean hasMore;
      synchronized (SparkPart.this) {
        int left = AT_ONCE;
        while ((hasMore = records.hasNext()) && left-- > 0) {
          writer.put(out, records.next());
        }
      }
      writer.flush(out);
      return hasMore;
    }

    @Override
    public void destroy() {
      TaskContext$.MODULE$.unset();
    }
  }

  private synchronized void write(byte[] record) throws IOException {
    DataOutputStream to = output;
    if (to == null) {
      to = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file().toPath())));
      output = to;
    }
    to.writeInt(record.length);
    to.write(record);
  }

  private File file() {
    File its = file;
    if (its == null) {
      throw nowhere();
    }
    return its;
  }

  /// Returns whether records of the partition are left.
  synchronized boolean hasUnread() {
    return input != null && input.hasNext();
  }

  /// Returns what the drains have written. The file is deleted when all was read.
  synchronized Iterator<byte[]> written() throws IOException {
    DataOutputStream to = output;
    if (to == null) {
      return java.util.Collections.emptyIterator();
    }
    to.close();
    return new Written(file());
  }

  /// Deletes what is left.
  synchronized void delete() {
    try {
      if (output != null) {
        output.close();
      }
      if (file != null) {
        Files.deleteIfExists(file.toPath());
      }
    } catch (IOException e) {
      // Spark deletes the folder of the executor
    }
  }

  private static final class Written implements Iterator<byte[]> {
    private final DataInputStream in;
    private byte @Nullable [] next;

    Written(File file) throws IOException {
      this.in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file.toPath())));
      this.next = read();
    }

    private byte @Nullable [] read() throws IOException {
      int length;
      try {
        length = in.readInt();
      } catch (EOFException e) {
        in.close();
        return null;
      }
      byte[] record = new byte[length];
      in.readFully(record);
      return record;
    }

    @Override
    public boolean hasNext() {
      return next != null;
    }

    @Override
    public byte[] next() {
      byte[] record = next;
      if (record == null) {
        throw new NoSuchElementException("no record is left");
      }
      try {
        next = read();
      } catch (IOException e) {
        throw new UncheckedIOException("the records of a flow cannot be read again", e);
      }
      return record;
    }
  }
}
