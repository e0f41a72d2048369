package dev.tigris.bench.c;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/// The system's OpenBLAS, on one thread. It chooses the kernel for the processor when it is loaded;
/// the variable `OPENBLAS_CORETYPE` asks for another.
public final class OpenBlas {
  private static final int ROW_MAJOR = 101;
  private static final int NO_TRANSPOSE = 111;

  private final MethodHandle multiply;

  // SAFETY: bounds: the declarations are those of cblas.h; lifetime: the library is never unloaded;
  // thread: any.
  @SuppressWarnings("restricted")
  private OpenBlas(SymbolLookup library) throws Throwable {
    Linker linker = Linker.nativeLinker();
    linker
        .downcallHandle(
            library.findOrThrow("openblas_set_num_threads"), FunctionDescriptor.ofVoid(JAVA_INT))
        .invokeExact(1);
    multiply =
        linker.downcallHandle(
            library.findOrThrow("cblas_dgemm"),
            FunctionDescriptor.ofVoid(
                JAVA_INT,
                JAVA_INT,
                JAVA_INT,
                JAVA_INT,
                JAVA_INT,
                JAVA_INT,
                JAVA_DOUBLE,
                ADDRESS,
                JAVA_INT,
                ADDRESS,
                JAVA_INT,
                JAVA_DOUBLE,
                ADDRESS,
                JAVA_INT));
  }

  /// Loads it, if it is installed (Debian: `libopenblas0-pthread`).
  // SAFETY: bounds: its functions are declared above; lifetime: it is never unloaded; thread: any.
  @SuppressWarnings("restricted")
  public static Optional<OpenBlas> load() {
    try {
      return Optional.of(
          new OpenBlas(SymbolLookup.libraryLookup("libopenblas.so.0", Arena.global())));
    } catch (IllegalArgumentException e) {
      System.err.println("# There is no OpenBLAS here: install libopenblas0-pthread.");
      return Optional.empty();
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /// C += A B, of square matrices of doubles that lie row after row.
  public void addProduct(int size, MemorySegment a, MemorySegment b, MemorySegment c) {
    try {
      multiply.invokeExact(
          ROW_MAJOR,
          NO_TRANSPOSE,
          NO_TRANSPOSE,
          size,
          size,
          size,
          1.0,
          a,
          size,
          b,
          size,
          1.0,
          c,
          size);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
