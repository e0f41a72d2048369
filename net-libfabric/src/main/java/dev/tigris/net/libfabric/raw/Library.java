package dev.tigris.net.libfabric.raw;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tigris.net.libfabric.raw.Layout.Constant;
import dev.tigris.os.NativeAccess;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The installed library, loaded once and never unloaded.
///
/// Some of what it loads along replaces the handlers of signals that the JVM needs, which would end
/// the process at the next implicit null check: [Signals] puts them back.
public final class Library {
  private static final String NAME = "libfabric.so.1";
  private static final String PATH_PROPERTY = "tigris.net.libfabric.library";
  private static final String INSTALL =
      "apt install libfabric1 (Debian, Ubuntu) or dnf install libfabric (Fedora, RHEL)";
  private static final Set<String> ARCHITECTURES = Set.of("amd64", "aarch64");
  private static final List<String> DIRECTORIES =
      List.of(
          "/opt/amazon/efa/lib64",
          "/opt/amazon/efa/lib",
          "/opt/cray/libfabric/lib64",
          "/usr/local/lib",
          "/usr/local/lib64",
          "/usr/lib/x86_64-linux-gnu",
          "/usr/lib/aarch64-linux-gnu",
          "/usr/lib64",
          "/usr/lib");

  /// What this code was written for: its layouts hold from the first on, and it asks for no more
  /// than the second.
  private static final int OLDEST_VERSION = version(1, 9);
  private static final int NEWEST_VERSION = version(1, 17);

  private final int installedVersion;
  private final MethodHandle strerror;
  private final MethodHandle getinfo;
  private final MethodHandle freeinfo;
  private final MethodHandle dupinfo;
  private final MethodHandle fabric;

  /// Loaded when it is first used.
  private static final class Loaded {
    static final Result RESULT = tryToLoad();
  }

  private record Result(Optional<Library> library, String failure) {}

  // SAFETY: bounds: the segment stays empty; lifetime, thread: it is dropped at once.
  private static final class Access implements Runnable {
    static final NativeAccess OWN = NativeAccess.of(new Access());

    @Override
    @SuppressWarnings("restricted")
    public void run() {
      MemorySegment _ = MemorySegment.NULL.reinterpret(0);
    }
  }

