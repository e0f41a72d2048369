package dev.tigris.sort;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// The kind of data that hosts sort and check, with its order: records or lines.
///
/// @param <S> the result of a sort
/// @param <C> the result of a check
sealed interface HostKind<S, C> permits RecordKind, LineKind {
  /// Returns the least memory that a process may be given.
  long leastMemoryBytes();

  /// Writes the order.
  void writeOrder(DataOutputStream out) throws IOException;

  /// Writes what [#read] reads.
  default void write(DataOutputStream out) throws IOException {
    out.writeBoolean(this instanceof LineKind);
    writeOrder(out);
  }

  /// Reads a kind.
  static HostKind<?, ?> read(DataInputStream in) throws IOException {
    return in.readBoolean() ? LineKind.read(in) : RecordKind.read(in);
  }

  /// Returns what this process has for a sort.
  ///
  /// @param own the numbers of the inputs to tell of
  HostSurvey.Told survey(HostSurvey.Question question, List<Integer> own)
      throws SortException, InterruptedException;

  /// Plans a sort of what the hosts have told.
  ///
  /// @param parallel the most processors for each process
  HostPlan<S> plan(HostSurvey survey, HostSurvey.Question question, int parallel)
      throws SortException;

  /// Checks a file of this host, and tells what [#join] needs.
  void check(Path file, DataOutputStream out)
      throws SortException, IOException, InterruptedException;

  /// Joins what was told of files in their order. The result lacks only the time that it took.
  ///
  /// @param told what [#check] has written about each
  /// @param folder for temporary files
  Checked<C> join(List<HostFile> files, List<byte[]> told, TemporaryFolder folder)
      throws SortException, IOException;

  /// Makes the result of a check from the time that it took.
  interface Checked<C> {
    C after(Duration elapsed);
  }
}
