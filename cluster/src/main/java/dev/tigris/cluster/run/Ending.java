package dev.tigris.cluster.run;

import dev.tigris.cluster.run.outputs.RunRecord;
import dev.tigris.cluster.run.protocol.Failure;
import dev.tigris.cluster.run.protocol.Outcome;
import dev.tigris.flow.Results;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/// How a run has ended, for those who wait for it.
sealed interface Ending {
  /// It has succeeded.
  record Done(Results results) implements Ending {}

  /// It has failed.
  ///
  /// @param isNamed whether all outputs have their names nevertheless
  record Failed(RunException exception, boolean isNamed) implements Ending {
    Failed(RunException exception) {
      this(exception, false);
    }
  }

  /// It was cancelled.
  record Cancelled() implements Ending {}

  static Ending of(RunException exception) {
    return new Failed(exception);
  }

  /// Returns the ending that an outcome of the protocol means.
  ///
  /// @param thrown what workers have thrown, by worker
  /// @param folder of the run
  static Ending of(
      @Nullable Outcome outcome,
      int workers,
      Map<Integer, RemoteException> thrown,
      RunFolder folder) {
    return switch (outcome) {
      case Outcome.Done(int attempt, _, List<String> unnamed, _) when !unnamed.isEmpty() ->
          unnamed(attempt, unnamed, folder);
      case Outcome.Done(int attempt, _, _, List<Failure> unclosed) when !unclosed.isEmpty() ->
          unclosed(attempt, unclosed.getFirst(), thrown, workers, folder);
      case Outcome.Done(int attempt, List<ByteBuffer> results, _, _) -> done(attempt, results);
      case Outcome.Failed(int attempts, Failure failure) ->
          failure.kind() == Failure.Kind.CANCELLED
              ? new Cancelled()
              : new Failed(
                  failed(attempts, failure, thrown.get(failure.worker()), workers, folder));
      case Outcome.Undecided(int attempt, Failure failure) ->
          new Failed(
              new RunException(
                  RunException.Kind.UNDECIDED,
                  attempt,
                  "%s: its outputs are kept beside their places, so finish the run by '%s'"
                      .formatted(failure.message(), folder.recovery()),
                  null));
      case null -> throw new IllegalStateException("the run is not over");
    };
  }

  private static Ending unnamed(int attempt, List<String> unnamed, RunFolder folder) {
    return new Failed(
        new RunException(
            RunException.Kind.OUTPUT,
            attempt,
            "the run has ended well, and some outputs have not got their names: %s; then '%s' gives them theirs"
                .formatted(String.join("; ", unnamed), folder.recovery()),
            null));
  }

  private static Ending unclosed(
      int attempt,
      Failure failure,
      Map<Integer, RemoteException> thrown,
      int workers,
      RunFolder folder) {
    return new Failed(
        new RunException(
            kind(failure.kind()),
            attempt,
            "all outputs have their names, and then the run failed, in process %d of %d: %s (%s)"
                .formatted(
                    failure.worker(),
                    workers,
                    failure.message(),
                    folder.log(failure.worker(), attempt)),
            thrown.get(failure.worker())),
        true);
  }

  private static Ending done(int attempt, List<ByteBuffer> parts) {
    try {
      List<Results> all = new ArrayList<>();
      for (ByteBuffer part : parts) {
        byte[] bytes = new byte[part.remaining()];
        part.duplicate().get(bytes);
        all.add(Results.decoded(bytes));
      }
      return new Done(Results.merged(all));
    } catch (IllegalArgumentException | ArithmeticException e) {
      return new Failed(
          new RunException(
              RunException.Kind.MODULE,
              attempt,
              "the results of the processes cannot be merged: " + e.getMessage(),
              e));
    }
  }

  private static RunException failed(
      int attempts,
      Failure failure,
      @Nullable RemoteException cause,
      int workers,
      RunFolder folder) {
    String tried = attempts == 1 ? "" : " after %d attempts".formatted(attempts);
    String where =
        failure.worker() == Failure.NO_WORKER
            ? ""
            : ", in process %d of %d".formatted(failure.worker(), workers);
    boolean isMute = failure.kind() == Failure.Kind.SILENT || failure.kind() == Failure.Kind.START;
    Path place =
        isMute && failure.worker() != Failure.NO_WORKER
            ? folder.log(failure.worker(), attempts)
            : folder.path();
    return new RunException(
        kind(failure.kind()),
        attempts,
        "the run failed%s%s: %s (%s)".formatted(tried, where, failure.message(), place),
        cause);
  }

  private static RunException.Kind kind(Failure.Kind kind) {
    return switch (kind) {
      case MODULE, CANCELLED -> RunException.Kind.MODULE;
      case LOST_PEER, DIED, SILENT, UNHEARD -> RunException.Kind.LOST;
      case START, REFUSED -> RunException.Kind.START;
      case FINGERPRINT -> RunException.Kind.DIFFERENCE;
      case DISK -> RunException.Kind.OUTPUT;
    };
  }

  /// Returns the results.
  ///
  /// @throws RunException if the run has failed
  /// @throws CancellationException if it was cancelled
  default Results results() throws RunException {
    return switch (this) {
      case Done(Results results) -> results;
      case Failed(RunException exception, _) -> throw exception.here();
      case Cancelled() -> throw new CancellationException("the run was cancelled");
    };
  }

  /// Returns whether the outputs may still have to get their names.
  default boolean isUndecided() {
    return this instanceof Failed(RunException exception, _)
        && exception.kind() == RunException.Kind.UNDECIDED;
  }

  /// Returns whether all outputs have their names.
  default boolean isNamed() {
    return this instanceof Done || (this instanceof Failed(_, boolean isNamed) && isNamed);
  }

  /// Returns it for the folder of the run, as [RunRecord] reads it.
  ///
  /// @param attempts how many there were
  /// @param nanos how long the run took
  default Map<String, String> facts(int attempts, long nanos) {
    Map<String, String> facts = new TreeMap<>();
    facts.put(RunRecord.OUTCOME, words());
    facts.put(RunRecord.ATTEMPTS, String.valueOf(attempts));
    facts.put(RunRecord.NANOS, String.valueOf(nanos));
    if (this instanceof Failed(RunException exception, _)) {
      facts.put(RunRecord.KIND, exception.kind().name());
    }
    if (this instanceof Done(Results results)) {
      int index = 0;
      for (Map.Entry<String, Long> each : results.numbers().entrySet()) {
        facts.put(RunRecord.RESULT + index++, each.getValue() + " " + each.getKey());
      }
    }
    return facts;
  }

  /// Returns it in words.
  default String words() {
    return switch (this) {
      case Done _ -> "done";
      case Failed(RunException exception, _) -> "failed: " + exception.getMessage();
      case Cancelled() -> "cancelled";
    };
  }
}
