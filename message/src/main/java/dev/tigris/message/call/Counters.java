package dev.tigris.message.call;

import java.util.concurrent.atomic.LongAdder;

/// The counts of a client or a server.
///
/// Thread rule: any thread.
final class Counters {
  private final LongAdder started = new LongAdder();
  private final LongAdder succeeded = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder retried = new LongAdder();
  private final LongAdder copied = new LongAdder();
  private final LongAdder inPlace = new LongAdder();
  private final LongAdder bytesSent = new LongAdder();
  private final LongAdder bytesReceived = new LongAdder();
  private final Latencies.Counter latencies = new Latencies.Counter();

  /// As the thread that sends and receives has last seen them.
  private volatile long credits;

  private volatile long waiting;

  void started() {
    started.increment();
  }

  void sent(long bytes) {
    bytesSent.add(bytes);
  }

  void received(long bytes) {
    bytesReceived.add(bytes);
  }

  void ended(Status status, long bytes) {
    bytesReceived.add(bytes);
    (status == Status.OK ? succeeded : failed).increment();
  }

  /// A call has ended that took so long.
  void took(long nanos) {
    latencies.add(nanos);
  }

  /// What the thread that sends and receives sees now.
  void seen(long creditsInUse, long messagesWaiting) {
    credits = creditsInUse;
    waiting = messagesWaiting;
  }

  void refused() {
    refused.increment();
  }

  void retried() {
    retried.increment();
  }

  void copied(int objects) {
    copied.add(objects);
  }

  void inPlace() {
    inPlace.increment();
  }

  CallStatistics told(int buffers) {
    return new CallStatistics(
        started.sum(),
        succeeded.sum(),
        failed.sum(),
        refused.sum(),
        retried.sum(),
        underWay(),
        copied.sum(),
        inPlace.sum(),
        bytesSent.sum(),
        bytesReceived.sum(),
        buffers,
        credits,
        waiting,
        latencies.told());
  }

  private long underWay() {
    return started.sum() - succeeded.sum() - failed.sum();
  }
}
