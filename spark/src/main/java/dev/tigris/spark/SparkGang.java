package dev.tigris.spark;

import dev.tigris.cluster.run.EngineTicket;
import dev.tigris.cluster.run.HostEngine;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import scala.collection.Iterator;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/// The workers of one attempt: a Spark job with one barrier stage, whose tasks are the workers.
///
/// The stage computes a result and feeds no shuffle: so Spark runs it once, and the coordinator
/// says whether there is another attempt.
///
/// Thread rule: any thread. The fields that are not final are guarded by this object's lock.
final class SparkGang extends SparkListener implements HostEngine.Gang {
  private static final System.Logger LOG = System.getLogger(SparkGang.class.getName());
  private static final ClassTag<String> TEXT = ClassTag$.MODULE$.apply(String.class);
  private static final long BUS_MILLIS = 10_000;
  private static final String GROUP = "spark.jobGroup.id";

  private final SparkEngine engine;
  private final SparkContext context;
  private final EngineTicket ticket;
  private final HostEngine.Ended ended;
  private final String group;

  /// Opens when the job is over, and Spark has said that all its tasks are.
  private final CountDownLatch over = new CountDownLatch(1);

  /// What the tasks have written, while Spark keeps it.
  private @Nullable RDD<byte[]> written;

  private String failure = "";
  private boolean isLeft;
  private int job = -1;
  private boolean isJobOver;
  private boolean isStopped;
  private final Set<Integer> stages = new HashSet<>();
  private final Set<Long> running = new HashSet<>();

  /// The executor of each worker.
  private final Map<Integer, String> executors = new HashMap<>();

  /// The workers of which was told that they have ended.
  private final Set<Integer> told = new HashSet<>();

  SparkGang(SparkEngine engine, SparkContext context, EngineTicket ticket, HostEngine.Ended ended) {
    this.engine = engine;
    this.context = context;
    this.ticket = ticket;
    this.ended = ended;
    this.group = "tigris-%s-%d".formatted(ticket.run(), ticket.attempt());
  }

  /// Lets a thread of its own run the job.
  void begin() {
    Thread _ = Thread.ofPlatform().daemon().name(group).start(this::run);
  }

