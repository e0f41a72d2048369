package dev.tigris.sort;

import java.nio.file.Path;

/// The part that one process has in a sort on several hosts: it reads inputs of its own host, and
/// its sorters write parts there. Its failures name the host.
///
/// @param <R> the state that the modules share
abstract class HostPart<R> extends ProcessPart<R> {
  private final HostWork work;

  HostPart(HostWork work) {
    super(work.processes());
    this.work = work;
  }

  @Override
  final R open(int process) throws SortException, InterruptedException {
    try {
      return run(process);
    } catch (SortException e) {
      throw HostTask.on(work.share().hosts().get(process), e);
    }
  }

  /// Opens what the modules share.
  ///
  /// @param process which one this is
  abstract R run(int process) throws SortException, InterruptedException;

  /// Makes a folder for temporary files, beside the parts.
  final Path temporary() throws SortException {
    TemporaryFolder folder = new TemporaryFolder(HostFolder.own(work.folder()));
    opened(folder::close);
    return folder.path();
  }
}
