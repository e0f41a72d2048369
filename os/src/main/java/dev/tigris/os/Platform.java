package dev.tigris.os;

/// The operating system that this process runs on. Several calls, and the numbers that they take,
/// exist on Linux only or differ there from those of macOS.
///
/// Thread rule: any thread.
public final class Platform {
  private static final String NAME = System.getProperty("os.name");

  /// Linux.
  public static final boolean LINUX = NAME.equals("Linux");

  /// Linux or macOS, whose C libraries have the functions of POSIX.
  public static final boolean POSIX = LINUX || NAME.startsWith("Mac");

  private Platform() {}

  /// Does nothing on Linux.
  ///
  /// @param what needs Linux
  /// @throws UnsupportedOperationException on other systems, with the name of this one
  public static void requireLinux(String what) {
    if (!LINUX) {
      throw new UnsupportedOperationException(
          "%s needs Linux, and this system is %s".formatted(what, NAME));
    }
  }

  /// Does nothing on Linux and macOS.
  ///
  /// @param what needs one of them
  /// @throws UnsupportedOperationException on other systems, with the name of this one
  public static void requirePosix(String what) {
    if (!POSIX) {
      throw new UnsupportedOperationException(
          "%s needs Linux or macOS, and this system is %s".formatted(what, NAME));
    }
  }
}