  private void run() {
    context.addSparkListener(this);
    String how = "its task has ended";
    try {
      engine.awaitSlots(); // after an executor was lost, another one is on its way
      if (!isStopped()) {
        job();
      }
    } catch (IOException e) {
      how = failed(String.valueOf(e.getMessage()));
    } catch (Throwable e) { // Spark throws what its own compiler does not check
      how = failed(SparkFailure.words(e));
      if (SparkFailure.isFinal(e)) {
        ended.refused(how);
      }
    }
    context.clearJobGroup();
    for (int worker = 0; worker < engine.workers(); worker++) {
      tell(worker, how);
    }
    try { // all that Spark has to tell of the job is known then
      if (!context.isStopped()) {
        context.listenerBus().waitUntilEmpty(BUS_MILLIS);
      }
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.WARNING, "Spark is late to tell of its tasks", e);
    } finally {
      jobIsOver();
    }
  }

  private synchronized boolean isStopped() {
    return isStopped;
  }

  private void job() {
    int count = engine.workers();
    context.setJobGroup(
        group, "flow %s, attempt %d".formatted(ticket.run(), ticket.attempt()), false);
    RDD<byte[]> records = engine.records();
    boolean hasRecords = records != null;
    RDD<byte[]> feeds = records == null ? numbers(count) : records;
    WorkerTask task = new WorkerTask(ticket.bytes(), engine.memoryBytes(), hasRecords);
    RDD<byte[]> outcomes = feeds.barrier().mapPartitions(task, false, WrittenRdd.BYTES);
    if (hasRecords) {
      RDD<byte[]> _ = outcomes.persist(StorageLevel.MEMORY_AND_DISK());
      synchronized (this) {
        written = outcomes;
      }
    }
    context.runJob(outcomes, new First(), new Outcomes(), TEXT);
  }

  /// Returns an RDD of so many partitions.
  private RDD<byte[]> numbers(int count) {
    List<byte[]> each = IntStream.range(0, count).mapToObj(_ -> new byte[0]).toList();
    return JavaSparkContext.fromSparkContext(context).parallelize(each, count).rdd();
  }

  /// Takes how a worker has ended, there.
  private static final class First extends AbstractFunction2<TaskContext, Iterator<byte[]>, String>
      implements Serializable {
    private static final long serialVersionUID = 1;

    @Override
    public String apply(TaskContext task, Iterator<byte[]> outcomes) {
      return new String(outcomes.next(), StandardCharsets.UTF_8);
    }
  }

  /// Hears of that, here.
  private final class Outcomes extends AbstractFunction2<Object, String, BoxedUnit> {
    @Override
    public BoxedUnit apply(Object worker, String outcome) {
      if (outcome.equals(WorkerTask.UNREAD)) {
        String _ =
            failed(
                "worker %s of the flow has left its records unread: let each process have a replica of the stage that reads them"
                    .formatted(worker));
      }
      tell((Integer) worker, outcome);
      return BoxedUnit.UNIT;
    }
  }

  private synchronized String failed(String why) {
    failure = why;
    if (written != null) {
      RDD<byte[]> _ = written.unpersist(false);
    }
    return why;
  }

  /// Waits for the job, and returns what it has written.
  RDD<byte[]> written() throws InterruptedException {
    over.await();
    RDD<byte[]> its;
    synchronized (this) {
      its = written;
      if (its == null || !failure.isEmpty()) {
        throw new IllegalStateException(
            failure.isEmpty() ? "the run has written no records" : failure);
      }
    }
    return new WrittenRdd(context, its);
  }

  private void tell(int worker, String how) {
    synchronized (this) {
      if (!told.add(worker)) {
        return;
      }
    }
    ended.ended(worker, "worker %d: %s".formatted(worker, how));
  }

  // -- What Spark tells.

  @Override
  public synchronized void onJobStart(SparkListenerJobStart event) {
    if (group.equals(event.properties().getProperty(GROUP))) {
      job = event.jobId();
      event
          .stageIds()
          .foreach(
              new scala.runtime.AbstractFunction1<Object, Object>() {
                @Override
                public Object apply(Object stage) {
                  return stages.add((Integer) stage);
                }
              });
    }
  }

  @Override
  public synchronized void onTaskStart(SparkListenerTaskStart event) {
    if (stages.contains(event.stageId())) {
      running.add(event.taskInfo().taskId());
      executors.put(event.taskInfo().index(), event.taskInfo().executorId());
    }
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd event) {
    synchronized (this) {
      if (!stages.contains(event.stageId()) || event.taskInfo() == null) {
        return;
      }
      running.remove(event.taskInfo().taskId());
    }
    look();
  }

  @Override
  public void onJobEnd(SparkListenerJobEnd event) {
    synchronized (this) {
      if (event.jobId() != job) {
        return;
      }
      job = -1;
    }
    look();
  }

  private void jobIsOver() {
    synchronized (this) {
      isJobOver = true;
      if (context.isStopped()) { // and tells no ends of tasks any more
        job = -1;
        running.clear();
      }
    }
    look();
  }

  /// Looks whether all is over.
  private void look() {
    synchronized (this) {
      boolean mayHaveStarted = job >= 0;
      if (!isJobOver || mayHaveStarted || !running.isEmpty()) {
        return;
      }
    }
    over.countDown();
    context.removeSparkListener(this);
  }

  // -- What the coordinator wants.

  @Override
  public void kill(int worker) {
    String executor = executor(worker);
    if (executor != null && !context.isLocal()) {
      LOG.log(
          System.Logger.Level.INFO,
          "executor {0} is ended, since worker {1} does not answer",
          executor,
          worker);
      boolean _ = context.killAndReplaceExecutor(executor);
    }
  }

  private synchronized @Nullable String executor(int worker) {
    return executors.get(worker);
  }

  @Override
  public void stop() {
    synchronized (this) {
      isStopped = true;
      if (isJobOver) {
        return;
      }
    }
    if (!context.isStopped()) {
      context.cancelJobGroupAndFutureJobs(group, "the attempt of the flow is over");
    }
  }

  /// The workers have ended by themselves. Their tasks may still hand over what they have written.
  @Override
  public void leave() {
    if (engine.records() == null) {
      stop();
    } else {
      synchronized (this) {
        isLeft = true;
      }
    }
  }

  private synchronized boolean isLeft() {
    return isLeft;
  }

  @Override
  public boolean awaitEnd(Duration timeout) throws InterruptedException {
    return isLeft() || over.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }
}
