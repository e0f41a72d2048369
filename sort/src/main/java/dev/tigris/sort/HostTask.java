package dev.tigris.sort;

import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import org.jspecify.annotations.Nullable;

/// Does something with the files of one host, in a process there, and tells the result as bytes.
/// Its failures name the host.
final class HostTask implements Source {
  private final String result;
  private final HostShare share;
  private final Work work;
  private @Nullable ModuleContext context;

  /// The work of one process.
  interface Work {
    /// Does the work.
    ///
    /// @param process which one this is
    void run(int process, DataOutputStream out) throws Exception;
  }

  /// Makes one.
  ///
  /// @param result the name of the result
  HostTask(String result, HostShare share, Work work) {
    this.result = result;
    this.share = share;
    this.work = work;
  }

  /// Returns one whose failures are told to the process that has started the run.
  static Source told(String result, HostShare share, Work work) {
    return new ToldSource(context -> new HostTask(result, share, work), () -> {});
  }

  @Override
  public void init(ModuleContext given) {
    context = given;
  }

  @Override
  public boolean produce(Stream out) throws Exception {
    ModuleContext known = context;
    if (known == null) {
      throw new IllegalStateException("init comes first");
    }
    var bytes = new ByteArrayOutputStream();
    try (var told = new DataOutputStream(bytes)) {
      work.run(known.replica(), told);
    } catch (SortException e) {
      throw on(share.hosts().get(known.replica()), e);
    }
    known.results().put(result, bytes.toByteArray());
    return false;
  }

  /// Returns a failure that names its host.
  static SortException on(String host, SortException failure) {
    return new SortException(failure.kind(), host + ": " + failure.getMessage(), failure);
  }
}
