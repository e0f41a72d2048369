package dev.tigris.os;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;

/// Pages of anonymous memory from the operating system. They are mapped for good: what is given
/// back by [#discard] loses its physical memory and its contents, never its addresses, so that a
/// late access through a stale address finds zeros or other bytes of ours and cannot crash.
public final class Pages {
  /// Mappings are made in units of this many bytes, and aligned to it: the size of a huge page.
  public static final long UNIT_BYTES = 2L << 20;

  private static final int MADV_DONTNEED = 4;
  private static final int MADV_HUGEPAGE = 14;
  private static final int MADV_NOHUGEPAGE = 15;

  private static final int MAP_FIXED_NOREPLACE = 0x100000;

  /// What lies below is a constant that an instruction can hold.
  public static final long LOW_END = 1L << 31;

  private static final long LOW_STEP_BYTES = 16L << 20;

  private static final String HUGE_PAGE_BYTES =
      "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size";
  private static final File BALLOONS = new File("/sys/bus/virtio/drivers/virtio_balloon");
  private static final int FREE_PAGE_REPORTING = 5;

  private static final int MAP_ANONYMOUS_NORESERVE =
      Mappings.MAP_ANONYMOUS | Mappings.MAP_NORESERVE;

  /// Whether huge pages are asked for: `-Dtigris.memory.hugepages=true` or `false`, and else where
  /// they are as large as our units, unless this is a virtual machine whose host takes free memory
  /// back. There a huge page is nearly always one that the host has to provide again, which takes
  /// ten times as long as to clear it, and a small one seldom is.
  private static final boolean WANTS_HUGE_PAGES = wantsHugePages();

  private Pages() {}

  private static boolean wantsHugePages() {
    String configured = System.getProperty("tigris.memory.hugepages");
    return configured == null
        ? hugeIsUnit() && !hostTakesFreeMemory()
        : Boolean.parseBoolean(configured);
  }

  /// Whether a huge page has as many bytes as a unit. On aarch64 it has 32 or 512 MiB where pages
  /// have 16 or 64 KiB, and a process that touched one byte would have all of them.
  private static boolean hugeIsUnit() {
    if (System.getProperty("os.arch").equals("amd64")) {
      return true;
    }
    try {
      return Files.readString(Path.of(HUGE_PAGE_BYTES)).strip().equals(String.valueOf(UNIT_BYTES));
    } catch (IOException e) {
      return false; // there are none
    }
  }

  /// Looks for a balloon device with feature 5, free page reporting.
  private static boolean hostTakesFreeMemory() {
    String[] devices = BALLOONS.list((folder, name) -> name.startsWith("virtio"));
    if (devices == null) {
      return false;
    }
    for (String device : devices) {
      try {
        String features = Files.readString(BALLOONS.toPath().resolve(device).resolve("features"));
        if (features.startsWith("1", FREE_PAGE_REPORTING)) {
          return true;
        }
      } catch (IOException e) {
        // Not known to take memory back.
      }
    }
    return false;
  }

  /// Maps `bytes` (a multiple of [#UNIT_BYTES]) of zeros, aligned to [#UNIT_BYTES], and returns
  /// the address; 0 where the operating system refuses.
  ///
  /// @throws IllegalCallerException if the JVM was not told to allow native access
  public static long map(long bytes) {
    NativeAccess.own().require();
    if (!Platform.POSIX) {
      return Arena.global().allocate(bytes, UNIT_BYTES).address();
    }
    // One unit more than asked for leaves room to align; untouched pages cost nothing.
    long start = Native.map(bytes + UNIT_BYTES);
    if (start <= 0) {
      return 0;
    }
    long aligned = (start + UNIT_BYTES - 1) & -UNIT_BYTES;
    if (Platform.LINUX && WANTS_HUGE_PAGES) {
      // A refusal means small pages, no more: the result is not needed.
      Native.advise(aligned, bytes, MADV_HUGEPAGE);
    }
    return aligned;
  }

