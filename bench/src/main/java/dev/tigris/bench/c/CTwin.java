package dev.tigris.bench.c;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;

/// The functions of one file in C, compiled at -O2 and loaded into this process.
///
/// Nothing that is measured is called once for each operation, unless the call is what is measured:
/// the loops are in C.
public final class CTwin {
  private final SymbolLookup functions;

  private CTwin(SymbolLookup functions) {
    this.functions = functions;
  }

  /// Whether there is a gcc on the path.
  public static boolean isAvailable() {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    return Stream.of(path.split(":", -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "gcc")));
  }

  /// Compiles and loads `NAME.c`, which stays loaded until the process ends.
  // SAFETY: bounds and lifetime: the library is our own source, compiled a moment ago, and is never
  // unloaded; thread: any.
  @SuppressWarnings("restricted")
  public static CTwin load(String name) {
    try {
      Path folder = Files.createTempDirectory("tigris-c-");
      Path source = folder.resolve(name + ".c");
      Path library = folder.resolve(name + ".so");
      Path messages = folder.resolve("messages");
      try (InputStream text = CTwin.class.getResourceAsStream(name + ".c")) {
        Files.copy(Objects.requireNonNull(text, name), source);
        Process gcc =
            new ProcessBuilder(
                    "gcc",
                    "-std=gnu11",
                    "-O2",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-fPIC",
                    "-shared",
                    "-o",
                    library.toString(),
                    source.toString())
                .redirectErrorStream(true)
                .redirectOutput(messages.toFile())
                .start();
        if (gcc.waitFor() != 0) {
          throw new IOException("gcc refuses " + name + ".c: " + Files.readString(messages));
        }
        // The file can go: what is loaded is mapped.
        return new CTwin(SymbolLookup.libraryLookup(library, Arena.global()));
      } finally {
        for (Path file : new Path[] {source, library, messages, folder}) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while gcc was working", e);
    }
  }

  /// A function of the file.
  // SAFETY: bounds: whoever asks says the type that the source, which lies beside this class, gives
  // the function, and passes memory that is large enough; lifetime: the library stays; thread: any.
  @SuppressWarnings("restricted")
  public MethodHandle function(String name, FunctionDescriptor type, Linker.Option... options) {
    return Linker.nativeLinker().downcallHandle(functions.findOrThrow(name), type, options);
  }
}
