package dev.tigris.memory.raw;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Set;

/// The access control lists of files on Linux, of which the JDK knows nothing: it shows the most
/// that such a list gives anybody as the permissions of the group, who may have none.
public final class AccessLists {
  private static final String ATTRIBUTE = "system.posix_acl_access";

  /// The version of the format, and nothing after it: what is given such a list has none.
  private static final byte[] EMPTY = {2, 0, 0, 0};

  /// The most that an attribute can have (XATTR_SIZE_MAX).
  private static final int MAX_BYTES = 1 << 16;

  /// ENOSYS, ENODATA, EOPNOTSUPP: there is no list, or there are none on this file system.
  private static final Set<Integer> NONE = Set.of(38, 61, 95);

  private AccessLists() {}

  /// No list: the permissions say all.
  public static byte[] none() {
    return EMPTY.clone();
  }

  /// The list of a file as the kernel gives it; [#none] if there is none.
  public static byte[] read(Path file) throws IOException {
    if (!Pages.LINUX) {
      return none();
    }
    NativeAccess.require();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(file.toFile().getPath());
      MemorySegment attribute = arena.allocateFrom(ATTRIBUTE);
      MemorySegment list = arena.allocate(MAX_BYTES);
      MemorySegment errno = arena.allocate(Errno.STATE);
      long bytes =
          (long) Reading.GETXATTR.invokeExact(errno, name, attribute, list, (long) MAX_BYTES);
      if (bytes < 0 && NONE.contains(Errno.of(errno))) {
        return none();
      }
      Errno.check((int) bytes, errno, "read the access control list of " + file);
      return list.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("getxattr could not be called", e);
    }
  }

  /// Gives a file a list that was read, and with it the permissions that the list says; or takes
  /// its list off, which leaves what that had said in the permissions.
  public static void write(Path file, byte[] list) throws IOException {
    write(file, ATTRIBUTE, list);
  }

  static void write(Path file, String kind, byte[] list) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(file.toFile().getPath());
      MemorySegment attribute = arena.allocateFrom(kind);
      MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, list);
      MemorySegment errno = arena.allocate(Errno.STATE);
      int result =
          (int) Writing.SETXATTR.invokeExact(errno, name, attribute, bytes, (long) list.length, 0);
      Errno.check(result, errno, "give %s an access control list".formatted(file));
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("setxattr could not be called", e);
    }
  }

  // SAFETY: bounds: both names end with a zero, and the list's size is that of its segment;
  // lifetime: all outlive the call; thread: the call is thread-safe.
  private static final class Reading {
    static final MethodHandle GETXATTR =
        Errno.link(
            "getxattr",
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG));
  }

  // SAFETY: as for reading. Apart from it, as few files have such a list, and linking takes time.
  private static final class Writing {
    static final MethodHandle SETXATTR =
        Errno.link(
            "setxattr",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT));
  }
}