  /// Maps `bytes` of zeros below [#LOW_END], where Linux puts nothing that does not ask for it.
  /// Returns 0 where that is not possible, or not wanted (`-Dtigris.memory.low=false`).
  public static long mapLow(long bytes) {
    if (!Platform.LINUX || !Boolean.parseBoolean(System.getProperty("tigris.memory.low", "true"))) {
      return 0;
    }
    for (long address = LOW_STEP_BYTES; address < LOW_END; address += LOW_STEP_BYTES) {
      long mapped = Native.mapAt(address, bytes);
      if (mapped > 0) {
        // A kernel that does not know the flag takes the address as a hint.
        return mapped == address ? mapped : 0;
      }
    }
    return 0;
  }

  /// Maps zeros at an address where nothing is mapped, and touches nothing that others have mapped
  /// there. On other systems than Linux, a hole stays one.
  static void fill(long address, long bytes) {
    if (Platform.LINUX) {
      // A kernel that does not know the flag may map them elsewhere, where they cost nothing.
      long _ = Native.mapAt(address, bytes);
    }
  }

  /// Gives the physical memory of whole pages back; they read as zeros afterwards. Returns false
  /// where that is not possible: the caller then clears them itself when it uses them again.
  // macOS keeps the contents on MADV_DONTNEED, so only Linux qualifies.
  public static boolean discard(long address, long bytes) {
    return Platform.LINUX && Native.advise(address, bytes, MADV_DONTNEED);
  }

  /// Advises huge pages for whole units, or takes the advice back where it is not given anyway.
  public static void adviseHuge(long address, long bytes, boolean huge) {
    if (Platform.LINUX && !WANTS_HUGE_PAGES) {
      // A refusal means small pages, no more: the result is not needed.
      Native.advise(address, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    }
  }

  /// Provides whole pages now, and keeps them in physical memory.
  ///
  /// @throws ScarceException if the operating system refuses
  /// @throws UnsupportedOperationException on other systems than Linux and macOS
  public static void lock(long address, long bytes) throws ScarceException {
    Platform.requirePosix("locking memory");
    if (!Native.lock(address, bytes)) {
      // What was locked before the limit was reached stays so otherwise.
      unlock(address, bytes);
      throw new ScarceException(
          "the operating system locks no more memory for this process. Raise its limit (ulimit -l),"
              + " or allocate ordinary pages");
    }
  }

  /// Undoes what [#lock] did.
  public static void unlock(long address, long bytes) {
    Native.unlock(address, bytes);
  }

  // SAFETY: bounds: `mmap` picks fresh addresses, the others are only given ranges that `map`
  // returned; lifetime: nothing is ever unmapped; thread: all calls are thread-safe.
  private static final class Native {
    private static final LibraryFunction MADVISE = LibraryFunction.ofInt("madvise");
    private static final LibraryFunction MLOCK = LibraryFunction.ofInt("mlock");
    private static final LibraryFunction MUNLOCK = LibraryFunction.ofInt("munlock");

    /// Maps them where the system likes.
    static long map(long bytes) {
      return map(0, bytes, 0);
    }

    /// Maps them there, or nowhere.
    static long mapAt(long address, long bytes) {
      return map(address, bytes, MAP_FIXED_NOREPLACE);
    }

    private static long map(long address, long bytes, int more) {
      int flags = Mappings.MAP_PRIVATE | MAP_ANONYMOUS_NORESERVE | more;
      return Mappings.map(address, bytes, Mappings.PROT_READ_WRITE, flags, -1, 0);
    }

    static boolean advise(long address, long bytes, int advice) {
      return MADVISE.call(address, bytes, advice) == 0;
    }

    static boolean lock(long address, long bytes) {
      return MLOCK.call(address, bytes) == 0;
    }

    static void unlock(long address, long bytes) {
      MUNLOCK.call(address, bytes);
    }
  }
}
