package dev.tigris.specializer.structure;

import java.io.IOException;

/// A file of rules is refused. The message says where, shows the line, and says what to do.
public final class RuleException extends IOException {
  private static final long serialVersionUID = 1;

  RuleException(String message) {
    super(message);
  }
}
