package dev.tigris.cluster.run;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Where the classes of programs come from, besides the class path of this process.
///
/// @param path jars and folders
/// @param loader which has their classes in this process; null for that of the program's class
/// @param dividesHeap whether this process is of the program's own kind, so that the size of its
///     heap is divided among the workers
record ProgramCode(List<Path> path, @Nullable ClassLoader loader, boolean dividesHeap) {
  static final ProgramCode OF_THIS_PROCESS = new ProgramCode(List.of(), null, true);
}
