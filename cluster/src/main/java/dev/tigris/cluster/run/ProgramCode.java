package dev.tigris.cluster.run;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Where the classes of programs come from, besides the class path of this process, and how Java
/// runs them.
///
/// @param path jars and folders
/// @param dividesHeap whether this process is of the program's own kind, so that the size of its
///     heap is divided among the workers
/// @param cache the AOT cache of the workers; null if they have none
/// @param options of the workers' Java, after those of this process
/// @param isRehearsal whether the workers are in this JVM
record ProgramCode(
    List<Path> path,
    boolean dividesHeap,
    @Nullable Path cache,
    List<String> options,
    boolean isRehearsal) {
  static final ProgramCode OF_THIS_PROCESS =
      new ProgramCode(List.of(), true, null, List.of(), false);
  static final ProgramCode REHEARSED = new ProgramCode(List.of(), true, null, List.of(), true);

  ProgramCode {
    path = List.copyOf(path);
    options = List.copyOf(options);
  }

  /// Returns a copy with programs of another kind than this process.
  ProgramCode from(List<Path> others) {
    return new ProgramCode(others, false, cache, options, isRehearsal);
  }

  /// Returns a copy whose workers have an AOT cache.
  ProgramCode withCache(Path file) {
    return new ProgramCode(path, dividesHeap, file.toAbsolutePath(), options, isRehearsal);
  }

  /// Returns a copy whose workers get these options of Java, before those that they get anyway.
  ProgramCode withOptions(List<String> words) {
    List<String> all = Stream.concat(words.stream(), options.stream()).toList();
    return new ProgramCode(path, dividesHeap, cache, all, isRehearsal);
  }
}
