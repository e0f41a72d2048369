package dev.tigris.bench.c;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A program in C, compiled as fast as gcc can make it for this machine, as a file that can be run
/// until this is closed.
///
/// @param file the program
public record CProgram(Path file) implements Closeable {
  private static final List<String> FAST = List.of("-O3", "-march=native", "-flto=auto");

  /// Compiles the `.c` files among `sources`, of which the others are headers.
  ///
  /// @param folder for the program
  /// @param flags libraries, and what else the linker needs
  public static CProgram compile(Path folder, List<String> sources, List<String> flags)
      throws IOException {
    Path file = Files.createTempFile(folder, "c-", ".program");
    List<String> all = new ArrayList<>(FAST);
    all.addAll(flags);
    try {
      Gcc.compile(sources, file, all);
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
    return new CProgram(file);
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(file);
  }
}
