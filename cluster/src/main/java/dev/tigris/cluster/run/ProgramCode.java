package dev.tigris.cluster.run;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Where the classes of programs come from, besides the class path of this process.
///
/// @param path jars and folders
/// @param dividesHeap whether this process is of the program's own kind, so that the size of its
///     heap is divided among the workers
/// @param cache the AOT cache of the workers; null if they have none
record ProgramCode(List<Path> path, boolean dividesHeap, @Nullable Path cache) {
  static final ProgramCode OF_THIS_PROCESS = new ProgramCode(List.of(), true, null);

  ProgramCode {
    path = List.copyOf(path);
  }
}
