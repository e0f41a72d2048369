package dev.tigris.bench.c;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

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
    return Gcc.isAvailable();
  }

  /// The package to install before C can be compiled; empty if it is there.
  public static Optional<String> obstacle() {
    return isAvailable()
        ? Optional.empty()
        : Optional.of("gcc is missing: install gcc and libc6-dev");
  }

  /// Returns what to say of a group that needs C, and is left out without it.
  public static List<String> missing(String group) {
    return obstacle().stream().map(why -> group + " is left out: " + why).toList();
  }

  /// Compiles and loads `NAME.c`, which stays loaded until the process ends.
  // SAFETY: bounds and lifetime: the library is our own source, compiled a moment ago, and is never
  // unloaded; thread: any.
  @SuppressWarnings("restricted")
  public static CTwin load(String name) {
    try {
      Path library = Files.createTempFile("tigris-c-", ".so");
      try {
        Gcc.compile(List.of(name + ".c"), library, List.of("-O2", "-fPIC", "-shared"));
        // The file can go: what is loaded is mapped.
        return new CTwin(SymbolLookup.libraryLookup(library, Arena.global()));
      } finally {
        Files.deleteIfExists(library);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A function of the file.
  // SAFETY: bounds: the caller gives the type that the source, which lies beside this class, gives
  // the function, and passes memory that is large enough; lifetime: the library stays; thread: any.
  @SuppressWarnings("restricted")
  public MethodHandle function(String name, FunctionDescriptor type, Linker.Option... options) {
    return Linker.nativeLinker().downcallHandle(functions.findOrThrow(name), type, options);
  }
}