  // SAFETY: bounds and thread: the functions and their arguments are those of the headers, and all
  // are thread-safe; lifetime: of the process.
  @SuppressWarnings("restricted")
  private Library(Path path, SymbolLookup symbols) throws LibfabricException {
    Linker linker = Linker.nativeLinker();
    MethodHandle version =
        linker.downcallHandle(symbols.findOrThrow("fi_version"), FunctionDescriptor.of(JAVA_INT));
    try {
      this.installedVersion = (int) version.invokeExact();
    } catch (Throwable e) {
      throw Functions.notCalled(e);
    }
    if (installedVersion < OLDEST_VERSION) {
      throw new LibfabricException(
          "%s is libfabric %s: install 1.9 or a later one".formatted(path, version()));
    }
    this.strerror =
        linker.downcallHandle(
            symbols.findOrThrow("fi_strerror"), FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
    this.getinfo =
        linker.downcallHandle(
            symbols.findOrThrow("fi_getinfo"),
            FunctionDescriptor.of(
                JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS));
    this.freeinfo =
        linker.downcallHandle(
            symbols.findOrThrow("fi_freeinfo"), FunctionDescriptor.ofVoid(JAVA_LONG));
    this.dupinfo =
        linker.downcallHandle(
            symbols.findOrThrow("fi_dupinfo"), FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    this.fabric =
        linker.downcallHandle(
            symbols.findOrThrow("fi_fabric"),
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
  }

  /// Why the library cannot be used, and what would have to change; empty if it is there. This does
  /// not load it, which takes a third of a second.
  public static Optional<String> obstacle() {
    if (!System.getProperty("os.name").equals("Linux")
        || !ARCHITECTURES.contains(System.getProperty("os.arch"))) {
      return Optional.of("libfabric is used on Linux on amd64 and aarch64 only: use tcp");
    }
    if (find().isPresent()) {
      return Access.OWN.obstacle();
    }
    String named = System.getProperty(PATH_PROPERTY);
    return Optional.of(
        named == null
            ? "%s is not installed: %s, or name the file with -D%s"
                .formatted(NAME, INSTALL, PATH_PROPERTY)
            : ("-D%s=%s names no file that can be read: correct the path, or leave the option out"
                    + " and %s")
                .formatted(PATH_PROPERTY, named, INSTALL));
  }

  private static Optional<Path> find() {
    String named = System.getProperty(PATH_PROPERTY);
    if (named != null) {
      return Optional.of(Path.of(named)).filter(Files::isReadable);
    }
    List<String> directories = new ArrayList<>();
    String environment = System.getenv("LD_LIBRARY_PATH");
    if (environment != null) {
      directories.addAll(List.of(environment.split(":")));
    }
    directories.addAll(DIRECTORIES);
    return directories.stream()
        .filter(directory -> !directory.isEmpty())
        .map(directory -> Path.of(directory, NAME))
        .filter(Files::isReadable)
        .findFirst();
  }

  /// The library, loaded.
  ///
  /// @throws LibfabricException if that is not possible, with what would have to change
  public static Library load() throws LibfabricException {
    Result result = Loaded.RESULT;
    return result.library.orElseThrow(() -> new LibfabricException(result.failure));
  }

  // SAFETY: lifetime: the global arena keeps the library loaded for as long as the process runs;
  // bounds and thread: its constructors run here, and their handlers of signals are taken out.
  @SuppressWarnings("restricted")
  private static Result tryToLoad() {
    Optional<String> obstacle = obstacle();
    if (obstacle.isPresent()) {
      return new Result(Optional.empty(), obstacle.get());
    }
    Path path = find().orElseThrow();
    try (Signals _ = Signals.save()) {
      // Two of the drivers that are loaded along hook signals to print stack traces, unless told
      // not to; the third may patch the C library to watch memory, which the JVM does not survive.
      Signals.environment("HFI_NO_BACKTRACE", "1");
      Signals.environment("IPATH_NO_BACKTRACE", "1");
      Signals.environment("FI_MR_CACHE_MONITOR", "disabled");
      return new Result(
          Optional.of(new Library(path, SymbolLookup.libraryLookup(path, Arena.global()))), "");
    } catch (LibfabricException | RuntimeException e) {
      return new Result(
          Optional.empty(), "%s cannot be loaded: %s".formatted(path, e.getMessage()));
    }
  }

  private static int version(int major, int minor) {
    return major << 16 | minor;
  }

  private String version() {
    return "%d.%d".formatted(installedVersion >>> 16, installedVersion & 0xffff);
  }

  /// Returns `result`, if it is not negative.
  int check(String what, long result) throws LibfabricException {
    if (result < 0) {
      throw failure(what, (int) -result);
    }
    return (int) result;
  }

  LibfabricException failure(String what, int error) {
    return new LibfabricException(what, error, describe(error));
  }

  /// The library's text for an error.
  public String describe(int error) {
    try {
      return Functions.text((long) strerror.invokeExact(error));
    } catch (Throwable e) {
      throw Functions.notCalled(e);
    }
  }

  /// Asks for what there is. The list is to be freed.
  ///
  /// @return 0 if there is nothing
  long getinfo(MemorySegment node, MemorySegment service, long flags, long hints)
      throws LibfabricException {
    try (Arena arena = Arena.ofConfined();
        Signals _ = Signals.save()) {
      MemorySegment list = arena.allocate(JAVA_LONG);
      int asked = Math.min(installedVersion, NEWEST_VERSION);
      int result = (int) getinfo.invokeExact(asked, node, service, flags, hints, list);
      if (result == -Constant.FI_ENODATA.number()) {
        return 0;
      }
      check("look for a network", result);
      return list.get(JAVA_LONG, 0);
    } catch (Throwable e) {
      throw Functions.failed(e);
    }
  }

  void freeinfo(long route) {
    try {
      freeinfo.invokeExact(route);
    } catch (Throwable e) {
      throw Functions.notCalled(e);
    }
  }

  /// A copy; an empty one of 0.
  long dupinfo(long route) throws LibfabricException {
    try {
      long copy = (long) dupinfo.invokeExact(route);
      if (copy == 0) {
        throw new LibfabricException("libfabric has no memory left");
      }
      return copy;
    } catch (Throwable e) {
      throw Functions.failed(e);
    }
  }

  int fabric(long attributes, MemorySegment made) {
    try (Signals _ = Signals.save()) {
      return (int) fabric.invokeExact(attributes, made.address(), 0L);
    } catch (Throwable e) {
      throw Functions.notCalled(e);
    }
  }
}
