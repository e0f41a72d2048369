package dev.tigris.os;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Set;

/// The access control lists of files on Linux, of which the JDK knows nothing: it shows the most
/// that such a list gives any user as the permissions of the group, which may have none.
public final class AccessLists {
  private static final String ATTRIBUTE = "system.posix_acl_access";

  /// The version of the format, and nothing after it: what is given such a list has none.
  private static final byte[] EMPTY = {2, 0, 0, 0};

  /// The most that an attribute can have (XATTR_SIZE_MAX).
  private static final int MAX_BYTES = 1 << 16;

  /// ENOENT, ENOSYS, ENODATA, EOPNOTSUPP: the locale cannot spell the file's name, there is no
  /// list, or there are none on this file system.
  private static final Set<Integer> NONE = Set.of(2, 38, 61, 95);

  private AccessLists() {}

  /// No list: the permissions say all.
  public static byte[] none() {
    return EMPTY.clone();
  }

  /// The list of a file as the kernel gives it; [#none] if there is none, as in an archive.
  public static byte[] read(Path file) throws IOException {
    if (!Platform.LINUX || !file.getFileSystem().equals(FileSystems.getDefault())) {
      return none();
    }
    NativeAccess.own().require();
    try (Arena arena = Arena.ofConfined()) {
      long name = FileDescriptors.name(arena, file).address();
      long attribute = arena.allocateFrom(ATTRIBUTE).address();
      MemorySegment list = arena.allocate(MAX_BYTES);
      long bytes = Native.GETXATTR.call(name, attribute, list.address(), MAX_BYTES);
      if (NONE.contains((int) -bytes)) {
        return none();
      }
      SystemException.check("read the access control list of " + file, bytes);
      return list.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
    }
  }

  /// Gives a file a list that was read, and with it the permissions that the list says; or takes
  /// its list off, which leaves what that had said in the permissions.
  public static void write(Path file, byte[] list) throws IOException {
    write(file, ATTRIBUTE, list);
  }

  public static void write(Path file, String kind, byte[] list) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      long name = FileDescriptors.name(arena, file).address();
      long attribute = arena.allocateFrom(kind).address();
      long bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, list).address();
      SystemException.check(
          "give %s an access control list".formatted(file),
          Native.SETXATTR.call(name, attribute, bytes, list.length, 0));
    }
  }

  // SAFETY: bounds: both names end with a zero, and the list's size is that of its segment;
  // lifetime: all outlive the call; thread: both calls are thread-safe.
  private static final class Native {
    static final LibraryFunction GETXATTR = LibraryFunction.ofLong("getxattr");
    static final LibraryFunction SETXATTR = LibraryFunction.ofInt("setxattr");
  }
}
