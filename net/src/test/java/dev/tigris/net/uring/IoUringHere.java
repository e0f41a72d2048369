package dev.tigris.net.uring;

/// Whether tests can use io_uring here.
public final class IoUringHere {
  private IoUringHere() {}

  public static boolean isAllowed() {
    return new UringProvider().obstacle().isEmpty();
  }
}
