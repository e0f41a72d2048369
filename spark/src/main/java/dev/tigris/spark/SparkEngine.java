package dev.tigris.spark;

import dev.tigris.cluster.run.EngineTicket;
import dev.tigris.cluster.run.HostEngine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkExecutorInfo;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.resource.ResourceProfile;
import org.jspecify.annotations.Nullable;

/// Workers of runs as tasks of a Spark application.
final class SparkEngine implements HostEngine {
  /// The options of a Spark application that are ours.
  static final String PLAIN = "spark.tigris.plain";

  static final String PORT = "spark.tigris.driver.port";
  static final String WAIT = "spark.tigris.wait";
  static final String MEMORY = "spark.tigris.memory";

  private static final String USUAL_WAIT = "15s";
  private static final long LOOK_MILLIS = 100;
  private static final int MEBIBYTE = 1 << 20;

  /// Spark's own part of an executor's memory that is outside the heap, and its least.
  private static final double OVERHEAD_FACTOR = 0.1;

  private static final long LEAST_OVERHEAD_MEBIBYTES = 384;

  private final SparkContext context;
  private final int workers;

  /// What feeds the flow, a partition for each worker; null if nothing does.
  private final @Nullable RDD<byte[]> records;

  /// The workers of the last attempt.
  private volatile @Nullable SparkGang last;

  SparkEngine(SparkContext context, int workers, @Nullable RDD<byte[]> records) {
    this.context = context;
    this.workers = workers;
    this.records = records;
  }

  @Override
  public String name() {
    return "Spark at " + context.master();
  }

  @Override
  public int workers() {
    return workers;
  }

  @Override
  public int processors() {
    return context.defaultParallelism();
  }

  @Override
  public Optional<Door> door() {
    if (isThisHost()) {
      return Optional.empty();
    }
    SparkConf options = context.conf();
    return Optional.of(
        new Door(
            options.get("spark.driver.host", "localhost"), options.getInt(PORT, 0), isEncrypted()));
  }

  /// Executors of these masters are processes of this user, which this process or Spark starts.
  private boolean isThisHost() {
    return context.isLocal() || context.master().startsWith("local-cluster");
  }

  @Override
  public void check() throws IOException {
    if (context.isStopped()) {
      throw new IOException("the Spark application %s is stopped".formatted(context.appName()));
    }
    if (context.conf().getBoolean("spark.dynamicAllocation.enabled", false)) {
      throw new IOException(
          "a flow needs all its workers at once, and Spark's dynamic allocation cannot give that: start the application with --conf spark.dynamicAllocation.enabled=false and as many executors as the flow has workers");
    }
    awaitSlots();
    refuseReadableSecret();
  }

  /// A new application has its executors only after a while, as one that has lost some.
  void awaitSlots() throws IOException {
    Duration patience = patience(context);
    long end = System.nanoTime() + patience.toNanos();
    while (slots() < workers) {
      if (System.nanoTime() - end >= 0) {
        throw new IOException(
            "the flow needs %d task slots at once, and Spark has %d after %d s: give it more executors or cores, or the flow fewer workers. If no executor registers at all, see its log: Spark of another version than the driver's is refused there"
                .formatted(workers, slots(), patience.toSeconds()));
      }
      try {
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while Spark starts executors", e);
      }
    }
  }

  /// Returns how long to wait for executors.
  static Duration patience(SparkContext context) {
    return Duration.ofSeconds(context.conf().getTimeAsSeconds(WAIT, USUAL_WAIT));
  }

  private int slots() {
    ResourceProfile usual = context.resourceProfileManager().defaultResourceProfile();
    return context.maxNumConcurrentTasks(usual);
  }

  private boolean isEncrypted() {
    SparkConf options = context.conf();
    return options.getBoolean("spark.network.crypto.enabled", false)
        || options.getBoolean("spark.ssl.rpc.enabled", false);
  }

  /// Workers are known by a secret that Spark brings to them.
  private void refuseReadableSecret() throws IOException {
    boolean isPlain = context.conf().getBoolean(PLAIN, false);
    if (isThisHost() || isEncrypted() || isPlain) {
      return;
    }
    for (SparkExecutorInfo executor : context.statusTracker().getExecutorInfos()) {
      if (!isHere(executor.host())) {
        throw new IOException(
            "Spark would send what lets workers in to %s unencrypted: set spark.authenticate=true and spark.network.crypto.enabled=true, and TLS joins the workers, too. In a network that only your users can read, %s=true will do"
                .formatted(executor.host(), PLAIN));
      }
    }
  }

  /// Returns whether a name or address is one of this host.
  private static boolean isHere(String host) throws IOException {
    InetAddress address = InetAddress.getByName(host);
    return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
  }

  @Override
  public Gang start(EngineTicket ticket, Ended ended) {
    SparkGang gang = new SparkGang(this, context, ticket, ended);
    last = gang;
    gang.begin();
    return gang;
  }

  @Nullable RDD<byte[]> records() {
    return records;
  }

  /// Waits until Spark has what the last attempt has written.
  ///
  /// @throws IllegalStateException if some of it is lost, or the flow has left records unread
  JavaRDD<byte[]> written() throws InterruptedException {
    return JavaRDD.fromRDD(Objects.requireNonNull(last).written(), WrittenRdd.BYTES);
  }

  /// Returns three quarters of what Spark has asked for beside the heap of an executor. The rest is
  /// Spark's, and Java's own. Executors that are threads have the memory of this process.
  @Override
  public long memoryBytes() {
    if (context.isLocal()) {
      return 0;
    }
    SparkConf options = context.conf();
    if (options.contains(MEMORY)) {
      return options.getSizeAsBytes(MEMORY);
    }
    long heap = options.getSizeAsMb("spark.executor.memory", "1g");
    long usual = Math.max(LEAST_OVERHEAD_MEBIBYTES, (long) (heap * OVERHEAD_FACTOR));
    long overhead = options.getSizeAsMb("spark.executor.memoryOverhead", usual + "m");
    return overhead * MEBIBYTE / 4 * 3;
  }
}
