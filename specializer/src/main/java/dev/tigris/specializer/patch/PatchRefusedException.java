package dev.tigris.specializer.patch;

/// A code patch that must not be applied: it does not fit its class, is damaged, or is not signed
/// by a trusted key. The message names the class, where it can the method, and says what to do.
public final class PatchRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  PatchRefusedException(String message) {
    super(message);
  }
}
