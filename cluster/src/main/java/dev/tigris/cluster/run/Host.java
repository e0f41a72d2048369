package dev.tigris.cluster.run;

import dev.tigris.cluster.run.protocol.Epoch;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// Starts the workers of an attempt somewhere, and ends them.
///
/// Thread rule: the coordinator's thread.
interface Host extends AutoCloseable {
  /// Hears of workers that have ended. Any thread calls it.
  @FunctionalInterface
  interface Deaths {
    /// A worker's process has ended.
    void died(Epoch epoch, int worker, String message);

    /// The end of a worker's process would not be told any more.
    default void lost(Epoch epoch, int worker, String message) {}

    /// The workers cannot be started, in no attempt.
    default void refused(Epoch epoch, String message) {}
  }

  /// What starts and ends workers elsewhere cannot be reached. Another attempt may be well.
  final class LostException extends IOException {
    private static final long serialVersionUID = 1;

    LostException(IOException why) {
      super(why.getMessage(), why);
    }
  }

  /// Starts all workers of an attempt, or none.
  ///
  /// @throws IOException if one cannot be started
  void start(Epoch epoch, int count) throws IOException;

  /// Ends a worker by force.
  void kill(Epoch epoch, int worker);

  /// Ends all workers of an attempt by force.
  void stop(Epoch epoch);

  /// Waits until all workers of an attempt have ended, and returns whether they have.
  boolean awaitEnd(Epoch epoch, Duration timeout) throws InterruptedException;

  /// Hears of the outputs of a worker that has voted, if it does not see the folder of the run.
  ///
  /// @param outputs host, temporary name and name of each
  default void prepared(Epoch epoch, int worker, List<String> outputs) {}

  /// Looks at the outputs of an attempt, all of whose workers have voted.
  ///
  /// @throws LostException if it cannot be known which there are
  /// @throws IOException if two of them have one name, or it cannot be noted which there are
  void beforeDecision(Epoch epoch) throws IOException;

  /// Gives the outputs of a worker that does not answer their names.
  ///
  /// @return what to tell the user about each that has none
  List<String> nameFor(Epoch epoch, int worker);

  /// Ends all workers of all attempts, and waits for that.
  @Override
  void close();
}
