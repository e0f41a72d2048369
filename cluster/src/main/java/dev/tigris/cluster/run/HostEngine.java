package dev.tigris.cluster.run;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/// A system that starts processes on hosts, and in which a run is to have its workers: a scheduler
/// of a cluster, for example. [Cluster#on] takes one.
///
/// The engine places the workers, ships the code to them, and tells when one is lost. Each worker
/// calls [EngineWorker#run], which does all else: it reaches this process, and the other workers.
///
/// Thread rule: the methods of one run are called by one thread at a time.
public interface HostEngine {
  /// Returns the name of the system, for messages.
  String name();

  /// Returns how many workers an attempt has, from 1 to 1000.
  int workers();

  /// Returns how many processors all workers have together, about.
  int processors();

  /// Returns how many bytes the Jbufs of each worker may have; 0 where each finds that out for
  /// itself.
  default long memoryBytes() {
    return 0;
  }

  /// Returns how workers on other hosts reach this process; empty if all are on this host.
  Optional<Door> door();

  /// Checks that an attempt can be started. It is called once, before a run's first attempt.
  ///
  /// @throws IOException if it cannot: the run is refused with this message
  void check() throws IOException;

  /// Starts to start all workers of an attempt, or none, and returns at once.
  ///
  /// @param ticket what each worker has to be given
  /// @param ended hears of each worker that has ended or will not start; any thread calls it
  /// @throws IOException if they cannot be started
  Gang start(EngineTicket ticket, Ended ended) throws IOException;

  /// Where the coordinator listens.
  ///
  /// @param host by which workers reach this process
  /// @param port at which it listens; 0 for any
  /// @param isPrivate whether others cannot read what the engine brings to workers. Then it brings
  ///     a key, and TLS joins all processes of the run
  record Door(String host, int port, boolean isPrivate) {}

  /// Hears of workers that have ended, or cannot run.
  @FunctionalInterface
  interface Ended {
    /// A worker has ended, well or not.
    ///
    /// @param worker which, from 0
    /// @param message how, for the user
    void ended(int worker, String message);

    /// The workers cannot run, in no attempt: they have an older Java, for example. The run fails
    /// unless all of them have joined it. Each is then told to have ended, too.
    ///
    /// @param message what to tell the user
    default void refused(String message) {}
  }

  /// The workers of one attempt.
  interface Gang {
    /// Ends a worker by force, or all of the attempt's.
    void kill(int worker);

    /// Ends all workers by force. A worker that has been asked to end by itself may just do so.
    void stop();

    /// Ends what is left of the workers, since the run is over.
    default void leave() {
      stop();
    }

    /// Waits until no worker runs any more, and returns whether that is so.
    boolean awaitEnd(Duration timeout) throws InterruptedException;
  }
}
