package dev.tigris.sort;

import dev.tigris.cluster.Placement;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Operation;
import dev.tigris.flow.Source;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The part that one process has in a sort on several: its files, which the first of its modules
/// opens and the last one closes, and the modules themselves.
///
/// Thread rule: any thread.
///
/// @param <R> the state that the modules share
abstract class ProcessPart<R> {
  private final int processes;
  private final List<Closeable> files = new ArrayList<>();
  private Placement placement = replica -> 0;
  private int modules;
  private @Nullable R run;

  ProcessPart(int processes) {
    this.processes = processes;
  }

  /// Opens what the modules share, each file by [#opened].
  ///
  /// @param process which one this is
  abstract R open(int process) throws SortException, InterruptedException;

  /// Makes a partitioner.
  abstract PartSource source(R state);

  /// Makes a sorter.
  abstract Module sort(R state);

  /// Notes a file that the last module closes.
  final <F extends Closeable> F opened(F file) {
    files.add(file);
    return file;
  }

  final int processes() {
    return processes;
  }

  /// Hears where the modules run.
  final void isPlaced(Placement places) {
    placement = places;
  }

  /// Makes a partitioner that is dealt parts of the input.
  final Module partitioner() {
    return new ToldModule(context -> new DealtPartitioner(source(begin(context))), this::end);
  }

  /// Makes a partitioner that takes the parts of this process's own input.
  final Source reader() {
    return new ToldSource(context -> source(begin(context)), this::end);
  }

  /// Makes a sorter.
  final Module sorter() {
    return new ToldModule(context -> sort(begin(context)), this::end);
  }

  private synchronized R begin(ModuleContext first) throws SortException, InterruptedException {
    modules++;
    R known = run;
    if (known == null) {
      known = open(placement.process(new Operation.End(first.stage(), first.replica())));
      run = known;
    }
    return known;
  }

  private synchronized void end() throws IOException {
    modules--;
    if (modules == 0) {
      run = null;
      close();
    }
  }

  private void close() throws IOException {
    try {
      if (!files.isEmpty()) {
        files.removeLast().close();
      }
    } finally {
      if (!files.isEmpty()) {
        close();
      }
    }
  }
}
