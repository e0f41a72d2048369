package dev.tigris.cluster.run;

import java.nio.file.Path;
import java.util.List;

/// Where the classes of programs come from, besides the class path of this process.
///
/// @param path jars and folders
/// @param dividesHeap whether this process is of the program's own kind, so that the size of its
///     heap is divided among the workers
record ProgramCode(List<Path> path, boolean dividesHeap) {
  static final ProgramCode OF_THIS_PROCESS = new ProgramCode(List.of(), true);

  ProgramCode {
    path = List.copyOf(path);
  }
}
