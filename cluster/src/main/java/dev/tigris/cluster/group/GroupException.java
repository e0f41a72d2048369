package dev.tigris.cluster.group;

import org.jspecify.annotations.Nullable;

/// Reports that a group cannot go on: a member is lost, or two members have called different
/// operations. The message names both members. The group is of no more use.
public final class GroupException extends RuntimeException {
  private static final long serialVersionUID = 1;

  GroupException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
